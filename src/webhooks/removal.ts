import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { renewSubscriptionsVersion } from '../delivery/outbox/match.ts'
import { removeDeliveriesOf } from './deliveries.ts'

/** So many go in one transaction that the write lock is held for some milliseconds only. */
const DELIVERIES_PER_STEP = 1_000

/** Takes subscriptions out of sight: nothing fires them, nothing is sent. What is left of them goes in steps. */
export function hideWebhook(tx: Tx, { pk, structure }: { pk: number; structure: number }): void {
  tx.sql.run('UPDATE webhooks SET is_removed = 1 WHERE pk = ?', pk)
  renewSubscriptionsVersion(tx, structure)
}

/** For a structure that is being deleted. */
export const hideWebhooksOf = ({ sql }: Reader, structurePk: number) =>
  sql.run('UPDATE webhooks SET is_removed = 1 WHERE structure = ?', structurePk)

/** Finishes what was begun with hiding, also what a crash broke off. */
export async function removeHiddenWebhooks(db: Db): Promise<void> {
  for (const pk of db.sql.column<number>('SELECT pk FROM webhooks WHERE is_removed = 1')) {
    while ((await db.write((tx) => removeDeliveriesOf(tx, pk, DELIVERIES_PER_STEP))) > 0);
    await db.write((tx): void => {
      tx.sql.run('DELETE FROM webhooks WHERE pk = ? AND is_removed = 1', pk)
    })
  }
}
