import type { RecordChange } from '../changes/bus.ts'
import type { ChangeOperation } from '../changes/entries.ts'
import { type ChangeAuthor, logChange, logCreatedRecords } from '../changes/log.ts'
import { type FieldValue, previousValues, type RecordState } from '../changes/record-data.ts'
import type { Reader } from '../db/reader.ts'
import type { WriteListeners } from '../db/worker/client.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { matchesFilter } from '../filter/record/match.ts'
import { type Condition, checkFilter, type FieldsByKey } from '../filter/record/parse.ts'
import { BoundedCache, memoize, memoizeByObject } from '../lib/bounded-cache.ts'
import { isoOrNull, isoTimestamp } from '../lib/dates.ts'

/** The events that a subscription may ask for. */
export const RECORD_EVENTS = ['record.created', 'record.updated', 'record.deleted'] as const
export type RecordEvent = (typeof RECORD_EVENTS)[number]

/** Sent only on request. */
export const TEST_EVENT = 'webhook.test'
export const EVENTS = [...RECORD_EVENTS, TEST_EVENT] as const
export type EventType = (typeof EVENTS)[number]

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

/** What decides whether a change triggers an enabled subscription. */
export interface Subscription {
  readonly pk: number
  readonly events: ReadonlySet<string>
  readonly conditions: readonly Condition[]
  /** Null for every field. */
  readonly fields: ReadonlySet<string> | null
  readonly ignoredKeys: ReadonlySet<string | null>
}

interface SubscriptionRow {
  pk: number
  events: string
  filter: string
  fields: string | null
  ignoreOwnKey: number
  ignoreKeyId: string | null
  createdByKeyId: string | null
}

const MAX_CACHED = 500
const MAX_FILTERS = 50
/** By version. */
const newSubscriptions = () => new BoundedCache<string, readonly Subscription[]>(MAX_CACHED)

const listEnabled = ({ sql }: Reader, structurePk: number): SubscriptionRow[] =>
  sql.all(
    `SELECT pk, events, filter, fields, ignore_own_key AS ignoreOwnKey, ignore_key_id AS ignoreKeyId,
       created_by_key_id AS createdByKeyId
     FROM webhooks WHERE structure = ? AND enabled = 1 AND is_removed = 0 ORDER BY pk`,
    structurePk,
  )

/** By the text of the filter, for each definition: a change to one subscription checks no filter of the others again. */
const conditionsOf = memoizeByObject((fields: FieldsByKey) =>
  memoize((filter: string): readonly Condition[] => checkFilter(JSON.parse(filter), fields), MAX_FILTERS),
)

function subscriptionOf(row: SubscriptionRow, fields: FieldsByKey): Subscription {
  const ignored = [row.ignoreKeyId, row.ignoreOwnKey === 1 ? row.createdByKeyId : null]
  return {
    pk: row.pk,
    events: new Set(JSON.parse(row.events)),
    conditions: conditionsOf(fields)(row.filter),
    fields: row.fields === null ? null : new Set(JSON.parse(row.fields)),
    ignoredKeys: new Set(ignored.filter((id) => id !== null)),
  }
}

/**
 * The enabled subscriptions of a structure, cached by their version. The version is read with the structure, in the
 * same transaction, and every change by any process sets a new one, even a change that is rolled back. A structure
 * without enabled subscriptions has no version and costs no query.
 */
export function subscriptionsOf(
  reader: Reader,
  {
    pk,
    subscriptionsVersion: version,
  }: { readonly pk: number; readonly subscriptionsVersion: string | null },
  fields: FieldsByKey,
): readonly Subscription[] {
  if (version === null) return []
  const cache = reader.sql.state.of(newSubscriptions)
  const found = cache.get(version)
  if (found) return found
  const subscriptions = listEnabled(reader, pk).map((row) => subscriptionOf(row, fields))
  cache.set(version, subscriptions)
  return subscriptions
}

