import { useSignal } from '@preact/signals'
import { Button, useAction, Why } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Pane } from '../../../components/pane.tsx'
import { navigate } from '../../../router.ts'
import type { Field, Row, Structure } from '../model.ts'
import { faultyField } from '../refusals.ts'
import type { RowSource } from '../rows.ts'
import { parseValue } from '../values.ts'
import { paneAddress } from '../view.ts'
import { FieldControl } from './field-control.tsx'

type Data = Record<string, string | number | boolean | null>

interface NewRowPaneProps {
  readonly structure: Structure
  readonly source: RowSource
  readonly onCreate: (data: Data) => Promise<Row>
}

/** A form with all fields of the structure; what is refused stays filled in. */
export function NewRowPane({ structure, source, onCreate }: NewRowPaneProps) {
  const texts = useSignal<Readonly<Record<string, string>>>({})
  const faults = useSignal<Readonly<Record<string, string>>>({})
  const create = useAction(async () => {
    const data: Data = {}
    const found: Record<string, string> = {}
    for (const field of structure.fields) {
      const parsed = parseValue(field, texts.value[field.key] ?? '')
      if ('why' in parsed) found[field.key] = parsed.why
      else if (parsed.value !== null) data[field.key] = parsed.value
      else if (field.required) found[field.key] = `${field.label} needs a value.`
    }
    faults.value = found
    if (Object.keys(found).length > 0) return focusFault(structure.fields, found)
    await onCreate(data)
    source.refreshNow()
    navigate(paneAddress(undefined))
  })
  const why = create.refusal.value
  const atField = why === undefined ? undefined : faultyField(structure.fields, why)
  return (
    <Pane kind="side" label="New row">
      <header class="bar">
        <h2>New row</h2>
        <span class="grow" />
        <a class="b quiet icon" href={paneAddress(undefined)} aria-label="Close without saving">
          <Icon name="x" />
        </a>
      </header>
      <form
        class="sec stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create.run()
        }}
      >
        {structure.fields.map((field, place) => (
          <FieldControl
            key={field.key}
            field={field}
            text={texts.value[field.key] ?? ''}
            isFirst={place === 0}
            why={faults.value[field.key] ?? (atField === field ? why : undefined)}
            onText={(text) => {
              texts.value = { ...texts.value, [field.key]: text }
            }}
          />
        ))}
        {why !== undefined && !atField && <Why>{why}</Why>}
        <p class="row-b">
          <Button kind="main" type="submit" disabled={create.isRunning.value}>
            Write the row
          </Button>
        </p>
      </form>
    </Pane>
  )
}

function focusFault(fields: readonly Field[], faults: Readonly<Record<string, string>>): void {
  const first = fields.find(({ key }) => key in faults)
  if (first) document.getElementById(`value-${first.key}`)?.focus()
}
