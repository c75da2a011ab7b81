import type { Clock } from '../lib/clock.ts'
import { HOUR_MS } from '../lib/dates.ts'
import type { Log } from '../lib/log.ts'
import type { Db } from '../storage/database.ts'
import type { WorkerClient } from '../storage/worker/client.ts'
import { pauseForOthers } from '../storage/writes/chunks.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { othersHaveRun } from './fair-share.ts'
import { type Prepared, runOnce, STEPS_BETWEEN_PAUSES } from './job-steps.ts'
import {
  findFirst,
  IDLE_MS,
  isPending,
  type Job,
  type JobKey,
  listWaiting,
  nameOf,
  onEnqueued,
  SINGLE,
  serviceOf,
  type Waiting,
} from './jobs.ts'

/*
 * A server looks for jobs after transactions that enqueued some, after writes of other connections, and when the next
 * job falls due. A lookup is one query for all kinds; an idle server looks twice a minute.
 */

interface DueJob {
  readonly job: Job
  readonly key: JobKey
}

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = HOUR_MS
/** A starting server has more urgent work. */
const FIRST_RUN_MS = 5_000
/** Maximum time between lookups, whatever the clock does. */
const MAX_WAIT_MS = 30_000

/** Changes whenever a connection other than the reading one commits. */
const commitVersion = ({ sql }: Db): number => sql.scalar('PRAGMA data_version')

/** Runs the jobs of a server, from its start until `stop`. */
export class JobRunner {
  readonly #db: Db
  readonly #worker: WorkerClient
  readonly #clock: Clock
  readonly #log: Log
  readonly #jobs: readonly Job[]
  readonly #stopListening: readonly (() => void)[]
  /** Number of consecutive failures of a job, by kind and key. */
  readonly #failures = new Map<string, number>()
  readonly #prepared: Prepared = new Map()
  /** The index in `#jobs` of the kind that runs next. */
  #turn = 0
  /** The version after the last commit seen, and the time when it was first seen. */
  #seen = { version: -1, at: Number.NEGATIVE_INFINITY }
  #isStopped = false
  #hasBegun = false
  #running: Promise<void> | undefined
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(
    { db, worker, clock, log }: { db: Db; worker: WorkerClient; clock: Clock; log: Log },
    jobs: readonly Job[],
  ) {
    this.#db = db
    this.#worker = worker
    this.#clock = clock
    this.#log = log
    this.#jobs = jobs
    this.#stopListening = [
      onEnqueued(db, (delayMs) => this.#lookIn(delayMs)),
      db.onExternalWrite(() => this.#lookIn(0)),
    ]
    db.onLost(() => void this.stop())
    serviceOf(db).startedAt = clock.now()
    this.#lookIn(0)
  }

  /** Starts no further steps; resolves once the running step has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    for (const stop of this.#stopListening) stop()
    await this.#running
  }

  #lookIn(delayMs: number): void {
    if (this.#isStopped || this.#running) return
    const waitMs = Math.min(delayMs, MAX_WAIT_MS)
    const at = this.#clock.now() + waitMs
    if (waitMs > 0 && this.#timer && this.#timer.at <= at) return
    this.#timer?.cancel()
    this.#timer = undefined
    if (waitMs <= 0) this.#look()
    else this.#timer = { at, cancel: this.#clock.after(waitMs, () => this.#look()) }
  }

  #look(): void {
    this.#timer = undefined
    this.#running = this.#runDue().then((waitMs) => {
      this.#running = undefined
      this.#lookIn(waitMs)
    })
  }

  /** Runs jobs until none may run; returns the wait before the next one. */
  async #runDue(): Promise<number> {
    // Callers with completed writes get their responses first.
    await othersHaveRun()
    try {
      if (!this.#hasBegun) await this.#db.write((tx): void => this.#begin(tx))
      this.#hasBegun = true
      for (let steps = 1; ; steps++) {
        const waiting = listWaiting(this.#db, this.#jobs)
        const due = this.#isStopped ? undefined : this.#choose(waiting)
        if (!due) return this.#untilNext(waiting)
        await this.#runOne(due)
        this.#seen.version = commitVersion(this.#db)
        if (steps % STEPS_BETWEEN_PAUSES === 0 || !this.#isIdle()) await pauseForOthers()
        await this.#db.waitForCheckpoint()
      }
    } catch (error) {
      if (!this.#isStopped) this.#log.repeated('warn', 'jobs are delayed', { error: String(error) })
      return FIRST_RETRY_MS
    }
  }

  /** Enqueues recurring jobs. Brings forward jobs that were enqueued before the clock was set back. */
  #begin(tx: Tx): void {
    for (const { kind, everyMs } of this.#jobs)
      if (everyMs !== undefined)
        tx.sql.run(
          `INSERT INTO jobs (kind, key, state, due_at) VALUES (?, ?, 'null', ?)
           ON CONFLICT DO UPDATE SET due_at = min(due_at, ?)`,
          kind,
          SINGLE,
          tx.now + FIRST_RUN_MS,
          tx.now + everyMs,
        )
  }

  /** The first due job of the next kind in rotation. */
  #choose(waiting: readonly Waiting[]): DueJob | undefined {
    const now = this.#clock.now()
    const turnOf = (job: Job) =>
      (this.#jobs.indexOf(job) - this.#turn + this.#jobs.length) % this.#jobs.length
    const [next] = waiting
      .filter(({ job, dueAt }) => dueAt <= now && this.#mayRun(job))
      .sort((one, other) => turnOf(one.job) - turnOf(other.job))
    const key = next && findFirst(this.#db, next.job)
    if (!next || key === undefined) return undefined
    this.#turn = (this.#jobs.indexOf(next.job) + 1) % this.#jobs.length
    return { job: next.job, key }
  }

  #mayRun({ whenIdle }: Job): boolean {
    return !whenIdle || this.#isIdle() || whenIdle.isUrgent(this.#db)
  }

  /** Whether only jobs have written for a while. */
  #isIdle(): boolean {
    const version = commitVersion(this.#db)
    const now = this.#clock.now()
    if (version !== this.#seen.version) this.#seen = { version, at: now }
    return now - this.#seen.at >= IDLE_MS
  }

  /** In milliseconds. A due job that may not run yet waits for idle time. */
  #untilNext(waiting: readonly Waiting[]): number {
    const now = this.#clock.now()
    const waits = waiting.map(({ dueAt }) => (dueAt <= now ? IDLE_MS : dueAt - now))
    return Math.min(MAX_WAIT_MS, ...waits)
  }

  async #runOne({ job, key }: DueJob): Promise<void> {
    const name = nameOf(job.kind, key)
    try {
      const hasMore = await runOnce({ db: this.#db, worker: this.#worker }, job, key, this.#prepared)
      if (job.onDone && !hasMore && !isPending(this.#db, job, key)) job.onDone(this.#log, key)
      this.#failures.delete(name)
    } catch (error) {
      if (this.#isStopped) return
      const failures = this.#failures.get(name) ?? 0
      this.#failures.set(name, failures + 1)
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS)
      this.#log.repeated('warn', 'a job failed and is retried', { job: job.kind, key, error: String(error) })
      await this.#db.write(({ sql, now }): void => {
        sql.run('UPDATE jobs SET due_at = ? WHERE kind = ? AND key = ?', now + retryMs, job.kind, key)
      })
    }
  }
}
