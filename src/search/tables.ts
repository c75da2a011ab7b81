import type { Reader } from '../db/reader.ts'

/**
 * The options of every search table over words. Texts are folded and segmented before they are inserted
 * (`tokenizer.ts`), so FTS5 only has to split at spaces and ASCII punctuation. The tables keep no copy of the text;
 * they can be rebuilt at any time.
 */
const WORD_OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`

/** Whether the database has the table. */
export const hasTable = ({ sql }: Reader, table: string): boolean =>
  sql.get("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?", table) !== undefined

/*
 * FTS5 merges in portions about as large as what is written. Beyond `crisismerge` parts it would merge all of them at
 * once, and requests would have to wait; that many are never reached.
 */
const MERGE_SETTINGS = { automerge: 4, crisismerge: 1_900 }

/** Creates a search table over words, unless there is one; `columns` may be followed by options of its own. */
export function createWordTable({ sql }: Reader, table: string, columns: string): void {
  if (hasTable({ sql }, table)) return
  sql.script(`CREATE VIRTUAL TABLE ${table} USING fts5(${columns}, ${WORD_OPTIONS})`)
  setMerging({ sql }, table)
}

/** Sets how a search table over words is merged; tables of older versions are merged in another way. */
export function setMerging({ sql }: Reader, table: string): void {
  for (const [name, value] of Object.entries(MERGE_SETTINGS))
    sql.script(`INSERT INTO ${table} (${table}, rank) VALUES ('${name}', ${value})`)
}
