import { isoTimestamp } from '../lib/dates.ts'
import type { DescribedDelivery, DescribedWebhook } from './service.ts'
import { eventsOf, fieldsOf, filterOf, type WebhookRow } from './store.ts'

/** A subscription that is disabled and paused is shown as disabled. */
const statusOf = ({ enabled, pausedAt }: WebhookRow) =>
  enabled === 0 ? 'disabled' : pausedAt === null ? 'enabled' : 'paused'

const orNull = (instant: number | null) => (instant === null ? null : isoTimestamp(instant))

/** Everything but the secret. */
export const presentWebhook = ({ row, structure }: DescribedWebhook) => ({
  id: row.id,
  structure: { id: structure.id, name: structure.name },
  url: row.url,
  events: eventsOf(row),
  filter: filterOf(row),
  fields: fieldsOf(row),
  ignore_own_key: row.ignoreOwnKey === 1,
  ignore_key_id: row.ignoreKeyId,
  description: row.description,
  enabled: row.enabled === 1,
  status: statusOf(row),
  paused_at: orNull(row.pausedAt),
  consecutive_failures: row.consecutiveFailures,
  created_by_key_id: row.createdByKeyId,
  created_at: isoTimestamp(row.createdAt),
  updated_at: isoTimestamp(row.updatedAt),
})

export const presentDelivery = ({ row, webhookId }: DescribedDelivery) => ({
  id: row.id,
  webhook_id: webhookId,
  event_id: row.eventId,
  event: row.event,
  record_id: row.recordId,
  status: row.status,
  attempts: row.attempts,
  response_status: row.responseStatus,
  error: row.error,
  next_attempt_at: orNull(row.nextAttemptAt),
  created_at: isoTimestamp(row.createdAt),
  last_attempt_at: orNull(row.lastAttemptAt),
  delivered_at: row.status === 'delivered' ? orNull(row.endedAt) : null,
})
