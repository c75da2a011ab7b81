import type { Reader } from '../db/reader.ts'
import { closeGap } from '../db/writes/positions.ts'

export interface ItemRow {
  pk: number
  id: string
  note: number
  noteId: string
  title: string
  icon: string | null
  color: string | null
  iconFilled: number
  position: number
  createdAt: number
}

const COLUMNS = `q.pk, q.id, q.note, (SELECT id FROM notes n WHERE n.pk = q.note) AS noteId,
  (SELECT title FROM notes n WHERE n.pk = q.note) AS title, q.icon, q.color, q.icon_filled AS iconFilled,
  q.position, q.created_at AS createdAt`

export const listItemRows = ({ sql }: Reader, workspace: number): ItemRow[] =>
  sql.all(`SELECT ${COLUMNS} FROM quick_access q WHERE q.workspace = ? ORDER BY q.position`, workspace)

/** By its own id or by that of its note. */
export const findItem = ({ sql }: Reader, workspace: number, itemOrNoteId: string): ItemRow | undefined =>
  sql.get(
    `SELECT ${COLUMNS} FROM quick_access q
     WHERE q.workspace = ? AND (q.id = ? OR q.note = (SELECT pk FROM notes WHERE id = ?))`,
    workspace,
    itemOrNoteId,
    itemOrNoteId,
  )

export interface Appearance {
  icon: string | null
  color: string | null
  iconFilled: number
}

export interface NewItem extends Appearance {
  id: string
  workspace: number
  note: number
  position: number
  now: number
}

/** Answers the pk of the new item. */
export const insertItem = ({ sql }: Reader, row: NewItem): number =>
  sql.run(
    `INSERT INTO quick_access (id, workspace, note, icon, color, icon_filled, position, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.workspace,
    row.note,
    row.icon,
    row.color,
    row.iconFilled,
    row.position,
    row.now,
  ).lastInsertRowid

export const updateAppearance = ({ sql }: Reader, pk: number, { icon, color, iconFilled }: Appearance) =>
  sql.run(
    'UPDATE quick_access SET icon = ?, color = ?, icon_filled = ? WHERE pk = ?',
    icon,
    color,
    iconFilled,
    pk,
  )

/** Takes a note out of Quick Access, if it is there; those after it move up. */
export function removeFromQuickAccess(reader: Reader, workspace: number, note: number): void {
  const item = reader.sql.get<{ pk: number; position: number }>(
    'SELECT pk, position FROM quick_access WHERE note = ?',
    note,
  )
  if (!item) return
  reader.sql.run('DELETE FROM quick_access WHERE pk = ?', item.pk)
  closeGap(reader, 'quick_access', workspace, item.position)
}

export const countItems = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM quick_access WHERE workspace = ?', workspace)
