import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Pane } from '../../../components/pane.tsx'
import { type Field, isComputed, type Structure } from '../../../data/records/model.ts'
import { faultyField } from '../../../data/records/refusals.ts'
import type { RowList } from '../../../data/records/rows.ts'
import { navigate, search } from '../../../router.ts'
import { paneAddress } from '../view.ts'
import { FieldControl } from './field-control.tsx'
import { type Data, newRowOf, readNewRow } from './new-row-draft.ts'

interface NewRowPaneProps {
  readonly structure: Structure
  readonly source: RowList
  readonly onCreate: (data: Data) => Promise<unknown>
}

/** A form for a new row. Refused input stays in the form. */
export function NewRowPane({ structure, source, onCreate }: NewRowPaneProps) {
  const draft = newRowOf(structure.id)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const create = useAction(async () => {
    const read = await readNewRow(structure, draft.texts)
    setErrors(read.errors)
    if (Object.keys(read.errors).length > 0) return focusFirstError(structure.fields, read.errors)
    await onCreate(read.data)
    draft.clear()
    source.refreshNow()
    // The user may have opened another pane.
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
          aria-label="Discard and close"
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
        {structure.fields
          .filter((field) => !isComputed(field))
          .map((field, index) => (
            <FieldControl
              key={field.key}
              field={field}
              text={draft.texts[field.key] ?? ''}
              isFirst={index === 0}
              error={errors[field.key] ?? (atField === field ? error : undefined)}
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

function focusFirstError(fields: readonly Field[], errors: Readonly<Record<string, string>>): void {
  const first = fields.find(({ key }) => key in errors)
  if (first) document.getElementById(`value-${first.key}`)?.focus()
}
