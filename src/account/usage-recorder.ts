import type { Db } from '../db/database.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Log } from '../lib/log.ts'

const INTERVAL_MS = 60_000
const MAX_KNOWN = 10_000

/**
 * Records when a key or a session was last used, at most once a minute and without delaying the request. `touch` writes
 * it; `lastUsedAt` is what was read with the key or session, null before its first use.
 */
export function createUsageRecorder(
  { db, log }: { db: Db; log: Log },
  what: 'key' | 'session',
  touch: (tx: Tx, pk: number, now: number) => unknown,
): (pk: number, lastUsedAt: number | null, now: number) => void {
  const recorded = new BoundedCache<number, number>(MAX_KNOWN)
  return (pk, lastUsedAt, now) => {
    const last = recorded.get(pk) ?? lastUsedAt ?? 0
    if (now - last < INTERVAL_MS && now >= last) return
    recorded.set(pk, now)
    db.write((tx): void => void touch(tx, pk, now)).catch((error) =>
      log.warn(`could not record the use of a ${what}`, { error: String(error) }),
    )
  }
}
