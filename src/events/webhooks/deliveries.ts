import type { Caller } from '../../context.ts'
import { write } from '../../kernel/operation.ts'
import { repeatWrite } from '../../kernel/repeated.ts'
import { fail, notFound, refused } from '../../lib/refusal.ts'
import { MASK, signedHeaders, TEST_EVENT } from '../../log/message.ts'
import { notifyDispatcher, publishTest, type Receiver } from '../../log/outbox.ts'
import type { Db } from '../../storage/database.ts'
import type { Reader } from '../../storage/reader.ts'
import { IS_BLOCKED, IS_NEW, IS_NOT_NEW } from '../../storage/schema/webhooks.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { getWebhook } from './service.ts'
import { kindOf, presentAttempt, presentDelivery, presentStructureOf, type WebhookRow } from './store.ts'

/* The deliveries of a subscription, as responses show them. */

type Shown = ReturnType<typeof presentDelivery>

const getDelivery = (reader: Reader, webhook: WebhookRow, id: string): DeliveryRow =>
  findDelivery(reader, webhook.pk, id) ?? fail(notFound('delivery'))

export function sendTest(tx: Tx, caller: Caller, id: string): Shown {
  const webhook = getWebhook(tx, caller, id, 'change')
  const { workspaceId, surface, keyId } = caller
  const receiver = receiverOf(webhook)
  const structure = presentStructureOf(webhook)
  const about = { workspaceId, structure, source: { surface, keyId } }
  const { eventId, delivery } = publishTest(tx, receiver, about)
  if (delivery !== undefined) return presentDelivery(webhook, getDelivery(tx, webhook, delivery))
  return presentDelivery(webhook, { ...KEPT_TEST, id: eventId, eventId, createdAt: tx.now })
}

const receiverOf = (webhook: WebhookRow): Receiver => ({
  pk: webhook.pk,
  kind: kindOf(webhook),
  format: webhook.format ?? 'json',
  template: webhook.template,
  isOrdered: webhook.ordered === 1,
  isPulled: webhook.delivery === 'pull',
})

/** Newest first; with `before`, only deliveries older than that one. */
export function listDeliveries(reader: Reader, caller: Caller, id: string, page: DeliveryPage): Shown[] {
  const webhook = getWebhook(reader, caller, id, 'read')
  if (page.before !== undefined) getDelivery(reader, webhook, page.before)
  const rows = listDeliveryRows(reader, webhook.pk, page)
  return rows.map((row) => presentDelivery(webhook, row))
}

/**
 * A delivery with its request, and the outcome of each attempt, oldest first. With `responses`, also the headers of the
 * request, and what the receiver responded.
 */
export function deliveryLog(
  reader: Reader,
  caller: Caller,
  { id, deliveryId, include }: { id: string; deliveryId: string; include?: 'responses' | undefined },
) {
  const webhook = getWebhook(reader, caller, id, 'read')
  const row = getDelivery(reader, webhook, deliveryId)
  const attempts = listAttempts(reader, webhook.pk, row)
  const hasResponses = include === 'responses'
  const responses = hasResponses ? responsesTo(reader, webhook.pk, row) : undefined
  return {
    delivery: presentDelivery(webhook, row),
    body: bodyOf(reader, row),
    ...(hasResponses && { request_headers: requestHeaders(reader, webhook, row) }),
    attempts: attempts.map((attempt) => ({
      ...presentAttempt(attempt),
      ...(responses && { response: responses.get(attempt.number) ?? null }),
    })),
  }
}

/** The headers that attempts send now; signatures, times and the values of the subscriber's own are hidden. */
function requestHeaders({ sql }: Reader, { headers }: WebhookRow, row: DeliveryRow): Record<string, string> {
  const own: Record<string, string> = headers === null ? {} : JSON.parse(headers)
  const contentType = sql.scalar<string | null>(
    'SELECT content_type FROM webhook_events WHERE pk = ?',
    row.eventPk,
  )
  const { id: deliveryId, event, eventId, sequence } = row
  const delivery = { secrets: [], event, eventId, deliveryId, body: '', contentType, atMs: 0, sequence }
  const hidden = { 'X-Service-Signature': MASK, 'webhook-timestamp': MASK, 'webhook-signature': MASK }
  return {
    ...Object.fromEntries(Object.keys(own).map((name) => [name, MASK])),
    ...signedHeaders(delivery),
    ...hidden,
  }
}

