import type { Static } from '@sinclair/typebox'
import { columnsShown } from '../../../log/objects/statements.ts'
import { indexLinks } from '../../../notes/links/indexing.ts'
import type { Note as Schema } from '../../../notes/schema.ts'
import { markForSearch } from '../../../notes/search/indexing.ts'
import { removeAllFromSearch } from '../../../notes/search/tables.ts'
import {
  addToCounters,
  findNote,
  findTrashedNote,
  type NoteRow,
  updateContent,
} from '../../../notes/store.ts'
import { insertNote } from '../../../notes/writing/create.ts'
import { type PropertyRule, type PropertyValues, setValue } from '../../../notes/writing/properties.ts'
import { countInItsTags, replaceTags } from '../../../notes/writing/tags.ts'
import { showNote } from '../../../notes/writing/trash.ts'
import { updateOf } from '../../../storage/query.ts'
import { notes as table } from '../../../storage/schema/notes.ts'
import { type CopyTransaction, instantOf, instantsOf, type Restorer } from './copy-transaction.ts'

/** A remote of an earlier version does not report when a note was last edited. */
type Note = Static<typeof Schema> & { readonly edited_at?: string; readonly properties: PropertyValues }

const editedAt = ({ edited_at, updated_at }: Note): number => instantOf(edited_at ?? updated_at)

/** Notes in the trash of the remote are not copied. */
export const notes: Restorer<Note> = {
  kind: 'note',
  remove: ({ tx, workspacePk }, ids) => {
    const gone = [...ids].flatMap((id) => findNote(tx, workspacePk, id)?.pk ?? [])
    for (const pk of gone) {
      countInItsTags(tx, pk, -1)
      addToCounters(tx, workspacePk, -1, 0)
      tx.sql.run('DELETE FROM notes WHERE pk = ?', pk)
    }
    removeAllFromSearch(tx, workspacePk, gone)
  },
  setAside: ({ tx }, id) => tx.sql.run('UPDATE notes SET alias_fold = NULL WHERE id = ?', id),
  write: (copy, note) => {
    const known = copy.isFresh ? undefined : findOrShow(copy, note.id)
    const tags = copy.names.findAll('tag', note.tags)
    setProperties(copy, known ? update(copy, known, note, tags) : insert(copy, note, tags), note.properties)
  },
}

/** In a writable mirror the note may be in the trash or hidden. */
function findOrShow({ tx, workspacePk: workspace }: CopyTransaction, id: string): NoteRow | undefined {
  const trashed = findTrashedNote(tx, workspace, id)
  if (trashed) {
    // Its alias may belong to another note meanwhile.
    updateNote(tx, trashed.pk, { alias: null, aliasFold: null })
    showNote(tx, workspace, trashed.pk)
  }
  const note = findNote(tx, workspace, id)
  if (trashed && note) indexLinks(tx, { workspace, note: note.pk }, note.content)
  return note
}

function insert({ tx, author }: CopyTransaction, note: Note, tagIds: readonly number[]): number {
  const { id, title, content, alias, pinned, pin_label: pinLabel, cover_url: coverUrl } = note
  const head = { id, title, content, alias, pinned, pinLabel, coverUrl, tagIds }
  return insertNote(tx, author, { ...head, ...instantsOf(note), editedAt: editedAt(note) })
}

const updateNote = updateOf(table, table.pk)

function update({ tx, workspacePk }: CopyTransaction, known: NoteRow, note: Note, tags: number[]): number {
  const { pk } = known
  const { title, content } = note
  updateNote(tx, pk, { ...columnsShown(table, note), editedAt: editedAt(note) })
  if (content !== known.content) {
    updateContent(tx, pk, content)
    indexLinks(tx, { workspace: workspacePk, note: pk }, content)
  }
  if (replaceTags(tx, pk, tags) || title !== known.title || content !== known.content)
    markForSearch(tx, workspacePk, pk)
  return pk
}

/** Gives the note exactly these values. */
function setProperties({ tx, names, isFresh }: CopyTransaction, note: number, values: PropertyValues): void {
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
