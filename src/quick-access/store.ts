import { type ChangeAuthor, logChange, logShifts } from '../changes/log.ts'
import { columnsOf, countRows, deleteRow, insertRow, updateRow } from '../db/crud.ts'
import type { Reader } from '../db/reader.ts'
import { quickAccess } from '../db/schema/quick-access.ts'
import { closeGap } from '../db/writes/positions.ts'
import type { Tx } from '../db/writes/transaction.ts'

export type ItemRow = typeof quickAccess.$inferSelect & { noteId: string; title: string }

export type Appearance = Pick<ItemRow, 'icon' | 'color' | 'iconFilled'>

const SELECT = `SELECT ${columnsOf(quickAccess)}, (SELECT id FROM notes n WHERE n.pk = quick_access.note) AS noteId,
  (SELECT title FROM notes n WHERE n.pk = quick_access.note) AS title FROM quick_access`

/** Items by position. */
export const listItemRows = ({ sql }: Reader, workspace: number): ItemRow[] =>
  sql.all(`${SELECT} WHERE workspace = ? ORDER BY position`, workspace)

/** By its own id or by that of its note. */
export const findItem = ({ sql }: Reader, workspace: number, itemOrNoteId: string): ItemRow | undefined =>
  sql.get(
    `${SELECT} WHERE workspace = ? AND (id = ? OR note = (SELECT pk FROM notes WHERE notes.id = ?))`,
    workspace,
    itemOrNoteId,
    itemOrNoteId,
  )

export const countItems = (reader: Reader, workspace: number) => countRows(reader, quickAccess, workspace)

/** Returns the pk of the new item. */
export const insertItem = (
  tx: Tx,
  row: Appearance & { id: string; workspace: number; note: number; position: number },
): number => insertRow(tx, quickAccess, { ...row, createdAt: tx.now })

export const updateAppearance = (tx: Tx, pk: number, appearance: Appearance) =>
  updateRow(tx, quickAccess, pk, appearance)

/** What the log stores of a removed item, so that undo can restore it. */
export interface TakenItem {
  readonly note_id: string
  readonly icon: string | null
  readonly color: string | null
  readonly icon_filled: boolean
  readonly position: number
  readonly createdAt: number
}

/** Takes a note out of Quick Access, if it is there; those after it move up. */
export function removeFromQuickAccess(tx: Tx, author: ChangeAuthor, note: number): void {
  const item = tx.sql.get<ItemRow>(`${SELECT} WHERE note = ?`, note)
  if (!item) return
  deleteRow(tx, quickAccess, item.pk)
  const { icon, color, iconFilled, position, createdAt } = item
  const hidden: TakenItem = {
    note_id: item.noteId,
    icon,
    color,
    icon_filled: iconFilled === 1,
    position,
    createdAt,
  }
  logChange(tx, author, { kind: 'quick_access_item', id: item.id }, 'deleted', { hidden })
  const shifted = closeGap(tx, 'quick_access', author.workspacePk, position)
  logShifts(tx, author, 'quick_access_item', shifted)
}
