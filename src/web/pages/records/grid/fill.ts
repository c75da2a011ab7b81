import type { TargetedPointerEvent } from 'preact'
import { fillFrom } from '../paste/write.ts'
import { blockOf } from './cursor.ts'
import type { GridState } from './state.ts'

/** The line under the pointer; beyond the visible rows, the next one. */
function lineAt(grid: GridState, scroller: Element, { clientX, clientY }: PointerEvent): number | undefined {
  const edge = (part: string) => scroller.querySelector(part)?.getBoundingClientRect()
  const { row } = grid.cursor.peek()
  if (clientY > (edge('tfoot')?.top ?? innerHeight)) return row + 1
  if (clientY < (edge('thead')?.bottom ?? 0)) return row - 1
  const cell = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-row]')
  return cell ? Number(cell.dataset.row) : undefined
}

/**
 * Starts a drag of the fill handle: the rows it passes receive the values of the selected block. Escape cancels it.
 * Shift with the arrow keys and Ctrl D do the same.
 */
export function startFill(
  event: TargetedPointerEvent<HTMLElement>,
  grid: GridState,
  onRefused: (message: string) => void,
): void {
  const scroller = event.currentTarget.closest('.scroll')
  if (!scroller || event.button !== 0) return
  event.preventDefault()
  const { cursor } = grid
  const before = cursor.peek()
  const { top, bottom, left, right } = blockOf(before)
  const last = (grid.source.lines.peek() ?? 1) - 1
  const move = (moved: PointerEvent) => {
    const line = Math.max(0, Math.min(last, lineAt(grid, scroller, moved) ?? before.row))
    const isUp = line < top
    const next = { row: isUp ? line : Math.max(line, bottom), column: right }
    if (next.row !== cursor.peek().row || cursor.peek().column !== right)
      cursor.value = { ...next, anchor: { row: isUp ? bottom : top, column: left } }
  }
  const end = (isDone: boolean) => {
    removeEventListener('pointermove', move)
    removeEventListener('pointerup', drop)
    removeEventListener('pointercancel', cancel)
    removeEventListener('keydown', onKey, true)
    const block = blockOf(cursor.peek())
    if (!isDone) cursor.value = before
    else if (block.top < top || block.bottom > bottom)
      fillFrom(grid, top, bottom).catch(({ message }: Error) => onRefused(message))
  }
  const drop = () => end(true)
  const cancel = () => end(false)
  const onKey = (pressed: KeyboardEvent) => {
    if (pressed.key !== 'Escape') return
    pressed.preventDefault()
    pressed.stopPropagation()
    cancel()
  }
  addEventListener('pointermove', move)
  addEventListener('pointerup', drop)
  addEventListener('pointercancel', cancel)
  addEventListener('keydown', onKey, true)
}
