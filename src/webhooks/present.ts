import { isoOrNull, isoTimestamp } from '../lib/dates.ts'
import type { AttemptRow, DeliveryRow } from './delivery-store.ts'
import { dueOf, eventsOf, fieldsOf, filterOf, headersOf, kindOf, type WebhookRow } from './store.ts'

/** A subscription that is disabled and paused is shown as disabled. */
const statusOf = ({ enabled, pausedAt }: WebhookRow) =>
  enabled === 0 ? 'disabled' : pausedAt === null ? 'enabled' : 'paused'

/** What is shown instead of every value of its own headers. */
export const MASK = '…'

/** Every name, and no value; absent when there are none. */
function presentHeaders(row: WebhookRow): { headers?: Record<string, string> } {
  const headers = headersOf(row)
  return headers === null
    ? {}
    : { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])) }
}

/** Attributes that are absent where they were not given. */
function presentKind(row: WebhookRow) {
  const { kind, format, template, quietSeconds, includeContent } = row
  const due = dueOf(row)
  return {
    ...(kind !== null && { kind }),
    ...(format !== null && { format }),
    ...(template !== null && { template }),
    ...(quietSeconds !== null && { quiet_seconds: quietSeconds }),
    ...(includeContent !== null && { include_content: includeContent === 1 }),
    ...(due && { due }),
  }
}

/** Null for one to notes or files. */
export const presentStructureOf = ({ structureId, structureName }: WebhookRow) =>
  structureId === null ? null : { id: structureId, name: structureName ?? '' }

/** Everything but the secrets, which the values of its own headers may be. */
export const presentWebhook = (row: WebhookRow) => ({
  id: row.id,
  ...presentKind(row),
  structure: presentStructureOf(row),
  url: row.url,
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

export const presentDelivery = (webhook: WebhookRow, row: DeliveryRow) => ({
  id: row.id,
  webhook_id: webhook.id,
  event_id: row.eventId,
  event: row.event,
  ...(kindOf(webhook) === 'record'
    ? { record_id: row.recordId }
    : { record_id: null, object_id: row.recordId }),
  status: row.status,
  attempts: row.attempts,
  response_status: row.responseStatus,
  error: row.error,
  next_attempt_at: isoOrNull(row.nextAttemptAt),
  created_at: isoTimestamp(row.createdAt),
  last_attempt_at: isoOrNull(row.lastAttemptAt),
  delivered_at: row.status === 'delivered' ? isoOrNull(row.endedAt) : null,
})

export const presentAttempt = ({ at, responseStatus, error, ms }: AttemptRow) => ({
  at: isoTimestamp(at),
  response_status: responseStatus,
  error,
  ms,
})
