import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { Time } from '../../../components/time.tsx'
import { valueText } from '../../../data/records/labels.ts'
import { type Field, isComputed, type Row } from '../../../data/records/model.ts'
import { isReference } from '../../../data/records/references.ts'
import { readTyped, typedText } from '../../../data/records/typed-text.ts'
import { editText } from '../../../data/records/values.ts'
import type { GridState } from '../grid/state.ts'
import { savingText } from '../saving.ts'
import { ValueView } from '../value-view.tsx'
import { FieldControl } from './field-control.tsx'

/** Rows with more fields show few of the empty ones at first. */
const MANY_FIELDS = 8
const FEW_EMPTY = 2

/** The fields with a value and the first empty ones; the others on demand. */
function useShownFields({ fields }: GridState['structure'], row: Row) {
  const isWhole = useSignal(fields.length <= MANY_FIELDS)
  // A field stays when its value is cleared.
  const [first] = useState(() => {
    const empty = fields.filter((field) => row.data[field.key] === undefined && !isComputed(field))
    return new Set(empty.slice(FEW_EMPTY))
  })
  const isShown = (field: Field) => isWhole.value || !first.has(field) || row.data[field.key] !== undefined
  const shown = fields.filter(isShown)
  const showAll = () => {
    isWhole.value = true
  }
  return { shown, hidden: fields.length - shown.length, showAll }
}

/** The fields of a row, including those hidden in the table. A field is saved when the user leaves it. */
export function RowFields({ row, grid }: { row: Row; grid: GridState }) {
  const { shown, hidden, showAll } = useShownFields(grid.structure, row)
  return (
    <>
      {grid.isEditable ? (
        <div class="section stack">
          {shown.map((field) =>
            isComputed(field) ? (
              <dl key={field.key} class="facts">
                <Fact row={row} field={field} />
              </dl>
            ) : (
              <EditedField key={field.key} row={row} field={field} grid={grid} />
            ),
          )}
          {hidden > 0 && (
            <p>
              <Button kind="quiet" onClick={showAll}>
                Show {hidden} empty fields
              </Button>
            </p>
          )}
        </div>
      ) : (
        <section class="section">
          <dl class="facts">
            {grid.structure.fields.map((field) => (
              <Fact key={field.key} row={row} field={field} />
            ))}
          </dl>
        </section>
      )}
      <section class="section">
        <dl class="facts">
          <dt>Created</dt>
          <dd>
            <Time at={row.created_at} />
          </dd>
          <dt>Edited</dt>
          <dd>
            <Time at={row.updated_at} />
          </dd>
        </dl>
        <details>
          <summary>API</summary>
          <p class="dim">
            Row id: <code>{row.id}</code>
          </p>
        </details>
      </section>
    </>
  )
}

function Fact({ row, field }: { row: Row; field: Field }) {
  const value = row.data[field.key]
  return (
    <>
      <dt>{field.label}</dt>
      <dd>
        {value === undefined ? <span class="dim">No value</span> : <ValueView field={field} value={value} />}
      </dd>
    </>
  )
}

function EditedField({ row, field, grid }: { row: Row; field: Field; grid: GridState }) {
  // `base` is the row when typing began, to detect changes by others.
  const typed = useSignal<{ readonly text: string; readonly base: Row } | undefined>(undefined)
  const state = grid.edits.of(row.id, field.key)
  const value = row.data[field.key]
  const stored = typedText(field.type, editText(value))
  const shown = value === undefined ? 'empty' : valueText(field, value)
  const error =
    state?.kind === 'refused'
      ? `${state.error} The stored value is ${shown}.`
      : state?.kind === 'conflict'
        ? `Someone else changed this to ${valueText(field, state.theirs)}. You entered ${state.text}.`
        : undefined
  const drop = () => {
    typed.value = undefined
    grid.edits.drop(row.id, field.key)
  }
  return (
    <div class="stack tight">
      <FieldControl
        field={field}
        text={typed.value?.text ?? state?.text ?? stored}
        error={error}
        onText={(text) => {
          typed.value = { text, base: typed.peek()?.base ?? row }
        }}
        onDone={(text) => {
          const base = typed.peek()?.base
          if (!base) return
          typed.value = undefined
          void grid.edits.save(base, field, readTyped(field.type, text))
        }}
      />
      {state?.kind === 'saving' && <small role="status">{savingText()}</small>}
      {state?.kind === 'refused' && (
        <Button onClick={drop}>{value === undefined ? 'Clear' : `Restore ${shown}`}</Button>
      )}
      {state?.kind === 'conflict' && (
        <p class="actions">
          <Button onClick={drop}>Keep {valueText(field, state.theirs)}</Button>
          <Button onClick={() => void grid.edits.write(row, field, state.value)}>
            Use {state.text || 'no value'}
          </Button>
        </p>
      )}
      {isReference(field) && value !== undefined && (
        <small>
          Open <ValueView field={field} value={value} />
        </small>
      )}
    </div>
  )
}
