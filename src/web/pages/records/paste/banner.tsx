import { type Signal, useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { Banner } from '../../../components/pane.tsx'
import { cursorAt } from '../grid/cursor.ts'
import type { GridState } from '../grid/state.ts'
import type { Row } from '../model.ts'
import { BlockRefused, dataOf, type Pasted } from './block.ts'
import { addRows, coveredRows, writeOver } from './write.ts'

interface PasteBannerProps {
  readonly grid: GridState
  readonly pasted: Signal<Pasted | undefined>
}

/** Says what was pasted and where it can go; a refusal is shown here and at its cell, and nothing is written then. */
export function PasteBanner({ grid, pasted }: PasteBannerProps) {
  const [error, setError] = useState<string>()
  const refused = useSignal<RefusedCell | undefined>(undefined)
  const isBusy = useSignal(false)
  const found = pasted.value
  // Where the row is now, which changes when others come before it.
  void grid.source.version.value
  if (!found) return null
  const known = found.id === undefined ? undefined : grid.source.indexOf(found.id)
  const block = { ...found, row: known ?? found.row }
  const { cells, row } = block
  const columns = Math.max(...cells.map(({ length }) => length))
  const number = grid.source.numberOf(row)
  const over = Math.min(cells.length, (grid.source.shown.value ?? 0) - number)
  const forget = () => {
    setError(undefined)
    if (refused.peek()) grid.edits.drop(refused.peek()?.id ?? '', refused.peek()?.key ?? '')
    refused.value = undefined
  }
  const close = () => {
    pasted.value = undefined
    grid.isFocused.value = true
    grid.cursor.value = { ...grid.cursor.peek() }
  }
  const run = async (write: () => Promise<void>) => {
    if (isBusy.peek()) return
    isBusy.value = true
    forget()
    try {
      await write()
      close()
    } catch (error) {
      setError(sentenceOf(error as Error))
    } finally {
      isBusy.value = false
      grid.source.refreshNow()
    }
  }
  const overwrite = async () => {
    const records = await coveredRows(grid, block)
    try {
      await writeOver(grid, records, dataOf(grid.fields, block))
    } catch (error) {
      refused.value = showAtCell(grid, block, records, error as Error)
      throw error
    }
  }
  const first = grid.fields[block.column - 1]?.label
  return (
    <Banner kind={error === undefined ? 'warn' : 'bad'}>
      <p>
        {`${cells.length} × ${columns} cells to paste, from ${first} on. `}
        {error !== undefined && <strong>{error}</strong>}
      </p>
      <Button
        kind="main"
        disabled={isBusy.value}
        onClick={() => run(async () => addRows(grid, dataOf(grid.fields, block)))}
      >
        {cells.length === 1 ? 'Add as a new row' : `Add as ${cells.length} new rows`}
      </Button>
      {over > 0 && (
        <Button disabled={isBusy.value} onClick={() => run(overwrite)}>
          {over === 1 ? `Write over row ${number + 1}` : `Write over rows ${number + 1} to ${number + over}`}
        </Button>
      )}
      <Button
        kind="quiet"
        onClick={() => {
          forget()
          close()
        }}
      >
        Cancel
      </Button>
    </Banner>
  )
}

/** Only a refusal says that nothing was written; of a server that cannot be reached this is not known. */
const sentenceOf = (error: Error): string =>
  error instanceof BlockRefused ? `${error.message} Nothing was written.` : error.message

interface RefusedCell {
  readonly id: string
  readonly key: string
}

/** Shows a refusal at the cell that it is about, and goes there. */
function showAtCell(
  grid: GridState,
  block: Pasted,
  records: readonly Row[],
  error: Error,
): RefusedCell | undefined {
  if (!(error instanceof BlockRefused) || error.row === undefined) return undefined
  const { row, field } = error
  const record = records[row]
  const place = field ? grid.fields.indexOf(field) : -1
  if (!field || !record || place < 0) return undefined
  const { source } = grid
  const text = block.cells[row]?.[place + 1 - block.column] ?? ''
  grid.edits.refuse(record.id, field, text, error.detail)
  grid.cursor.value = cursorAt(source.lineOf(source.numberOf(block.row) + row), place + 1)
  return { id: record.id, key: field.key }
}
