import { defineJob, enqueue, SINGLE } from '../../../kernel/jobs.ts'
import { HOUR_MS } from '../../../lib/dates.ts'
import { enqueueDue } from '../../../log/due-jobs.ts'
import { notifyDispatcher } from '../../../log/outbox.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'

/** The delays after the first failed attempt, the second, and so on; there is no retry after the last. */
export const RETRY_AFTER_MS: readonly number[] = [60_000, 600_000, HOUR_MS, 6 * HOUR_MS]

const FIRST_DELAY_MS = Math.min(...RETRY_AFTER_MS)

/** The delay before the next attempt by the number of attempts so far, as SQL. */
const RETRY_DELAY = `CASE attempts ${RETRY_AFTER_MS.map((delayMs, at) => `WHEN ${at + 1} THEN ${delayMs}`).join(' ')} ELSE 0 END`

/** The condition of retries, with its index. */
export const IS_RETRY = "status = 'pending' AND is_urgent = 0 AND attempts > 0"

/**
 * Limits every retry to its regular delay from now, and every quiet period to its maximum. Later instants were scheduled
 * before the clock was set back. There may be millions of retries, so a job shortens them.
 */
export function shortenRetryDelays(tx: Tx): void {
  shortenQuietPeriods(tx)
  const start = findNextStart(tx, Number.MIN_SAFE_INTEGER)
  if (start) enqueue(tx, retryShortening, SINGLE, start)
}

function shortenQuietPeriods(tx: Tx): void {
  const { sql, now } = tx
  sql.run(
    'UPDATE webhook_waiting SET due_at = ?1 + due_at - first_at, first_at = ?1 WHERE first_at > ?1',
    now,
  )
  const first = sql.scalar<number | null>('SELECT min(due_at) FROM webhook_waiting')
  if (first !== null) enqueueDue(tx, 'notes', first)
}

/** A position in the index of retries. */
interface Position {
  readonly webhook: number
  readonly at: number
  readonly event: number
}

/** The position before the retries of the next subscription that may be too late. */
function findNextStart({ sql, now }: Tx, after: number): Position | undefined {
  const webhook = sql.scalar<number | null>(
    `SELECT min(webhook) FROM webhook_deliveries WHERE webhook > ? AND ${IS_RETRY}`,
    after,
  )
  return webhook === null ? undefined : { webhook, at: now + FIRST_DELAY_MS, event: 0 }
}

type Retry = [event: number, at: number, delayMs: number]

const RETRIES_AT_ONCE = 200

const listRetries = ({ sql }: Reader, { webhook, at, event }: Position): Retry[] =>
  sql.rows<Retry>(
    `SELECT event, next_attempt_at, ${RETRY_DELAY} FROM webhook_deliveries
     WHERE webhook = ? AND ${IS_RETRY} AND (next_attempt_at, event) > (?, ?)
     ORDER BY next_attempt_at, event LIMIT ${RETRIES_AT_ONCE}`,
    webhook,
    at,
    event,
  )

export const retryShortening = defineJob<number, Position>('events.retries', (tx, _, position) => {
  const { webhook } = position
  const retries = listRetries(tx, position)
  const late = retries.filter(([, at, delayMs]) => at > tx.now + delayMs).map(([event]) => event)
  if (late.length > 0) {
    shorten(tx, webhook, late)
    notifyDispatcher(tx, [webhook])
  }
  const last = retries.length === RETRIES_AT_ONCE ? retries.at(-1) : undefined
  return last ? { webhook, at: last[1], event: last[0] } : (findNextStart(tx, webhook) ?? 'done')
})

const shorten = ({ sql, now }: Tx, webhook: number, events: readonly number[]): void =>
  void sql.run(
    `UPDATE webhook_deliveries SET next_attempt_at = ?1 + ${RETRY_DELAY}
     WHERE webhook = ?2 AND event IN (SELECT value FROM json_each(?3)) AND ${IS_RETRY}
       AND next_attempt_at > ?1 + ${RETRY_DELAY}`,
    now,
    webhook,
    JSON.stringify(events),
  )
