import type { Db } from '../../db/database.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { AttemptOutcome } from '../client/attempt.ts'
import { TEST_EVENT } from '../outbox/payload.ts'
import type { DueDelivery } from './queue.ts'
import { FAILURES_TO_PAUSE, nextStep } from './schedule.ts'

/** An attempt that has ended. */
export interface FinishedAttempt {
  readonly due: DueDelivery
  readonly outcome: AttemptOutcome
  readonly attemptedAt: number
}

/** Each commit waits for the disk, so up to this many outcomes, or all within this time, share a transaction. */
const MAX_BATCH = 256
const BATCH_WITHIN_MS = 50
const RETRY_WRITE_MS = 1_000

interface PendingOutcome extends FinishedAttempt {
  settle(): void
}

/** Saves the outcomes of attempts in batches. */
export class OutcomeWriter {
  #waiting: PendingOutcome[] = []
  #cancelTimer: (() => void) | undefined
  #isDiscarding = false

  constructor(private readonly options: { readonly db: Db; readonly clock: Clock; readonly log: Log }) {}

  /** Resolves when the outcome is committed or discarded. */
  write(attempt: FinishedAttempt): Promise<void> {
    return new Promise((settle) => {
      if (this.#isDiscarding) return settle()
      this.#waiting.push({ ...attempt, settle })
      if (this.#waiting.length >= MAX_BATCH) this.flush()
      else this.#flushAfter(BATCH_WITHIN_MS)
    })
  }

  /** Writes at once what is waiting. */
  flush(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length > 0) void this.#writeBatch(batch)
  }

  /** Drops what is not committed; those deliveries are attempted again at the next start. */
  discard(): void {
    this.#isDiscarding = true
    this.#cancelTimer?.()
    for (const { settle } of this.#waiting.splice(0)) settle()
  }

  #flushAfter(delayMs: number): void {
    this.#cancelTimer ??= this.options.clock.after(delayMs, () => this.flush())
  }

  async #writeBatch(batch: readonly PendingOutcome[]): Promise<void> {
    const { db, log } = this.options
    try {
      const pausing: PendingOutcome[] = await db.write((tx) =>
        batch.filter((each) => recordOutcome(tx, each)),
      )
      for (const { due } of pausing) log.warn('a subscription is paused', { webhook_id: due.webhookId })
      for (const { settle } of batch) settle()
    } catch (error) {
      log.warn('the outcomes of deliveries could not be saved yet', { error: String(error) })
      this.#waiting.push(...batch)
      if (this.#isDiscarding) this.discard()
      else this.#flushAfter(RETRY_WRITE_MS)
    }
  }
}

/**
 * Saves the outcome of an attempt, unless the delivery was requested again or deleted in the meantime. Returns whether
 * it pauses the subscription.
 */
function recordOutcome(tx: Tx, { due, outcome, attemptedAt }: FinishedAttempt): boolean {
  const attempts = due.attempts + 1
  const step = nextStep(outcome, attempts)
  const { changes } = tx.sql.run(
    `UPDATE webhook_deliveries SET status = ?, attempts = ?, is_urgent = 0, response_status = ?, error = ?,
       next_attempt_at = ?, last_attempt_at = ?, ended_at = ?
     WHERE event = ? AND webhook = ? AND id = ? AND redeliveries = ? AND status = 'pending'`,
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
    due.redeliveries,
  )
  if (changes === 0 || due.type === TEST_EVENT || step.status === 'pending') return false
  return step.status === 'failed' ? countFailure(tx, due.webhook) : resetFailures(tx, due.webhook)
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

function resetFailures({ sql, now }: Tx, webhook: number): false {
  sql.run(
    `UPDATE webhooks SET consecutive_failures = 0, updated_at = max(?, updated_at + 1)
     WHERE pk = ? AND consecutive_failures > 0`,
    now,
    webhook,
  )
  return false
}