interface ResponseRow {
  number: number
  headers: string
  body: string
  isCut: number
}

/** The stored responses to the attempts of a delivery, by the number of the attempt. */
const responsesTo = ({ sql }: Reader, webhook: number, { eventPk }: DeliveryRow) =>
  new Map(
    sql
      .all<ResponseRow>(
        `SELECT number, headers, body, is_cut AS isCut FROM webhook_responses
         WHERE event = ? AND webhook = ? ORDER BY number`,
        eventPk,
        webhook,
      )
      .map(({ number, headers, body, isCut }) => [
        number,
        {
          headers: (JSON.parse(headers) as [string, string][]).map(([name, value]) => ({ name, value })),
          body,
          truncated: isCut === 1,
        },
      ]),
  )

export function restart(tx: Tx, caller: Caller, id: string, deliveryId: string): Shown {
  const webhook = getWebhook(tx, caller, id, 'change')
  restartDelivery(tx, webhook.pk, getDelivery(tx, webhook, deliveryId), tx.now)
  notifyDispatcher(tx, [webhook.pk])
  return presentDelivery(webhook, getDelivery(tx, webhook, deliveryId))
}

/** Small enough that each transaction holds the write lock for only some milliseconds. */
const RECOVERED_PER_CHUNK = 500

/** A part of the deliveries to restart, and where the next one begins; null when none is left. */
interface Restarted<Place> {
  readonly restarted: number
  readonly next: Place | null
}

/**
 * Restarts deliveries, some in each transaction; returns their number. After a crash, the remaining ones are unchanged,
 * and the same call continues.
 */
export async function restartAll<Place>(
  db: Db,
  restartSome: (from: Place | null) => Restarted<Place> | Promise<Restarted<Place>>,
): Promise<number> {
  let total = 0
  const restartNext = async (last?: Restarted<Place>) => {
    const some = await restartSome(last?.next ?? null)
    total += some.restarted
    return some
  }
  await repeatWrite(db, restartNext, ({ next }) => next !== null)
  return total
}

interface Recovering {
  readonly id: string
  /** The earliest failure to include, in milliseconds. */
  readonly since: number
  /** The delivery after which this call continues. */
  readonly from: string | null
}

/** Sends some of the failed deliveries again, as `redeliver` does. */
export const recoverSome = write({
  name: 'webhooks.recover',
  covers: 'structures',
  run: (tx, caller, { id, since, from }: Recovering): Restarted<string> => {
    const { pk } = getWebhook(tx, caller, id, 'change')
    const after = from ?? ''
    const upTo = endOfFailed(tx, pk, after, RECOVERED_PER_CHUNK)
    if (upTo === undefined) return { restarted: 0, next: null }
    const restarted = restartFailed(tx, pk, { after, upTo, since })
    notifyDispatcher(tx, [pk])
    return { restarted, next: upTo }
  },
})

interface Retrying {
  readonly id: string
  /** The instant of the first call. */
  readonly from: number | null
}

/** Attempts some of the deliveries with a pending retry now, and counts their attempts from 0 again. */
export const retrySome = write({
  name: 'webhooks.retry',
  covers: 'structures',
  run: (tx, caller, { id, from }: Retrying): Restarted<number> => {
    const { pk, enabled, pausedAt } = getWebhook(tx, caller, id, 'change')
    if (enabled === 0) throw refused('The webhook is disabled, so nothing is sent; enable it first.')
    if (pausedAt !== null) throw refused('The webhook is paused, so nothing is sent; resume it first.')
    const startedAt = from ?? tx.now
    const restarted = restartPending(tx, pk, startedAt, RECOVERED_PER_CHUNK)
    if (restarted > 0) notifyDispatcher(tx, [pk])
    return { restarted, next: restarted === RECOVERED_PER_CHUNK ? startedAt : null }
  },
})

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** A delivery joined with its event. */
export interface DeliveryRow {
  id: string
  eventPk: number
  eventId: string
  event: string
  recordId: string | null
  /** Its number in an ordered subscription. */
  sequence: number | null
  status: DeliveryStatus
  attempts: number
  responseStatus: number | null
  error: string | null
  nextAttemptAt: number | null
  createdAt: number
  lastAttemptAt: number | null
  endedAt: number | null
}

