import { memoize } from '../lib/bounded-cache.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/**
 * Uses OR FAIL: with OR ABORT, the default, SQLite copies every page that a statement of several rows changes. An error
 * undoes the whole write in either case.
 */
const INSERT_DELIVERIES = `INSERT OR FAIL INTO webhook_deliveries
  (event, is_urgent, next_attempt_at, created_at, webhook, id, status) VALUES`

/** Keyed by the number of deliveries. */
const insertText = memoize((count: number): string => {
  const rows = Array.from(
    { length: count },
    (_, at) => `(?1, ?2, ?3, ?3, ?${2 * at + 4}, ?${2 * at + 5}, 'pending')`,
  )
  return `${INSERT_DELIVERIES} ${rows.join(', ')}`
})

/** Returns the ids of the deliveries; their first attempts are due immediately. */
export function insertDeliveries(
  tx: Tx,
  event: number,
  webhooks: readonly number[],
  isUrgent: 0 | 1,
): string[] {
  const ids = webhooks.map(() => tx.newId())
  const values = webhooks.flatMap((webhook, at) => [webhook, ids[at] ?? ''])
  tx.sql.run(insertText(webhooks.length), event, isUrgent, tx.now, ...values)
  return ids
}
