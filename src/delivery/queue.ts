import type { Reader } from '../db/reader.ts'
import { LONGEST_WAIT_MS } from './schedule.ts'

interface DueRow {
  event: number
  id: string
  attempts: number
  round: number
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
    `SELECT id, url, secret, enabled = 1 AND paused_at IS NULL AS isActive
     FROM webhooks WHERE pk = ? AND is_removed = 0`,
    webhook,
  )

const dueText = (condition: string) =>
  `SELECT event, id, attempts, round FROM webhook_deliveries
   WHERE webhook = ? AND status = 'pending' AND ${condition} ORDER BY next_attempt_at, event LIMIT ?`
const URGENT = dueText('is_urgent = 1')
const DUE = dueText('is_urgent = 0 AND next_attempt_at <= ?')
const OVERLONG = dueText('is_urgent = 0 AND next_attempt_at > ?')

/**
 * The delivery of a subscription that is to be attempted next, in the order in which they fell due; `taken` are those
 * under way. Answers undefined when none is due, or the subscription went meanwhile.
 */
export function findDue(
  reader: Reader,
  webhook: number,
  now: number,
  taken: ReadonlySet<string>,
): DueDelivery | undefined {
  const target = findTarget(reader, webhook)
  if (!target) return undefined
  const { sql } = reader
  const first = (text: string, ...values: number[]) =>
    sql.all<DueRow>(text, webhook, ...values, taken.size + 1).find(({ id }) => !taken.has(id))
  const row =
    first(URGENT) ??
    (target.isActive === 1 ? (first(DUE, now) ?? first(OVERLONG, now + LONGEST_WAIT_MS)) : undefined)
  if (!row) return undefined
  const event = sql.get<{ eventId: string; type: string; body: string }>(
    'SELECT id AS eventId, type, body FROM webhook_events WHERE pk = ?',
    row.event,
  )
  const { id: webhookId, url, secret } = target
  return event && { ...row, ...event, webhook, webhookId, url, secret }
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
