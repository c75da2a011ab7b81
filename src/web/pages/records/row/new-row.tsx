import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button, useAction, Why } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Pane } from '../../../components/pane.tsx'
import { whose } from '../../../data/whose.ts'
import { navigate, search } from '../../../router.ts'
import type { Field, Row, Structure } from '../model.ts'
import { isReference } from '../references.ts'
import { faultyField } from '../refusals.ts'
import type { RowSource } from '../rows.ts'
import { readReference } from '../suggestions.ts'
import { parseValue } from '../values.ts'
import { paneAddress } from '../view.ts'
import { FieldControl } from './field-control.tsx'

type Data = Record<string, string | number | boolean | null>
type Texts = Readonly<Record<string, string>>

/** What is typed into the new row of each structure, until it is written or given up: other rows may be opened meanwhile. */
const typed = signal<ReadonlyMap<string, Texts>>(new Map())

interface NewRowPaneProps {
  readonly structure: Structure
  readonly source: RowSource
  readonly onCreate: (data: Data) => Promise<Row>
}

/** A form with all fields of the structure; what is refused stays filled in. */
export function NewRowPane({ structure, source, onCreate }: NewRowPaneProps) {
  const name = `${whose.value} ${structure.id}`
  const texts = typed.value.get(name) ?? {}
  const setTexts = (next: Texts) => {
    typed.value = new Map(typed.peek()).set(name, next)
  }
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const create = useAction(async () => {
    const data: Data = {}
    const found: Record<string, string> = {}
    for (const field of structure.fields) {
      const text = texts[field.key] ?? ''
      const parsed = isReference(field) ? await readReference(field, text) : parseValue(field, text)
      if ('why' in parsed) found[field.key] = parsed.why
      else if (parsed.value !== null) data[field.key] = parsed.value
      else if (field.required) found[field.key] = `${field.label} needs a value.`
    }
    setFaults(found)
    if (Object.keys(found).length > 0) return focusFault(structure.fields, found)
    await onCreate(data)
    setTexts({})
    source.refreshNow()
    // Meanwhile something else may have been opened.
    if (search.peek().get('pane') === 'new') navigate(paneAddress(undefined))
  })
  const why = create.refusal.value
  const atField = why === undefined ? undefined : faultyField(structure.fields, why)
  return (
    <Pane kind="side" label="New row">
      <header class="bar">
        <h2>New row</h2>
        <span class="grow" />
        <a
          class="button quiet icon-only"
          href={paneAddress(undefined)}
          aria-label="Close without saving"
          onClick={() => setTexts({})}
        >
          <Icon name="x" />
        </a>
      </header>
      <form
        class="section stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create.run()
        }}
      >
        {structure.fields.map((field, place) => (
          <FieldControl
            key={field.key}
            field={field}
            text={texts[field.key] ?? ''}
            isFirst={place === 0}
            why={faults[field.key] ?? (atField === field ? why : undefined)}
            onText={(text) => setTexts({ ...typed.peek().get(name), [field.key]: text })}
          />
        ))}
        {why !== undefined && !atField && <Why>{why}</Why>}
        <p class="actions">
          <Button kind="main" type="submit" disabled={create.isRunning.value}>
            Add row
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
