import type { RecordChange } from '../changes/bus.ts'
import type { RecordState } from '../changes/record-data.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { matchesFilter } from '../filter/record/match.ts'
import { type Condition, checkFilter, type FieldsByKey } from '../filter/record/parse.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Due } from './due.ts'
import type { Receiver } from './outbox.ts'
import type { Format, Kind } from './payload.ts'

/** What decides whether an event concerns an enabled subscription, and how it gets it. */
interface AnySubscription extends Receiver {
  readonly events: ReadonlySet<string>
  readonly ignoredKeys: ReadonlySet<string | null>
}

/** One to the rows of a structure. */
export interface Subscription extends AnySubscription {
  readonly conditions: readonly Condition[]
  readonly fields: ReadonlySet<string> | null
  /** When the moments of rows come that it gets; null if it gets none. */
  readonly schedule: { readonly pk: number; readonly due: Due } | null
}

/** One to notes or files. */
export interface ObjectSubscription extends AnySubscription {
  /** A filter tree as JSON; null for all. */
  readonly filter: string | null
  readonly quietSeconds: number
  readonly includeContent: boolean
}

interface AnyRow {
  pk: number
  kind: Kind | null
  format: Format | null
  template: string | null
  events: string
  ignoreOwnKey: number
  ignoreKeyId: string | null
  createdByKeyId: string | null
}

interface SubscriptionRow extends AnyRow {
  filter: string
  fields: string | null
  due: string | null
  schedule: number | null
}

interface ObjectRow extends AnyRow {
  filter: string | null
  quietSeconds: number | null
  includeContent: number | null
}

const MAX_CACHED = 500
/** By version. */
const newSubscriptions = () => new BoundedCache<string, readonly Subscription[]>(MAX_CACHED)

const COLUMNS = `pk, kind, format, template, events, filter, ignore_own_key AS ignoreOwnKey,
  ignore_key_id AS ignoreKeyId, created_by_key_id AS createdByKeyId`
const IS_ENABLED = 'enabled = 1 AND is_removed = 0'

const listEnabled = ({ sql }: Reader, structurePk: number): SubscriptionRow[] =>
  sql.all(
    `SELECT ${COLUMNS}, fields, due,
       (SELECT s.pk FROM webhook_schedules s WHERE s.webhook = webhooks.pk AND s.is_ended = 0) AS schedule
     FROM webhooks WHERE structure = ? AND ${IS_ENABLED} ORDER BY pk`,
    structurePk,
  )

function anySubscriptionOf(row: AnyRow): AnySubscription {
  const { pk, kind, format, template } = row
  const ignored = [row.ignoreKeyId, row.ignoreOwnKey === 1 ? row.createdByKeyId : null]
  return {
    pk,
    kind: kind ?? 'record',
    format: format ?? 'json',
    template,
    events: new Set(JSON.parse(row.events)),
    ignoredKeys: new Set(ignored.filter((id) => id !== null)),
  }
}

const subscriptionOf = (row: SubscriptionRow, conditions: readonly Condition[]): Subscription => ({
  ...anySubscriptionOf(row),
  conditions,
  fields: row.fields === null ? null : new Set(JSON.parse(row.fields)),
  schedule: row.schedule === null || row.due === null ? null : { pk: row.schedule, due: JSON.parse(row.due) },
})

const OBJECT_COLUMNS = `${COLUMNS}, quiet_seconds AS quietSeconds, include_content AS includeContent`

/** How long a note must not change before its changes are sent, if a subscription does not say. */
const QUIET_SECONDS = 30

const objectSubscriptionOf = (row: ObjectRow): ObjectSubscription => ({
  ...anySubscriptionOf(row),
  filter: row.filter,
  quietSeconds: row.quietSeconds ?? QUIET_SECONDS,
  includeContent: row.includeContent === 1,
})

/**
 * The enabled subscriptions to the notes or the files of a workspace, in the order of their creation. They are sorted here:
 * with ORDER BY, SQLite prepares the statement again at every run.
 */
export const subscriptionsTo = ({ sql }: Reader, workspace: number, kind: Kind): ObjectSubscription[] =>
  sql
    .all<ObjectRow>(
      `SELECT ${OBJECT_COLUMNS} FROM webhooks
       WHERE structure IS NULL AND workspace = ? AND kind = ? AND ${IS_ENABLED}`,
      workspace,
      kind,
    )
    .sort((one, other) => one.pk - other.pk)
    .map(objectSubscriptionOf)

/** One to notes or files, also while it is disabled; undefined once it is deleted. */
export function findObjectSubscription({ sql }: Reader, pk: number): ObjectSubscription | undefined {
  const row = sql.get<ObjectRow>(`SELECT ${OBJECT_COLUMNS} FROM webhooks WHERE pk = ? AND is_removed = 0`, pk)
  return row && objectSubscriptionOf(row)
}

/** Whether an event of this type, by this key, concerns a subscription. */
export const wants = (
  { events, ignoredKeys }: Pick<AnySubscription, 'events' | 'ignoredKeys'>,
  type: string,
  keyId: string | null,
): boolean => events.has(type) && !ignoredKeys.has(keyId)

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
 * The subscriptions that a change triggers: by the type of the event, the key that made the change, the changed fields of
 * an update, and the filter, which is applied once where several share it.
 */
export function listTriggered(subscriptions: readonly Subscription[], change: RecordChange): Subscription[] {
  const { kind, changed, source } = change
  const applied = new Map<readonly Condition[], boolean>()
  const meets = (conditions: readonly Condition[]): boolean => {
    const isMet = applied.get(conditions) ?? matchesFilter(filteredState(change), conditions)
    applied.set(conditions, isMet)
    return isMet
  }
  const isTriggered = (subscription: Subscription): boolean =>
    wants(subscription, `record.${kind}`, source.keyId) &&
    (kind !== 'updated' ||
      subscription.fields === null ||
      changed.some((key) => subscription.fields?.has(key))) &&
    meets(subscription.conditions)
  return subscriptions.filter(isTriggered)
}

/** The row after the change, or before it for a deletion. */
const filteredState = ({ kind, before, after }: RecordChange): RecordState =>
  kind === 'deleted' && before !== null ? before : after
