import { api } from '../../../data/api.ts'
import { Refused } from '../../../data/request.ts'
import { transactionOf, undoTransaction, writeRows } from '../actions.ts'
import type { Saved, Values } from '../edits.ts'
import { blockOf } from '../grid/cursor.ts'
import type { GridState } from '../grid/state.ts'
import { type Field, queryOf, type Row, type RowPage, type Value } from '../model.ts'
import { faultyField, faultyRow } from '../refusals.ts'
import { undoStack } from '../undo.ts'
import { BlockRefused, MOST_ROWS, type Pasted } from './block.ts'
import { type Data, namingKeys } from './naming-keys.ts'

/** A row that the block is written over. */
interface Covered {
  readonly record: Row
  readonly data: Data
}

const LABEL = 'a pasted block'

/** The rows that the block covers, as they are now. */
export async function coveredRows(
  { source }: GridState,
  { cells, row, id }: Pick<Pasted, 'cells' | 'row' | 'id'>,
): Promise<readonly Row[]> {
  const query = { ...queryOf(source.rowQuery), limit: Math.min(MOST_ROWS, cells.length), offset: row }
  const { records } = (await api.get('/v1/records', { query })) as RowPage
  if (id !== undefined && records[0]?.id !== id)
    throw new BlockRefused('The rows moved since the block was pasted; cancel, and paste it again.')
  return records
}

/** The rows of the selected block as they are now, and its fields. */
async function selected(grid: GridState) {
  const { top, bottom, left, right } = blockOf(grid.cursor.peek())
  const count = bottom - top + 1
  if (count > MOST_ROWS)
    throw new BlockRefused(`Up to ${MOST_ROWS} rows are changed at a time; choose fewer.`)
  const records = Array.from({ length: count }, (_, at) => grid.source.row(top + at))
  const known = records.every((record) => record !== undefined)
    ? records
    : await coveredRows(grid, { cells: Array(count).fill([]), row: top, id: records[0]?.id })
  return { records: known, fields: grid.fields.slice(left - 1, right) }
}

/** Clears the cells of the selected block; one undo puts them back. */
export async function clearBlock(grid: GridState): Promise<void> {
  const { records, fields } = await selected(grid)
  const data = Object.fromEntries(fields.map(({ key }) => [key, null]))
  const over = records.map((record) => ({ record, data }))
  await writeEach(grid, { over, beyond: [] }, 'cleared cells')
}

/** Writes the first row of the selected block over its others; one undo puts them back. */
export async function fillDown(grid: GridState): Promise<void> {
  const { records, fields } = await selected(grid)
  const [first, ...others] = records
  const data = Object.fromEntries(fields.map(({ key }) => [key, first?.data[key] ?? null]))
  const over = others.map((record) => ({ record, data }))
  await writeEach(grid, { over, beyond: [] }, 'filled cells')
}

/** Writes the block as new rows: one batch, whole or not at all. */
export async function addRows(grid: GridState, rows: readonly Data[]): Promise<void> {
  const keep = undoStack.begin()
  const takeBack = await insert(grid, rows)
  keep({ label: LABEL, run: takeBack })
}

/** Inserts rows, and returns what takes them back. */
async function insert({ structure, fields, source }: GridState, rows: readonly Data[]) {
  const { records } = await writeRows(structure.id, rows).catch(atField(fields))
  return takeBackOf(source, structure.id, records[0])
}

/**
 * Writes the block over rows, and what goes beyond them as new rows: one batch, where unique values say which rows are
 * meant. Else the new rows are one batch and each other row is a request, with what was refused of it at its cells.
 * Returns how many rows were refused in part or whole.
 */
export async function writeOver(
  grid: GridState,
  records: readonly Row[],
  rows: readonly Data[],
): Promise<number> {
  const over = records.map((record, place) => ({ record, data: rows[place] ?? {} }))
  const beyond = rows.slice(over.length)
  const { structure } = grid
  const keys = structure.max_rows === 1 ? undefined : namingKeys(structure, over, beyond)
  if (!keys) return writeEach(grid, { over, beyond }, LABEL)
  await writeNamed(grid, keys, { over, beyond })
  return 0
}

interface Block {
  readonly over: readonly Covered[]
  readonly beyond: readonly Data[]
}

async function writeNamed(grid: GridState, keys: readonly string[], { over, beyond }: Block): Promise<void> {
  const { structure, fields, source } = grid
  const keep = undoStack.begin()
  const named = over.map(({ record, data }) => ({
    ...Object.fromEntries(keys.map((one) => [one, record.data[one] ?? null])),
    ...data,
  }))
  const { records, inserted } = await writeRows(structure.id, [...named, ...beyond], {
    onConflict: 'update',
  }).catch(atField(fields))
  const written = records.find((row, place) => row.updated_at !== over[place]?.record.updated_at)
  const takeBack = await takeBackOf(source, structure.id, written)
  if (inserted === beyond.length) return keep({ label: LABEL, run: takeBack })
  await takeBack()
  throw new BlockRefused('Rows of the block changed while it was written; cancel, and paste it again.')
}

async function writeEach(grid: GridState, { over, beyond }: Block, label: string): Promise<number> {
  const keep = undoStack.begin()
  const takeBackAdded = beyond.length > 0 ? await insert(grid, beyond) : undefined
  const written = await Promise.all(
    over.map(async ({ record, data }) => {
      const values = changesOf(grid.fields, record, data)
      const saved = values.size === 0 ? undefined : await grid.edits.writeRow(record, values)
      return { saved, isWhole: values.size === (saved?.fields.length ?? 0) }
    }),
  )
  const changed = written.flatMap(({ saved }) => saved ?? [])
  const takeBack = async () => {
    await Promise.all(changed.map((saved) => grid.edits.writeRow(saved.row, valuesBefore(saved))))
    await takeBackAdded?.()
    grid.source.refreshNow()
  }
  if (takeBackAdded || changed.length > 0) keep({ label, run: takeBack })
  return written.filter(({ isWhole }) => !isWhole).length
}

/** The values of the block that differ from those of the row. */
const changesOf = (fields: readonly Field[], { data: held }: Row, data: Data): Values =>
  new Map(
    fields
      .filter(({ key }) => key in data)
      .map((field): [Field, Value] => [field, data[field.key] ?? undefined])
      .filter(([{ key }, value]) => held[key] !== value),
  )

const valuesBefore = ({ before, fields }: Saved): Values =>
  new Map(fields.map((field) => [field, before.data[field.key]]))

/** What takes a batch back in one transaction; `row` is one that the batch changed. */
async function takeBackOf(source: GridState['source'], structure: string, row: Row | undefined) {
  if (!row) return async () => {}
  const found = await transactionOf(structure, row).catch(() => undefined)
  return async () => {
    const transaction = found ?? (await transactionOf(structure, row))
    if (transaction === undefined) throw new Error('The block is taken back in Changes, where it is listed.')
    await undoTransaction(transaction)
    source.refreshNow()
  }
}

/** Says where in the block a refusal of the server is. */
const atField =
  (fields: readonly Field[]) =>
  (error: Error): never => {
    if (!(error instanceof Refused)) throw error
    throw new BlockRefused(error.message, faultyRow(error.message), faultyField(fields, error.message))
  }
