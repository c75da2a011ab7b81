import { isoTimestamp } from '../lib/dates.ts'
import type { ItemRow } from './store.ts'

export const presentItem = (row: ItemRow) => ({
  id: row.id,
  note_id: row.noteId,
  title: row.title,
  icon: row.icon,
  color: row.color,
  icon_filled: row.iconFilled === 1,
  position: row.position,
  created_at: isoTimestamp(row.createdAt),
})
