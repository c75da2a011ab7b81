import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A delivery joined with its event. */
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

/** Sorts after every id. */
const NO_ID = '~'

interface DeliveryPage {
  status: DeliveryStatus | undefined
  /** Only deliveries with smaller ids, which are older. */
  before: string | undefined
  limit: number
}

/** Newest first, of one status or of all; each status is read by index. */
export function listDeliveryRows(
  { sql }: Reader,
  webhook: number,
  { status, before = NO_ID, limit }: DeliveryPage,
): DeliveryRow[] {
  const statuses = status === undefined ? DELIVERY_STATUSES : [status]
  const newest = (one: DeliveryStatus) =>
    sql.all<DeliveryRow>(
      `SELECT ${COLUMNS} FROM webhook_deliveries d WHERE d.webhook = ? AND d.status = ? AND d.id < ?
       ORDER BY d.id DESC LIMIT ?`,
      webhook,
      one,
      before,
      limit,
    )
  return statuses
    .flatMap(newest)
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

const RESTART = `status = 'pending', attempts = 0, redeliveries = redeliveries + 1, is_urgent = 1,
  response_status = NULL, error = NULL, next_attempt_at = ?, last_attempt_at = NULL, ended_at = NULL`

/** Makes a delivery pending as if it were new, with its first attempt due at once. An attempt in flight no longer counts. */
export const restartDelivery = ({ sql }: Reader, webhook: number, { id, status }: DeliveryRow, now: number) =>
  sql.run(
    `UPDATE webhook_deliveries SET ${RESTART} WHERE webhook = ? AND status = ? AND id = ?`,
    now,
    webhook,
    status,
    id,
  )

const KEY_OF = (column: string) =>
  `SELECT ${column} FROM webhook_deliveries
   WHERE webhook = ? AND status IN ('pending', 'delivered', 'failed') AND id = ?`

/** The text of a delivery's event, byte for byte as every attempt sends it. */
export const bodyOf = ({ sql }: Reader, webhook: number, id: string): string =>
  sql.scalar(`SELECT body FROM webhook_events WHERE pk = (${KEY_OF('event')})`, webhook, id)

export interface AttemptRow {
  at: number
  responseStatus: number | null
  error: string | null
  ms: number
}

/** The saved attempts of a delivery, oldest first. */
export const listAttempts = ({ sql }: Reader, webhook: number, id: string): AttemptRow[] =>
  sql.all(
    `SELECT at, response_status AS responseStatus, error, ms FROM webhook_attempts
     WHERE event = (${KEY_OF('event')}) AND webhook = ? ORDER BY number`,
    webhook,
    id,
    webhook,
  )

const FAILED = "webhook = ? AND status = 'failed' AND id > ?"

/** The id of the last of the next `limit` failed deliveries after one, in the order of their ids. */
export const endOfFailed = (
  { sql }: Reader,
  webhook: number,
  after: string,
  limit: number,
): string | undefined =>
  sql.get<{ id: string | null }>(
    `SELECT max(id) AS id FROM (SELECT id FROM webhook_deliveries WHERE ${FAILED} ORDER BY id LIMIT ?)`,
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
    `UPDATE webhook_deliveries SET ${RESTART} WHERE ${FAILED} AND id <= ? AND ended_at >= ?`,
    now,
    webhook,
    after,
    upTo,
    since,
  ).changes
