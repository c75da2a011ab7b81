import { type IntegrityCheck, listWorkspacePks } from '../db/integrity.ts'
import type { Reader } from '../db/reader.ts'
import { scanByPk } from '../db/scan-by-pk.ts'
import { counted, fold } from '../lib/text.ts'
import { type ExpectedEntry, type SearchTableCheck, searchTableFaults } from '../search/integrity.ts'
import { hasTable } from '../search/tables.ts'
import { indexedText } from '../search/words.ts'
import { indexLinksAtOnce } from './links/indexing.ts'
import { distinctLinkKeys } from './links/syntax.ts'
import {
  COMPLETE,
  createSearchTables,
  dropSearchTables,
  findIndexable,
  fullTable,
  indexedColumns,
  indexNote,
  indexTagName,
  isSmall,
  NONE,
  searchState,
  searchTables,
  setSearchState,
  tagTable,
  titleTable,
} from './search/tables.ts'
import { aliasColumns } from './store.ts'

const COUNTS = `SELECT w.pk, w.name, w.live_notes AS live, w.trashed_notes AS trashed,
    (SELECT count(*) FROM notes n WHERE n.workspace = w.pk AND n.deleted_at IS NULL) AS liveFound,
    (SELECT count(*) FROM notes n WHERE n.workspace = w.pk AND n.deleted_at IS NOT NULL) AS trashedFound
  FROM workspaces w`

interface Counts {
  pk: number
  name: string
  live: number
  trashed: number
  liveFound: number
  trashedFound: number
}

/** The workspaces count their active and trashed notes correctly. */
export const noteCountCheck: IntegrityCheck = {
  *faults({ sql }) {
    for (const { name, live, trashed, liveFound, trashedFound } of sql.all<Counts>(COUNTS)) {
      if (live === liveFound && trashed === trashedFound) continue
      yield `The workspace "${name}" counts ${counted(live, 'note')} and ${trashed} in the trash; it holds ${liveFound} and ${trashedFound}.`
    }
  },
  repair: ({ sql }) => {
    for (const { pk, liveFound, trashedFound } of sql.all<Counts>(COUNTS)) {
      sql.run(
        'UPDATE workspaces SET live_notes = ?, trashed_notes = ? WHERE pk = ?',
        liveFound,
        trashedFound,
        pk,
      )
    }
  },
}

interface NoteTexts {
  pk: number
  id: string
  workspace: number
  title: string
  titleFold: string
  alias: string | null
  aliasFold: string | null
  /** Null when the body is missing. */
  content: string | null
  /** The targets stored for the note, as a JSON array. */
  targets: string
  /** 1 when they are out of date and known to be. */
  isPending: 0 | 1
  isTrashed: 0 | 1
}

const BATCH_SIZE = 200

/** Every note, trashed ones too. */
const allNotes = ({ sql }: Reader) =>
  scanByPk((after) =>
    sql.all<NoteTexts>(
      `SELECT n.pk, n.id, n.workspace, n.title, n.title_fold AS titleFold, n.alias, n.alias_fold AS aliasFold,
         b.content, (SELECT json_group_array(l.target) FROM note_links l WHERE l.note = n.pk) AS targets,
         n.pk IN (SELECT note FROM links_pending) AS isPending,
         n.deleted_at IS NOT NULL AS isTrashed
       FROM notes n LEFT JOIN note_bodies b ON b.note = n.pk WHERE n.pk > ? ORDER BY n.pk LIMIT ?`,
      after,
      BATCH_SIZE,
    ),
  )

const foldsOf = ({ title, alias }: NoteTexts) => ({ titleFold: fold(title), ...aliasColumns(alias) })

function hasWrongFolds(note: NoteTexts): boolean {
  const { titleFold, aliasFold } = foldsOf(note)
  return note.titleFold !== titleFold || note.aliasFold !== aliasFold
}

/** A trashed note may lack links: its permanent removal may have begun. A restored one gets them back. */
function hasWrongLinks({ content, targets, isPending, isTrashed }: NoteTexts): boolean {
  if (isPending === 1) return false
  const expected = distinctLinkKeys(content ?? '')
  const stored = JSON.parse(targets) as string[]
  return stored.some((target) => !expected.has(target)) || (isTrashed === 0 && stored.length < expected.size)
}

/**
 * Corrects the stored links and folded names that differ from what this version derives from a note: an older version may
 * have derived them by another rule. Reads every body once and writes only differences.
 */
