import { isSameValue } from '../../../../lib/record-data.ts'
import {
  type AppliedChange,
  applyChanges,
  applyOnce,
  changesOf,
  MAX_CHANGES,
  NotApplied,
  undoTransactions,
} from '../../../data/apply.ts'
import { formatNumber } from '../../../data/formats.ts'
import { newIds } from '../../../data/new-ids.ts'
import { type ChangedRow, deferAction, type RowData, type RowsAction } from '../../../data/pending-actions.ts'
import { withData } from '../../../data/pending-values.ts'
import { type Field, isComputed, type Row, type Value } from '../../../data/records/model.ts'
import { latest } from '../../../data/records/patch-row.ts'
import { faultyField } from '../../../data/records/refusals.ts'
import { undoStack } from '../../../data/records/undo.ts'
import { Unreachable, unreachableSince } from '../../../data/request.ts'
import { lastAction } from '../actions.ts'
import { blockOf } from '../grid/cursor.ts'
import { type GridState, rowsOfBlock } from '../grid/state.ts'
import { BlockRefused, type Pasted } from './block.ts'

/** Rows changed at a time, at most. */
export const MAX_CHANGED = 10_000

/** A row to overwrite, with its new values. */
interface Overwrite {
  readonly record: Row
  readonly data: RowData
}

/** Fetches the current rows. While the server cannot be reached, loaded rows complete the offline copy. */
async function readRows({ source }: GridState, first: number, count: number): Promise<readonly Row[]> {
  try {
    const rows = await source.read(first, count)
    return unreachableSince.peek() === undefined ? rows : rows.map((row) => latest(source.find(row.id), row))
  } catch (error) {
    if (unreachableSince.peek() === undefined) throw error
    const wanted = Math.min(count, (source.shown.peek() ?? 0) - first)
    const loaded = Array.from({ length: wanted }, (_, at) => source.row(source.lineOf(first + at)))
    const rows = loaded.filter((row) => row !== undefined)
    if (rows.length < wanted) throw error
    return rows
  }
}

/** Fetches the current rows under a block. */
export async function rowsUnderBlock(
  grid: GridState,
  { cells, row, id }: Pick<Pasted, 'cells' | 'row' | 'id'>,
): Promise<readonly Row[]> {
  const records = await readRows(grid, grid.source.numberOf(row), cells.length)
  if (id !== undefined && records[0]?.id !== id)
    throw new BlockRefused('The rows have moved since you pasted. Cancel and paste again.')
  return records
}

/** Fetches the current rows of the selected block, with its fields. Throws if they differ from the displayed rows. */
async function readSelection(grid: GridState) {
  const { top, bottom, left, right } = blockOf(grid.cursor.peek())
  const { first, count } = rowsOfBlock(grid)
  if (count > MAX_CHANGED)
    throw new BlockRefused(`You can change up to ${formatNumber(MAX_CHANGED)} rows at a time. Select fewer.`)
  if (unreachableSince.peek() === undefined) await grid.edits.settled
  const records = await readRows(grid, first, count)
  const lines = Array.from({ length: bottom - top + 1 }, (_, index) => top + index)
  const known = lines.filter((line) => !grid.source.group(line)).map((line) => grid.source.row(line)?.id)
  const isMoved = records.some(({ id }, index) => (known[index] ?? id) !== id)
  if (isMoved || records.length < count) throw new BlockRefused('The rows have moved. Select them again.')
  return { records, first, fields: grid.fields.slice(left - 1, right) }
}

/** Clears the selected cells as one undo step. */
export async function clearBlock(grid: GridState): Promise<void> {
  const { top, bottom, left, right } = blockOf(grid.cursor.peek())
  const [record, field] = [grid.source.row(top), grid.fields[left - 1]]
  if (top === bottom && left === right && record && field)
    return isComputed(field) ? undefined : grid.edits.write(record, field, undefined)
  const { records, fields } = await readSelection(grid)
  const data = Object.fromEntries(fields.map(({ key }) => [key, null]))
  await writeBlock(
    grid,
    records.map((record) => ({ record, data })),
    [],
    'cleared cells',
  )
}

/** Repeats the rows `top` to `bottom` over the rest of the selected block, as one undo step. */
export async function fillFrom(grid: GridState, top: number, bottom: number): Promise<void> {
  const { records, first, fields } = await readSelection(grid)
  const from = grid.source.numberOf(top) - first
  const pattern = records.slice(from, grid.source.numberOf(bottom) - first + 1)
  const over = records.flatMap((record, index): Overwrite[] => {
    if (index >= from && index < from + pattern.length) return []
    const offset = (index - from) % pattern.length
    const source = pattern.at(offset)
    const shown = fields.map(({ key }) => [key, (source && shownValue(grid, source, key)) ?? null] as const)
    return [{ record, data: Object.fromEntries(shown) }]
  })
  await writeBlock(grid, over, [], 'filled cells')
}

/** The value of a cell; while the server cannot be reached, an edit of it may wait. */
function shownValue({ edits }: GridState, { id, data }: Row, key: string): Value {
  const state = edits.of(id, key)
  return state?.kind === 'saving' ? state.value : data[key]
}

/** Fills the selected block with its first row, as one undo step. */
export function fillDown(grid: GridState): Promise<void> {
  const { top } = blockOf(grid.cursor.peek())
  const line = grid.source.group(top) ? top + 1 : top
  return fillFrom(grid, line, line)
}

