import { othersHaveRun } from '../../../kernel/fair-share.ts'
import type { Clock } from '../../../lib/clock.ts'
import { HOUR_MS } from '../../../lib/dates.ts'
import { enqueueDue } from '../../../log/due-jobs.ts'
import type { Db } from '../../../storage/database.ts'
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
 * Limits every retry of these subscriptions to its regular delay from now, and every quiet period to its maximum. Later
 * instants were scheduled before the clock was set back. There may be millions of retries, so other requests run in
 * between.
 */
export async function shortenRetryDelays(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  webhooks: readonly number[],
): Promise<void> {
  await db.write((tx): void => shortenQuietPeriods(tx))
  for (const webhook of webhooks) {
    let after: Position | undefined = { at: clock.now() + FIRST_DELAY_MS, event: 0 }
    while (after) {
      const { late, next } = readPage(db, webhook, after, clock.now())
      if (late.length > 0) await db.write((tx): void => shorten(tx, webhook, late))
      after = next
      await othersHaveRun()
    }
  }
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
  readonly at: number
  readonly event: number
}

interface Page {
  /** The events whose retry is later than its delay allows. */
  readonly late: readonly number[]
  /** Undefined on the last page. */
  readonly next: Position | undefined
}

const PAGE_SIZE = 500

function readPage({ sql }: Reader, webhook: number, { at, event }: Position, now: number): Page {
  const rows = sql.rows<[event: number, at: number, delayMs: number]>(
    `SELECT event, next_attempt_at, ${RETRY_DELAY} FROM webhook_deliveries
     WHERE webhook = ? AND ${IS_RETRY} AND (next_attempt_at, event) > (?, ?)
     ORDER BY next_attempt_at, event LIMIT ?`,
    webhook,
    at,
    event,
    PAGE_SIZE,
  )
  const last = rows.length === PAGE_SIZE ? rows.at(-1) : undefined
  return {
    late: rows.filter(([, dueAt, delayMs]) => dueAt > now + delayMs).map(([late]) => late),
    next: last && { event: last[0], at: last[1] },
  }
}

const shorten = ({ sql, now }: Tx, webhook: number, events: readonly number[]): void =>
  void sql.run(
    `UPDATE webhook_deliveries SET next_attempt_at = ?1 + ${RETRY_DELAY}
     WHERE webhook = ?2 AND event IN (SELECT value FROM json_each(?3)) AND ${IS_RETRY}
       AND next_attempt_at > ?1 + ${RETRY_DELAY}`,
    now,
    webhook,
    JSON.stringify(events),
  )
