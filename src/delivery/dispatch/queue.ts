import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { RETRY_AFTER_MS } from './schedule.ts'

interface DueRow {
  event: number
  id: string
  attempts: number
  redeliveries: number
}

/** Everything that one attempt needs. */
export interface DueDelivery extends DueRow {
  readonly webhook: number
  readonly webhookId: string
  readonly url: string
  readonly secret: string
  readonly eventId: string
  readonly type: string
  readonly body: string
}

interface Target {
  id: string
  url: string
  secret: string
  isActive: number
  hasUrgent: number
}

/** Every subscription for which deliveries wait, now or for later. */
export const listWaiting = ({ sql }: Reader): number[] =>
  sql.column(
    `SELECT w.pk FROM webhooks w WHERE w.is_removed = 0 AND EXISTS
       (SELECT 1 FROM webhook_deliveries d WHERE d.webhook = w.pk AND d.status = 'pending')`,
  )

/** Undefined once the subscription is deleted; active while it is neither disabled nor paused. */
const findTarget = ({ sql }: Reader, webhook: number): Target | undefined =>
  sql.get(
    `SELECT w.id, w.url, w.secret, w.enabled = 1 AND w.paused_at IS NULL AS isActive, EXISTS
       (SELECT 1 FROM webhook_deliveries d
        WHERE d.webhook = w.pk AND d.status = 'pending' AND d.is_urgent = 1) AS hasUrgent
     FROM webhooks w WHERE w.pk = ? AND w.is_removed = 0`,
    webhook,
  )

/** What a subscription is about to attempt. */
export interface Claims {
  /** Ids of deliveries that are attempted, or whose outcome is being written down. */
  readonly taken: Set<string>
  /** Due some moments ago, in order; read many at a time, so that a long queue is read once. */
  readonly page: DueRow[]
}

const PAGE = 256

const dueText = (condition: string) =>
  `SELECT event, id, attempts, redeliveries FROM webhook_deliveries
   WHERE webhook = ? AND status = 'pending' AND ${condition} ORDER BY next_attempt_at, event LIMIT ?`
const URGENT = dueText('is_urgent = 1')
const DUE = dueText('is_urgent = 0 AND next_attempt_at <= ?')

function listDue({ sql }: Reader, webhook: number, now: number, { taken }: Claims): DueRow[] {
  return sql.all<DueRow>(DUE, webhook, now, taken.size + PAGE).filter(({ id }) => !taken.has(id))
}

interface EventRow {
  eventId: string
  type: string
  body: string
}

/**
 * Undefined when the delivery was asked for again, or went, since it was read. Two statements, as one over both tables
 * would be prepared anew at every run.
 */
function findEvent(
  { sql }: Reader,
  webhook: number,
  { event, id, redeliveries }: DueRow,
): EventRow | undefined {
  const stands = sql.get(
    `SELECT 1 FROM webhook_deliveries
     WHERE event = ? AND webhook = ? AND id = ? AND redeliveries = ? AND status = 'pending'`,
    event,
    webhook,
    id,
    redeliveries,
  )
  if (stands === undefined) return undefined
  return sql.get('SELECT id AS eventId, type, body FROM webhook_events WHERE pk = ?', event)
}

/** Until one is taken; what is stale in the page is passed over. */
function* candidates(reader: Reader, webhook: number, now: number, target: Target, claims: Claims) {
  const { taken, page } = claims
  if (target.hasUrgent === 1) {
    const urgent = reader.sql.all<DueRow>(URGENT, webhook, taken.size + 1)
    yield* urgent.filter(({ id }) => !taken.has(id))
  }
  while (target.isActive === 1) {
    if (page.length === 0) page.push(...listDue(reader, webhook, now, claims))
    const row = page.shift()
    if (!row) return
    yield row
  }
}

/**
 * The delivery of a subscription that is to be attempted next, in the order in which they fell due. Answers undefined
 * when none is due, or the subscription went meanwhile.
 */
export function findDue(
  reader: Reader,
  webhook: number,
  now: number,
  claims: Claims,
): DueDelivery | undefined {
  const target = findTarget(reader, webhook)
  if (!target) return undefined
  const { id: webhookId, url, secret } = target
  for (const row of candidates(reader, webhook, now, target, claims)) {
    const event = findEvent(reader, webhook, row)
    if (event) return { ...row, ...event, webhook, webhookId, url, secret }
  }
  return undefined
}

/** When the next delivery of an active subscription falls due, after `now`. */
export const findNextDueAt = ({ sql }: Reader, webhook: number, now: number): number | undefined =>
  sql.get<{ at: number }>(
    `SELECT next_attempt_at AS at FROM webhook_deliveries
     WHERE webhook = ? AND status = 'pending' AND is_urgent = 0 AND next_attempt_at > ?
     ORDER BY next_attempt_at LIMIT 1`,
    webhook,
    now,
  )?.at

/** The longest that a delivery waits after so many attempts. */
const LONGEST_WAIT = `CASE attempts ${[0, ...RETRY_AFTER_MS].map((waitMs, attempts) => `WHEN ${attempts} THEN ${waitMs}`).join(' ')} ELSE 0 END`

/** Lets no delivery wait longer than its attempts allow: those that would were put off before the clock was set back. */
export const shortenWaits = ({ sql, now }: Tx) =>
  sql.run(
    `UPDATE webhook_deliveries SET next_attempt_at = ?1 + ${LONGEST_WAIT}
     WHERE status = 'pending' AND is_urgent = 0 AND next_attempt_at > ?1 + ${LONGEST_WAIT}`,
    now,
  )
