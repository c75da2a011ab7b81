import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { NotApplied } from '../../data/apply.ts'
import { counted, formatNumber } from '../../data/formats.ts'
import { isComputed } from '../../data/records/model.ts'
import { readTyped } from '../../data/records/typed-text.ts'
import { parseValue } from '../../data/records/values.ts'
import { lastAction } from './actions.ts'
import type { GridState } from './grid/state.ts'
import { deleteRows, MAX_CHANGED, setInRows } from './paste/write.ts'
import { FieldControl } from './row/field-control.tsx'

/** Actions on the selected rows. */
export function BulkBar({ grid }: { grid: GridState }) {
  const { picked, source } = grid
  const [isEditing, setEditing] = useState(false)
  const count = picked.value.size
  const total = source.shown.value ?? 0
  const clear = () => {
    setEditing(false)
    picked.value = new Set()
  }
  const all = useAction(async () => {
    picked.value = new Set((await source.read(0, total)).map(({ id }) => id))
  })
  const remove = useAction(() => applyToSelection(grid, () => deleteAll(grid)))
  if (count === 0) return null
  const error = all.refusal.value ?? remove.refusal.value
  return (
    <section class="bulk-bar" aria-label="Selected rows">
      <div class="line">
        <strong role="status">{formatNumber(count)} selected</strong>
        {count < total && total <= MAX_CHANGED && (
          <Button kind="quiet" disabled={all.isRunning.value} onClick={() => void all.run()}>
            Select all {counted(total, 'row')}
          </Button>
        )}
        <span class="grow" />
        <Button kind="quiet" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
          Set a field…
        </Button>
        <Button
          kind="quiet"
          disabled={remove.isRunning.value}
          onClick={async () => {
            if (await remove.run()) clear()
          }}
        >
          <Icon name="trash" />
          Delete {counted(count, 'row')}
        </Button>
        <Button kind="quiet icon-only" aria-label="Clear selection" onClick={clear}>
          <Icon name="x" />
        </Button>
      </div>
      {error !== undefined && <ErrorText>{error}</ErrorText>}
      {isEditing && <BulkValue grid={grid} onWritten={clear} />}
    </section>
  )
}

/** Deletes the selected rows and offers undo. */
async function deleteAll(grid: GridState): Promise<void> {
  const ids = [...grid.picked.peek()]
  const undo = await deleteRows(grid, ids)
  lastAction.value = undo && { op: 'deleted', count: ids.length, undo }
}

/** Runs an action; deselects a row that no longer exists, so that a retry can succeed for the others. */
async function applyToSelection(grid: GridState, act: () => Promise<unknown>): Promise<void> {
  const ids = [...grid.picked.peek()]
  try {
    await act()
  } catch (error) {
    if (!(error instanceof NotApplied) || error.code !== 'not_found') throw error
    const gone = ids[error.at ?? -1]
    grid.picked.value = new Set(ids.filter((id) => id !== gone))
    throw new Error(
      'One of the rows was deleted meanwhile and is no longer selected. Nothing was changed; try again.',
    )
  }
}

/** Sets one field of all selected rows. Undo restores their values, even after the rows are no longer shown. */
function BulkValue({ grid, onWritten }: { grid: GridState; onWritten: () => void }) {
  const { structure, picked } = grid
  const fields = structure.fields.filter((one) => !isComputed(one))
  const [key, setKey] = useState(fields[0]?.key)
  const [text, setText] = useState('')
  const field = structure.fields.find((known) => known.key === key)
  const { run, isRunning, refusal } = useAction(async () => {
    if (!field) return
    const parsed = parseValue(field, readTyped(field.type, text))
    if ('error' in parsed) throw new Error(parsed.error)
    await applyToSelection(grid, async () => {
      const ids = [...picked.peek()]
      const undo = await setInRows(grid, ids, { [field.key]: parsed.value })
      lastAction.value = undo && { op: 'changed', count: ids.length, undo }
    })
  })
  if (!field) return null
  return (
    <form
      class="line"
      onSubmit={async (event) => {
        event.preventDefault()
        if (await run()) onWritten()
      }}
    >
      <div class="field">
        <label for="bulk-field">Field</label>
        <select
          id="bulk-field"
          class="input"
          value={key}
          onChange={({ currentTarget }) => {
            setKey(currentTarget.value)
            setText('')
          }}
        >
          {fields.map((option) => (
            <option key={option.key} value={option.key}>
              {option.label}
            </option>
          ))}
        </select>
      </div>
      <FieldControl key={field.key} field={field} text={text} onText={setText} />
      <Button kind="main" type="submit" disabled={isRunning.value}>
        {text.trim() === '' ? 'Clear in' : 'Set in'} {counted(picked.value.size, 'row')}
      </Button>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </form>
  )
}
