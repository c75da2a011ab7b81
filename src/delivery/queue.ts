import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/write-queue.ts'
import type { AttemptOutcome } from './attempt.ts'
import { TEST_EVENT } from './event-types.ts'
import { FAILURES_TO_PAUSE, LONGEST_WAIT_MS, nextStep } from './schedule.ts'

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

/**
 * Writes down what came of an attempt. Nothing, when the delivery was asked for again since, or is gone. Answers
 * whether the subscription is paused by it.
 */
export function recordOutcome(
  tx: Tx,
  due: DueDelivery,
  outcome: AttemptOutcome,
  attemptedAt: number,
): boolean {
  const attempts = due.attempts + 1
  const step = nextStep(outcome, attempts)
  const { changes } = tx.sql.run(
    `UPDATE webhook_deliveries SET status = ?, attempts = ?, is_urgent = 0, response_status = ?, error = ?,
       next_attempt_at = ?, last_attempt_at = ?, ended_at = ?
     WHERE event = ? AND webhook = ? AND id = ? AND round = ? AND status = 'pending'`,
    step.status,
    attempts,
    outcome.status,
    outcome.error,
    step.status === 'pending' ? tx.now + step.afterMs : null,
    attemptedAt,
    step.status === 'pending' ? null : tx.now,
    due.event,
    due.webhook,
    due.id,
    due.round,
  )
  if (changes === 0 || due.type === TEST_EVENT || step.status === 'pending') return false
  return step.status === 'failed' ? countFailure(tx, due.webhook) : forgetFailures(tx, due.webhook)
}

function countFailure({ sql, now }: Tx, webhook: number): boolean {
  const counted = sql.get<{ isPausing: number }>(
    `UPDATE webhooks SET consecutive_failures = consecutive_failures + 1, updated_at = max(?1, updated_at + 1),
       paused_at = coalesce(paused_at, CASE WHEN consecutive_failures + 1 >= ?2 THEN ?1 END)
     WHERE pk = ?3
     RETURNING consecutive_failures = ?2 AS isPausing`,
    now,
    FAILURES_TO_PAUSE,
    webhook,
  )
  return counted?.isPausing === 1
}

function forgetFailures({ sql, now }: Tx, webhook: number): false {
  sql.run(
    `UPDATE webhooks SET consecutive_failures = 0, updated_at = max(?, updated_at + 1)
     WHERE pk = ? AND consecutive_failures > 0`,
    now,
    webhook,
  )
  return false
}
