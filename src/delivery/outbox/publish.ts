import type { Bus } from '../../changes/bus.ts'
import type { RecordChange } from '../../changes/record-change.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { TEST_EVENT } from './event-types.ts'
import { fires, type Subscription } from './match.ts'
import { changeBody, type EventHead, testBody } from './payload.ts'

/** Where the changes of one structure leave to, in one transaction. */
export interface Outlet {
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

/** Answers the pk. */
const insertEvent = ({ sql }: Tx, { id, type, recordId, body }: EventRow): number =>
  sql.run(
    'INSERT INTO webhook_events (id, type, record_id, body) VALUES (?, ?, ?, ?)',
    id,
    type,
    recordId,
    body,
  ).lastInsertRowid

/** Answers the id of the delivery, the first attempt of which is due at once. */
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
 * The one door out of a write: the event and its deliveries stand or fall with the change, and whoever listens learns
 * of it after the commit. What nobody subscribed to leaves no event.
 */
export function publishChange({ tx, bus, workspaceId, subscriptions }: Outlet, change: RecordChange): void {
  tx.afterCommit(() => bus.publish(change))
  if (subscriptions.length === 0) return
  const fired = subscriptions.filter((subscription) => fires(subscription, change)).map(({ pk }) => pk)
  if (fired.length === 0) return
  const { structure, source, kind, after } = change
  const head: EventHead = { id: tx.newId(), occurredAt: tx.now, workspaceId, structure, source }
  const event = insertEvent(tx, {
    id: head.id,
    type: `record.${kind}`,
    recordId: after.id,
    body: changeBody(head, change),
  })
  for (const webhook of fired) insertDelivery(tx, event, webhook, 0)
  tx.afterCommit(() => bus.wakeDeliveries(fired))
}

/** Puts a `webhook.test` event on its way to one subscription, whatever its state; answers the id of the delivery. */
export function publishTest(
  tx: Tx,
  bus: Bus,
  webhook: number,
  about: Pick<EventHead, 'workspaceId' | 'structure' | 'source'>,
): string {
  const head: EventHead = { ...about, id: tx.newId(), occurredAt: tx.now }
  const event = insertEvent(tx, { id: head.id, type: TEST_EVENT, recordId: null, body: testBody(head) })
  tx.afterCommit(() => bus.wakeDeliveries([webhook]))
  return insertDelivery(tx, event, webhook, 1)
}