export function refreshNoteTexts(reader: Reader): void {
  for (const note of allNotes(reader)) {
    if (hasWrongLinks(note)) indexLinksAtOnce(reader, { workspace: note.workspace, note: note.pk })
    if (!hasWrongFolds(note)) continue
    const { titleFold, aliasFold } = foldsOf(note)
    reader.sql.run(
      'UPDATE notes SET title_fold = ?, alias_fold = ? WHERE pk = ?',
      titleFold,
      aliasFold,
      note.pk,
    )
  }
}

/** Every note has a body, its stored links are those of the body, and its folded names are those of its title and alias. */
export const noteTextCheck: IntegrityCheck = {
  *faults(reader) {
    for (const note of allNotes(reader)) {
      if (note.content === null) yield `The note ${note.id} has no body; restore it from a backup.`
      if (hasWrongLinks(note)) yield `The links stored for the note ${note.id} are not those of its body.`
      if (hasWrongFolds(note))
        yield `The folded names of the note ${note.id} are not those of its title and alias.`
    }
  },
  repair: refreshNoteTexts,
}

/** What is indexed of every active note of a workspace that meets the condition, or only of its title and tags. */
function* indexables(reader: Reader, workspace: number, condition = '', hasBody = true) {
  const notes = scanByPk((after) =>
    reader.sql.all<{ pk: number }>(
      `SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL AND pk > ? ${condition} ORDER BY pk LIMIT ?`,
      workspace,
      after,
      BATCH_SIZE,
    ),
  )
  for (const { pk } of notes) {
    const note = findIndexable(reader, pk, hasBody)
    if (note) yield note
  }
}

const tagsOf = ({ sql }: Reader, workspace: number) =>
  sql.all<{ id: number; name: string }>(
    'SELECT id, name FROM tags WHERE workspace = ? ORDER BY id',
    workspace,
  )

/** The entries of every active note of a workspace that are up to date, with or without the body. */
function* expectedNotes(
  reader: Reader,
  workspace: number,
  outdated: string,
  hasBody: boolean,
): Generator<ExpectedEntry> {
  for (const note of indexables(reader, workspace, `AND pk NOT IN (${outdated})`, hasBody)) {
    const { title, body, tags } = indexedColumns(note)
    yield { pk: note.pk, columns: hasBody ? { title, body, tags } : { title, tags } }
  }
}

function* expectedTags(reader: Reader, workspace: number) {
  for (const { id, name } of tagsOf(reader, workspace)) yield { pk: id, columns: { name: indexedText(name) } }
}

/** While tables are being filled, some names of tags are missing. */
function checksOf(reader: Reader, workspace: number, isFilled: boolean): SearchTableCheck[] {
  const outdated = `SELECT note FROM search_pending WHERE workspace = ${workspace}`
  const expected = (hasBody: boolean) => expectedNotes(reader, workspace, outdated, hasBody)
  const ofTags = { expected: expectedTags(reader, workspace), outdated: 'SELECT 0 WHERE 0' }
  return [
    { table: fullTable(workspace), expected: expected(true), outdated },
    { table: titleTable(workspace), expected: expected(false), outdated },
    ...(isFilled ? [{ table: tagTable(workspace), ...ofTags }] : []),
  ]
}

/** The names of the search tables that the workspace lacks. */
const missingTables = (reader: Reader, workspace: number): string[] =>
  searchTables(workspace)
    .map(({ name }) => name)
    .filter((name) => !hasTable(reader, name))

/**
 * The search tables of large workspaces contain exactly the words of the active notes and of the tags, but for notes
 * that wait to be indexed.
 */
export const searchCheck: IntegrityCheck = {
  *faults(reader) {
    for (const workspace of listWorkspacePks(reader)) {
      const { searchTables } = searchState(reader, workspace)
      if (searchTables === NONE) continue
      const missing = missingTables(reader, workspace)
      for (const name of missing) yield `The search table ${name} is missing.`
      if (missing.length > 0) continue
      for (const check of checksOf(reader, workspace, searchTables >= COMPLETE))
        yield* searchTableFaults(reader, check)
    }
  },
  repair: (tx) => {
    for (const workspace of listWorkspacePks(tx)) {
      if (searchState(tx, workspace).searchTables !== NONE) dropSearchTables(tx, workspace)
      setSearchState(tx, workspace, isSmall(tx, workspace) ? NONE : COMPLETE)
      if (isSmall(tx, workspace)) continue
      createSearchTables(tx, workspace)
      for (const note of indexables(tx, workspace)) indexNote(tx, workspace, note)
      for (const { id, name } of tagsOf(tx, workspace)) indexTagName(tx, workspace, id, name)
    }
    tx.sql.run('DELETE FROM search_pending')
  },
}
