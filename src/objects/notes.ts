import type { Static } from '@sinclair/typebox'
import type { Caller } from '../context.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { refused } from '../lib/refusal.ts'
import { checkStorable } from '../lib/storable-json.ts'
import { mayLink } from '../lib/wiki-links.ts'
import { columnsShown } from '../log/objects/statements.ts'
import { publishNote, wholeNote } from '../notes/events.ts'
import { indexAllLinks, indexLinks } from '../notes/links/indexing.ts'
import { valuesWithLinks } from '../notes/links/property-links.ts'
import { CreateBody, PatchBody, type Note as Schema, TAGS_PER_REQUEST, TagsBody } from '../notes/schema.ts'
import { markForSearch, removeAllFromSearch } from '../notes/search/indexing.ts'
import {
  addToCounters,
  findNote,
  findTrashedNote,
  loadNotes,
  type NoteRow,
  presentEdited,
  presentNote,
  updateContent,
} from '../notes/store.ts'
import { indexAliases } from '../notes/writing/aliases.ts'
import { insertNote } from '../notes/writing/create.ts'
import {
  importProperties,
  type PropertyRule,
  type PropertyValues,
  readProperties,
  setValue,
} from '../notes/writing/properties.ts'
import { countInItsTags, ensureTags, replaceTags } from '../notes/writing/tags.ts'
import { showNote } from '../notes/writing/trash.ts'
import { updateOf } from '../storage/query.ts'
import type { Reader } from '../storage/reader.ts'
import { notes as table } from '../storage/schema/notes.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { type Copy, instantOf as instantShown, instantsOf } from './copy.ts'
import { type Attributes, asObject, checkInput, idOf, instantOf, instantOrNull } from './exported.ts'
import type { RestoredKind } from './kind.ts'

/** A remote of an earlier version does not report when a note was last edited. */
type Note = Static<typeof Schema> & { readonly edited_at?: string; readonly properties: PropertyValues }

const editedAt = ({ edited_at, updated_at }: Note): number => instantShown(edited_at ?? updated_at)

/** Notes in the trash of the remote are not copied. */
export const notes: RestoredKind<Note> = {
  kind: 'note',
  table: 'notes',
  isVisible: 'deleted_at IS NULL',
  label: 'title',
  find: (reader, { workspacePk, isEdited }, id) => {
    const note = findNote(reader, workspacePk, id)
    return note && wholeNote(reader, note, isEdited)
  },
  remove: ({ tx, workspacePk }, ids) => {
    const gone = [...ids].flatMap((id) => findNote(tx, workspacePk, id)?.pk ?? [])
    for (const pk of gone) {
      countInItsTags(tx, pk, -1)
      addToCounters(tx, workspacePk, -1, 0)
      tx.sql.run('DELETE FROM notes WHERE pk = ?', pk)
    }
    removeAllFromSearch(tx, workspacePk, gone)
  },
  setAside: ({ tx }, id) => {
    tx.sql.run('DELETE FROM note_aliases WHERE note = (SELECT pk FROM notes WHERE id = ?)', id)
    tx.sql.run('UPDATE notes SET alias_fold = NULL WHERE id = ?', id)
  },
  write: (copy, note) => {
    const known = copy.isFresh ? undefined : findOrShow(copy, note.id)
    const tags = copy.names.findAll('tag', note.tags)
    setProperties(copy, known ? update(copy, known, note, tags) : insert(copy, note, tags), note.properties)
  },
}

/** In a writable mirror the note may be in the trash or hidden. */
function findOrShow({ tx, workspacePk: workspace }: Copy, id: string): NoteRow | undefined {
  const trashed = findTrashedNote(tx, workspace, id)
  if (trashed) {
    // Its alias may belong to another note meanwhile.
    updateNote(tx, trashed.pk, { alias: null, aliasFold: null, aliases: null })
    showNote(tx, workspace, trashed.pk)
  }
  const note = findNote(tx, workspace, id)
  if (trashed && note) indexAllLinks(tx, { workspace, note: note.pk }, note.content)
  return note
}

