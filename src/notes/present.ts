import { isoTimestamp } from '../lib/dates.ts'
import { compareNames } from '../lib/text.ts'
import { type NoteHead, type NoteRow, tagNamesOf } from './store.ts'

/** The attribute that a note has where notes are sorted by it, and in a feed that asks for it. */
export const presentEdited = ({ editedAt }: Pick<NoteHead, 'editedAt'>) => ({
  edited_at: isoTimestamp(editedAt),
})

/** A note of a list that leaves the bodies out. */
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

/** Lists its attributes itself, because copying those of the head would take as long as reading the note. */
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
