import type { Db } from '../database.ts'
import type { WriteFunction } from './write-queue.ts'

/** A little longer than a server waits before it tries for the lock of another process again. */
const PAUSE_MS = 12

/**
 * Repeats a short write until it answers false. Between two of them another process, which would else seldom meet a
 * free moment, can write. Throws when the signal ends it.
 */
export async function inChunks(db: Db, step: WriteFunction<boolean>, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  while (await db.write(step)) {
    await Bun.sleep(PAUSE_MS)
    signal?.throwIfAborted()
  }
}
