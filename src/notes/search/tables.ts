import type { Reader } from '../../db/reader.ts'
import { WORD_OPTIONS } from '../../search/tables.ts'

/** The full-text table over titles, bodies and tags of one workspace; its row ids are note pks. */
export const fullTable = (workspacePk: number): string => `note_search_${workspacePk}`

/** The small table over titles and tags alone, with prefix indexes: for short prefixes and to rank title matches first. */
export const titleTable = (workspacePk: number): string => `note_search_head_${workspacePk}`

/** The table over tag names; its row ids are tag ids. */
export const tagTable = (workspacePk: number): string => `tag_search_${workspacePk}`

/** The term that represents a tag in an index, so that renaming a tag re-indexes nothing; no text can contain it. */
export const tagTerm = (tag: number): string => `\ue001${tag}`

/** The search tables of a workspace and their definitions. */
export const searchTables = (workspacePk: number): { name: string; definition: string }[] => [
  { name: fullTable(workspacePk), definition: `title, body, tags, ${WORD_OPTIONS}` },
  { name: titleTable(workspacePk), definition: `title, tags, prefix = '1 2', ${WORD_OPTIONS}` },
  { name: tagTable(workspacePk), definition: `name, prefix = '1 2', ${WORD_OPTIONS}` },
]

/** Creates the search tables of a workspace: each has its own, so that totals and ranking never depend on another workspace. */
export function createSearchTables({ sql }: Reader, workspacePk: number): void {
  for (const { name, definition } of searchTables(workspacePk)) {
    sql.script(`CREATE VIRTUAL TABLE ${name} USING fts5(${definition})`)
  }
  for (const table of [fullTable(workspacePk), titleTable(workspacePk)])
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 16)`)
}

export function dropSearchTables({ sql }: Reader, workspacePk: number): void {
  for (const { name } of searchTables(workspacePk)) sql.script(`DROP TABLE IF EXISTS ${name}`)
}
