import { defineJob, enqueue } from '../../kernel/jobs.ts'
import { endSchedules } from '../../log/due.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import { renewSubscriptionsVersion } from '../../log/outbox.ts'
import { deletePulledOf } from '../../log/pulled.ts'
import type { Reader } from '../../storage/reader.ts'
import { IS_BLOCKED, IS_NEW, IS_NOT_NEW } from '../../storage/schema/webhooks.ts'
import type { Tx } from '../../storage/writes/transaction.ts'

const DELIVERIES_AT_ONCE = 50

/**
 * Deletes up to `limit` deliveries that match the condition, and events without any left; returns the number deleted.
 */
function deleteSomeDeliveries({ sql }: Reader, condition: string, value: number, limit: number): number {
  const found = sql.rows<[event: number, webhook: number]>(
    `SELECT event, webhook FROM webhook_deliveries WHERE ${condition} LIMIT ?`,
    value,
    limit,
  )
  for (const [event, webhook] of found)
    sql.run('DELETE FROM webhook_deliveries WHERE event = ? AND webhook = ?', event, webhook)
  const events = JSON.stringify([...new Set(found.map(([event]) => event))])
  sql.run('DELETE FROM webhook_sequences WHERE event IN (SELECT value FROM json_each(?))', events)
  sql.run(
    `DELETE FROM webhook_events WHERE pk IN (SELECT value FROM json_each(?)) AND NOT EXISTS
       (SELECT 1 FROM webhook_deliveries d WHERE d.event = webhook_events.pk)`,
    events,
  )
  return found.length
}

/** Deletes up to `limit` deliveries that ended before this instant; returns the number deleted. */
export const deleteDeliveriesEndedBefore = (reader: Reader, before: number, limit: number): number =>
  deleteSomeDeliveries(reader, 'ended_at < ?', before, limit)

/** Deletes up to `limit` deliveries, or kept events, of a subscription; returns the number deleted. */
const deleteDeliveriesOf = (reader: Reader, webhook: number, limit: number): number =>
  deleteSomeDeliveries(reader, `webhook = ? AND ${IS_NEW}`, webhook, limit) ||
  deleteSomeDeliveries(reader, `webhook = ? AND ${IS_NOT_NEW}`, webhook, limit) ||
  deleteSomeDeliveries(reader, `webhook = ? AND ${IS_BLOCKED}`, webhook, limit) ||
  deletePulledOf(reader, webhook, limit)

/**
 * Deletes a subscription in the caller's transaction. For subscriptions with few deliveries, such as the tests of a
 * copy.
 */
export function deleteWebhookAtOnce(tx: Tx, id: string): void {
  for (const pk of tx.sql.column<number>('SELECT pk FROM webhooks WHERE id = ?', id)) {
    while (deleteDeliveriesOf(tx, pk, DELIVERIES_AT_ONCE) > 0) {}
    endSchedules(tx, 'pk = ?', pk)
    tx.sql.run('DELETE FROM webhooks WHERE pk = ?', pk)
  }
}

/** Deletes the deliveries of a deleted subscription, which records and sends nothing more. */
export const webhookDetachment = defineJob<number, null>('webhook.detach', (tx, pk) =>
  deleteDeliveriesOf(tx, pk, DELIVERIES_AT_ONCE) > 0 ? null : 'done',
)

/**
 * Deletes a subscription, and notifies requests that wait for its events. A job then deletes its deliveries, which no
 * read shows any more.
 */
export function removeWebhook(
  tx: Tx,
  { pk, structure }: { readonly pk: number; readonly structure: number | null },
): void {
  endSchedules(tx, 'pk = ?', pk)
  for (const id of tx.sql.column<string>('DELETE FROM webhooks WHERE pk = ? RETURNING id', pk))
    notifyAfterCommit(tx, id)
  enqueue(tx, webhookDetachment, pk, null)
  if (structure !== null) renewSubscriptionsVersion(tx, structure)
}

/** Deletes the subscriptions of a structure that is being deleted. */
export function removeWebhooksOf(tx: Tx, structure: number): void {
  for (const pk of tx.sql.column<number>('SELECT pk FROM webhooks WHERE structure = ?', structure))
    removeWebhook(tx, { pk, structure })
}
