import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'

/** Deferred work in small steps. */
export interface BackgroundWork {
  /** The name of the work in the log. */
  readonly name: string
  /** Whether steps also run between other writes, because much work is left. */
  isUrgent(): boolean
  /** Runs one step; returns whether there may be more work. */
  runStep(): Promise<boolean>
}

const IDLE_INTERVAL_MS = 200
const BUSY_INTERVAL_MS = 20

/** Changes whenever a connection other than the reading one commits. */
const commitVersion = ({ sql }: Db): number => sql.scalar('PRAGMA data_version')

/**
 * Runs steps of the work while nothing else is written, and between other writes if the work is urgent. A failed step
 * is logged and retried later, unless the database is lost. Returns a function that stops the work.
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
      if (!stopped) log.repeated('warn', `${work.name} failed and will be retried`, { error: String(error) })
      return IDLE_INTERVAL_MS
    })
    if (!stopped) cancel = clock.after(delayMs, run)
  }
  let cancel = clock.after(IDLE_INTERVAL_MS, run)
  const stop = () => {
    stopped = true
    cancel()
  }
  // All later writes would be refused; the reason is in the log.
  db.onLost(stop)
  return stop
}
