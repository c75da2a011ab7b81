import { matchesFilter } from '../filter/record/match.ts'
import { type Condition, checkFilter, type FieldsByKey } from '../filter/record/parse.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import { previousValues, type RecordChange, type RecordState } from '../lib/record-data.ts'
import type { Reader } from '../storage/reader.ts'
import type { ChangeOperation } from '../storage/schema/changes.ts'
import type { webhooks } from '../storage/schema/webhooks.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { insertDeliveries } from './deliveries.ts'
import type { Due } from './due.ts'
import { type ChangeAuthor, isCopy, logChange, logCreatedRecords, notifyAfterCommit } from './log.ts'
import {
  changePayload,
  type EventHead,
  type Kind,
  type MessageFormat,
  messageOf,
  type Payload,
  testPayload,
} from './message.ts'
import { forwardsChanges } from './mirror-guard.ts'
import { insertOrdered, reserveNumbers } from './ordered.ts'
import { keepEvent } from './pulled.ts'

/* Matches events to subscriptions, stores them, and notifies the dispatcher after the commit. */

/** A subscription by its pk, with the format of its messages. */
export interface Receiver extends MessageFormat {
  readonly pk: number
  readonly isOrdered: boolean
  /** Whether its events are kept until they are acknowledged. */
  readonly isPulled: boolean
}

/** An enabled subscription: its conditions for events, and their delivery. */
export interface Subscription extends Receiver {
  readonly events: ReadonlySet<string>
  readonly ignoredKeys: ReadonlySet<string | null>
  /** For subscriptions to rows. */
  readonly conditions: readonly Condition[]
  /** For subscriptions to notes: a filter tree as JSON; null for all. */
  readonly filter: string | null
  readonly fields: ReadonlySet<string> | null
  /** The rule for row moments; null if the subscription does not receive them. */
  readonly schedule: { readonly pk: number; readonly due: Due } | null
  readonly quietSeconds: number
  readonly includeContent: boolean
}

type Row = Omit<typeof webhooks.$inferSelect, 'id' | 'url' | 'secret'> & { readonly schedule: number | null }

const SELECT = `SELECT pk, kind, format, template, events, filter, fields, due, ignore_own_key AS ignoreOwnKey,
    ignore_key_id AS ignoreKeyId, created_by_key_id AS createdByKeyId, quiet_seconds AS quietSeconds,
    include_content AS includeContent, ordered, delivery,
    (SELECT s.pk FROM webhook_schedules s WHERE s.webhook = webhooks.pk AND s.is_ended = 0) AS schedule
  FROM webhooks WHERE`

/** Default time without changes before the changes of a note are sent. */
const QUIET_SECONDS = 30

function subscriptionOf(row: Row, conditions: readonly Condition[] = []): Subscription {
  const ignored = [row.ignoreKeyId, row.ignoreOwnKey === 1 ? row.createdByKeyId : null]
  return {
    pk: row.pk,
    kind: row.kind ?? 'record',
    format: row.format ?? 'json',
    template: row.template,
    isOrdered: row.ordered === 1,
    isPulled: row.delivery === 'pull',
    events: new Set(JSON.parse(row.events)),
    ignoredKeys: new Set(ignored.filter((id) => id !== null)),
    conditions,
    filter: row.filter,
    fields: row.fields === null ? null : new Set(JSON.parse(row.fields)),
    schedule:
      row.schedule === null || row.due === null ? null : { pk: row.schedule, due: JSON.parse(row.due) },
    quietSeconds: row.quietSeconds ?? QUIET_SECONDS,
    includeContent: row.includeContent === 1,
  }
}

/**
 * The enabled subscriptions to the notes or the files of a workspace, in creation order. They are sorted here, because
 * with ORDER BY SQLite prepares the statement again for every run.
 */
export const subscriptionsTo = ({ sql }: Reader, workspace: number, kind: Kind): Subscription[] =>
  sql
    .all<Row>(`${SELECT} enabled = 1 AND structure IS NULL AND workspace = ? AND kind = ?`, workspace, kind)
    .sort((one, other) => one.pk - other.pk)
    .map((row) => subscriptionOf(row))

