import type { Db } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import {
  FAILURES_TO_PAUSE,
  type FinishedAttempt,
  type OutcomeResult,
  recordOutcome,
  UNREMARKABLE,
} from './delivery-queue.ts'

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
      const results: OutcomeResult[] = await db.write((tx) => batch.map((each) => recordOutcome(tx, each)))
      for (const [index, each] of batch.entries()) logResult(log, each, results[index])
      for (const { settle } of batch) settle()
    } catch (error) {
      log.warn('the outcomes of deliveries could not be saved yet', { error: String(error) })
      this.#waiting.push(...batch)
      if (this.#isDiscarding) this.discard()
      else this.#flushAfter(RETRY_WRITE_MS)
    }
  }
}

function logResult(log: Log, { due, outcome }: FinishedAttempt, result = UNREMARKABLE): void {
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
