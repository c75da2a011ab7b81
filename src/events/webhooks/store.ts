import { eq, getTableColumns, isNotNull, sql } from 'drizzle-orm'
import type { RawCondition } from '../../filter/record/parse.ts'
import type { FilterTree } from '../../filter/tree/parse.ts'
import { isoOrNull, isoTimestamp } from '../../lib/dates.ts'
import type { Due } from '../../log/due.ts'
import { type Kind, MASK, type SubscribedEvent } from '../../log/message.ts'
import { type RowOf, storedObjects } from '../../log/objects/statements.ts'
import { from, insertInto, rowsBy, updateOf } from '../../storage/query.ts'
import { webhooks } from '../../storage/schema/webhooks.ts'
import type { AttemptRow, DeliveryRow } from './deliveries.ts'

const ofStructure = (column: 'id' | 'name') =>
  sql<string | null>`(SELECT ${sql.raw(column)} FROM structures s WHERE s.pk = webhooks.structure)`

const read = {
  ...getTableColumns(webhooks),
  structureId: ofStructure('id'),
  structureName: ofStructure('name'),
  /** When the oldest event that waits for its reader was stored. */
  oldestPendingAt: sql<number | null>`(SELECT created_at FROM webhook_pulled p WHERE p.webhook = webhooks.pk
    AND p.sequence > webhooks.done_to ORDER BY p.sequence LIMIT 1)`,
}

export type WebhookRow = RowOf<typeof read>

export const kindOf = ({ kind }: Pick<WebhookRow, 'kind'>): Kind => kind ?? 'record'

export const eventsOf = ({ events }: Pick<WebhookRow, 'events'>): SubscribedEvent[] => JSON.parse(events)

/** Conditions on rows, or a filter tree over notes; null matches everything. */
export const filterOf = ({ filter }: Pick<WebhookRow, 'filter'>): RawCondition[] | FilterTree | null =>
  filter === null ? null : JSON.parse(filter)

export const dueOf = ({ due }: Pick<WebhookRow, 'due'>): Due | null => (due === null ? null : JSON.parse(due))

export const headersOf = ({ headers }: Pick<WebhookRow, 'headers'>): Record<string, string> | null =>
  headers === null ? null : JSON.parse(headers)

export const fieldsOf = ({ fields }: Pick<WebhookRow, 'fields'>): string[] | null =>
  fields === null ? null : JSON.parse(fields)

export const {
  rows: listWebhookRows,
  findById: findWebhook,
  count: countWebhooks,
} = storedObjects({ table: webhooks, read, order: [webhooks.pk] })

export const listWebhooksOf = rowsBy((structure: number) =>
  from(webhooks, read).where(eq(webhooks.structure, structure)).orderBy(webhooks.pk),
)

export const insertWebhook = insertInto(webhooks)

/** Changes columns; with an instant, also `updated_at`. */
export const updateWebhook = updateOf(webhooks, webhooks.pk)

/** Subscriptions with replaced secrets that still sign, or did until recently. */
export const listWithEarlierSecrets = rowsBy(() =>
  from(webhooks, { pk: webhooks.pk, earlierSecrets: webhooks.earlierSecrets }).where(
    isNotNull(webhooks.earlierSecrets),
  ),
)

/** A subscription that is both disabled and paused appears as disabled. */
const statusOf = ({ enabled, pausedAt }: WebhookRow) =>
  enabled === 0 ? 'disabled' : pausedAt === null ? 'enabled' : 'paused'

/** All header names without values; absent when there are none. */
function presentHeaders(row: WebhookRow): { headers?: Record<string, string> } {
  const headers = headersOf(row)
  return headers === null
    ? {}
    : { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])) }
}

/** The state of the events that a pull subscription keeps. */
const presentPull = ({ delivery, sequence, doneTo, oldestPendingAt, dropped }: WebhookRow) =>
  delivery === null
    ? {}
    : { delivery, pending: sequence - doneTo, oldest_pending_at: isoOrNull(oldestPendingAt), dropped }

/** Attributes that responses omit if they were not given. */
function presentKind(row: WebhookRow) {
  const { kind, format, template, quietSeconds, includeContent, ordered } = row
  const due = dueOf(row)
  return {
    ...(kind !== null && { kind }),
    ...(format !== null && { format }),
    ...(template !== null && { template }),
    ...(quietSeconds !== null && { quiet_seconds: quietSeconds }),
    ...(includeContent !== null && { include_content: includeContent === 1 }),
    ...(ordered !== null && { ordered: ordered === 1 }),
    ...(due && { due }),
  }
}

/** Null for a subscription to notes or files. */
export const presentStructureOf = ({ structureId, structureName }: WebhookRow) =>
  structureId === null ? null : { id: structureId, name: structureName ?? '' }

/** All attributes except secrets; the values of its own headers may be secrets. */
export const presentWebhook = (row: WebhookRow) => ({
  id: row.id,
  ...presentKind(row),
  structure: presentStructureOf(row),
  ...presentPull(row),
  url: row.delivery === 'pull' ? null : row.url,
  events: eventsOf(row),
  filter: filterOf(row),
  fields: fieldsOf(row),
  ignore_own_key: row.ignoreOwnKey === 1,
  ignore_key_id: row.ignoreKeyId,
  description: row.description,
  ...presentHeaders(row),
  enabled: row.enabled === 1,
  status: statusOf(row),
  paused_at: isoOrNull(row.pausedAt),
  ...(row.pauseReason !== null && { pause_reason: row.pauseReason }),
  consecutive_failures: row.consecutiveFailures,
  created_by_key_id: row.createdByKeyId,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

/** The state of a delivery, of a subscription or of a target of a source. */
export const presentProgress = (row: Omit<DeliveryRow, 'eventPk' | 'recordId' | 'sequence'>) => ({
  status: row.status,
  attempts: row.attempts,
  response_status: row.responseStatus,
  error: row.error,
  next_attempt_at: isoOrNull(row.nextAttemptAt),
  created_at: isoTimestamp(row.createdAt),
  last_attempt_at: isoOrNull(row.lastAttemptAt),
  delivered_at: row.status === 'delivered' ? isoOrNull(row.endedAt) : null,
})

export const presentDelivery = (webhook: WebhookRow, row: DeliveryRow) => ({
  id: row.id,
  webhook_id: webhook.id,
  event_id: row.eventId,
  event: row.event,
  ...(kindOf(webhook) === 'record'
    ? { record_id: row.recordId }
    : { record_id: null, object_id: row.recordId }),
  ...(row.sequence !== null && { sequence: row.sequence }),
  ...presentProgress(row),
})

export const presentAttempt = ({ at, responseStatus, error, ms }: AttemptRow) => ({
  at: isoTimestamp(at),
  response_status: responseStatus,
  error,
  ms,
})