const LABEL = 'a pasted block'

/** Adds the block as new rows. */
export const addRows = (grid: GridState, rows: readonly RowData[]): Promise<void> =>
  writeBlock(grid, [], rows, LABEL)

/** Overwrites rows with the block; surplus rows are added. */
export const writeOver = (
  grid: GridState,
  records: readonly Row[],
  rows: readonly RowData[],
): Promise<void> =>
  writeBlock(
    grid,
    records.map((record, index) => ({ record, data: rows[index] ?? {} })),
    rows.slice(records.length),
    LABEL,
  )

/**
 * Sets the same values in many rows, unconditionally. While the server cannot be reached, those of loaded rows wait, and
 * overwrite nothing that changes meanwhile. Returns the undo function, if nothing waits.
 */
export async function setInRows(grid: GridState, ids: readonly string[], data: RowData) {
  const label = 'a change to several rows'
  const records = ids.flatMap((id) => grid.source.find(id) ?? [])
  if (unreachableSince.peek() === undefined || records.length < ids.length)
    return write(
      grid,
      ids.map((id) => ({ kind: 'record', op: 'updated', id, data })),
      label,
    )
  await writeBlock(
    grid,
    records.map((record) => ({ record, data })),
    [],
    label,
  )
  return undefined
}

/** Deletes rows; returns the undo function. */
export const deleteRows = (grid: GridState, ids: readonly string[]) =>
  write(
    grid,
    ids.map((id) => ({ kind: 'record', op: 'deleted', id })),
    'the deletion of rows',
  )

/**
 * Writes the differing values in one transaction, if the rows are unchanged since they were read. While the server cannot be
 * reached, they wait in this browser.
 */
async function writeBlock(
  grid: GridState,
  over: readonly Overwrite[],
  added: readonly RowData[],
  label: string,
): Promise<void> {
  const { id: structure, name } = grid.structure
  const ids = newIds(added.length)
  const computed = new Set(grid.structure.fields.filter(isComputed).map(({ key }) => key))
  const written = (data: RowData) =>
    Object.fromEntries(Object.entries(data).filter(([key]) => !computed.has(key)))
  const blockRows: number[] = []
  const changed: ChangedRow[] = []
  for (const [index, { record, data }] of over.entries()) {
    const differing = Object.entries(written(data)).filter(
      ([key, value]) => grid.edits.of(record.id, key) || !isSameValue(record.data[key], value ?? undefined),
    )
    if (differing.length === 0) continue
    blockRows.push(index)
    const { id, updated_at: updatedAt } = record
    const before = Object.fromEntries(differing.map(([key]) => [key, record.data[key]]))
    const known = differing.map(([key]) => [key, grid.edits.sentOf(id, key)] as const)
    const sent = Object.fromEntries(known.filter(([, values]) => values.length > 0))
    changed.push({ id, updatedAt, before, sent, data: Object.fromEntries(differing) })
  }
  const created = added.map((data, index) => ({ id: ids[index] ?? '', data: written(data) }))
  blockRows.push(...added.map((_, index) => over.length + index))
  const action: RowsAction = { kind: 'rows', structure: { id: structure, name }, created, changed }
  const changes = changesOf(action)
  try {
    if (unreachableSince.peek() !== undefined) throw new Unreachable(TOO_MANY)
    await write(grid, changes, label, applyOnce)
  } catch (error) {
    if (!(error instanceof Unreachable) || changes.length > MAX_CHANGES)
      throw refusedAt(grid.fields, blockRows, error as Error)
    if (changes.length > 0) await deferBlock(grid, action)
  }
}

const TOO_MANY = `The server cannot be reached. Until it is back, you can change up to ${formatNumber(MAX_CHANGES)} rows at a time.`

/** Stores a block until it can be sent. It replaces pending edits of its cells. */
async function deferBlock({ edits, source }: GridState, action: RowsAction): Promise<void> {
  const cells = action.changed.flatMap(({ id, data }) => Object.keys(data).map((key) => [id, key] as const))
  await edits.replace(cells, (drafts) => deferAction(action, drafts))
  for (const { id, data } of action.changed) {
    const row = source.find(id)
    if (row) source.replace(withData(row, data))
  }
  source.refreshNow()
}

/** Writes changes; returns the undo function, or undefined if nothing changed. */
const write = (
  grid: GridState,
  changes: readonly AppliedChange[],
  label: string,
  send?: Parameters<typeof applyChanges>[1],
) =>
  undoStack.perform(async (push) => {
    const transactions = await applyChanges(changes, send)
    grid.source.refreshNow()
    if (transactions.length === 0) return undefined
    const run = async () => {
      lastAction.value = undefined
      undoStack.remove(run)
      await undoTransactions(transactions)
      grid.source.refreshNow()
    }
    push({ label, run })
    return run
  })

/** Maps a refusal by the server to its position in the block. */
function refusedAt(fields: readonly Field[], blockRows: readonly number[], error: Error): Error {
  if (!(error instanceof NotApplied)) return error
  if (error.code === 'stale')
    return new BlockRefused('Some of these rows were changed meanwhile. Check them and try again.')
  const row = error.at === undefined ? undefined : blockRows[error.at]
  return row === undefined
    ? new BlockRefused(error.message)
    : new BlockRefused(error.message, row, faultyField(fields, error.fault))
}
