import type { RecordChange } from '../changes/bus.ts'
import type { ChangeOperation } from '../changes/entries.ts'
import { type ChangeAuthor, logChange, logCreatedRecords } from '../changes/log.ts'
import { previousValues } from '../changes/record-data.ts'
import type { WriteListeners } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { memoize } from '../lib/bounded-cache.ts'
import { changePayload, type EventHead, TEST_EVENT, testPayload } from './payload.ts'
import { listTriggered, type Subscription } from './subscriptions.ts'

/** Everything that publishing the changes of one structure in one transaction needs. */
export interface Outbox {
  readonly tx: Tx
  readonly listeners: WriteListeners
  readonly author: ChangeAuthor
  readonly workspaceId: string
  readonly subscriptions: readonly Subscription[]
  /** The records of one structure that were created since the last other change, which are logged together. */
  readonly created: string[]
  /** The pks of the subscriptions that were triggered so far. */
  readonly triggered: Set<number>
  /** Whether the listeners of the structure will be woken after the commit. */
  wakes: boolean
}

/** Nothing is published yet. */
export const openOutbox = (
  about: Pick<Outbox, 'tx' | 'listeners' | 'author' | 'workspaceId' | 'subscriptions'>,
): Outbox => ({ ...about, created: [], triggered: new Set(), wakes: false })

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

/**
 * OR FAIL, because with OR ABORT, the default, SQLite copies every page that a statement of several rows changes. An
 * error undoes the whole write in either case.
 */
const INSERT_DELIVERIES = `INSERT OR FAIL INTO webhook_deliveries
  (event, is_urgent, next_attempt_at, created_at, webhook, id, status) VALUES`

/** By the number of deliveries. */
const insertText = memoize((count: number): string => {
  const rows = Array.from(
    { length: count },
    (_, at) => `(?1, ?2, ?3, ?3, ?${2 * at + 4}, ?${2 * at + 5}, 'pending')`,
  )
  return `${INSERT_DELIVERIES} ${rows.join(', ')}`
})

/** Returns the ids of the deliveries; their first attempts are due at once. */
function insertDeliveries(tx: Tx, event: number, webhooks: readonly number[], isUrgent: 0 | 1): string[] {
  const ids = webhooks.map(() => tx.newId())
  const values = webhooks.flatMap((webhook, at) => [webhook, ids[at] ?? ''])
  tx.sql.run(insertText(webhooks.length), event, isUrgent, tx.now, ...values)
  return ids
}

/**
 * Every write of a record ends here. The change is logged, and the event and its deliveries are stored, in the
 * transaction of the change, and listeners are notified after the commit. A change that triggers no subscription stores no
 * event. `operation` is that of the log, which distinguishes a restored record from a new one.
 */
export function publishChange(
  outbox: Outbox,
  change: RecordChange,
  operation: ChangeOperation = change.kind,
): void {
  const { tx, listeners, subscriptions } = outbox
  log(outbox, change, operation)
  if (!outbox.wakes) tx.afterCommit(() => listeners.wake(change.structure.id))
  outbox.wakes = true
  if (subscriptions.length === 0) return
  storeEvent(outbox, change)
}

function storeEvent(
  { tx, listeners, workspaceId, subscriptions, triggered }: Outbox,
  change: RecordChange,
): void {
  const webhooks = listTriggered(subscriptions, change)
  if (webhooks.length === 0) return
  const { structure, source, kind, after } = change
  const head: EventHead = { id: tx.newId(), occurredAt: tx.now, workspaceId, structure, source }
  const event = insertEvent(tx, {
    id: head.id,
    type: `record.${kind}`,
    recordId: after.id,
    body: changePayload(head, change),
  })
  insertDeliveries(tx, event, webhooks, 0)
  if (triggered.size === 0) tx.afterCommit(() => listeners.wakeDeliveries([...triggered]))
  for (const webhook of webhooks) triggered.add(webhook)
}

function log(outbox: Outbox, change: RecordChange, operation: ChangeOperation): void {
  const { tx, author, created } = outbox
  const object = { kind: 'record', id: change.after.id, structureId: change.structure.id } as const
  if (operation === 'created') {
    created.push(object.id)
    return
  }
  logCreated(outbox, object.structureId)
  const replaced = change.before?.updatedAt
  const difference =
    operation === 'updated'
      ? { changed: change.changed, previous: previousValues(change.changed, change.before?.data) }
      : undefined
  logChange(tx, author, object, operation, { difference, replaced })
}

/** Must be called at the end of what may have created records. */
export function logCreated({ tx, author, created }: Outbox, structureId: string): void {
  if (created.length > 0) logCreatedRecords(tx, author, structureId, created.splice(0))
}

/** Stores a `webhook.test` event for one subscription, even if disabled or paused; returns the id of the delivery. */
export function publishTest(
  tx: Tx,
  listeners: WriteListeners,
  webhook: number,
  about: Pick<EventHead, 'workspaceId' | 'structure' | 'source'>,
): string {
  const head: EventHead = { ...about, id: tx.newId(), occurredAt: tx.now }
  const event = insertEvent(tx, { id: head.id, type: TEST_EVENT, recordId: null, body: testPayload(head) })
  tx.afterCommit(() => listeners.wakeDeliveries([webhook]))
  const [delivery = ''] = insertDeliveries(tx, event, [webhook], 1)
  return delivery
}
