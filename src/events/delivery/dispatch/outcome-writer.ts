import { type Clock, sleep } from '../../../lib/clock.ts'
import { reach } from '../../../lib/failure-points.ts'
import type { Log } from '../../../lib/log.ts'
import type { Db } from '../../../storage/database.ts'
import { isOfTarget } from '../../sources/forward-queue.ts'
import {
  FAILURES_TO_PAUSE,
  type FinishedAttempt,
  type LoggedOutcome,
  NOTHING_TO_LOG,
  recordOutcomes,
} from './delivery-queue.ts'

const MAX_BATCH = 256
const RETRY_WRITE_MS = 1_000

interface WriterOptions {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Once it aborts, nothing more is saved: the next start attempts such deliveries again. */
  readonly signal: AbortSignal
}

/** Saves the outcomes of attempts. Outcomes that arrive during a commit share the next one. */
export class OutcomeWriter {
  readonly #queue: (FinishedAttempt & { settle(): void })[] = []
  #isWriting = false

  constructor(private readonly options: WriterOptions) {}

  /** Resolves when the outcome is committed or abandoned. */
  write(attempt: FinishedAttempt): Promise<void> {
    return new Promise((settle) => {
      this.#queue.push({ ...attempt, settle })
      if (!this.#isWriting) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    const { clock, signal } = this.options
    this.#isWriting = true
    while (this.#queue.length > 0 && !signal.aborted) {
      const batch = this.#queue.slice(0, MAX_BATCH)
      if (await this.#hasWritten(batch))
        for (const { settle } of this.#queue.splice(0, batch.length)) settle()
      else if (!signal.aborted) await sleep(clock, RETRY_WRITE_MS, signal)
    }
    for (const { settle } of this.#queue.splice(0)) settle()
    this.#isWriting = false
  }

  async #hasWritten(batch: readonly FinishedAttempt[]): Promise<boolean> {
    const { db, log } = this.options
    try {
      const results = await db.write((tx): LoggedOutcome[] => {
        const recorded = recordOutcomes(tx, batch)
        reach('delivery recorded')
        return recorded
      })
      for (const [index, each] of batch.entries()) logResult(log, each, results[index])
      return true
    } catch (error) {
      log.warn('the outcomes of deliveries could not be saved yet', { error: String(error) })
      return false
    }
  }
}

const ownerOf = ({ webhook, webhookId }: FinishedAttempt['due']) =>
  isOfTarget(webhook) ? { source_id: webhookId } : { webhook_id: webhookId }

function logResult(log: Log, { due, outcome }: FinishedAttempt, result = NOTHING_TO_LOG): void {
  if (result.hasFailed) {
    log.warn('a delivery failed for good', {
      ...ownerOf(due),
      delivery_id: due.id,
      event: due.type,
      attempts: due.attempts + 1,
      response_status: outcome.status,
      error: outcome.error,
    })
  }
  if (result.isPausing) {
    log.warn('a subscription is paused', { ...ownerOf(due), failures: FAILURES_TO_PAUSE })
  }
}
