import type { RecordChange } from '../changes/bus.ts'
import type { RecordState } from '../changes/record-data.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { matchesFilter } from '../filter/record/match.ts'
import { type Condition, checkFilter, type FieldsByKey } from '../filter/record/parse.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'

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
/** By version. */
const newSubscriptions = () => new BoundedCache<string, readonly Subscription[]>(MAX_CACHED)

const listEnabled = ({ sql }: Reader, structurePk: number): SubscriptionRow[] =>
  sql.all(
    `SELECT pk, events, filter, fields, ignore_own_key AS ignoreOwnKey, ignore_key_id AS ignoreKeyId,
       created_by_key_id AS createdByKeyId
     FROM webhooks WHERE structure = ? AND enabled = 1 AND is_removed = 0 ORDER BY pk`,
    structurePk,
  )

function subscriptionOf(row: SubscriptionRow, conditions: readonly Condition[]): Subscription {
  const ignored = [row.ignoreKeyId, row.ignoreOwnKey === 1 ? row.createdByKeyId : null]
  return {
    pk: row.pk,
    events: new Set(JSON.parse(row.events)),
    conditions,
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
  const rows = listEnabled(reader, pk)
  // Those with the same filter share its conditions, which are applied once to a change.
  const filters = new Map(rows.map(({ filter }) => [filter, checkFilter(JSON.parse(filter), fields)]))
  const subscriptions = rows.map((row) => subscriptionOf(row, filters.get(row.filter) ?? []))
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

/**
 * The pks of the subscriptions that a change triggers: by the type of the event, the key that made the change, the changed
 * fields of an update, and the filter, which is applied once where several share it.
 */
export function listTriggered(subscriptions: readonly Subscription[], change: RecordChange): number[] {
  const { kind, changed, source } = change
  const applied = new Map<readonly Condition[], boolean>()
  const meets = (conditions: readonly Condition[]): boolean => {
    const isMet = applied.get(conditions) ?? matchesFilter(filteredState(change), conditions)
    applied.set(conditions, isMet)
    return isMet
  }
  const isTriggered = ({ events, conditions, fields, ignoredKeys }: Subscription): boolean =>
    events.has(`record.${kind}`) &&
    !ignoredKeys.has(source.keyId) &&
    (kind !== 'updated' || fields === null || changed.some((key) => fields.has(key))) &&
    meets(conditions)
  return subscriptions.filter(isTriggered).map(({ pk }) => pk)
}

/** The row after the change, or before it for a deletion. */
const filteredState = ({ kind, before, after }: RecordChange): RecordState =>
  kind === 'deleted' && before !== null ? before : after
