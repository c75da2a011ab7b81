import { sleep, systemClock } from '../../lib/clock.ts'
import type { Db } from '../database.ts'

/** The length of one transaction of chunked work, which bounds how long the write lock is held. */
const SLICE_MS = 5

/**
 * Repeats a small step until it returns false or a few milliseconds have passed. Returns whether there may be more
 * work.
 */
export function forSomeMilliseconds(doSome: () => boolean, milliseconds = SLICE_MS): boolean {
  const until = performance.now() + milliseconds
  do {
    if (!doSome()) return false
  } while (performance.now() < until)
  return true
}

/** Slightly longer than a server waits before it retries to take the lock. */
const PAUSE_MS = 12

/** Leaves the lock free for other processes between two of many writes. */
export const pauseForOthers = (): Promise<void> => sleep(systemClock, PAUSE_MS)

/** The same, and waits for a checkpoint that is due. */
export async function pauseBetween(db: Db): Promise<void> {
  await pauseForOthers()
  await db.waitForCheckpoint()
}
