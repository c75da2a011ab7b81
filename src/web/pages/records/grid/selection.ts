import { blockOf } from './cursor.ts'
import type { GridState } from './state.ts'

/** Selects or deselects rows; rows that are not loaded are skipped. */
export function selectRows({ picked, source }: GridState, from: number, to: number, isOn: boolean): void {
  const ids = new Set(picked.peek())
  for (let row = Math.min(from, to); row <= Math.max(from, to); row++) {
    const id = source.row(row)?.id
    if (id === undefined) continue
    if (isOn) ids.add(id)
    else ids.delete(id)
  }
  picked.value = ids
}

/** Selects the rows of the block, or deselects them if the cursor's row is selected. */
export function selectBlock(grid: GridState): void {
  const { row } = grid.cursor.peek()
  const { top, bottom } = blockOf(grid.cursor.peek())
  selectRows(grid, top, bottom, !grid.picked.peek().has(grid.source.row(row)?.id ?? ''))
}