/** How many subscriptions a write of the structure is compared with. */
export const countSubscriptions = (
  { sql }: Reader,
  { pk, subscriptionsVersion }: { readonly pk: number; readonly subscriptionsVersion: string | null },
): number =>
  subscriptionsVersion === null
    ? 0
    : sql.scalar('SELECT count(*) FROM webhooks WHERE structure = ? AND enabled = 1 AND is_removed = 0', pk)

/** Sets a new version of a structure's subscriptions; every change to one of them must call it. */
export const renewSubscriptionsVersion = (tx: Tx, structurePk: number) =>
  tx.sql.run(
    `UPDATE structures SET subscriptions_version = CASE WHEN EXISTS
       (SELECT 1 FROM webhooks w WHERE w.structure = ?1 AND w.enabled = 1 AND w.is_removed = 0) THEN ?2 END
     WHERE pk = ?1`,
    structurePk,
    tx.newId(),
  )

/** The pks of the subscriptions that a change triggers. A filter that several of them share is applied once. */
function listTriggered(subscriptions: readonly Subscription[], change: RecordChange): number[] {
  const applied = new Map<readonly Condition[], boolean>()
  const meets = (conditions: readonly Condition[]): boolean => {
    const isMet = applied.get(conditions) ?? matchesFilter(filteredState(change), conditions)
    applied.set(conditions, isMet)
    return isMet
  }
  return subscriptions
    .filter((subscription) => isTriggeredBy(subscription, change, meets))
    .map(({ pk }) => pk)
}

/** The row after the change, or before it for a deletion. */
const filteredState = ({ kind, before, after }: RecordChange): RecordState =>
  kind === 'deleted' && before !== null ? before : after

/**
 * Whether a change triggers a subscription: by the type of the event, the key that made the change, the changed fields
 * of an update, and the filter (`filteredState`); `meets` returns whether the change meets a filter.
 */
export function isTriggeredBy(
  { events, conditions, fields, ignoredKeys }: Subscription,
  change: RecordChange,
  meets = (filter: readonly Condition[]) => matchesFilter(filteredState(change), filter),
): boolean {
  const { kind, changed, source } = change
  if (!events.has(`record.${kind}`) || ignoredKeys.has(source.keyId)) return false
  if (kind === 'updated' && fields !== null && !changed.some((key) => fields.has(key))) return false
  return meets(conditions)
}

/** What the payload of every event says besides the change. */
export interface EventHead {
  readonly id: string
  readonly occurredAt: number
  readonly workspaceId: string
  readonly structure: { readonly id: string; readonly name: string }
  readonly source: RecordChange['source']
}

interface EventContent {
  type: string
  record: RecordState | null
  changed: readonly string[]
  previous: Record<string, FieldValue | null>
}

const presentRecord = ({ id, data, createdAt, updatedAt, deletedAt }: RecordState) => ({
  id,
  data,
  created_at: isoTimestamp(createdAt),
  updated_at: isoTimestamp(updatedAt),
  deleted_at: isoOrNull(deletedAt),
})

const payloadOf = (head: EventHead, { type, record, changed, previous }: EventContent): string =>
  JSON.stringify({
    id: head.id,
    type,
    occurred_at: isoTimestamp(head.occurredAt),
    workspace_id: head.workspaceId,
    structure: { id: head.structure.id, name: head.structure.name },
    record: record && presentRecord(record),
    changed,
    previous,
    source: { surface: head.source.surface, key_id: head.source.keyId },
  })

/** The JSON payload for a change of a record; in `previous` a value that was absent is null. */
export const changePayload = (head: EventHead, change: RecordChange): string =>
  payloadOf(head, {
    type: `record.${change.kind}`,
    record: change.after,
    changed: change.changed,
    previous: previousValues(change.changed, change.before?.data),
  })

/** The JSON payload of a `webhook.test` event. */
export const testPayload = (head: EventHead): string =>
  payloadOf(head, { type: TEST_EVENT, record: null, changed: [], previous: {} })
