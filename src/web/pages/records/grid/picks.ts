import { blockOf } from './cursor.ts'
import type { GridState } from './state.ts'

/** Chooses rows, or lets them go, of those that are read. */
export function pickRows({ picked, source }: GridState, from: number, to: number, isOn: boolean): void {
  const ids = new Set(picked.peek())
  for (let row = Math.min(from, to); row <= Math.max(from, to); row++) {
    const id = source.row(row)?.id
    if (id === undefined) continue
    if (isOn) ids.add(id)
    else ids.delete(id)
  }
  picked.value = ids
}

/** Chooses the rows of the block, or lets them go where the row of the cursor is chosen already. */
export function pickBlock(grid: GridState): void {
  const { row } = grid.cursor.peek()
  const { top, bottom } = blockOf(grid.cursor.peek())
  pickRows(grid, top, bottom, !grid.picked.peek().has(grid.source.row(row)?.id ?? ''))
}
