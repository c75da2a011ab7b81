import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'

/** Work that writes put off, to be done in small pieces. */
export interface IdleWork {
  /** What it is, for the log: "<what> is put off". */
  readonly what: string
  /** So much of it waits that it is done beside other writes too. */
  isPiledUp(): boolean
  /** Does a piece; answers whether there was any. */
  doSome(): Promise<boolean>
}

const IDLE_STEP_MS = 200
const BUSY_STEP_MS = 20

/** Moves with every commit of any connection but the reading one. */
const commitsSeen = ({ sql }: Db): number => sql.scalar('PRAGMA data_version')

/**
 * Does deferred work in the background, a piece at a time, while nothing else is written; much of it also beside
 * other writes. Answers how to stop.
 */
export function startIdleWorker({ db, log }: { db: Db; log: Log }, work: IdleWork): () => void {
  let stopped = false
  let timer: Timer
  let seen = -1
  const step = async (): Promise<number> => {
    const isQuiet = commitsSeen(db) === seen
    const more = (isQuiet || work.isPiledUp()) && (await work.doSome())
    seen = commitsSeen(db)
    if (!more) return IDLE_STEP_MS
    return isQuiet ? 0 : BUSY_STEP_MS
  }
  const run = async (): Promise<void> => {
    const wait = await step().catch((error) => {
      if (!stopped) log.warn(`${work.what} is put off`, { error: String(error) })
      return IDLE_STEP_MS
    })
    if (!stopped) timer = setTimeout(run, wait)
  }
  timer = setTimeout(run, IDLE_STEP_MS)
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
