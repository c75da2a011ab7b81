import type { Reader } from '../storage/reader.ts'

/**
 * The options of every word search table. Texts are folded and segmented before they are inserted (`words.ts`), so
 * FTS5 only has to split at spaces and ASCII punctuation. The tables keep no copy of the text; they can be rebuilt at
 * any time.
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

/** The number of segments of about the same size that are merged into one; with 4, entries are rewritten more often. */
export const MERGED_SEGMENTS = 8

/*
 * FTS5 merges automatically in portions of hundreds of pages, which suits tables with few words. Tables with many
 * words are merged by jobs (`mergeSome`). Beyond `crisismerge` segments FTS5 would merge all of them at once, and
 * requests would have to wait; the jobs keep the number below that.
 */
const MERGE_SETTINGS = {
  itself: { automerge: 4, crisismerge: 1_900 },
  jobs: { automerge: 0, usermerge: MERGED_SEGMENTS, crisismerge: 1_900 },
}
export type Merging = keyof typeof MERGE_SETTINGS

/** Creates a word search table unless it exists; `columns` may be followed by further options. */
export function createWordTable({ sql }: Reader, table: string, columns: string, merging: Merging): void {
  if (hasTable({ sql }, table)) return
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${columns}, ${WORD_OPTIONS})`)
  setMerging({ sql }, table, merging)
}

/** Sets the merge policy of a word search table; tables of older versions have another one. */
export function setMerging({ sql }: Reader, table: string, merging: Merging): void {
  for (const [name, value] of Object.entries(MERGE_SETTINGS[merging]))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
}

/** The maximum number of pages that one step writes, unless a single word needs more. */
const MERGED_PAGES = 64

/** Merges a part of a search table; returns whether there was anything to merge. */
export const mergeSome = (reader: Reader, table: string): boolean => merge(reader, table, MERGED_PAGES)

/** Begins to merge all segments of a search table into one; `mergeSome` continues. */
export const beginMergingAll = (reader: Reader, table: string): boolean => merge(reader, table, -MERGED_PAGES)

function merge({ sql }: Reader, table: string, pages: number): boolean {
  const changes = () => sql.scalar<number>('SELECT total_changes()')
  const before = changes()
  sql.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${pages})`)
  // The command itself counts as one change.
  return changes() - before > 1
}