function insert({ tx, author }: Copy, note: Note, tagIds: readonly number[]): number {
  const { id, title, content, alias, aliases, pinned, pin_label: pinLabel, cover_url: coverUrl } = note
  const head = { id, title, content, alias, aliases, pinned, pinLabel, coverUrl, tagIds }
  return insertNote(tx, author, { ...head, ...instantsOf(note), editedAt: editedAt(note) })
}

const updateNote = updateOf(table, table.pk)

function update({ tx, workspacePk }: Copy, known: NoteRow, note: Note, tags: number[]): number {
  const { pk } = known
  const { title, content, alias } = note
  const aliases = note.aliases ? JSON.stringify(note.aliases) : null
  updateNote(tx, pk, { ...columnsShown(table, note), aliases, editedAt: editedAt(note) })
  // They may have been set aside.
  if (aliases !== null || known.aliases !== null) indexAliases(tx, workspacePk, pk)
  if (content !== known.content) {
    updateContent(tx, pk, content)
    indexLinks(tx, { workspace: workspacePk, note: pk }, content)
  }
  const isRenamed = title !== known.title || alias !== known.alias || aliases !== known.aliases
  if (replaceTags(tx, pk, tags) || isRenamed || content !== known.content) markForSearch(tx, workspacePk, pk)
  return pk
}

/** Gives the note exactly these values. */
function setProperties(
  { tx, workspacePk: workspace, names, isFresh }: Copy,
  note: number,
  values: PropertyValues,
): void {
  const hadLinks = !isFresh && valuesWithLinks(tx, note).length > 0
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
  if (hadLinks || Object.values(values).some(mayLink)) indexAllLinks(tx, { workspace, note })
}

/** All notes, including trashed ones, oldest first. */
export const listNotes = ({ sql }: Reader, { workspacePk }: Caller) =>
  sql.all<{ pk: number; deletedAt: number | null }>(
    'SELECT pk, deleted_at AS deletedAt FROM notes WHERE workspace = ? ORDER BY created_at, id',
    workspacePk,
  )

/** A note for a Markdown file. */
export function exportNote(reader: Reader, pk: number, deletedAt: number | null) {
  const [row] = loadNotes(reader, [pk])
  if (!row) throw new Error('a note disappeared during the export')
  const { content, title, ...head } = presentNote(row)
  const properties = readProperties(reader, pk)
  const frontMatter = {
    title,
    ...head,
    ...(row.editedAt !== row.updatedAt && presentEdited(row)),
    ...(deletedAt !== null && { deleted_at: isoTimestamp(deletedAt) }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
  return { frontMatter, content }
}

/** Inserts a note with its id and times, in the trash or not, without a revision. */
export function importNote(tx: Tx, caller: Caller, frontMatter: Attributes, content: string): void {
  checkStorable([frontMatter, content], 'The note')
  const { id: written, created_at, updated_at, edited_at, deleted_at, properties, ...head } = frontMatter
  const { tags = [], pinned = false, pin_label = null, ...input } = head
  checkInput(CreateBody, { ...input, content })
  checkInput(PatchBody, { pinned, pin_label })
  const { title, alias = null, aliases, cover_url: coverUrl = null } = input as Static<typeof CreateBody>
  const tagNames = checkedTags(tags)
  const id = idOf(written)
  const pk = insertNote(tx, caller, {
    ...{ id, title, content, alias, aliases, coverUrl },
    tagIds: ensureTags(tx, caller, tagNames),
    pinned: pinned === true,
    pinLabel: pin_label as string | null,
    createdAt: instantOf(created_at, 'created_at'),
    updatedAt: instantOf(updated_at, 'updated_at'),
    editedAt: instantOrNull(edited_at, 'edited_at') ?? undefined,
    deletedAt: instantOrNull(deleted_at, 'deleted_at'),
  })
  importProperties(tx, caller.workspacePk, pk, properties === undefined ? {} : asObject(properties))
  publishNote(tx, caller, 'note.created', id)
}

/** A note may have more tags than one request can add. */
function checkedTags(tags: unknown): string[] {
  if (!Array.isArray(tags)) throw refused('"tags" must be a list of the names of tags.')
  for (let at = 0; at < tags.length; at += TAGS_PER_REQUEST)
    checkInput(TagsBody, { tags: tags.slice(at, at + TAGS_PER_REQUEST) })
  return tags
}
