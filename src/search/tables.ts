import type { Reader } from '../db/reader.ts'

/**
 * The options of every search table over words. Texts are folded and segmented before they are inserted
 * (`tokenizer.ts`), so FTS5 only has to split at spaces and ASCII punctuation. The tables keep no copy of the text;
 * they can be rebuilt at any time.
 */
export const WORD_OPTIONS = `tokenize = 'ascii', content = '', contentless_delete = 1`

/** Whether the database has the table. */
export const hasTable = ({ sql }: Reader, table: string): boolean =>
  sql.get("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?", table) !== undefined

/** The name of the temporary table that a check fills with what the search table should contain. */
export const expectedName = (table: string) => `expected_${table}`

/** How many bytes FTS5 collects in memory before it writes: a large buffer halves the time. */
const BUFFER_BYTES = 67_108_864

/** Creates the temporary table, empty; `definition` is that of the search table. */
export function createExpected({ sql }: Reader, table: string, definition: string): void {
  const expected = expectedName(table)
  sql.script(`CREATE VIRTUAL TABLE temp.${expected} USING fts5(${definition})`)
  sql.script(`INSERT INTO temp.${expected} (${expected}, rank) VALUES ('hashsize', ${BUFFER_BYTES})`)
}

/**
 * Compares a search table with its temporary one and yields each difference as a sentence. Compared are the entries,
 * the number of words in each of their columns, and how often each word occurs in each column.
 */
export function* searchTableFaults({ sql }: Reader, table: string): Generator<string> {
  const expected = expectedName(table)
  const entries = sql.all<{ id: number; isExpected: number }>(
    `SELECT id, 1 AS isExpected FROM (SELECT id, sz FROM temp.${expected}_docsize EXCEPT SELECT id, sz FROM main.${table}_docsize)
     UNION SELECT id, 0 FROM (SELECT id, sz FROM main.${table}_docsize EXCEPT SELECT id, sz FROM temp.${expected}_docsize)`,
  )
  for (const id of new Set(entries.map((entry) => entry.id))) {
    const sides = entries.filter((entry) => entry.id === id)
    const what =
      sides.length === 2 ? 'does not match its text' : sides[0]?.isExpected ? 'is missing' : 'is left over'
    yield `The entry ${id} of the search table ${table} ${what}.`
  }
  if (entries.length === 0 && hasOtherWords({ sql }, table, expected)) {
    yield `The search table ${table} holds other words than the texts.`
  }
}

function hasOtherWords({ sql }: Pick<Reader, 'sql'>, table: string, expected: string): boolean {
  sql.script(`CREATE VIRTUAL TABLE temp.${table}_words USING fts5vocab(main, ${table}, col)`)
  sql.script(`CREATE VIRTUAL TABLE temp.${expected}_words USING fts5vocab(temp, ${expected}, col)`)
  const [left, right] = [`SELECT * FROM temp.${table}_words`, `SELECT * FROM temp.${expected}_words`]
  const differs = (one: string, other: string) => sql.get(`${one} EXCEPT ${other} LIMIT 1`) !== undefined
  return differs(left, right) || differs(right, left)
}
