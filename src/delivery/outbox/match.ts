import type { RecordChange } from '../../changes/record-change.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { meets } from '../../filter/record/match.ts'
import { type Condition, checkFilter, type FieldsByKey } from '../../filter/record/parse.ts'

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
const cache = new Map<string, readonly Subscription[]>()

const listEnabled = ({ sql }: Reader, structurePk: number): SubscriptionRow[] =>
  sql.all(
    `SELECT pk, events, filter, fields, ignore_own_key AS ignoreOwnKey, ignore_key_id AS ignoreKeyId,
       created_by_key_id AS createdByKeyId
     FROM webhooks WHERE structure = ? AND enabled = 1 AND is_removed = 0 ORDER BY pk`,
    structurePk,
  )

/** By the text of the filter, for each definition: a change to one subscription checks no filter of the others again. */
const filters = new WeakMap<FieldsByKey, Map<string, readonly Condition[]>>()

function conditionsOf(filter: string, fields: FieldsByKey): readonly Condition[] {
  const checked = filters.get(fields) ?? new Map<string, readonly Condition[]>()
  const found = checked.get(filter)
  if (found) return found
  if (checked.size >= MAX_FILTERS) checked.clear()
  const conditions = checkFilter(JSON.parse(filter), fields)
  filters.set(fields, checked.set(filter, conditions))
  return conditions
}

function subscriptionOf(row: SubscriptionRow, fields: FieldsByKey): Subscription {
  const ignored = [row.ignoreKeyId, row.ignoreOwnKey === 1 ? row.createdByKeyId : null]
  return {
    pk: row.pk,
    events: new Set(JSON.parse(row.events)),
    conditions: conditionsOf(row.filter, fields),
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
  const found = cache.get(version)
  if (found) return found
  if (cache.size >= MAX_CACHED) cache.clear()
  const subscriptions = listEnabled(reader, pk).map((row) => subscriptionOf(row, fields))
  cache.set(version, subscriptions)
  return subscriptions
}

/** Sets a new version of a structure's subscriptions; every change to one of them must call it. */
export const renewSubscriptionsVersion = (tx: Tx, structurePk: number) =>
  tx.sql.run(
    `UPDATE structures SET subscriptions_version = CASE WHEN EXISTS
       (SELECT 1 FROM webhooks w WHERE w.structure = ?1 AND w.enabled = 1 AND w.is_removed = 0) THEN ?2 END
     WHERE pk = ?1`,
    structurePk,
    tx.newId(),
  )

/**
 * Whether a change triggers a subscription: by the type of the event, the key that made the change, the changed fields
 * of an update, and the filter, which is applied to the row after the change, or before it for a deletion.
 */
export function isTriggeredBy(
  { events, conditions, fields, ignoredKeys }: Subscription,
  { kind, before, after, changed, source }: RecordChange,
): boolean {
  if (!events.has(`record.${kind}`) || ignoredKeys.has(source.keyId)) return false
  if (kind === 'updated' && fields !== null && !changed.some((key) => fields.has(key))) return false
  return meets(kind === 'deleted' && before !== null ? before : after, conditions)
}
