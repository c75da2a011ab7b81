import type { Signal } from '@preact/signals'
import type { Edits } from '../edits.ts'
import type { Field, Row, Structure } from '../model.ts'
import type { RowList } from '../rows.ts'
import type { Columns } from './columns.ts'
import { blockOf, type Cursor } from './cursor.ts'

/** The cell that is being edited, and what it is opened with instead of its value. */
export interface Editing {
  /** The row as it was when the editor opened; what others change meanwhile is not overwritten unseen. */
  readonly row: Row
  readonly key: string
  readonly text?: string
}

/** What the parts of a grid share. */
export interface GridState {
  readonly structure: Structure
  readonly fields: readonly Field[]
  readonly columns: Columns
  readonly source: RowList
  /** The field by whose values the rows are grouped. */
  readonly groupBy: string | undefined
  readonly edits: Edits
  readonly isEditable: boolean
  readonly cursor: Signal<Cursor>
  readonly editing: Signal<Editing | undefined>
  /** The ids of the rows that were chosen one by one, to be changed together. */
  readonly picked: Signal<ReadonlySet<string>>
  /** Whether the keyboard is in the grid. */
  readonly isFocused: Signal<boolean>
}

/** Opens the editor of the cell under the cursor, unless rows are never edited. */
export function openEditor({ cursor, editing, fields, source, isEditable }: GridState, text?: string): void {
  const { row, column } = cursor.peek()
  const field = fields[column - 1]
  const record = source.row(row)
  if (!isEditable || !field || !record) return
  editing.value = { row: record, key: field.key, ...(text !== undefined && { text }) }
}

/** The rows of the selected block: the number of the first, and how many; what heads groups is not counted. */
export function rowsOfBlock({ source, cursor }: GridState): {
  readonly first: number
  readonly count: number
} {
  const { top, bottom } = blockOf(cursor.peek())
  const first = source.numberOf(top)
  const last = source.numberOf(bottom)
  return { first, count: last - first + (source.group(bottom) ? 0 : 1) }
}
