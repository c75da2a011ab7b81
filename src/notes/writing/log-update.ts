import { type Difference, differenceOf } from '../../changes/entries.ts'
import { type ChangeAuthor, logChange } from '../../changes/log.ts'
import { keepRemote } from '../../changes/mirror-guard.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { publishNoteUpdate } from '../events.ts'
import { presentEdited, presentNote } from '../present.ts'
import { loadNotes, type NoteRow } from '../store.ts'
import { type PropertyValues, readProperties } from './properties.ts'

/** Every update of a note ends here. */
function logAndPublish(
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  difference: Difference,
  revision?: number,
): void {
  logChange(tx, author, { kind: 'note', id }, 'updated', {
    difference,
    ...(revision !== undefined && { replaced: revision }),
  })
  publishNoteUpdate(tx, author, id, difference, revision)
}

interface NoteUpdate {
  /** Values that changed, as they were; null where there was none. */
  readonly previousProperties?: PropertyValues
  /** The pk of the revision with the replaced text. */
  readonly revision?: number
}

/** Logs what differs between a note before and after a change. Of its text only the name is logged: a revision holds it. */
export function logNoteUpdate(
  tx: Tx,
  author: ChangeAuthor,
  before: NoteRow,
  after: NoteRow,
  { previousProperties = {}, revision }: NoteUpdate = {},
): void {
  const { changed, previous } = differenceOf(presentNote(before), presentNote(after))
  const { content: _, ...old } = previous
  const hasProperties = Object.keys(previousProperties).length > 0
  const names = hasProperties ? [...changed, 'properties'] : changed
  if (names.length === 0) return
  // Properties that changed were kept before.
  keepRemote(tx, author, { kind: 'note', id: before.id }, () => JSON.stringify(wholeNote(tx, before, true)))
  const all = hasProperties ? { ...old, properties: previousProperties } : old
  logAndPublish(tx, author, before.id, { changed: names, previous: all }, revision)
}

/** Logs one update of many notes of which a single attribute changed. */
export function logAttribute(
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  name: 'tags' | 'properties',
  previous: unknown,
): void {
  logAndPublish(tx, author, id, { changed: [name], previous: { [name]: previous } })
}

/** Logs that a note lost a value because of a deletion; `deleted` names, in words, what was deleted. */
export const logLoss = (
  tx: Tx,
  author: ChangeAuthor,
  id: string,
  previous: { readonly tags: readonly string[] } | { readonly properties: PropertyValues },
  deleted: string,
): void => logAndPublish(tx, author, id, { changed: Object.keys(previous), previous, deleted })

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

/** Called before a write changes a note (`keepRemote`). */
export function keepNote(tx: Tx, author: ChangeAuthor, { pk, id }: { pk: number; id: string }): void {
  keepRemote(tx, author, { kind: 'note', id }, () => wholeNoteJson(tx, pk))
}
