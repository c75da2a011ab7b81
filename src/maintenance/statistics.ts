import type { Db } from '../db/database.ts'
import type { Tx } from '../db/writes/write-queue.ts'

/** How many entries of an index are read at most: an estimate is good enough. */
const MAX_ENTRIES = 1_000
/** The default of `PRAGMA optimize`, which would do everything at once, and its bit for naming the statements instead. */
const NAME_STATEMENTS = 0xffff

/** One statement for each table whose content has changed much since SQLite last looked at it. */
const listStatements = ({ sql }: Tx): string[] => sql.column<string>(`PRAGMA optimize(${NAME_STATEMENTS})`)

/** Refreshes the statistics of SQLite's query planner, one table at a time: other requests never wait for all of them. */
export async function refreshStatistics(db: Db): Promise<void> {
  for (const statement of await db.write(listStatements))
    await db.write((tx): void => {
      const isStillThere = listStatements(tx).includes(statement)
      if (!isStillThere) return
      tx.sql.script(`PRAGMA analysis_limit = ${MAX_ENTRIES}`)
      tx.sql.script(statement)
    })
}
