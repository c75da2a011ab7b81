import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import { IS_NEW, IS_NOT_NEW } from '../db/schema/webhooks.ts'
import { forSomeMilliseconds, inChunks } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { endSchedules } from '../delivery/due.ts'
import { renewSubscriptionsVersion } from '../delivery/outbox.ts'

const DELIVERIES_PER_STEP = 50

/** Deletes up to `limit` deliveries that the condition finds, and events without any left; returns how many. */
function deleteSomeDeliveries({ sql }: Reader, condition: string, value: number, limit: number): number {
  const found = sql.rows<[event: number, webhook: number]>(
    `SELECT event, webhook FROM webhook_deliveries WHERE ${condition} LIMIT ?`,
    value,
    limit,
  )
  for (const [event, webhook] of found)
    sql.run('DELETE FROM webhook_deliveries WHERE event = ? AND webhook = ?', event, webhook)
  sql.run(
    `DELETE FROM webhook_events WHERE pk IN (SELECT value FROM json_each(?)) AND NOT EXISTS
       (SELECT 1 FROM webhook_deliveries d WHERE d.event = webhook_events.pk)`,
    JSON.stringify([...new Set(found.map(([event]) => event))]),
  )
  return found.length
}

/** Deletes up to `limit` deliveries that ended before this instant; returns how many. */
export const deleteDeliveriesEndedBefore = (reader: Reader, before: number, limit: number): number =>
  deleteSomeDeliveries(reader, 'ended_at < ?', before, limit)

/** Deletes up to `limit` deliveries of a subscription; returns how many. */
const deleteDeliveriesOf = (reader: Reader, webhook: number, limit: number): number =>
  deleteSomeDeliveries(reader, `webhook = ? AND ${IS_NEW}`, webhook, limit) ||
  deleteSomeDeliveries(reader, `webhook = ? AND ${IS_NOT_NEW}`, webhook, limit)

/** Deletes a subscription in the caller's transaction; it has few deliveries, such as those of a copy, which are tests. */
export function deleteWebhookAtOnce(tx: Tx, id: string): void {
  for (const pk of tx.sql.column<number>('SELECT pk FROM webhooks WHERE id = ?', id)) {
    while (deleteDeliveriesOf(tx, pk, DELIVERIES_PER_STEP) > 0) {}
    endSchedules(tx, 'pk = ?', pk)
    tx.sql.run('DELETE FROM webhooks WHERE pk = ?', pk)
  }
}

/** Marks a subscription as removed: it is no longer visible, and nothing is recorded or sent for it any more. */
export function markWebhookRemoved(
  tx: Tx,
  { pk, structure }: { pk: number; structure: number | null },
): void {
  endSchedules(tx, 'pk = ?', pk)
  tx.sql.run('UPDATE webhooks SET is_removed = 1 WHERE pk = ?', pk)
  tx.sql.run('DELETE FROM webhook_waiting WHERE webhook = ?', pk)
  if (structure !== null) renewSubscriptionsVersion(tx, structure)
}

/** Marks the subscriptions of a structure that is being deleted. */
export function markWebhooksRemovedOf(tx: Tx, structurePk: number): void {
  endSchedules(tx, 'structure = ?', structurePk)
  tx.sql.run('UPDATE webhooks SET is_removed = 1 WHERE structure = ?', structurePk)
}

/** Deletes removed subscriptions with their deliveries in several transactions; finishes what a crash interrupted. */
export async function deleteRemovedWebhooks(db: Db): Promise<void> {
  for (const pk of db.sql.column<number>('SELECT pk FROM webhooks WHERE is_removed = 1')) {
    await inChunks(db, (tx): boolean =>
      forSomeMilliseconds(() => deleteDeliveriesOf(tx, pk, DELIVERIES_PER_STEP) > 0),
    )
    await db.write((tx): void => {
      tx.sql.run('DELETE FROM webhooks WHERE pk = ? AND is_removed = 1', pk)
    })
  }
}
