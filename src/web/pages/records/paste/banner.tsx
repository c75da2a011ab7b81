import { type Signal, useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Button } from '../../../components/form.tsx'
import { Banner } from '../../../components/pane.tsx'
import type { Row } from '../../../data/records/model.ts'
import { cursorAt } from '../grid/cursor.ts'
import type { GridState } from '../grid/state.ts'
import { BlockRefused, dataOf, type Pasted } from './block.ts'
import { addRows, rowsUnderBlock, writeOver } from './write.ts'

interface PasteBannerProps {
  readonly grid: GridState
  readonly pasted: Signal<Pasted | undefined>
}

/** Asks where to paste a block. A refusal writes nothing and is shown here and at its cell. */
export function PasteBanner({ grid, pasted }: PasteBannerProps) {
  const [error, setError] = useState<string>()
  const refused = useSignal<RefusedCell | undefined>(undefined)
  const isBusy = useSignal(false)
  const found = pasted.value
  // Subscribes to changes that can move the row.
  void grid.source.version.value
  if (!found) return null
  const currentIndex = found.id === undefined ? undefined : grid.source.indexOf(found.id)
  const block = { ...found, row: currentIndex ?? found.row }
  const { cells, row } = block
  const columns = Math.max(...cells.map(({ length }) => length))
  const number = grid.source.numberOf(row)
  const over = Math.min(cells.length, (grid.source.shown.value ?? 0) - number)
  const clearRefusal = () => {
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
    clearRefusal()
    try {
      await write()
      close()
    } catch (error) {
      setError(messageOf(error as Error))
    } finally {
      isBusy.value = false
      grid.source.refreshNow()
    }
  }
  const overwrite = async () => {
    const records = await rowsUnderBlock(grid, block)
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
        {`Paste ${cells.length} × ${columns} cells, starting at ${first}. `}
        {error !== undefined && <strong>{error}</strong>}
      </p>
      <Button
        kind="main"
        disabled={isBusy.value}
        onClick={() => run(async () => addRows(grid, dataOf(grid.fields, block)))}
      >
        {cells.length === 1 ? 'Add as new row' : `Add as ${cells.length} new rows`}
      </Button>
      {over > 0 && (
        <Button disabled={isBusy.value} onClick={() => run(overwrite)}>
          {over === 1 ? `Overwrite row ${number + 1}` : `Overwrite rows ${number + 1} to ${number + over}`}
        </Button>
      )}
      <Button
        kind="quiet"
        onClick={() => {
          clearRefusal()
          close()
        }}
      >
        Cancel
      </Button>
    </Banner>
  )
}

/** A refusal guarantees that nothing was written; other errors do not. */
const messageOf = (error: Error): string =>
  error instanceof BlockRefused ? `${error.message} Nothing was changed.` : error.message

interface RefusedCell {
  readonly id: string
  readonly key: string
}

/** Shows a refusal at its cell and moves the cursor there. */
function showAtCell(
  grid: GridState,
  block: Pasted,
  records: readonly Row[],
  error: Error,
): RefusedCell | undefined {
  if (!(error instanceof BlockRefused) || error.row === undefined) return undefined
  const { row, field } = error
  const record = records[row]
  const index = field ? grid.fields.indexOf(field) : -1
  if (!field || !record || index < 0) return undefined
  const { source } = grid
  const text = block.cells[row]?.[index + 1 - block.column] ?? ''
  grid.edits.refuse(record.id, field, text, error.detail)
  grid.cursor.value = cursorAt(source.lineOf(source.numberOf(block.row) + row), index + 1)
  return { id: record.id, key: field.key }
}
