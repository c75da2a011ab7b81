import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { createWordTable, type Merging } from '../../search/tables.ts'
import { indexedText } from '../../search/words.ts'

/** The full-text table over titles, bodies and tags of one workspace; its row ids are note pks. */
export const fullTable = (workspacePk: number): string => `note_search_${workspacePk}`

/** The small table over titles and tags alone, with prefix indexes: for short prefixes and to rank title matches first. */
export const titleTable = (workspacePk: number): string => `note_search_head_${workspacePk}`

/** The table over tag names; its row ids are tag ids. */
export const tagTable = (workspacePk: number): string => `tag_search_${workspacePk}`

/** The term that represents a tag in an index, so that renaming a tag re-indexes nothing; no text can contain it. */
export const tagTerm = (tag: number): string => `\ue001${tag}`

/** The search tables of a workspace and their columns, with options of their own. */
export const searchTables = (workspacePk: number): { name: string; columns: string; merging: Merging }[] => [
  { name: fullTable(workspacePk), columns: 'title, body, tags', merging: 'steps' },
  { name: titleTable(workspacePk), columns: "title, tags, prefix = '1 2'", merging: 'steps' },
  { name: tagTable(workspacePk), columns: "name, prefix = '1 2'", merging: 'itself' },
]

/** Creates search tables that one workspace has for itself, so that totals and ranking never depend on another one. */
export function createSearchTables(reader: Reader, workspacePk: number): void {
  for (const { name, columns, merging } of searchTables(workspacePk))
    createWordTable(reader, name, columns, merging)
}

export function dropSearchTables({ sql }: Reader, workspacePk: number): void {
  for (const { name } of searchTables(workspacePk)) sql.script(`DROP TABLE IF EXISTS ${name}`)
}

export interface Indexable {
  pk: number
  title: string
  content: string
  /** The ids of its tags, as a JSON array. */
  tags: string
}

/** A note's columns in the search tables. */
export const indexedColumns = ({ title, content, tags }: Indexable) => ({
  title: indexedText(title),
  body: indexedText(content),
  tags: (JSON.parse(tags) as number[]).map(tagTerm).join(' '),
})

/** Writes the entries of a note in the search tables. */
export const indexNote = (reader: Reader, workspace: number, note: Indexable): void =>
  writeEntries(reader, workspace, note.pk, indexedColumns(note))

/** Writes entries with these columns. */
export function writeEntries(
  { sql }: Reader,
  workspace: number,
  note: number,
  { title, body, tags }: ReturnType<typeof indexedColumns>,
): void {
  const [full, titles] = [fullTable(workspace), titleTable(workspace)]
  sql.run(
    `INSERT OR REPLACE INTO ${full} (rowid, title, body, tags) VALUES (?, ?, ?, ?)`,
    note,
    title,
    body,
    tags,
  )
  sql.run(`INSERT OR REPLACE INTO ${titles} (rowid, title, tags) VALUES (?, ?, ?)`, note, title, tags)
}

const BODY = '(SELECT content FROM note_bodies b WHERE b.note = n.pk)'

/** What is indexed of a note, or only of its title and tags; undefined for one in the trash. */
export const findIndexable = ({ sql }: Reader, pk: number, hasBody = true): Indexable | undefined =>
  sql.get(
    `SELECT n.pk, n.title, ${hasBody ? BODY : "''"} AS content,
       (SELECT json_group_array(nt.tag) FROM note_tags nt WHERE nt.note = n.pk) AS tags
     FROM notes n WHERE n.pk = ? AND n.deleted_at IS NULL`,
    pk,
  )

/** Takes the mark off a note; false when it had none. */
export const unmarkForSearch = ({ sql }: Reader, workspace: number, note: number): boolean =>
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, note).changes === 1

/** Removes a note from the search tables at once. */
export function removeFromSearch({ sql }: Tx, workspace: number, note: number): void {
  sql.run('DELETE FROM search_pending WHERE workspace = ? AND note = ?', workspace, note)
  if (!hasSearchTables({ sql }, workspace)) return
  sql.run(`DELETE FROM ${fullTable(workspace)} WHERE rowid = ?`, note)
  sql.run(`DELETE FROM ${titleTable(workspace)} WHERE rowid = ?`, note)
}

/**
 * The same for many notes. Where the next row has a lower number, and at every savepoint, a search table writes what it
 * has collected, which takes far longer than removing a row.
 */
export function removeAllFromSearch(tx: Tx, workspace: number, notes: readonly number[]): void {
  for (const note of notes.toSorted((one, other) => one - other)) removeFromSearch(tx, workspace, note)
}

/** Indexes the name of a tag, if the workspace has search tables. */
export function indexTagName({ sql }: Reader, workspace: number, tag: number, name: string): void {
  if (!hasSearchTables({ sql }, workspace)) return
  sql.run(`INSERT OR REPLACE INTO ${tagTable(workspace)} (rowid, name) VALUES (?, ?)`, tag, indexedText(name))
}

export function removeTagName({ sql }: Tx, workspace: number, tag: number): void {
  if (!hasSearchTables({ sql }, workspace)) return
  sql.run(`DELETE FROM ${tagTable(workspace)} WHERE rowid = ?`, tag)
}

/*
 * A workspace gets search tables of its own when it is too large to be searched note by note (`scan.ts`): thousands of
 * small workspaces have none, so that the schema of the file does not grow with them. How far the tables of a workspace
 * are is `workspaces.search_tables`.
 */

