import { useState } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { NotApplied } from '../../data/apply.ts'
import { formatNumber } from '../../data/formats.ts'
import { justDone } from './actions.ts'
import type { GridState } from './grid/state.ts'
import { deleteRows, MOST_CHANGED, writeRowsAs } from './paste/write.ts'
import { FieldControl } from './row/field-control.tsx'
import { parseValue } from './values.ts'

const rows = (count: number) => (count === 1 ? '1 row' : `${formatNumber(count)} rows`)

/** What can be done with the rows that are chosen, all at once. */
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
  const remove = useAction(() => isApplied(grid, () => deleteAll(grid)))
  if (count === 0) return null
  const error = all.refusal.value ?? remove.refusal.value
  return (
    <section class="bulk-bar" aria-label="Chosen rows">
      <div class="line">
        <strong role="status">{formatNumber(count)} chosen</strong>
        {count < total && total <= MOST_CHANGED && (
          <Button kind="quiet" disabled={all.isRunning.value} onClick={() => void all.run()}>
            Choose all {rows(total)}
          </Button>
        )}
        <span class="grow" />
        <Button kind="quiet" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
          Change a field…
        </Button>
        <Button
          kind="quiet"
          disabled={remove.isRunning.value}
          onClick={async () => {
            if (await remove.run()) clear()
          }}
        >
          <Icon name="trash" />
          Delete {rows(count)}
        </Button>
        <Button kind="quiet icon-only" aria-label="Choose none" onClick={clear}>
          <Icon name="x" />
        </Button>
      </div>
      {error !== undefined && <ErrorText>{error}</ErrorText>}
      {isEditing && <OneValue grid={grid} onWritten={clear} />}
    </section>
  )
}

/** Deletes the rows that are chosen, and offers to put them back. */
async function deleteAll(grid: GridState): Promise<void> {
  const ids = [...grid.picked.peek()]
  const takeBack = await deleteRows(grid, ids)
  justDone.value = takeBack && { op: 'deleted', count: ids.length, takeBack }
}

/** A row that is gone is no longer chosen, so that the rest can be changed. */
async function isApplied(grid: GridState, act: () => Promise<unknown>): Promise<void> {
  const ids = [...grid.picked.peek()]
  try {
    await act()
  } catch (error) {
    if (!(error instanceof NotApplied) || error.code !== 'not_found') throw error
    const gone = ids[error.at ?? -1]
    grid.picked.value = new Set(ids.filter((id) => id !== gone))
    throw new Error('One of the rows is not there any more, and no longer chosen. Nothing was written.')
  }
}

/**
 * A field and the value that all chosen rows get in it; what they held can be taken back, also where they are no longer
 * shown.
 */
function OneValue({ grid, onWritten }: { grid: GridState; onWritten: () => void }) {
  const { structure, picked } = grid
  const [key, setKey] = useState(structure.fields[0]?.key)
  const [text, setText] = useState('')
  const field = structure.fields.find((one) => one.key === key)
  const { run, isRunning, refusal } = useAction(async () => {
    if (!field) return
    const parsed = parseValue(field, text)
    if ('error' in parsed) throw new Error(parsed.error)
    await isApplied(grid, async () => {
      const ids = [...picked.peek()]
      const takeBack = await writeRowsAs(grid, ids, { [field.key]: parsed.value })
      justDone.value = takeBack && { op: 'changed', count: ids.length, takeBack }
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
          {structure.fields.map((one) => (
            <option key={one.key} value={one.key}>
              {one.label}
            </option>
          ))}
        </select>
      </div>
      <FieldControl key={field.key} field={field} text={text} onText={setText} />
      <Button kind="main" type="submit" disabled={isRunning.value}>
        {text.trim() === '' ? 'Clear it in' : 'Write into'} {rows(picked.value.size)}
      </Button>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </form>
  )
}
