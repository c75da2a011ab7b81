import { isoTimestamp } from '../lib/dates.ts'
import { compareNames } from '../lib/text.ts'
import {
  type CreatedNote,
  type NoteHead,
  type NoteLinks,
  type NoteRow,
  type RenamedNote,
  type RevisionRow,
  type TrashRow,
  tagNamesOf,
} from './store.ts'

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

export const presentCreated = ({ note, properties, propertiesError }: CreatedNote) => ({
  note: presentNote(note),
  properties,
  properties_error: propertiesError ? { error: propertiesError.message, code: propertiesError.code } : null,
})

export const presentRenamed = ({ note, linksRewritten }: RenamedNote) => ({
  note: presentNote(note),
  links_rewritten: linksRewritten,
})

export const presentTrashed = (row: TrashRow) => ({
  id: row.id,
  title: row.title,
  deleted_at: isoTimestamp(row.deletedAt),
})

export const presentRevision = (row: RevisionRow) => ({
  id: row.id,
  created_at: isoTimestamp(row.createdAt),
  surface: row.surface,
  title: row.title,
  content: row.content,
})

export const presentLinks = ({ outgoing, backlinks }: NoteLinks) => ({
  outgoing: outgoing.map(({ text, note }) => ({
    text,
    note: note ? { id: note.id, title: note.title } : null,
  })),
  backlinks: backlinks.map(({ id, title, updatedAt, context }) => ({
    id,
    title,
    updated_at: isoTimestamp(updatedAt),
    ...(context !== undefined && { context }),
  })),
})
