import type { TargetedKeyboardEvent } from 'preact'
import type { Key } from '../../../components/keys.tsx'
import type { Group } from '../../../data/records/rows.ts'
import { undoStack } from '../../../data/records/undo.ts'
import { navigate } from '../../../router.ts'
import { clearBlock, fillDown } from '../paste/write.ts'
import { rowAddress } from '../view.ts'
import { cursorAt, moveCursor } from './cursor.ts'
import { toggleGroup } from './group-row.tsx'
import { selectBlock } from './selection.ts'
import { type GridState, openEditor } from './state.ts'

interface Keys {
  readonly grid: GridState
  readonly page: number
  readonly onDelete: (row: number) => void
  /** Receives the error of a refused action. */
  readonly onRefused: (message: string) => void
}

/** Listed in the dialog of keyboard shortcuts. */
export const GRID_KEYS: readonly Key[] = [
  { keys: ['↑', '↓', '←', '→'], does: 'next cell; with Shift, select a range; with Ctrl, to the edge' },
  { keys: ['Enter'], does: 'edit the cell' },
  { keys: ['Delete'], does: 'clear the cell or range' },
  { keys: ['Ctrl', 'D'], does: 'fill the range with its first row, like dragging the corner of a cell' },
  { keys: ['←', '→'], does: 'on a group heading: collapse, expand' },
  { keys: ['Space'], does: 'open the row' },
  { keys: ['Shift', 'Space'], does: 'select the row, or the rows of the range, to edit them together' },
  { keys: ['Ctrl', 'Delete'], does: 'delete the row' },
  { keys: ['Alt', '↓'], does: 'on a column heading: open its menu' },
  { keys: ['Ctrl', 'C'], does: 'copy the range' },
  { keys: ['Ctrl', 'V'], does: 'paste cells' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
]

const isTyping = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey

/** Handles a key in the grid; unhandled keys are left to the browser. */
export function onGridKey(event: TargetedKeyboardEvent<HTMLElement>, keys: Keys): void {
  if (event.target instanceof HTMLButtonElement || isOutsideBody(event.target)) return
  if (!act(event, keys)) return
  event.preventDefault()
}

/** True for the head and foot of the table, and for rows without cells. */
const isOutsideBody = (target: EventTarget | null) =>
  target instanceof Element && target.closest('thead, tfoot, .row-card') !== null

/** True if the key collapses an expanded group or expands a collapsed one. */
const togglesGroup = (key: string, { isOpen }: Group): boolean =>
  key === ' ' || key === 'Enter' || key === (isOpen ? 'ArrowLeft' : 'ArrowRight')

function act(event: KeyboardEvent, { grid, page, onDelete, onRefused }: Keys): boolean {
  const { key, shiftKey } = event
  const isCommand = event.ctrlKey || event.metaKey
  const { cursor, source, fields } = grid
  const extent = { rows: source.lines.peek() ?? 0, columns: fields.length, page }
  if (extent.rows === 0 && key !== 'z') return false
  const group = source.group(cursor.peek().row)
  if (group && togglesGroup(key, group)) {
    toggleGroup(grid, group)
    return true
  }
  const next = moveCursor(cursor.peek(), { key, isWhole: isCommand, extends: shiftKey }, extent)
  if (next) {
    cursor.value = next
    return true
  }
  if (isCommand && key.toLowerCase() === 'z') {
    void undoStack.undo()
    return true
  }
  const { row, column } = cursor.peek()
  const record = source.row(row)
  if (!record) return false
  if (key === ' ' && shiftKey && grid.isEditable) {
    selectBlock(grid)
    return true
  }
  if (key === ' ' || (key === 'Enter' && column === 0)) {
    navigate(rowAddress(record.id))
    return true
  }
  if (key === 'Escape') return cancel(grid, record.id)
  if (!grid.isEditable && !(key === 'Delete' && isCommand)) return false
  return edit(event, { grid, remove: () => onDelete(row), onRefused })
}

/** Discards a refused value, else clears the selection. */
function cancel({ cursor, edits, fields, picked }: GridState, id: string): boolean {
  const { row, column } = cursor.peek()
  const field = fields[column - 1]
  const refused = edits.problemIn(id, field ? [field, ...fields] : fields)
  if (refused) edits.drop(id, refused.field.key)
  else picked.value = new Set()
  cursor.value = cursorAt(row, column)
  return true
}

interface Edit extends Pick<Keys, 'grid' | 'onRefused'> {
  readonly remove: () => void
}

function edit(event: KeyboardEvent, { grid, remove, onRefused }: Edit): boolean {
  const { key } = event
  const isCommand = event.ctrlKey || event.metaKey
  if (key === 'Delete' && isCommand) {
    remove()
    return true
  }
  const failed = ({ message }: Error) => onRefused(message)
  if (key.toLowerCase() === 'd' && isCommand) fillDown(grid).catch(failed)
  else if (key === 'Enter' || key === 'F2') openEditor(grid)
  else if (isTyping(event)) openEditor(grid, key)
  else if (key === 'Delete' || key === 'Backspace') clearBlock(grid).catch(failed)
  else return false
  return true
}