/** A subscription to notes or files, enabled or not; undefined once it is deleted. */
export function findObjectSubscription({ sql }: Reader, pk: number): Subscription | undefined {
  const row = sql.get<Row>(`${SELECT} pk = ?`, pk)
  return row && subscriptionOf(row)
}

/** The subscriptions to notes whose filter trees, as JSON, pass a test, named by their URLs, else by their ids. */
export const subscriptionsFiltering = (
  { sql }: Reader,
  workspace: number,
  test: (filter: string | null) => boolean,
): { id: string; name: string }[] =>
  sql
    .all<{ id: string; url: string; filter: string | null }>(
      "SELECT id, url, filter FROM webhooks WHERE workspace = ? AND kind = 'note' ORDER BY pk",
      workspace,
    )
    .filter(({ filter }) => test(filter))
    .map(({ id, url }) => ({ id, name: url || id }))

const MAX_CACHED = 500
/** Keyed by version. */
const newSubscriptions = () => new BoundedCache<string, readonly Subscription[]>(MAX_CACHED)

/** Whether a subscription includes events of this type, caused by this key. */
export const wants = (
  { events, ignoredKeys }: Pick<Subscription, 'events' | 'ignoredKeys'>,
  type: string,
  keyId: string | null,
): boolean => events.has(type) && !ignoredKeys.has(keyId)

/**
 * The enabled subscriptions of a structure, cached by version. The version is read with the structure in the same
 * transaction. Every change by any process sets a new version, even a change that is rolled back. A structure without
 * enabled subscriptions has no version and costs no query.
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
  const rows = reader.sql.all<Row>(`${SELECT} enabled = 1 AND structure = ? ORDER BY pk`, pk)
  // Subscriptions with the same filter share its conditions, which are evaluated once per change.
  const conditionsOf = (filter: string | null) =>
    filter === null ? [] : checkFilter(JSON.parse(filter), fields)
  const filters = new Map(rows.map(({ filter }) => [filter, conditionsOf(filter)]))
  const subscriptions = rows.map((row) => subscriptionOf(row, filters.get(row.filter)))
  cache.set(version, subscriptions)
  return subscriptions
}

/** Sets a new version of a structure's subscriptions; must be called for every change to one of them. */
export const renewSubscriptionsVersion = (tx: Tx, structurePk: number) =>
  tx.sql.run(
    `UPDATE structures SET subscriptions_version = CASE WHEN EXISTS
       (SELECT 1 FROM webhooks WHERE structure = ?1 AND enabled = 1) THEN ?2 END
     WHERE pk = ?1`,
    structurePk,
    tx.newId(),
  )

/**
 * The subscriptions that a change triggers. They match by the event type, the key that made the change, the changed
 * fields of an update, and the filter. A shared filter is evaluated once.
 */
function listTriggered(
  subscriptions: readonly Subscription[],
  change: RecordChange,
  keyId: string | null,
): Subscription[] {
  const { kind, changed } = change
  const applied = new Map<readonly Condition[], boolean>()
  const meets = (conditions: readonly Condition[]): boolean => {
    if (conditions.length === 0) return true
    const isMet = applied.get(conditions) ?? matchesFilter(filteredState(change), conditions)
    applied.set(conditions, isMet)
    return isMet
  }
  const isTriggered = (subscription: Subscription): boolean =>
    wants(subscription, `record.${kind}`, keyId) &&
    (kind !== 'updated' ||
      subscription.fields === null ||
      changed.some((key) => subscription.fields?.has(key))) &&
    meets(subscription.conditions)
  return subscriptions.filter(isTriggered)
}

/** The row after the change, or before it for a deletion. */
const filteredState = ({ kind, before, after }: RecordChange): RecordState =>
  kind === 'deleted' && before !== null ? before : after

