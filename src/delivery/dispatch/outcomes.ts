import { logChange, systemAuthor } from '../../changes/log.ts'
import type { Db } from '../../db/database.ts'
import { TOUCH } from '../../db/sql-part.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { AttemptOutcome } from '../client/sender.ts'
import { TEST_EVENT } from '../message.ts'
import { type DueDelivery, RETRY_AFTER_MS } from './delivery-queue.ts'

/*
 * What comes of attempts: the state of a delivery after one, and of its subscription, which is paused after ten failed
 * deliveries in a row.
 */

/** How many failed deliveries in a row pause a subscription. */
const FAILURES_TO_PAUSE = 10

interface FinishedAttempt {
  readonly due: DueDelivery
  readonly outcome: AttemptOutcome
  readonly attemptedAt: number
  readonly ms: number
}

/** What is logged about an outcome, if anything. */
interface LoggedOutcome {
  readonly hasFailed: boolean
  readonly isPausing: boolean
}

const NOTHING_TO_LOG: LoggedOutcome = { hasFailed: false, isPausing: false }

/** Saves an attempt and its outcome, which counts unless the delivery was requested again or deleted in the meantime. */
function recordOutcome(tx: Tx, attempt: FinishedAttempt): LoggedOutcome {
  const { due, outcome, attemptedAt } = attempt
  insertAttempt(tx, attempt)
  const attempts = due.attempts + 1
  const retryAfterMs = outcome.error === null ? undefined : RETRY_AFTER_MS[attempts - 1]
  const status = retryAfterMs !== undefined ? 'pending' : outcome.error === null ? 'delivered' : 'failed'
  const { changes } = tx.sql.run(
    `UPDATE webhook_deliveries SET status = ?, attempts = ?, is_urgent = 0, response_status = ?, error = ?,
       next_attempt_at = ?, last_attempt_at = ?, ended_at = ?
     WHERE event = ? AND webhook = ? AND id = ? AND redeliveries = ? AND status = 'pending'`,
    status,
    attempts,
    outcome.status,
    outcome.error,
    retryAfterMs === undefined ? null : tx.now + retryAfterMs,
    attemptedAt,
    status === 'pending' ? null : tx.now,
    due.event,
    due.webhook,
    due.id,
    due.redeliveries,
  )
  if (changes === 0 || status === 'pending') return NOTHING_TO_LOG
  const isTest = due.type === TEST_EVENT
  if (status === 'failed') return { hasFailed: true, isPausing: !isTest && countFailure(tx, due.webhook) }
  if (!isTest) resetFailures(tx, due.webhook)
  return NOTHING_TO_LOG
}

/** The attempts until a delivery fails. */
const ATTEMPTS_PER_SERIES = RETRY_AFTER_MS.length + 1

/** How many attempts of a delivery are kept: the newest, over all its redeliveries. */
const MAX_KEPT_ATTEMPTS = 50

/** The attempts of a deleted delivery are not kept; the pk of its event may belong to another one. */
function insertAttempt({ sql }: Tx, { due, outcome, attemptedAt, ms }: FinishedAttempt): void {
  const number = due.redeliveries * ATTEMPTS_PER_SERIES + due.attempts + 1
  sql.run(
    `INSERT OR IGNORE INTO webhook_attempts (event, webhook, number, at, response_status, error, ms)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
     WHERE EXISTS (SELECT 1 FROM webhook_deliveries WHERE event = ?1 AND webhook = ?2 AND id = ?8)`,
    due.event,
    due.webhook,
    number,
    attemptedAt,
    outcome.status,
    outcome.error,
    ms,
    due.id,
  )
  if (number <= MAX_KEPT_ATTEMPTS) return
  sql.run(
    'DELETE FROM webhook_attempts WHERE event = ? AND webhook = ? AND number <= ?',
    due.event,
    due.webhook,
    number - MAX_KEPT_ATTEMPTS,
  )
}

interface CountedFailure {
  readonly id: string
  readonly workspace: number
  readonly structureId: string
  readonly isPausing: number
}

function countFailure(tx: Tx, webhook: number): boolean {
  const counted = tx.sql.get<CountedFailure>(
    `UPDATE webhooks SET consecutive_failures = consecutive_failures + 1, updated_at = max(?1, updated_at + 1),
       paused_at = coalesce(paused_at, CASE WHEN consecutive_failures + 1 >= ?2 THEN ?1 END)
     WHERE pk = ?3
     RETURNING id, workspace, (SELECT id FROM structures s WHERE s.pk = structure) AS structureId,
       paused_at = ?1 AND consecutive_failures = ?2 AS isPausing`,
    tx.now,
    FAILURES_TO_PAUSE,
    webhook,
  )
  if (counted?.isPausing !== 1) return false
  const { id, workspace, structureId } = counted
  const difference = { changed: ['paused_at'], previous: { paused_at: null } }
  logChange(tx, systemAuthor(workspace), { kind: 'webhook', id, structureId }, 'updated', { difference })
  return true
}

function resetFailures({ sql, now }: Tx, webhook: number): void {
  sql.run(
    `UPDATE webhooks SET consecutive_failures = 0, ${TOUCH}
     WHERE pk = ? AND consecutive_failures > 0`,
    now,
    webhook,
  )
}

const MAX_BATCH = 256
const RETRY_WRITE_MS = 1_000

interface WriterOptions {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Once it aborts, nothing more is saved: such deliveries are attempted again at the next start. */
  readonly signal: AbortSignal
}

/** Saves the outcomes of attempts, together with those that arrive during a commit. */
export class OutcomeWriter {
  readonly #waiting: (FinishedAttempt & { settle(): void })[] = []
  #isWriting = false

  constructor(private readonly options: WriterOptions) {}

  /** Resolves when the outcome is committed, or given up. */
  write(attempt: FinishedAttempt): Promise<void> {
    return new Promise((settle) => {
      this.#waiting.push({ ...attempt, settle })
      if (!this.#isWriting) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    const { signal } = this.options
    this.#isWriting = true
    while (this.#waiting.length > 0 && !signal.aborted) {
      const batch = this.#waiting.slice(0, MAX_BATCH)
      if (await this.#hasWritten(batch))
        for (const { settle } of this.#waiting.splice(0, batch.length)) settle()
      else if (!signal.aborted) await this.#delay()
    }
    for (const { settle } of this.#waiting.splice(0)) settle()
    this.#isWriting = false
  }

  async #hasWritten(batch: readonly FinishedAttempt[]): Promise<boolean> {
    const { db, log } = this.options
    try {
      const results = await db.write((tx): LoggedOutcome[] => batch.map((each) => recordOutcome(tx, each)))
      for (const [index, each] of batch.entries()) logResult(log, each, results[index])
      return true
    } catch (error) {
      log.warn('the outcomes of deliveries could not be saved yet', { error: String(error) })
      return false
    }
  }

  async #delay(): Promise<void> {
    const { clock, signal } = this.options
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(RETRY_WRITE_MS, resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    cancel()
  }
}

function logResult(log: Log, { due, outcome }: FinishedAttempt, result = NOTHING_TO_LOG): void {
  if (result.hasFailed) {
    log.warn('a delivery failed for good', {
      webhook_id: due.webhookId,
      delivery_id: due.id,
      event: due.type,
      attempts: due.attempts + 1,
      response_status: outcome.status,
      error: outcome.error,
    })
  }
  if (result.isPausing) {
    log.warn('a subscription is paused', { webhook_id: due.webhookId, failures: FAILURES_TO_PAUSE })
  }
}
