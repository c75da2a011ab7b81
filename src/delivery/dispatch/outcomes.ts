import type { Db } from '../../db/database.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { AttemptOutcome } from '../client/attempt.ts'
import { TEST_EVENT } from '../outbox/event-types.ts'
import type { DueDelivery } from './queue.ts'
import { FAILURES_TO_PAUSE, nextStep } from './schedule.ts'

/** An attempt that is over. */
export interface Attempted {
  readonly due: DueDelivery
  readonly outcome: AttemptOutcome
  readonly attemptedAt: number
}

/** So many outcomes are written together, or as many as came within so long: each commit waits for the disk. */
const MOST_TOGETHER = 256
const TOGETHER_WITHIN_MS = 50
const TRY_AGAIN_MS = 1_000

interface Waiting extends Attempted {
  settle(): void
}

/** Writes down what comes of attempts, several in one transaction. */
export class OutcomeWriter {
  #waiting: Waiting[] = []
  #cancelTimer: (() => void) | undefined
  #isGivenUp = false

  constructor(private readonly options: { readonly db: Db; readonly clock: Clock; readonly log: Log }) {}

  /** Settles when the outcome is written, or never will be. */
  write(attempted: Attempted): Promise<void> {
    return new Promise((settle) => {
      if (this.#isGivenUp) return settle()
      this.#waiting.push({ ...attempted, settle })
      if (this.#waiting.length >= MOST_TOGETHER) this.flush()
      else this.#flushAfter(TOGETHER_WITHIN_MS)
    })
  }

  /** Waits for no more outcomes. */
  flush(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const together = this.#waiting
    this.#waiting = []
    if (together.length > 0) void this.#writeTogether(together)
  }

  /** What is not written by now is attempted again at the next start. */
  giveUp(): void {
    this.#isGivenUp = true
    this.#cancelTimer?.()
    for (const { settle } of this.#waiting.splice(0)) settle()
  }

  #flushAfter(delayMs: number): void {
    this.#cancelTimer ??= this.options.clock.after(delayMs, () => this.flush())
  }

  async #writeTogether(together: readonly Waiting[]): Promise<void> {
    const { db, log } = this.options
    try {
      const pausing: Waiting[] = await db.write((tx) => together.filter((each) => recordOutcome(tx, each)))
      for (const { due } of pausing) log.warn('a subscription is paused', { webhook_id: due.webhookId })
      for (const { settle } of together) settle()
    } catch (error) {
      log.warn('outcomes of deliveries are not written yet', { error: String(error) })
      this.#waiting.push(...together)
      if (this.#isGivenUp) this.giveUp()
      else this.#flushAfter(TRY_AGAIN_MS)
    }
  }
}

/**
 * Writes down what came of an attempt. Nothing, when the delivery was asked for again since, or is gone. Answers
 * whether the subscription is paused by it.
 */
function recordOutcome(tx: Tx, { due, outcome, attemptedAt }: Attempted): boolean {
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