/** The publishing state of the changes of one structure in one transaction. */
export interface Outbox {
  readonly tx: Tx
  readonly caller: ChangeAuthor & { readonly workspaceId: string }
  readonly structure: { readonly id: string; readonly name: string; readonly labelField: string | null }
  readonly subscriptions: readonly Subscription[]
  /** Records created since the last other change; they are logged together. */
  readonly created: string[]
  /** Whether the listeners of the structure will be notified after the commit. */
  isNotifying: boolean
}

const INSERT_EVENT =
  'INSERT INTO webhook_events (id, type, record_id, body, content_type) VALUES (?, ?, ?, ?, ?)'

/**
 * Stores an event and its deliveries in the caller's transaction, once for all recipients of the same format.
 * `objectId` is the id of the row, note or file. Returns the ids of the deliveries; their first attempts are due
 * immediately.
 */
export function storeEvent(
  tx: Tx,
  { payload, objectId, labelField }: StoredEvent,
  receivers: readonly Receiver[],
  isUrgent: 0 | 1 = 0,
  takeNumber = reserveNumbers(tx),
): string[] {
  const { id, type } = payload
  const forms = Map.groupBy(receivers, ({ pk, isOrdered, isPulled, format, template }) =>
    isOrdered || isPulled ? pk : `${format} ${template ?? ''}`,
  )
  return [...forms.values()].flatMap((alike) => {
    const [form] = alike
    if (!form) return []
    if (form.isPulled) {
      keepEvent(tx, form.pk, (sequence) =>
        JSON.stringify(form.isOrdered ? { ...payload, sequence } : payload),
      )
      return []
    }
    const sequence = form.isOrdered ? takeNumber(form.pk) : undefined
    const sent = sequence === undefined ? payload : { ...payload, sequence }
    const { body, contentType } = messageOf(form, sent, labelField)
    const event = tx.sql.run(INSERT_EVENT, id, type, objectId, body, contentType).lastInsertRowid
    const webhooks = alike.map(({ pk }) => pk)
    notifyDispatcher(tx, webhooks)
    if (sequence === undefined) return insertDeliveries(tx, event, webhooks, isUrgent)
    const isInOrder = isUrgent === 0
    return insertOrdered(tx, { event, webhook: form.pk, sequence, objectId: isInOrder ? objectId : null })
  })
}

/** The head of an event that is not caused by a caller's write of rows; `workspace` is a pk. */
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
  /** The label field of a structure. */
  readonly labelField?: string | null | undefined
}

/**
 * Publishes a change of a record. Every change except a creation (`publishCreated`) must call it. It logs the change,
 * and stores the event and its deliveries, in the transaction of the change. Listeners are notified after the commit. A
 * change that triggers no subscription stores no event. `operation` is the operation in the log, which distinguishes
 * restored records from new ones. `stateBefore` returns the record before it as JSON text.
 */
export function publishChange(
  outbox: Outbox,
  change: RecordChange,
  operation: ChangeOperation = change.kind,
  stateBefore: () => string | null = () => null,
): void {
  const { tx, caller, structure } = outbox
  const { after, before, changed } = change
  logCreated(outbox)
  const difference =
    operation === 'updated' ? { changed, previous: previousValues(changed, before?.data) } : undefined
  const object = { kind: 'record', id: after.id, structureId: structure.id } as const
  logChange(tx, caller, object, operation, {
    difference,
    replaced: before?.updatedAt,
    before: stateBefore,
  })
  notifyListeners(outbox)
  storeEvents(outbox, () => [change])
}

/** The same for new records; `logCreated` logs them together. */
export function publishCreated(outbox: Outbox, records: readonly RecordState[]): void {
  for (const { id } of records) outbox.created.push(id)
  notifyListeners(outbox)
  storeEvents(outbox, () => records.map((after) => ({ kind: 'created', before: null, after, changed: [] })))
}

function notifyListeners(outbox: Outbox): void {
  const { tx, structure, isNotifying } = outbox
  if (!isNotifying) notifyAfterCommit(tx, structure.id)
  outbox.isNotifying = true
}

