import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { unlessStorageFails } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { shrinkMemory } from './open.ts'

const INTERVAL_MS = 1_000
/** A connection with fewer statements than this in an interval is idle. */
const FEW_STATEMENTS = 100

/**
 * Empties the page caches of these connections when they become idle; the next reads take pages from the cache of the
 * operating system. Returns a function that stops it.
 */
export function releasePageCaches(clock: Clock, log: Log, connections: readonly Sql[]): () => void {
  const known = connections.map((sql) => ({ sql, count: sql.statementCount, isFilled: true }))
  return clock.every(INTERVAL_MS, () => {
    for (const one of known) {
      const wasBusy = one.sql.statementCount - one.count >= FEW_STATEMENTS
      one.count = one.sql.statementCount
      if (wasBusy) one.isFilled = true
      else if (one.isFilled) {
        unlessStorageFails(log, () => shrinkMemory(one.sql.database))
        one.isFilled = false
      }
    }
  })
}
