import type { AppContext } from '../context.ts'
import type { WorkerTask } from '../storage/worker/client.ts'
import type { Tx } from '../storage/writes/transaction.ts'

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
const listStatements = ({ sql }: Tx): string[] => sql.column<string>(`PRAGMA optimize(${NAME_STATEMENTS})`)

/** Runs one of the statements, unless its table has been deleted in the meantime. */
export const analyzeTable: WorkerTask<string, void> = {
  name: 'maintenance.analyzeTable',
  isBackground: true,
  run: ({ sql }, statement) => {
    const table = sql.get(
      `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND 'ANALYZE "main"."' || name || '"' = ?`,
      statement,
    )
    if (table === undefined) return
    sql.script(`PRAGMA analysis_limit = ${MAX_ENTRIES}`)
    sql.script(statement)
  },
}

/**
 * Makes every connection use the new statistics. SQLite reads them with the schema, and only when another connection
 * has changed the schema; this connection reads them on request.
 */
function announceStatistics({ sql }: Tx): void {
  sql.script('CREATE TABLE statistics_changed (x)')
  sql.script('DROP TABLE statistics_changed')
  sql.script('ANALYZE sqlite_schema')
}

/**
 * Refreshes the statistics of SQLite's query planner one table at a time, so that no write waits for all of them. For a
 * large file this runs outside the main thread.
 */
export async function refreshStatistics({ db, worker }: Pick<AppContext, 'db' | 'worker'>): Promise<void> {
  const isSmall = db.sql.scalar<number>('PRAGMA page_count') <= FEW_PAGES
  const statements = await db.write(listStatements)
  for (const statement of statements) {
    if (isSmall) await db.write((tx): void => analyzeTable.run(tx, statement))
    else await worker.write(analyzeTable, statement)
  }
  if (statements.length > 0) await db.write(announceStatistics)
}