/** A test that waits for its reader: it is pending until it is acknowledged. */
const KEPT_TEST = {
  eventPk: 0,
  event: TEST_EVENT,
  recordId: null,
  sequence: null,
  status: 'pending',
  attempts: 0,
  responseStatus: null,
  error: null,
  nextAttemptAt: null,
  lastAttemptAt: null,
  endedAt: null,
} as const

const ofEvent = (column: string) => `(SELECT ${column} FROM webhook_events e WHERE e.pk = d.event)`

const COLUMNS = `d.id, d.event AS eventPk, ${ofEvent('id')} AS eventId, ${ofEvent('type')} AS event,
  ${ofEvent('record_id')} AS recordId, d.status,
  (SELECT sequence FROM webhook_sequences q WHERE q.event = d.event) AS sequence, d.attempts, d.response_status AS responseStatus, d.error,
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
/** Conditions that partition the deliveries of a subscription, each with its index. */
const CONDITIONS: Record<DeliveryStatus, readonly string[]> = {
  pending: [`webhook = ?1 AND ${IS_NEW}`, withStatus('pending'), `webhook = ?1 AND ${IS_BLOCKED}`],
  delivered: [withStatus('delivered')],
  failed: [withStatus('failed')],
}
const ALL_CONDITIONS = Object.values(CONDITIONS).flat()

/** Newest first, with one status or all. */
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
  isUrgent = 1,
) => `status = 'pending', attempts = 0, redeliveries = redeliveries + 1, is_urgent = ${isUrgent},
  response_status = NULL, error = NULL, next_attempt_at = ${now}, last_attempt_at = NULL, ended_at = NULL`

/** Does not restart a delivery twice if a server attempts it again in the meantime. */
export const restartPending = (
  { sql, now }: Tx,
  webhook: number,
  attemptedBy: number,
  limit: number,
): number =>
  sql.run(
    `UPDATE webhook_deliveries SET ${restartAt('?4', 0)} WHERE webhook = ?1 AND event IN (
       SELECT event FROM webhook_deliveries
       WHERE webhook = ?1 AND status = 'pending' AND attempts > 0 AND is_urgent = 0 AND last_attempt_at <= ?2
       ORDER BY next_attempt_at LIMIT ?3)`,
    webhook,
    attemptedBy,
    limit,
    now,
  ).changes

/**
 * Makes a delivery pending as if it were new, with its first attempt due now. An attempt in flight no longer counts.
 */
export const restartDelivery = ({ sql }: Reader, webhook: number, { eventPk }: DeliveryRow, now: number) =>
  sql.run(
    `UPDATE webhook_deliveries SET ${restartAt('?')} WHERE event = ? AND webhook = ?`,
    now,
    eventPk,
    webhook,
  )

/** The body of a delivery's event, byte for byte as every attempt sends it. */
export const bodyOf = ({ sql }: Reader, { eventPk }: DeliveryRow): string =>
  sql.scalar('SELECT body FROM webhook_events WHERE pk = ?', eventPk)

export interface AttemptRow {
  number: number
  at: number
  responseStatus: number | null
  error: string | null
  ms: number
}

/** The saved attempts of a delivery, oldest first. */
export const listAttempts = ({ sql }: Reader, webhook: number, { eventPk }: DeliveryRow): AttemptRow[] =>
  sql.all(
    `SELECT number, at, response_status AS responseStatus, error, ms FROM webhook_attempts
     WHERE event = ? AND webhook = ? ORDER BY number`,
    eventPk,
    webhook,
  )

const FAILED = `${withStatus('failed')} AND id > ?2`

/** The last id among the next `limit` failed deliveries after a given id, in id order. */
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

/** Restarts the failed deliveries in a range of ids that ended at an instant or later; returns the number restarted. */
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
