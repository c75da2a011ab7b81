import type { Reader } from '../../db/reader.ts'
import { WORD_OPTIONS } from '../../search/tables.ts'

/** The full-text table over titles, bodies and tags of one workspace; its row ids are note pks. */
export const fullTable = (workspacePk: number): string => `note_search_${workspacePk}`

/** The small table over titles and tags alone, with prefix indexes: for short prefixes and for the top tier. */
export const headTable = (workspacePk: number): string => `note_search_head_${workspacePk}`

/** The table over tag names: which tags a word of a search means. Its row ids are tag ids. */
export const tagTable = (workspacePk: number): string => `tag_search_${workspacePk}`

/** The opaque term that stands for a tag, so that renaming a tag re-indexes nothing; no text can hold it. */
export const tagTerm = (tag: number): string => `\ue001${tag}`

/** The search tables of a workspace and what they are made of. */
export const searchTables = (workspacePk: number): { name: string; definition: string }[] => [
  { name: fullTable(workspacePk), definition: `title, body, tags, ${WORD_OPTIONS}` },
  { name: headTable(workspacePk), definition: `title, tags, prefix = '1 2', ${WORD_OPTIONS}` },
  { name: tagTable(workspacePk), definition: `name, prefix = '1 2', ${WORD_OPTIONS}` },
]

/** Search tables are made per workspace, so that totals and ranking of one never depend on another. */
export function createSearchTables({ sql }: Reader, workspacePk: number): void {
  for (const { name, definition } of searchTables(workspacePk)) {
    sql.script(`CREATE VIRTUAL TABLE ${name} USING fts5(${definition})`)
  }
  for (const table of [fullTable(workspacePk), headTable(workspacePk)])
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 16)`)
}

export function dropSearchTables({ sql }: Reader, workspacePk: number): void {
  for (const { name } of searchTables(workspacePk)) sql.script(`DROP TABLE IF EXISTS ${name}`)
}
