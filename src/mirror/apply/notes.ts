import { updateOf } from '../../db/query.ts'
import { notes } from '../../db/schema/notes.ts'
import { fold } from '../../lib/text.ts'
import { indexLinks } from '../../notes/links/indexing.ts'
import { markForSearch } from '../../notes/search/indexing.ts'
import { removeAllFromSearch } from '../../notes/search/tables.ts'
import { addToCounters, findNote, type NoteRow, updateContent } from '../../notes/store.ts'
import { insertNote } from '../../notes/writing/create.ts'
import { type PropertyRule, type PropertyValues, setValue } from '../../notes/writing/properties.ts'
import { attachTags, countInItsTags, detachTags } from '../../notes/writing/tags.ts'
import type { RemoteObject } from '../remote-objects.ts'
import {
  type CopyTransaction,
  flagOf,
  gone,
  instantsOf,
  present,
  type Timestamps,
} from './copy-transaction.ts'
import type { Names } from './names.ts'

const updateNote = updateOf(notes, notes.pk)

interface RemoteNote extends RemoteObject, Timestamps {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
  readonly alias: string | null
  readonly pinned: boolean
  readonly pin_label: string | null
  readonly cover_url: string | null
  readonly properties: PropertyValues
}

/** Of a note in the trash of the remote, the copy has nothing. */
export function removeNotes(copy: CopyTransaction): void {
  const { tx, workspacePk } = copy
  const removed: number[] = []
  for (const id of gone(copy, 'note')) {
    const note = findNote(tx, workspacePk, id)
    if (!note) continue
    countInItsTags(tx, note.pk, -1)
    addToCounters(tx, workspacePk, -1, 0)
    tx.sql.run('DELETE FROM notes WHERE pk = ?', note.pk)
    removed.push(note.pk)
  }
  removeAllFromSearch(tx, workspacePk, removed)
}

export function applyNotes(copy: CopyTransaction, names: Names): void {
  const { tx, workspacePk, isFresh } = copy
  if (!isFresh)
    for (const { id } of present<RemoteNote>(copy, 'note'))
      tx.sql.run('UPDATE notes SET alias_fold = NULL WHERE id = ?', id)
  for (const note of present<RemoteNote>(copy, 'note')) {
    const known = isFresh ? undefined : findNote(tx, workspacePk, note.id)
    const tags = names.findAll('tag', note.tags)
    const pk = known ? update(copy, known, note, tags) : insert(copy, note, tags)
    setProperties(copy, pk, note.properties, names)
  }
}

function insert({ tx, author }: CopyTransaction, note: RemoteNote, tagIds: readonly number[]): number {
  const { id, title, content, alias, pinned, pin_label: pinLabel, cover_url: coverUrl } = note
  const head = { id, title, content, alias, pinned, pinLabel, coverUrl, tagIds }
  return insertNote(tx, author, { ...head, ...instantsOf(note) })
}

function update(
  { tx, workspacePk }: CopyTransaction,
  known: NoteRow,
  note: RemoteNote,
  tags: number[],
): number {
  const { pk } = known
  const { title, content, alias } = note
  updateNote(tx, pk, {
    title,
    titleFold: fold(title),
    alias,
    aliasFold: alias === null ? null : fold(alias),
    pinned: flagOf(note.pinned),
    pinLabel: note.pin_label,
    coverUrl: note.cover_url,
    ...instantsOf(note),
  })
  if (content !== known.content) {
    updateContent(tx, pk, content)
    indexLinks(tx, { workspace: workspacePk, note: pk }, content)
  }
  const held = tx.sql.column<number>('SELECT tag FROM note_tags WHERE note = ?', pk)
  const isDetached = detachTags(
    tx,
    pk,
    held.filter((tag) => !tags.includes(tag)),
  )
  const isAttached = attachTags(tx, pk, tags).length > 0
  if (title !== known.title || content !== known.content || isDetached || isAttached)
    markForSearch(tx, workspacePk, pk)
  return pk
}

/** Gives the note exactly these values. */
function setProperties(
  { tx, isFresh }: CopyTransaction,
  note: number,
  values: PropertyValues,
  names: Names,
): void {
  const wanted = new Map<number, unknown>()
  for (const [key, value] of Object.entries(values)) {
    const property = names.find('property', key)
    if (property !== undefined) wanted.set(property, value)
  }
  if (!isFresh)
    for (const property of tx.sql.column<number>('SELECT property FROM note_properties WHERE note = ?', note))
      if (!wanted.has(property))
        tx.sql.run('DELETE FROM note_properties WHERE note = ? AND property = ?', note, property)
  for (const [pk, value] of wanted) {
    const rule = tx.sql.get<Pick<PropertyRule, 'pk' | 'type'>>(
      'SELECT pk, type FROM properties WHERE pk = ?',
      pk,
    )
    if (rule) setValue(tx, note, rule, value)
  }
}
