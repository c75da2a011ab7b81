import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { createWordTable, type Merging } from '../../search/tables.ts'
import { indexedText } from '../../search/tokenizer.ts'
import { hasSearchTables } from './state.ts'

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

/** What is indexed of a note; undefined for one in the trash. */
export const findIndexable = ({ sql }: Reader, pk: number): Indexable | undefined =>
  sql.get(
    `SELECT n.pk, n.title, (SELECT content FROM note_bodies b WHERE b.note = n.pk) AS content,
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
