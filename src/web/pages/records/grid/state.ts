import type { Signal } from '@preact/signals'
import type { Edits } from '../../../data/records/edits.ts'
import type { Grouping } from '../../../data/records/group-values.ts'
import { type Field, isComputed, type Row, type Structure } from '../../../data/records/model.ts'
import type { RowList } from '../../../data/records/rows.ts'
import type { Columns } from './columns.ts'
import { blockOf, type Cursor } from './cursor.ts'

/** The edited cell; `text` replaces its value in the editor. */
export interface Editing {
  /** The row when the editor opened; the base to detect changes by others. */
  readonly row: Row
  readonly key: string
  readonly text?: string
}

/** State shared by the parts of a grid. */
export interface GridState {
  readonly structure: Structure
  readonly fields: readonly Field[]
  readonly columns: Columns
  readonly source: RowList
  /** The levels of groups; empty without groups. */
  readonly groupings: readonly Grouping[]
  readonly edits: Edits
  readonly isEditable: boolean
  readonly cursor: Signal<Cursor>
  readonly editing: Signal<Editing | undefined>
  /** Ids of the selected rows. */
  readonly picked: Signal<ReadonlySet<string>>
  /** True while the grid has the keyboard focus. */
  readonly isFocused: Signal<boolean>
}

/** Opens the editor of the cursor's cell, if the grid is editable. */
export function openEditor({ cursor, editing, fields, source, isEditable }: GridState, text?: string): void {
  const { row, column } = cursor.peek()
  const field = fields[column - 1]
  const record = source.row(row)
  if (!isEditable || !field || isComputed(field) || !record) return
  editing.value = { row: record, key: field.key, ...(text !== undefined && { text }) }
}

/** The rows of the selected block: the first row number and the count, without group headings. */
export function rowsOfBlock({ source, cursor }: GridState): {
  readonly first: number
  readonly count: number
} {
  const { top, bottom } = blockOf(cursor.peek())
  const first = source.numberOf(top)
  const last = source.numberOf(bottom)
  return { first, count: last - first + (source.group(bottom) ? 0 : 1) }
}

/** The level of rows below their groups, for assistive technology; undefined without groups. */
export const levelOfRows = ({ groupings }: GridState): number | undefined =>
  groupings.length === 0 ? undefined : groupings.length + 1
