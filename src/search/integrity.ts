import type { Reader } from '../storage/reader.ts'
import type { SqlValue } from '../storage/sql.ts'

/*
 * Compares a word search table (FTS5) with a temporary table built from the same texts. Nothing is written to the
 * database, so that a check can run beside a server.
 */

/** An entry that the search table should have. */
export interface ExpectedEntry {
  readonly pk: number
  /** Its columns by name, the same for every entry. */
  readonly columns: Readonly<Record<string, SqlValue>>
}

export interface SearchTableCheck {
  readonly table: string
  /** Ordered by pk, without stale entries. */
  readonly expected: Iterable<ExpectedEntry>
  /** A query for the pks of entries that are known to be stale; they are not compared. */
  readonly outdated: string
}

/** Compares a search table with its expected entries, and yields each difference as a sentence. */
export function* searchTableFaults(reader: Reader, check: SearchTableCheck): Generator<string> {
  const { table } = check
  const should = `temp.${table}_expected`
  const definition = reader.sql.scalar<string>('SELECT sql FROM main.sqlite_schema WHERE name = ?', table)
  reader.sql.script(definition.replace(table, should))
  try {
    fill(reader, should, check.expected)
    let isSound = true
    for (const { pk, what } of entryFaults(reader, should, check)) {
      isSound = false
      yield `The entry ${pk} of the search table ${table} ${what}.`
    }
    if (isSound && hasOtherWords(reader, should, check))
      yield `The search table ${table} holds other words than the texts.`
  } finally {
    // A full disk has rolled back the whole transaction.
    reader.sql.script(`DROP TABLE IF EXISTS ${should}`)
  }
}

function fill({ sql }: Reader, should: string, expected: Iterable<ExpectedEntry>): void {
  for (const { pk, columns } of expected) {
    const names = Object.keys(columns)
    const insert = `INSERT INTO ${should} (rowid, ${names}) VALUES (?${', ?'.repeat(names.length)})`
    sql.run(insert, pk, ...Object.values(columns))
  }
}

/**
 * Entries that exist in only one of the tables, or that have different numbers of words in a column. Each is looked
 * up by its pk.
 */
const entryFaults = ({ sql }: Reader, should: string, { table, outdated }: SearchTableCheck) =>
  sql.each<{ pk: number; what: string }>(
    `SELECT wanted.id AS pk, iif(stored.id IS NULL, 'is missing', 'does not match its text') AS what
     FROM ${should}_docsize AS wanted LEFT JOIN main.${table}_docsize AS stored ON stored.id = wanted.id
     WHERE stored.sz IS NOT wanted.sz
     UNION ALL
     SELECT id, 'is left over' FROM main.${table}_docsize AS stored
     WHERE id NOT IN (${outdated}) AND NOT EXISTS (SELECT 1 FROM ${should}_docsize AS wanted WHERE wanted.id = stored.id)
     ORDER BY 1`,
  )

/** Whether a word differs in its number of entries or of occurrences. */
function hasOtherWords({ sql }: Reader, should: string, { table, outdated }: SearchTableCheck): boolean {
  const [wanted, stored, places] = ['wanted', 'stored', 'places'].map((name) => `temp.${table}_${name}`)
  const hasOutdated = sql.get(`SELECT 1 FROM main.${table}_docsize WHERE id IN (${outdated}) LIMIT 1`)
  sql.script(`CREATE VIRTUAL TABLE ${wanted} USING fts5vocab(temp, ${should.replace('temp.', '')}, col);
    CREATE VIRTUAL TABLE ${stored} USING fts5vocab(main, ${table}, col);
    CREATE VIRTUAL TABLE ${places} USING fts5vocab(main, ${table}, instance)`)
  // This reads every occurrence of a word.
  const ofOutdated = `UNION ALL SELECT term, col, count(DISTINCT doc), count(offset) FROM ${places}
    WHERE doc IN (${outdated}) GROUP BY term, col`
  const found = sql.get(
    `SELECT 1 FROM (SELECT term, col, doc, cnt FROM ${wanted}
       UNION ALL SELECT term, col, -doc, -cnt FROM ${stored} ${hasOutdated ? ofOutdated : ''})
     GROUP BY term, col HAVING sum(doc) <> 0 OR sum(cnt) <> 0 LIMIT 1`,
  )
  sql.script(`DROP TABLE ${wanted}; DROP TABLE ${stored}; DROP TABLE ${places}`)
  return found !== undefined
}
