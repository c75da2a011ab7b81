import type { TargetedKeyboardEvent } from 'preact'
import type { Key } from '../../../components/keys.tsx'
import { navigate } from '../../../router.ts'
import { clearBlock, fillDown } from '../paste/write.ts'
import type { Group } from '../rows.ts'
import { undoStack } from '../undo.ts'
import { rowAddress } from '../view.ts'
import { cursorAt, moved } from './cursor.ts'
import { toggleGroup } from './group-row.tsx'
import { pickBlock } from './picks.ts'
import { type GridState, openEditor } from './state.ts'

interface Keys {
  readonly grid: GridState
  readonly page: number
  readonly onDelete: (row: number) => void
  /** Gets why something that was asked of the grid was not done. */
  readonly onRefused: (sentence: string) => void
}

/** For the dialog that shows all keys. */
export const GRID_KEYS: readonly Key[] = [
  { keys: ['↑', '↓', '←', '→'], does: 'next cell; with Shift, choose a block; with Ctrl, to the edge' },
  { keys: ['Enter'], does: 'edit the cell' },
  { keys: ['Delete'], does: 'clear the cell or the block' },
  { keys: ['Ctrl', 'D'], does: 'fill the block with its first row, as dragging the corner of a cell does' },
  { keys: ['←', '→'], does: 'on the heading of a group: fold it, open it' },
  { keys: ['Space'], does: 'open the row' },
  { keys: ['Shift', 'Space'], does: 'choose the row, or the rows of the block, to change them together' },
  { keys: ['Ctrl', 'Delete'], does: 'delete the row' },
  { keys: ['Alt', '↓'], does: 'in a heading: move, freeze or hide the column' },
  { keys: ['Ctrl', 'C'], does: 'copy the block' },
  { keys: ['Ctrl', 'V'], does: 'paste a block' },
  { keys: ['Ctrl', 'Z'], does: 'undo' },
]

const isTyping = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey

/** What a key does in the grid; one that does nothing here is the browser's. */
export function onGridKey(event: TargetedKeyboardEvent<HTMLElement>, keys: Keys): void {
  if (event.target instanceof HTMLButtonElement || isAround(event.target)) return
  if (!act(event, keys)) return
  event.preventDefault()
}

/** Whether a key is for the head or the foot of the table. */
const isAround = (target: EventTarget | null) =>
  target instanceof Element && target.closest('thead, tfoot') !== null

/** Whether a key folds a group that is open, or opens one that is folded. */
const foldsBy = (key: string, { isOpen }: Group): boolean =>
  key === ' ' || key === 'Enter' || key === (isOpen ? 'ArrowLeft' : 'ArrowRight')

function act(event: KeyboardEvent, { grid, page, onDelete, onRefused }: Keys): boolean {
  const { key, shiftKey } = event
  const isCommand = event.ctrlKey || event.metaKey
  const { cursor, source, fields } = grid
  const extent = { rows: source.lines.peek() ?? 0, columns: fields.length, page }
  if (extent.rows === 0 && key !== 'z') return false
  const group = source.group(cursor.peek().row)
  if (group && foldsBy(key, group)) {
    toggleGroup(grid, group)
    return true
  }
  const next = moved(cursor.peek(), { key, isWhole: isCommand, extends: shiftKey }, extent)
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
    pickBlock(grid)
    return true
  }
  if (key === ' ' || (key === 'Enter' && column === 0)) {
    navigate(rowAddress(record.id))
    return true
  }
  if (key === 'Escape') return giveUp(grid, record.id)
  if (!grid.isEditable && !(key === 'Delete' && isCommand)) return false
  return edit(event, { grid, remove: () => onDelete(row), onRefused })
}

/** Takes back a value that was refused, else what was chosen. */
function giveUp({ cursor, edits, fields, picked }: GridState, id: string): boolean {
  const { row, column } = cursor.peek()
  const field = fields[column - 1]
  const refused = edits.trouble(id, field ? [field, ...fields] : fields)
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
