import type { RecordChange } from '../changes/bus.ts'
import type { ChangeOperation } from '../changes/entries.ts'
import { type ChangeAuthor, logChange, logCreatedRecords } from '../changes/log.ts'
import { forwardsChanges } from '../changes/mirror-guard.ts'
import { previousValues } from '../changes/record-data.ts'
import type { WriteListeners } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { memoize } from '../lib/bounded-cache.ts'
import { changePayload, type EventHead, type Form, messageOf, type Payload, testPayload } from './payload.ts'
import { listTriggered, type Subscription } from './subscriptions.ts'
import { wakeDeliveries } from './wakes.ts'

/** Everything that publishing the changes of one structure in one transaction needs. */
export interface Outbox {
  readonly tx: Tx
  readonly listeners: WriteListeners
  readonly author: ChangeAuthor
  readonly workspaceId: string
  readonly subscriptions: readonly Subscription[]
  /** The records of one structure that were created since the last other change, which are logged together. */
  readonly created: string[]
  /** Whether the listeners of the structure will be woken after the commit. */
  wakes: boolean
}

/** Nothing is published yet. */
export const openOutbox = (
  about: Pick<Outbox, 'tx' | 'listeners' | 'author' | 'workspaceId' | 'subscriptions'>,
): Outbox => ({ ...about, created: [], wakes: false })

/** The form of a subscription, with its pk. */
export interface Receiver extends Form {
  readonly pk: number
}

const INSERT_EVENT =
  'INSERT INTO webhook_events (id, type, record_id, body, content_type) VALUES (?, ?, ?, ?, ?)'

/**
 * Stores an event and its deliveries, in the caller's transaction, once for all who get it in the same form. `objectId` is
 * that of the row, note or file. Returns the ids of the deliveries; their first attempts are due at once.
 */
export function storeEvent(
  tx: Tx,
  { payload, objectId, labelField }: StoredEvent,
  receivers: readonly Receiver[],
  isUrgent: 0 | 1 = 0,
): string[] {
  const { id, type } = payload
  const forms = Map.groupBy(receivers, ({ format, template }) => `${format} ${template ?? ''}`)
  return [...forms.values()].flatMap((alike) => {
    const [form] = alike
    if (!form) return []
    const { body, contentType } = messageOf(form, payload, labelField)
    const event = tx.sql.run(INSERT_EVENT, id, type, objectId, body, contentType).lastInsertRowid
    const webhooks = alike.map(({ pk }) => pk)
    wakeDeliveries(tx, webhooks)
    return insertDeliveries(tx, event, webhooks, isUrgent)
  })
}

/** What is said of an event of a workspace, given by pk, that does not come from a caller's write of rows. */
export const newHead = (
  tx: Tx,
  {
    workspace,
    structure = null,
    source,
    occurredAt = tx.now,
  }: Pick<EventHead, 'source'> & Partial<EventHead> & { readonly workspace: number },
): EventHead => ({
  id: tx.newId(),
  occurredAt,
  workspaceId: tx.sql.scalar('SELECT id FROM workspaces WHERE pk = ?', workspace),
  structure,
  source,
})

interface StoredEvent {
  readonly payload: Payload
  readonly objectId: string | null
  /** The field of a structure that names its rows. */
  readonly labelField?: string | null | undefined
}

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
  if (forwardsChanges(tx)) forward(outbox, change)
  if (subscriptions.length > 0) storeChange(outbox, change)
}

/** In a mirror that posts the changes of records, those that are made there are posted like those of the remote. */
function forward(outbox: Outbox, change: RecordChange): void {
  const { tx } = outbox
  const payload = payloadFor(outbox, change)
  const insert = 'INSERT INTO mirror_events (id, type, record, body) VALUES (?, ?, ?, ?)'
  tx.sql.run(insert, payload.id, payload.type, change.after.id, JSON.stringify(payload))
  wakeDeliveries(tx, [])
}

function storeChange(outbox: Outbox, change: RecordChange): void {
  const receivers = listTriggered(outbox.subscriptions, change)
  if (receivers.length === 0) return
  const { structure, after } = change
  const payload = payloadFor(outbox, change)
  storeEvent(outbox.tx, { payload, objectId: after.id, labelField: structure.labelField }, receivers)
}

const payloadFor = ({ tx, workspaceId }: Outbox, change: RecordChange): Payload => {
  const { structure, source } = change
  return changePayload({ id: tx.newId(), occurredAt: tx.now, workspaceId, structure, source }, change)
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
  receiver: Receiver,
  about: Pick<EventHead, 'workspaceId' | 'structure' | 'source'>,
): string {
  const payload = testPayload({ ...about, id: tx.newId(), occurredAt: tx.now }, receiver.kind)
  const [delivery = ''] = storeEvent(tx, { payload, objectId: null }, [receiver], 1)
  return delivery
}