/** There are none; notes are scanned. */
export const NONE = 0
/** They are kept in step with what is written, but not yet filled with what was there before; notes are scanned. */
export const FILLING = 1
/** They hold everything, but for notes that are marked, for which a search waits. */
export const COMPLETE = 2
/** The same, made by an older program, which made them for every workspace. */
const OLD = 3

/** The condition of the index by which SQLite finds the few workspaces that are filled, or were made by an older program. */
export const UNFINISHED = `search_tables IN (${FILLING}, ${OLD})`

interface SearchState {
  readonly searchTables: number
  readonly liveNotes: number
}

const ABSENT: SearchState = { searchTables: NONE, liveNotes: 0 }

export const searchState = ({ sql }: Reader, workspace: number): SearchState =>
  sql.get(
    'SELECT search_tables AS searchTables, live_notes AS liveNotes FROM workspaces WHERE pk = ?',
    workspace,
  ) ?? ABSENT

export const setSearchState = ({ sql }: Reader, workspace: number, state: number) =>
  sql.run('UPDATE workspaces SET search_tables = ? WHERE pk = ?', state, workspace)

/** Whether what is written must also be written to the search tables of the workspace. */
export const hasSearchTables = (reader: Reader, workspace: number): boolean =>
  searchState(reader, workspace).searchTables !== NONE

/** Whether the search tables of the workspace are searched. */
export const areSearchTablesComplete = (reader: Reader, workspace: number): boolean =>
  searchState(reader, workspace).searchTables >= COMPLETE

/** More cannot be scanned within a few milliseconds. */
const MAX_SCANNED = { notes: 200, bytes: 131_072, tags: 200 }

const countTags = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT count(*) FROM tags WHERE workspace = ?', workspace)

const bytesOf = ({ sql }: Reader, workspace: number): number =>
  sql.scalar(
    `SELECT coalesce(sum((SELECT octet_length(content) FROM note_bodies WHERE note = pk)), 0)
     FROM notes WHERE workspace = ? AND deleted_at IS NULL`,
    workspace,
  )

/** Whether a workspace is small enough to be searched note by note. */
export const isSmall = (reader: Reader, workspace: number): boolean =>
  searchState(reader, workspace).liveNotes <= MAX_SCANNED.notes &&
  countTags(reader, workspace) <= MAX_SCANNED.tags &&
  bytesOf(reader, workspace) <= MAX_SCANNED.bytes

/** Creates the search tables of a workspace that has none, and marks everything in it to be indexed. */
export function startFilling(tx: Reader, workspace: number): void {
  createSearchTables(tx, workspace)
  setSearchState(tx, workspace, FILLING)
  tx.sql.run(
    `INSERT INTO search_pending (workspace, note)
     SELECT workspace, pk FROM notes WHERE workspace = ? AND deleted_at IS NULL
     ON CONFLICT DO UPDATE SET can_wait = 0`,
    workspace,
  )
}

/** Gives a workspace search tables that has none and holds more notes than are scanned; returns whether it has tables. */
export function ensureTablesOfMany(tx: Reader, workspace: number): boolean {
  const { searchTables, liveNotes } = searchState(tx, workspace)
  if (searchTables !== NONE) return true
  if (liveNotes <= MAX_SCANNED.notes) return false
  startFilling(tx, workspace)
  return true
}

/** A workspace whose search tables are being filled. */
export const findFilling = ({ sql }: Reader): number | undefined =>
  sql.get<{ pk: number }>(
    `SELECT pk FROM workspaces WHERE ${UNFINISHED} AND search_tables = ${FILLING} LIMIT 1`,
  )?.pk

const TAGS_PER_STEP = 100

/** Indexes the names of some tags after the one with this id; returns the id of the last one if there may be more. */
export function fillTags(tx: Reader, workspace: number, after: number): number | undefined {
  const tags = tx.sql.all<{ id: number; name: string }>(
    `SELECT id, name FROM tags WHERE workspace = ? AND id > ? ORDER BY id LIMIT ${TAGS_PER_STEP}`,
    workspace,
    after,
  )
  for (const { id, name } of tags) indexTagName(tx, workspace, id, name)
  return tags.length < TAGS_PER_STEP ? undefined : tags.at(-1)?.id
}

/*
 * Older programs made search tables for every workspace. Those of small ones are dropped, some at a time: an upgrade that
 * is interrupted goes on where it was.
 */

/** In how many workspaces the tables of an older program are still to be looked at. */
export const countOldTables = ({ sql }: Reader): number =>
  sql.scalar(`SELECT count(*) FROM workspaces WHERE ${UNFINISHED} AND search_tables = ${OLD}`)

const AT_ONCE = 20

/** Drops the search tables of the small ones among some workspaces. */
export function dropSomeOldTables(reader: Reader): void {
  const workspaces = reader.sql.column<number>(
    `SELECT pk FROM workspaces WHERE ${UNFINISHED} AND search_tables = ${OLD} ORDER BY pk LIMIT ${AT_ONCE}`,
  )
  for (const workspace of workspaces) {
    const isScanned = isSmall(reader, workspace)
    if (isScanned) dropSearchTables(reader, workspace)
    setSearchState(reader, workspace, isScanned ? NONE : COMPLETE)
  }
}