/** Calls `changesOf` only if something may receive the changes. */
function storeEvents(outbox: Outbox, changesOf: () => readonly RecordChange[]): void {
  const { tx, structure, subscriptions, caller } = outbox
  const forwards = isCopy(tx) && forwardsChanges(tx)
  if (!forwards && subscriptions.length === 0) return
  const triggered = changesOf().map((change) => ({
    change,
    receivers: listTriggered(subscriptions, change, caller.keyId),
  }))
  const takeNumber = reserveNumbers(tx, countOrdered(triggered, subscriptions))
  for (const { change, receivers } of triggered) {
    if (forwards) forward(outbox, change)
    if (receivers.length === 0) continue
    const payload = payloadFor(outbox, change)
    const event = { payload, objectId: change.after.id, labelField: structure.labelField }
    storeEvent(tx, event, receivers, 0, takeNumber)
  }
}

/** The number of events for each ordered subscription that receives any. */
function countOrdered(
  triggered: readonly { readonly receivers: readonly Subscription[] }[],
  subscriptions: readonly Subscription[],
): Map<number, number> {
  const ordered = subscriptions.filter(({ isOrdered, isPulled }) => isOrdered && !isPulled)
  const counts = ordered.map((subscription): [number, number] => [
    subscription.pk,
    triggered.filter(({ receivers }) => receivers.includes(subscription)).length,
  ])
  return new Map(counts.filter(([, count]) => count > 0))
}

/** A mirror that posts record changes posts local changes like those of the remote. */
function forward(outbox: Outbox, change: RecordChange): void {
  const { tx } = outbox
  const payload = payloadFor(outbox, change)
  const insert = 'INSERT INTO mirror_events (id, type, record, body) VALUES (?, ?, ?, ?)'
  tx.sql.run(insert, payload.id, payload.type, change.after.id, JSON.stringify(payload))
  notifyDispatcher(tx, [])
}

const payloadFor = ({ tx, caller, structure }: Outbox, change: RecordChange): Payload =>
  changePayload(
    { id: tx.newId(), occurredAt: tx.now, workspaceId: caller.workspaceId, structure, source: caller },
    change,
  )

/** Must be called at the end of every action that may have created records. */
export function logCreated({ tx, caller, structure, created }: Outbox): void {
  if (created.length > 0) logCreatedRecords(tx, caller, structure.id, created.splice(0))
}

/**
 * Stores a `webhook.test` event for one subscription, even a disabled or paused one. Returns the id of the event, and
 * of its delivery unless the subscription is pulled.
 */
export function publishTest(
  tx: Tx,
  receiver: Receiver,
  about: Pick<EventHead, 'workspaceId' | 'structure' | 'source'>,
): { readonly eventId: string; readonly delivery: string | undefined } {
  const payload = testPayload({ ...about, id: tx.newId(), occurredAt: tx.now }, receiver.kind)
  const [delivery] = storeEvent(tx, { payload, objectId: null }, [receiver], 1)
  return { eventId: payload.id, delivery }
}

/** Called after a commit of this process with the pks of subscriptions that have new deliveries. */
type DeliveryListener = (webhooks: readonly number[]) => void

const newListeners = () => new Set<DeliveryListener>()

/** Returns a function that removes the listener. */
export function onDeliveries({ sql }: Reader, listener: DeliveryListener): () => void {
  const listeners = sql.state.of(newListeners)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const newWoken = () => ({ isNotified: false, webhooks: new Set<number>() })

/** Notifies the dispatcher after the commit that these subscriptions have deliveries, once per transaction. */
export function notifyDispatcher(tx: Tx, webhooks: readonly number[]): void {
  const notified = tx.transaction.state.of(newWoken)
  if (!notified.isNotified)
    tx.afterCommit(() => {
      for (const listener of tx.sql.state.of(newListeners)) listener([...notified.webhooks])
    })
  notified.isNotified = true
  for (const webhook of webhooks) notified.webhooks.add(webhook)
}
