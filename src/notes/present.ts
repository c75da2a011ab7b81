import { isoTimestamp } from '../lib/dates.ts'
import { compareNames } from '../lib/text.ts'
import { type NoteHead, type NoteRow, tagNamesOf } from './store.ts'

/** The attribute of notes that are sorted by their last edit, and of notes in a feed that requests it. */
export const presentEdited = ({ editedAt }: Pick<NoteHead, 'editedAt'>) => ({
  edited_at: isoTimestamp(editedAt),
})

/** A note in a list without bodies. */
export const presentNoteHead = (row: NoteHead) => ({
  id: row.id,
  title: row.title,
  tags: tagNamesOf(row).sort(compareNames),
  alias: row.alias,
  pinned: row.pinned === 1,
  pin_label: row.pinLabel,
  cover_url: row.coverUrl,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

/** Lists its attributes explicitly, because copying those of the head would take as long as reading the note. */
export const presentNote = (row: NoteRow) => ({
  id: row.id,
  title: row.title,
  content: row.content,
  tags: tagNamesOf(row).sort(compareNames),
  alias: row.alias,
  pinned: row.pinned === 1,
  pin_label: row.pinLabel,
  cover_url: row.coverUrl,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})
