import { type Signal, useSignal } from '@preact/signals'
import { Button } from '../../components/form.tsx'
import { Banner } from '../../components/pane.tsx'
import { api } from '../../data/api.ts'
import { writeRows } from './actions.ts'
import { pastedCells } from './grid/clipboard.ts'
import { blockOf } from './grid/cursor.ts'
import type { GridState } from './grid/state.ts'
import type { Field, Row } from './model.ts'
import { undoStack } from './undo.ts'
import { editText, parseValue } from './values.ts'

/** The API takes this many rows in one batch; a block is one batch. */
const BATCH = 500

/** A block from the clipboard, before it is written. */
export interface Pasted {
  readonly cells: readonly (readonly string[])[]
  /** The row and the column of its first cell. */
  readonly row: number
  readonly column: number
}

/** What was pasted. A single cell is written at once; a block asks first where it goes. */
export function readPasted(grid: GridState, text: string): Pasted | undefined {
  const cells = pastedCells(text)
  const { top, left } = blockOf(grid.cursor.peek())
  const [only] = cells
  const row = grid.source.row(top)
  const field = grid.fields[left - 1]
  if (cells.length === 1 && only?.length === 1 && row && field) {
    void grid.edits.save(row, field, only[0] ?? '')
    return undefined
  }
  return { cells, row: top, column: left }
}

type Data = Record<string, string | number | boolean | null>

/** The cells of the block as data of rows, or the first one that does not fit its field. */
function dataOf(fields: readonly Field[], { cells, column }: Pasted): readonly Data[] | { why: string } {
  const targets = fields.slice(column - 1)
  const rows: Data[] = []
  if (cells.length > BATCH) return { why: `A block has up to ${BATCH} rows; import a csv file for more.` }
  for (const [index, line] of cells.entries()) {
    if (line.length > targets.length)
      return { why: `The block has ${line.length} columns, but only ${targets.length} fields begin here.` }
    const data: Data = {}
    for (const [place, text] of line.entries()) {
      const field = targets[place]
      if (!field) continue
      const parsed = parseValue(field, text)
      if ('why' in parsed) return { why: `Row ${index + 1}: ${parsed.why}` }
      data[field.key] = parsed.value
    }
    rows.push(data)
  }
  return rows
}

/** Says what was pasted and where it can go; a refusal is shown here, and nothing is written then. */
export function PasteBanner({ grid, pasted }: { grid: GridState; pasted: Signal<Pasted | undefined> }) {
  const why = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const block = pasted.value
  if (!block) return null
  const { cells, row } = block
  const columns = Math.max(...cells.map(({ length }) => length))
  const total = grid.source.total.value ?? 0
  const over = Math.min(cells.length, total - row)
  const close = () => {
    pasted.value = undefined
    grid.isFocused.value = true
    grid.cursor.value = { ...grid.cursor.peek() }
  }
  const run = async (write: (rows: readonly Data[]) => Promise<void>) => {
    const rows = dataOf(grid.fields, block)
    why.value = 'why' in rows ? rows.why : undefined
    if ('why' in rows || isBusy.peek()) return
    isBusy.value = true
    try {
      await write(rows)
      close()
    } catch (error) {
      why.value = (error as Error).message
    } finally {
      isBusy.value = false
      grid.source.refreshNow()
    }
  }
  const first = grid.fields[block.column - 1]?.label
  return (
    <Banner kind={why.value === undefined ? 'warn' : 'bad'}>
      <p>
        {`${cells.length} × ${columns} cells to paste, from ${first} on. `}
        {why.value !== undefined && <strong>{why.value} Nothing was written.</strong>}
      </p>
      <Button kind="main" disabled={isBusy.value} onClick={() => run((rows) => addRows(grid, rows))}>
        {cells.length === 1 ? 'Add as a new row' : `Add as ${cells.length} new rows`}
      </Button>
      {over > 0 && (
        <Button disabled={isBusy.value} onClick={() => run((rows) => writeOver(grid, block, rows))}>
          {over === 1 ? `Write over row ${row + 1}` : `Write over rows ${row + 1} to ${row + over}`}
        </Button>
      )}
      <Button kind="quiet" onClick={close}>
        Cancel
      </Button>
    </Banner>
  )
}

/** Writes the block as new rows: one batch, whole or not at all. */
async function addRows({ structure, source }: GridState, rows: readonly Data[]): Promise<void> {
  const { records: made } = await writeRows(structure.id, rows)
  undoStack.push({
    label: 'a pasted block',
    run: async () => {
      for (const { id } of made) await api.delete('/v1/records/{id}', { params: { id } })
      source.refreshNow()
    },
  })
}

/**
 * Writes the block over the rows that are there, and what goes beyond them as new rows. Where a unique field says which
 * row is meant, this is one batch; else each cell is saved by itself, and says by itself when it is refused.
 */
async function writeOver(grid: GridState, { row }: Pasted, rows: readonly Data[]): Promise<void> {
  const over = rows.flatMap((data, place) => {
    const record = grid.source.row(row + place)
    return record ? [{ record, data }] : []
  })
  const unique = grid.fields.find(
    ({ key, unique }) =>
      unique && over.every(({ record, data }) => record.data[key] !== undefined && !(key in data)),
  )
  const beyond = rows.slice(over.length)
  if (unique) {
    const named = over.map(({ record, data }) => ({ [unique.key]: record.data[unique.key] ?? null, ...data }))
    await writeRows(grid.structure.id, [...named, ...beyond], { onConflict: 'update' })
    undoStack.push({ label: 'a pasted block', run: () => putBack(grid, over) })
    return
  }
  for (const { record, data } of over)
    for (const field of grid.fields)
      if (field.key in data) void grid.edits.save(record, field, editText(data[field.key] ?? undefined))
  if (beyond.length > 0) await addRows(grid, beyond)
}

async function putBack(grid: GridState, over: readonly { record: Row; data: Data }[]): Promise<void> {
  for (const { record, data } of over) {
    const before = Object.fromEntries(Object.keys(data).map((key) => [key, record.data[key] ?? null]))
    await api.patch('/v1/records/{id}', { params: { id: record.id }, body: { data: before } })
  }
  grid.source.refreshNow()
}
