import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'

/** Deferred work that is done in small steps. */
export interface BackgroundWork {
  /** Names the work in the log. */
  readonly name: string
  /** Whether steps also run while other writes go on, because much work is left. */
  isUrgent(): boolean
  /** Does one step; returns whether there may be more work. */
  runStep(): Promise<boolean>
}

const IDLE_INTERVAL_MS = 200
const BUSY_INTERVAL_MS = 20

/** Changes whenever a connection other than the reading one commits. */
const commitVersion = ({ sql }: Db): number => sql.scalar('PRAGMA data_version')

/**
 * Runs steps of the work while nothing else is written, and while other writes go on if the work is urgent. A step
 * that fails is logged and tried again later, unless the database is lost. Returns a function that stops the work.
 */
export function startBackgroundWork(
  { db, log, clock }: { db: Db; log: Log; clock: Clock },
  work: BackgroundWork,
): () => void {
  let stopped = false
  let lastVersion = -1
  const step = async (): Promise<number> => {
    const isIdle = commitVersion(db) === lastVersion
    const hasMore = (isIdle || work.isUrgent()) && (await work.runStep())
    lastVersion = commitVersion(db)
    if (!hasMore) return IDLE_INTERVAL_MS
    return isIdle ? 0 : BUSY_INTERVAL_MS
  }
  const run = async (): Promise<void> => {
    const delayMs = await step().catch((error) => {
      if (!stopped) log.repeated('warn', `${work.name} failed and is tried again`, { error: String(error) })
      return IDLE_INTERVAL_MS
    })
    if (!stopped) cancel = clock.after(delayMs, run)
  }
  let cancel = clock.after(IDLE_INTERVAL_MS, run)
  const stop = () => {
    stopped = true
    cancel()
  }
  // Nothing can be written any more, and why is in the log.
  db.onLost(stop)
  return stop
}
