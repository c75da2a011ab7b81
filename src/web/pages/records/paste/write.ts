import { type AppliedChange, applyChanges, NotApplied, takeBack } from '../../../data/apply.ts'
import { formatNumber } from '../../../data/formats.ts'
import { newIds } from '../../../data/new-ids.ts'
import { justDone } from '../actions.ts'
import { blockOf } from '../grid/cursor.ts'
import { type GridState, rowsOfBlock } from '../grid/state.ts'
import type { Field, Row } from '../model.ts'
import { faultyField } from '../refusals.ts'
import { undoStack } from '../undo.ts'
import { BlockRefused, type Data, type Pasted } from './block.ts'

/** Up to this many rows are changed at a time. */
export const MOST_CHANGED = 10_000

/** A row that is written over, and its new values. */
interface Covered {
  readonly record: Row
  readonly data: Data
}

/** The rows that the block covers, as they are now. */
export async function coveredRows(
  grid: GridState,
  { cells, row, id }: Pick<Pasted, 'cells' | 'row' | 'id'>,
): Promise<readonly Row[]> {
  const records = await grid.source.read(grid.source.numberOf(row), cells.length)
  if (id !== undefined && records[0]?.id !== id)
    throw new BlockRefused('The rows moved since the block was pasted; cancel, and paste it again.')
  return records
}

/** The rows of the selected block as they are now, and its fields. */
async function selected(grid: GridState) {
  const { top, bottom, left, right } = blockOf(grid.cursor.peek())
  const { first, count } = rowsOfBlock(grid)
  if (count > MOST_CHANGED)
    throw new BlockRefused(`Up to ${formatNumber(MOST_CHANGED)} rows are changed at a time; choose fewer.`)
  await grid.edits.settled
  const records = await grid.source.read(first, count)
  const lines = Array.from({ length: bottom - top + 1 }, (_, at) => top + at)
  const known = lines.filter((line) => !grid.source.group(line)).map((line) => grid.source.row(line)?.id)
  const isMoved = records.some(({ id }, at) => (known[at] ?? id) !== id)
  if (isMoved || records.length < count)
    throw new BlockRefused('The rows moved meanwhile; choose them again.')
  return { records, first, fields: grid.fields.slice(left - 1, right) }
}

/** Clears the cells of the selected block; one undo puts them back. */
export async function clearBlock(grid: GridState): Promise<void> {
  const { top, bottom, left, right } = blockOf(grid.cursor.peek())
  const [record, field] = [grid.source.row(top), grid.fields[left - 1]]
  if (top === bottom && left === right && record && field) return grid.edits.write(record, field, undefined)
  const { records, fields } = await selected(grid)
  const data = Object.fromEntries(fields.map(({ key }) => [key, null]))
  await writeBlock(
    grid,
    records.map((record) => ({ record, data })),
    [],
    'cleared cells',
  )
}

/** Writes some rows of the selected block over its others, again and again; one undo puts them back. */
export async function fillFrom(grid: GridState, top: number, bottom: number): Promise<void> {
  const { records, first, fields } = await selected(grid)
  const from = grid.source.numberOf(top) - first
  const given = records.slice(from, grid.source.numberOf(bottom) - first + 1)
  const over = records.flatMap((record, at): Covered[] => {
    if (at >= from && at < from + given.length) return []
    const place = (at - from) % given.length
    const like = given.at(place)
    return [{ record, data: Object.fromEntries(fields.map(({ key }) => [key, like?.data[key] ?? null])) }]
  })
  await writeBlock(grid, over, [], 'filled cells')
}

/** Writes the first row of the selected block over its others; one undo puts them back. */
export function fillDown(grid: GridState): Promise<void> {
  const { top } = blockOf(grid.cursor.peek())
  const line = grid.source.group(top) ? top + 1 : top
  return fillFrom(grid, line, line)
}

const LABEL = 'a pasted block'

/** Writes the block as new rows. */
export const addRows = (grid: GridState, rows: readonly Data[]): Promise<void> =>
  writeBlock(grid, [], rows, LABEL)

/** Writes the block over rows, and what goes beyond them as new rows. */
export const writeOver = (grid: GridState, records: readonly Row[], rows: readonly Data[]): Promise<void> =>
  writeBlock(
    grid,
    records.map((record, place) => ({ record, data: rows[place] ?? {} })),
    rows.slice(records.length),
    LABEL,
  )

/** Writes the same values into many rows, whatever they hold. */
export const writeRowsAs = (grid: GridState, ids: readonly string[], data: Data) =>
  write(
    grid,
    ids.map((id) => ({ kind: 'record', op: 'updated', id, data })),
    'a change of many rows',
  )

/** Deletes rows, and returns what puts them back. */
export const deleteRows = (grid: GridState, ids: readonly string[]) =>
  write(
    grid,
    ids.map((id) => ({ kind: 'record', op: 'deleted', id })),
    'the deletion of rows',
  )

/** Writes what differs from the rows as they were read, all of it or nothing. */
async function writeBlock(
  grid: GridState,
  over: readonly Covered[],
  added: readonly Data[],
  label: string,
): Promise<void> {
  const ids = newIds(added.length)
  const places: number[] = []
  const changes: AppliedChange[] = []
  for (const [place, { record, data }] of over.entries()) {
    const changed = Object.entries(data).filter(([key, value]) => (record.data[key] ?? null) !== value)
    if (changed.length === 0) continue
    places.push(place)
    changes.push({
      kind: 'record',
      op: 'updated',
      id: record.id,
      if_unchanged: record.updated_at,
      data: Object.fromEntries(changed),
    })
  }
  for (const [at, data] of added.entries()) {
    places.push(over.length + at)
    const id = ids[at] ?? ''
    changes.push({ kind: 'record', op: 'created', id, structure: grid.structure.id, data })
  }
  await write(grid, changes, label).catch((error: Error) => {
    throw refusedAt(grid.fields, places, error)
  })
}

/** Writes changes, and returns what takes them back; undefined where nothing changed. */
const write = (grid: GridState, changes: readonly AppliedChange[], label: string) =>
  undoStack.perform(async (keep) => {
    const transactions = await applyChanges(changes)
    grid.source.refreshNow()
    if (transactions.length === 0) return undefined
    const run = async () => {
      justDone.value = undefined
      undoStack.forget(run)
      await takeBack(transactions)
      grid.source.refreshNow()
    }
    keep({ label, run })
    return run
  })

/** Says where in the block a refusal of the server is. */
function refusedAt(fields: readonly Field[], places: readonly number[], error: Error): Error {
  if (!(error instanceof NotApplied)) return error
  if (error.code === 'stale')
    return new BlockRefused('Rows of the block changed while it was written; look at them, and try again.')
  const place = error.at === undefined ? undefined : places[error.at]
  return place === undefined
    ? new BlockRefused(error.message)
    : new BlockRefused(error.message, place, faultyField(fields, error.fault))
}
