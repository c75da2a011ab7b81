import type { Bus } from '../../changes/bus.ts'
import type { RecordChange } from '../../changes/record-change.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { isTriggeredBy, type Subscription } from './match.ts'
import { changePayload, type EventHead, TEST_EVENT, testPayload } from './payload.ts'

/** Everything that publishing the changes of one structure in one transaction needs. */
export interface Outbox {
  readonly tx: Tx
  readonly bus: Bus
  readonly workspaceId: string
  readonly subscriptions: readonly Subscription[]
}

interface EventRow {
  id: string
  type: string
  recordId: string | null
  body: string
}

/** Returns the pk. */
const insertEvent = ({ sql }: Tx, { id, type, recordId, body }: EventRow): number =>
  sql.run(
    'INSERT INTO webhook_events (id, type, record_id, body) VALUES (?, ?, ?, ?)',
    id,
    type,
    recordId,
    body,
  ).lastInsertRowid

/** Returns the id of the delivery; its first attempt is due at once. */
function insertDelivery(tx: Tx, event: number, webhook: number, isUrgent: 0 | 1): string {
  const id = tx.newId()
  tx.sql.run(
    `INSERT INTO webhook_deliveries (event, webhook, id, status, is_urgent, next_attempt_at, created_at)
     VALUES (?1, ?2, ?3, 'pending', ?4, ?5, ?5)`,
    event,
    webhook,
    id,
    isUrgent,
    tx.now,
  )
  return id
}

/**
 * Every write of a record ends here. The event and its deliveries are stored in the transaction of the change, and
 * listeners are told after the commit. A change that triggers no subscription stores no event.
 */
export function publishChange({ tx, bus, workspaceId, subscriptions }: Outbox, change: RecordChange): void {
  tx.afterCommit(() => bus.publish(change))
  if (subscriptions.length === 0) return
  const triggered = subscriptions
    .filter((subscription) => isTriggeredBy(subscription, change))
    .map(({ pk }) => pk)
  if (triggered.length === 0) return
  const { structure, source, kind, after } = change
  const head: EventHead = { id: tx.newId(), occurredAt: tx.now, workspaceId, structure, source }
  const event = insertEvent(tx, {
    id: head.id,
    type: `record.${kind}`,
    recordId: after.id,
    body: changePayload(head, change),
  })
  for (const webhook of triggered) insertDelivery(tx, event, webhook, 0)
  tx.afterCommit(() => bus.wakeDeliveries(triggered))
}

/** Stores a `webhook.test` event for one subscription, even if disabled or paused; returns the id of the delivery. */
export function publishTest(
  tx: Tx,
  bus: Bus,
  webhook: number,
  about: Pick<EventHead, 'workspaceId' | 'structure' | 'source'>,
): string {
  const head: EventHead = { ...about, id: tx.newId(), occurredAt: tx.now }
  const event = insertEvent(tx, { id: head.id, type: TEST_EVENT, recordId: null, body: testPayload(head) })
  tx.afterCommit(() => bus.wakeDeliveries([webhook]))
  return insertDelivery(tx, event, webhook, 1)
}
