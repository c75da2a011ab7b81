import type { RecordChange } from '../../changes/record-change.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { meets } from '../../filter/record/match.ts'
import { type Condition, checkFilter, type FieldsByKey } from '../../filter/record/parse.ts'

/** What decides whether a change fires an enabled subscription. */
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

const STATES_KEPT = 500
const known = new Map<string, readonly Subscription[]>()

const listEnabled = ({ sql }: Reader, structurePk: number): SubscriptionRow[] =>
  sql.all(
    `SELECT pk, events, filter, fields, ignore_own_key AS ignoreOwnKey, ignore_key_id AS ignoreKeyId,
       created_by_key_id AS createdByKeyId
     FROM webhooks WHERE structure = ? AND enabled = 1 AND is_removed = 0 ORDER BY pk`,
    structurePk,
  )

function subscriptionOf(row: SubscriptionRow, fields: FieldsByKey): Subscription {
  const ignored = [row.ignoreKeyId, row.ignoreOwnKey === 1 ? row.createdByKeyId : null]
  return {
    pk: row.pk,
    events: new Set(JSON.parse(row.events)),
    conditions: checkFilter(JSON.parse(row.filter), fields),
    fields: row.fields === null ? null : new Set(JSON.parse(row.fields)),
    ignoredKeys: new Set(ignored.filter((id) => id !== null)),
  }
}

/**
 * The enabled subscriptions of a structure, kept by the name of their state, which is read with the structure in the
 * same transaction: a change by whichever process, also one that is rolled back, has another name. A structure
 * without any costs nothing.
 */
export function subscriptionsOf(
  reader: Reader,
  { pk, subscriptionsVersion: state }: { readonly pk: number; readonly subscriptionsVersion: string | null },
  fields: FieldsByKey,
): readonly Subscription[] {
  if (state === null) return []
  const found = known.get(state)
  if (found) return found
  if (known.size >= STATES_KEPT) known.clear()
  const subscriptions = listEnabled(reader, pk).map((row) => subscriptionOf(row, fields))
  known.set(state, subscriptions)
  return subscriptions
}

/** Gives the state of a structure's subscriptions another name; belongs to every change of theirs. */
export const renameState = (tx: Tx, structurePk: number) =>
  tx.sql.run(
    `UPDATE structures SET subscriptions_version = CASE WHEN EXISTS
       (SELECT 1 FROM webhooks w WHERE w.structure = ?1 AND w.enabled = 1 AND w.is_removed = 0) THEN ?2 END
     WHERE pk = ?1`,
    structurePk,
    tx.newId(),
  )

/**
 * What narrows a subscription (`service.md`, Events). The filter is judged on the row after the change, for a
 * deletion on the row before it.
 */
export function fires(
  { events, conditions, fields, ignoredKeys }: Subscription,
  { kind, before, after, changed, source }: RecordChange,
): boolean {
  if (!events.has(`record.${kind}`) || ignoredKeys.has(source.keyId)) return false
  if (kind === 'updated' && fields !== null && !changed.some((key) => fields.has(key))) return false
  return meets(kind === 'deleted' && before !== null ? before : after, conditions)
}
