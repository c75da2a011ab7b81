import type { Reader } from '../db/reader.ts'

/**
 * The options of every search table over words. Texts are folded and segmented before they are inserted
 * (`words.ts`), so FTS5 only has to split at spaces and ASCII punctuation. The tables keep no copy of the text;
 * they can be rebuilt at any time.
 */
const WORD_OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`

/** Whether the database has the table. */
export const hasTable = ({ sql }: Reader, table: string): boolean =>
  sql.get("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?", table) !== undefined

/** The names of all search tables. */
export const listSearchTables = ({ sql }: Reader): Set<string> =>
  new Set(
    sql.column<string>(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql GLOB 'CREATE VIRTUAL TABLE *'",
    ),
  )

/*
 * FTS5 merges by itself in portions of hundreds of pages, which is little for tables with few words. Those of many are
 * merged in steps (`mergeSome`). Beyond `crisismerge` parts it would merge all of them at once, and requests would have to
 * wait; that many are never reached.
 */
const MERGE_SETTINGS = {
  itself: { automerge: 4, crisismerge: 1_900 },
  steps: { automerge: 0, usermerge: 4, crisismerge: 1_900 },
}
export type Merging = keyof typeof MERGE_SETTINGS

/** Creates a search table over words, unless there is one; `columns` may be followed by options of its own. */
export function createWordTable({ sql }: Reader, table: string, columns: string, merging: Merging): void {
  if (hasTable({ sql }, table)) return
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${columns}, ${WORD_OPTIONS})`)
  setMerging({ sql }, table, merging)
}

/** Sets how a search table over words is merged; tables of older versions are merged in another way. */
export function setMerging({ sql }: Reader, table: string, merging: Merging): void {
  for (const [name, value] of Object.entries(MERGE_SETTINGS[merging]))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
}

/** More pages are not written by one step, except for a word that fills them alone. */
const MERGED_PAGES = 32

/** Merges a little of a search table; returns whether there was anything to merge. */
export function mergeSome({ sql }: Reader, table: string): boolean {
  const changes = () => sql.scalar<number>('SELECT total_changes()')
  const before = changes()
  sql.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${MERGED_PAGES})`)
  // The command itself counts as one change.
  return changes() - before > 1
}
