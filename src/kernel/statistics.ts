import { HOUR_MS } from '../lib/dates.ts'
import type { Reader } from '../storage/reader.ts'
import { type Job, later } from './jobs.ts'

/*
 * The statistics of SQLite's query planner are refreshed every hour, one table at a time, so that no write waits for
 * all of them.
 */

/** The maximum number of index entries to compare: an estimate is sufficient. */
const MAX_ENTRIES = 1_000
/**
 * The default of `PRAGMA optimize`, which would run everything at once, and its bit for returning the statements
 * instead.
 */
const NAME_STATEMENTS = 0xffff
/** SQLite counts all entries of an index, which takes a millisecond or two in a file of at most this many pages. */
const FEW_PAGES = 4_000

/** One statement for each table whose content has changed much since SQLite last analyzed it. */
const listStatements = ({ sql }: Reader): string[] =>
  sql.column<string>(`PRAGMA optimize(${NAME_STATEMENTS})`)

/** Runs one of the statements, unless its table has been deleted in the meantime. */
function analyze({ sql }: Reader, statement: string): void {
  const table = sql.get(
    `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND 'ANALYZE "main"."' || name || '"' = ?`,
    statement,
  )
  if (table === undefined) return
  sql.script(`PRAGMA analysis_limit = ${MAX_ENTRIES}`)
  sql.script(statement)
}

/**
 * Makes every connection use the new statistics. SQLite reads them with the schema, and only when another connection
 * has changed the schema; this connection reads them on request.
 */
function announce({ sql }: Reader): void {
  sql.script('CREATE TABLE statistics_changed (x)')
  sql.script('DROP TABLE statistics_changed')
  sql.script('ANALYZE sqlite_schema')
}

/** The state is the list of the remaining statements. A step runs one of them, and the last step announces all. */
export const statisticsRefresh: Job<number, string[] | null> = {
  kind: 'statistics',
  everyMs: HOUR_MS,
  isLong: ({ sql }, statements) => statements !== null && sql.scalar<number>('PRAGMA page_count') > FEW_PAGES,
  step: (tx, _, statements) => {
    if (statements === null) {
      const all = listStatements(tx)
      // The next step may run in another thread.
      return all.length > 0 ? later(tx.now, all) : later(tx.now + HOUR_MS, null)
    }
    const [next, ...rest] = statements
    if (next !== undefined) {
      analyze(tx, next)
      return rest
    }
    announce(tx)
    return later(tx.now + HOUR_MS, null)
  },
}
