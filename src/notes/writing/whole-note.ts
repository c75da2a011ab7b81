import { keepRemote } from '../../changes/local-changes.ts'
import type { ChangeAuthor } from '../../changes/log.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { presentEdited, presentNote } from '../present.ts'
import { loadNotes, type NoteRow } from '../store.ts'
import { readProperties } from './properties.ts'

/** A note with its property values beside its fields, and with `edited_at` where that is asked for. */
export const wholeNote = (reader: Reader, note: NoteRow, isEdited = false) => ({
  ...presentNote(note),
  ...(isEdited && presentEdited(note)),
  properties: readProperties(reader, note.pk),
})

/** The same as JSON text with `edited_at`, also of a note in the trash; null when there is none. */
export function wholeNoteJson(reader: Reader, pk: number): string | null {
  const [note] = loadNotes(reader, [pk])
  return note ? JSON.stringify(wholeNote(reader, note, true)) : null
}

/** Called before a write changes a note (`changes/local-changes.ts`). */
export function keepNote(tx: Tx, author: ChangeAuthor, { pk, id }: { pk: number; id: string }): void {
  keepRemote(tx, author, { kind: 'note', id }, () => wholeNoteJson(tx, pk))
}
