import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Pane } from '../../../components/pane.tsx'
import { navigate, search } from '../../../router.ts'
import type { Field, Row, Structure } from '../model.ts'
import { faultyField } from '../refusals.ts'
import type { RowList } from '../rows.ts'
import { paneAddress } from '../view.ts'
import { FieldControl } from './field-control.tsx'
import { type Data, newRowOf, readNewRow } from './new-row-draft.ts'

interface NewRowPaneProps {
  readonly structure: Structure
  readonly source: RowList
  readonly onCreate: (data: Data) => Promise<Row>
}

/** A form with all fields of the structure; what is refused stays filled in. */
export function NewRowPane({ structure, source, onCreate }: NewRowPaneProps) {
  const draft = newRowOf(structure.id)
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const create = useAction(async () => {
    const read = await readNewRow(structure, draft.texts)
    setFaults(read.faults)
    if (Object.keys(read.faults).length > 0) return focusFault(structure.fields, read.faults)
    await onCreate(read.data)
    draft.clear()
    source.refreshNow()
    // Meanwhile something else may have been opened.
    if (search.peek().get('pane') === 'new') navigate(paneAddress(undefined))
  })
  const error = create.refusal.value
  const atField = error === undefined ? undefined : faultyField(structure.fields, create.fault.value)
  return (
    <Pane kind="side" label="New row">
      <header class="bar">
        <h2>New row</h2>
        <span class="grow" />
        <a
          class="button quiet icon-only"
          href={paneAddress(undefined)}
          aria-label="Close without saving"
          onClick={draft.clear}
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
            text={draft.texts[field.key] ?? ''}
            isFirst={place === 0}
            error={faults[field.key] ?? (atField === field ? error : undefined)}
            onText={(text) => draft.type(field.key, text)}
          />
        ))}
        {error !== undefined && !atField && <ErrorText>{error}</ErrorText>}
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
