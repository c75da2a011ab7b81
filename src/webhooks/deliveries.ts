import type { Reader } from '../db/reader.ts'

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A delivery with what its event says of itself. */
export interface DeliveryRow {
  id: string
  eventId: string
  event: string
  recordId: string | null
  status: DeliveryStatus
  attempts: number
  responseStatus: number | null
  error: string | null
  nextAttemptAt: number | null
  createdAt: number
  lastAttemptAt: number | null
  endedAt: number | null
}

const ofEvent = (column: string) => `(SELECT ${column} FROM webhook_events e WHERE e.pk = d.event)`

const COLUMNS = `d.id, ${ofEvent('id')} AS eventId, ${ofEvent('type')} AS event,
  ${ofEvent('record_id')} AS recordId, d.status, d.attempts, d.response_status AS responseStatus, d.error,
  d.next_attempt_at AS nextAttemptAt, d.created_at AS createdAt, d.last_attempt_at AS lastAttemptAt,
  d.ended_at AS endedAt`

const newestOf = ({ sql }: Reader, webhook: number, status: DeliveryStatus, limit: number): DeliveryRow[] =>
  sql.all(
    `SELECT ${COLUMNS} FROM webhook_deliveries d WHERE d.webhook = ? AND d.status = ?
     ORDER BY d.id DESC LIMIT ?`,
    webhook,
    status,
    limit,
  )

/** Newest first, of one status or of all; the index leads from each status to its newest. */
export function listDeliveryRows(
  reader: Reader,
  webhook: number,
  { status, limit }: { status: DeliveryStatus | undefined; limit: number },
): DeliveryRow[] {
  const statuses = status === undefined ? DELIVERY_STATUSES : [status]
  return statuses
    .flatMap((each) => newestOf(reader, webhook, each, limit))
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit)
}

export function findDelivery({ sql }: Reader, webhook: number, id: string): DeliveryRow | undefined {
  return sql.get(
    `SELECT ${COLUMNS} FROM webhook_deliveries d
     WHERE d.webhook = ? AND d.status IN ('pending', 'delivered', 'failed') AND d.id = ?`,
    webhook,
    id,
  )
}

/** Makes it pending as if it were new, its first attempt due at once; an attempt under way no longer counts. */
export const askAgain = ({ sql }: Reader, webhook: number, { id, status }: DeliveryRow, now: number) =>
  sql.run(
    `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, redeliveries = redeliveries + 1, is_urgent = 1,
       response_status = NULL, error = NULL, next_attempt_at = ?, last_attempt_at = NULL, ended_at = NULL
     WHERE webhook = ? AND status = ? AND id = ?`,
    now,
    webhook,
    status,
    id,
  )

/** Removes those that the condition finds, at most `most`, and events that have none left; answers how many. */
function removeSome({ sql }: Reader, condition: string, value: number, most: number): number {
  const found = sql.rows<[event: number, webhook: number]>(
    `SELECT event, webhook FROM webhook_deliveries WHERE ${condition} LIMIT ?`,
    value,
    most,
  )
  for (const [event, webhook] of found)
    sql.run('DELETE FROM webhook_deliveries WHERE event = ? AND webhook = ?', event, webhook)
  sql.run(
    `DELETE FROM webhook_events WHERE pk IN (SELECT value FROM json_each(?)) AND NOT EXISTS
       (SELECT 1 FROM webhook_deliveries d WHERE d.event = webhook_events.pk)`,
    JSON.stringify([...new Set(found.map(([event]) => event))]),
  )
  return found.length
}

/** Those that ended before this instant. */
export const removeEndedBefore = (reader: Reader, before: number, most: number): number =>
  removeSome(reader, 'ended_at < ?', before, most)

/** Those of one subscription. */
export const removeDeliveriesOf = (reader: Reader, webhook: number, most: number): number =>
  removeSome(reader, 'webhook = ?', webhook, most)
