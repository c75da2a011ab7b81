import type { Reader } from '../db/reader.ts'
import { IS_NEW, IS_NOT_NEW } from '../db/schema/webhooks.ts'
import type { Tx } from '../db/writes/transaction.ts'

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A delivery joined with its event. */
export interface DeliveryRow {
  id: string
  eventPk: number
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

const COLUMNS = `d.id, d.event AS eventPk, ${ofEvent('id')} AS eventId, ${ofEvent('type')} AS event,
  ${ofEvent('record_id')} AS recordId, d.status, d.attempts, d.response_status AS responseStatus, d.error,
  d.next_attempt_at AS nextAttemptAt, d.created_at AS createdAt, d.last_attempt_at AS lastAttemptAt,
  d.ended_at AS endedAt`

/** Sorts after every id. */
const NO_ID = '~'

export interface DeliveryPage {
  status?: DeliveryStatus | undefined
  /** Only deliveries with smaller ids, which are older. */
  before?: string | undefined
  limit: number
}

/** The deliveries of a subscription with one status, by index. */
const withStatus = (status: DeliveryStatus) => `webhook = ?1 AND status = '${status}' AND ${IS_NOT_NEW}`
/** Conditions of which each delivery of a subscription meets one, and is found by index. */
const CONDITIONS: Record<DeliveryStatus, readonly string[]> = {
  pending: [`webhook = ?1 AND ${IS_NEW}`, withStatus('pending')],
  delivered: [withStatus('delivered')],
  failed: [withStatus('failed')],
}
const ALL_CONDITIONS = Object.values(CONDITIONS).flat()

/** Newest first, of one status or of all. */
export function listDeliveryRows(
  { sql }: Reader,
  webhook: number,
  { status, before = NO_ID, limit }: DeliveryPage,
): DeliveryRow[] {
  const conditions = status === undefined ? ALL_CONDITIONS : CONDITIONS[status]
  return conditions
    .flatMap((condition) =>
      sql.all<DeliveryRow>(
        `SELECT ${COLUMNS} FROM webhook_deliveries d WHERE ${condition} AND d.id < ?2
         ORDER BY d.id DESC LIMIT ?3`,
        webhook,
        before,
        limit,
      ),
    )
    .sort((left, right) => (left.id < right.id ? 1 : -1))
    .slice(0, limit)
}

export function findDelivery({ sql }: Reader, webhook: number, id: string): DeliveryRow | undefined {
  for (const condition of ALL_CONDITIONS) {
    const found = sql.get<DeliveryRow>(
      `SELECT ${COLUMNS} FROM webhook_deliveries d WHERE ${condition} AND d.id = ?2`,
      webhook,
      id,
    )
    if (found) return found
  }
  return undefined
}

const restartAt = (
  now: string,
) => `status = 'pending', attempts = 0, redeliveries = redeliveries + 1, is_urgent = 1,
  response_status = NULL, error = NULL, next_attempt_at = ${now}, last_attempt_at = NULL, ended_at = NULL`

/** Makes a delivery pending as if it were new, with its first attempt due at once. An attempt in flight no longer counts. */
export const restartDelivery = ({ sql }: Reader, webhook: number, { eventPk }: DeliveryRow, now: number) =>
  sql.run(
    `UPDATE webhook_deliveries SET ${restartAt('?')} WHERE event = ? AND webhook = ?`,
    now,
    eventPk,
    webhook,
  )

/** The text of a delivery's event, byte for byte as every attempt sends it. */
export const bodyOf = ({ sql }: Reader, { eventPk }: DeliveryRow): string =>
  sql.scalar('SELECT body FROM webhook_events WHERE pk = ?', eventPk)

export interface AttemptRow {
  at: number
  responseStatus: number | null
  error: string | null
  ms: number
}

/** The saved attempts of a delivery, oldest first. */
export const listAttempts = ({ sql }: Reader, webhook: number, { eventPk }: DeliveryRow): AttemptRow[] =>
  sql.all(
    `SELECT at, response_status AS responseStatus, error, ms FROM webhook_attempts
     WHERE event = ? AND webhook = ? ORDER BY number`,
    eventPk,
    webhook,
  )

const FAILED = `${withStatus('failed')} AND id > ?2`

/** The id of the last of the next `limit` failed deliveries after one, in the order of their ids. */
export const endOfFailed = (
  { sql }: Reader,
  webhook: number,
  after: string,
  limit: number,
): string | undefined =>
  sql.get<{ id: string | null }>(
    `SELECT max(id) AS id FROM (SELECT id FROM webhook_deliveries WHERE ${FAILED} ORDER BY id LIMIT ?3)`,
    webhook,
    after,
    limit,
  )?.id ?? undefined

/** Restarts the failed deliveries from one id to another that ended at an instant or later; returns how many. */
export const restartFailed = (
  { sql, now }: Tx,
  webhook: number,
  { after, upTo, since }: { after: string; upTo: string; since: number },
): number =>
  sql.run(
    `UPDATE webhook_deliveries SET ${restartAt('?5')} WHERE ${FAILED} AND id <= ?3 AND ended_at >= ?4`,
    webhook,
    after,
    upTo,
    since,
    now,
  ).changes
