import type { Reader } from '../db/reader.ts'

/** The temporary table beside a search table that is to hold what that one should hold. */
export const expectedName = (table: string) => `expected_${table}`

/** How much is indexed in memory before it is written: much in one go takes half the time. */
const BYTES_AT_ONCE = 67_108_864

/** Makes the temporary table, empty; `definition` is that of the search table. */
export function createExpected({ sql }: Reader, table: string, definition: string): void {
  const expected = expectedName(table)
  sql.script(`CREATE VIRTUAL TABLE temp.${expected} USING fts5(${definition})`)
  sql.script(`INSERT INTO temp.${expected} (${expected}, rank) VALUES ('hashsize', ${BYTES_AT_ONCE})`)
}

/**
 * Compares a search table with its temporary one, each fault as a sentence: which entries there are, how many
 * words each column of each has, and in how many entries and how often each word stands in each column.
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
