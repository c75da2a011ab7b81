import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import type { WorkerClient, WorkerTask } from '../db/worker/client.ts'
import { forSomeMilliseconds, pauseBetween } from '../db/writes/chunks.ts'
import { asNobody } from '../db/writes/requester.ts'
import type { Tx } from '../db/writes/transaction.ts'
import type { Clock } from '../lib/clock.ts'
import { HOUR_MS } from '../lib/dates.ts'
import type { Log } from '../lib/log.ts'

/*
 * A job is the only way to do work later. A write enqueues it in its own transaction, as a row of `jobs`, so that the work
 * is neither lost nor done for a write that failed. The server then runs its steps between other writes, a few
 * milliseconds at a time, and a crash repeats at most one transaction of them.
 *
 * A job that is due at once has a `due_at` that counts its steps from 0: it is in the past wherever the clock is, and the
 * job that has had the fewest steps is first. Kinds take turns, so a long backlog of one never delays another.
 */

/** Identifies a job among those of its kind: mostly the pk of the object that it works on. */
export type JobKey = number | string

export interface Job<Key extends JobKey = JobKey, State = unknown> {
  readonly kind: string
  /**
   * Does the next part of the work, at most about 200 rows and 5 ms, and returns the state from which the next step goes on,
   * which must be a JSON value. `later` pauses the job. A step may find that its object is gone.
   */
  step(tx: Tx, key: Key, state: State): State | 'done' | Later<State>
  /** Whether a step may take longer, as dropping an index does: a server runs it in another thread, when no write waits. */
  readonly isLong?: true
  /** A job that every server has; the first run after the start of a server begins after at most this time. */
  readonly everyMs?: number
}

class Later<State> {
  constructor(
    readonly dueAt: number,
    readonly state: State,
  ) {}
}

/** Returned by a step after which its job pauses until this instant. */
export const later = <State>(dueAt: number, state: State): Later<State> => new Later(dueAt, state)

/** `kind` is stored: one that was released is never renamed without a migration. */
export const defineJob = <Key extends JobKey, State>(
  kind: string,
  step: Job<Key, State>['step'],
  options: Pick<Job, 'isLong'> = {},
): Job<Key, State> => ({ kind, step, ...options })

/** A job that is there always, once. `step` does some of its work and returns whether there is more; if not, it pauses. */
export const defineRecurringJob = (kind: string, everyMs: number, step: (tx: Tx) => boolean): Job => ({
  kind,
  everyMs,
  step: (tx) => (step(tx) ? null : later(tx.now + everyMs, null)),
})

/** The key of a recurring job. */
export const RECURRING = 0

const AT_ONCE = 0

const newEnqueued = (): { readonly kind: string; readonly key: JobKey }[] => []

/** Stores a job in the transaction of the write that causes it. One of the same kind and key begins again with this state. */
export function enqueue<Key extends JobKey, State>(
  { sql, transaction }: Tx,
  { kind }: Job<Key, State>,
  key: Key,
  state: State,
  dueAt = AT_ONCE,
): void {
  transaction.state.of(newEnqueued).push({ kind, key })
  sql.run(
    `INSERT INTO jobs (kind, key, state, due_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, due_at = excluded.due_at`,
    kind,
    key,
    JSON.stringify(state),
    dueAt,
  )
}

/** How long the steps take that share the transaction of the write that causes a job. */
const FIRST_MS = 25

/** Runs the first steps of a job in the transaction of the write that causes it, and enqueues it if any are left. */
export function begin<Key extends JobKey, State>(tx: Tx, job: Job<Key, State>, key: Key, state: State): void {
  let result: ReturnType<typeof job.step> = state
  const hasMore = forSomeMilliseconds(() => {
    result = job.step(tx, key, result as State)
    return isDue(result)
  }, FIRST_MS)
  if (hasMore) enqueue(tx, job, key, result)
}

/** The keys of the jobs of these kinds that the transaction has enqueued. */
export function enqueuedKeys({ transaction }: Tx, jobs: readonly Job[]): JobKey[] {
  const enqueued = transaction.state.of(newEnqueued)
  return enqueued.filter(({ kind }) => jobs.some((job) => job.kind === kind)).map(({ key }) => key)
}

/** Whether a job goes on at once after a step. */
const isDue = (result: unknown): boolean => result !== 'done' && !(result instanceof Later)

/** Whether a job is enqueued and not done yet. */
export const isPending = <Key extends JobKey>({ sql }: Reader, { kind }: Job<Key>, key: Key): boolean =>
  sql.get('SELECT 1 FROM jobs WHERE kind = ? AND key = ?', kind, key) !== undefined

/** Runs steps of a job for a few milliseconds; returns whether it is due again at once. */
function runSteps({ kind, step }: Job, tx: Tx, key: JobKey): boolean {
  const { sql } = tx
  const text = sql.get<{ state: string }>('SELECT state FROM jobs WHERE kind = ? AND key = ?', kind, key)
  if (!text) return false
  let result: unknown = JSON.parse(text.state)
  const hasMore = forSomeMilliseconds(() => {
    result = step(tx, key, result)
    return isDue(result)
  })
  if (result === 'done') sql.run('DELETE FROM jobs WHERE kind = ? AND key = ?', kind, key)
  else {
    const { state, dueAt } = result instanceof Later ? result : { state: result, dueAt: null }
    sql.run(
      'UPDATE jobs SET state = ?, due_at = coalesce(?, due_at + 1) WHERE kind = ? AND key = ?',
      JSON.stringify(state),
      dueAt,
      kind,
      key,
    )
  }
  return hasMore
}

/** The connection and threads that run jobs; without a worker, as in a command, long steps run like others. */
interface Place {
  readonly db: Db
  readonly worker?: WorkerClient
}

/** Runs the job of this kind and key in the thread of background work. */
export const jobTask = (jobs: readonly Job[]): WorkerTask<{ kind: string; key: JobKey }, boolean> => ({
  name: 'features.job',
  isBackground: true,
  run: (tx, { kind, key }) => {
    const job = jobs.find((each) => each.kind === kind)
    return job !== undefined && runSteps(job, tx, key)
  },
})

function runOnce({ db, worker }: Place, job: Job, key: JobKey): Promise<boolean> {
  if (job.isLong && worker) return worker.write(jobTask([job]), { kind: job.kind, key })
  return db.write((tx): boolean => runSteps(job, tx, key))
}

/**
 * Runs a job until it is done or pauses, for a caller whose response must show finished work. Resolves at once when there
 * is none; rejects with the error of a step. The writes belong to no caller: other requests take turns with them.
 */
export async function settle<Key extends JobKey>(place: Place, job: Job<Key>, key: Key): Promise<void> {
  while (await asNobody(() => runOnce(place, job as Job, key))) await pauseBetween(place.db)
}

/** Does the same with every job that is due, for a process that does not serve the database. */
export async function settleAll(
  place: Place & { readonly clock: Clock },
  jobs: readonly Job[],
): Promise<void> {
  for (let due = findDue(place, jobs); due.length > 0; due = findDue(place, jobs))
    for (const { job, key } of due) await settle(place, job, key)
}

const DUE = 'SELECT key FROM jobs WHERE kind = ? AND due_at <= ? ORDER BY due_at'

const findDue = ({ db, clock }: { db: Reader; clock: Clock }, jobs: readonly Job[]): DueJob[] =>
  jobs.flatMap((job) =>
    db.sql.column<JobKey>(DUE, job.kind, clock.now()).map((key): DueJob => ({ job, key })),
  )

interface DueJob {
  readonly job: Job
  readonly key: JobKey
}

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = HOUR_MS
/** The delay of the next look after a commit, which may have enqueued a job. */
const LOOK_MS = 20
/** New servers have other things to do at first. */
const FIRST_RUN_MS = 5_000
/** Jobs are looked for at least this often, however the clock moves. */
const MAX_WAIT_MS = 30_000

/** Runs the jobs of a server, from its start until `stop`. */
export class JobRunner {
  readonly #db: Db
  readonly #worker: WorkerClient
  readonly #clock: Clock
  readonly #log: Log
  readonly #jobs: readonly Job[]
  readonly #stopListening: readonly (() => void)[]
  /** How many times in a row a job failed, by kind and key. */
  readonly #failures = new Map<string, number>()
  /** The position in `#jobs` of the kind whose turn is next. */
  #turn = 0
  #isStopped = false
  #hasBegun = false
  #running: Promise<void> | undefined
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(
    { db, worker, clock, log }: Required<Place> & { clock: Clock; log: Log },
    jobs: readonly Job[],
  ) {
    this.#db = db
    this.#worker = worker
    this.#clock = clock
    this.#log = log
    this.#jobs = jobs
    const look = () => this.#lookIn(LOOK_MS)
    this.#stopListening = [db.onCommit(look), db.onExternalWrite(look)]
    db.onLost(() => void this.stop())
    look()
  }

  /** Starts no more steps; resolves once the one that runs has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    for (const stop of this.#stopListening) stop()
    await this.#running
  }

  #lookIn(delayMs: number): void {
    if (this.#isStopped || this.#running) return
    const at = this.#clock.now() + delayMs
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.cancel()
    const cancel = this.#clock.after(delayMs, () => {
      this.#timer = undefined
      this.#running = asNobody(() => this.#runDue()).then((waitMs) => {
        this.#running = undefined
        this.#lookIn(waitMs)
      })
    })
    this.#timer = { at, cancel }
  }

  /** Runs jobs until none is due; returns how long to wait for the next one. */
  async #runDue(): Promise<number> {
    try {
      if (!this.#hasBegun) await this.#db.write((tx): void => this.#begin(tx))
      this.#hasBegun = true
      for (let due = this.#next(); due && !this.#isStopped; due = this.#next()) {
        await this.#runOne(due)
        await pauseBetween(this.#db)
      }
      return this.#untilNext()
    } catch (error) {
      if (!this.#isStopped) this.#log.repeated('warn', 'jobs are delayed', { error: String(error) })
      return FIRST_RETRY_MS
    }
  }

  /** Enqueues recurring jobs, and brings forward those enqueued with a clock that has been set back since. */
  #begin(tx: Tx): void {
    for (const { kind, everyMs } of this.#jobs)
      if (everyMs !== undefined)
        tx.sql.run(
          `INSERT INTO jobs (kind, key, state, due_at) VALUES (?, ?, 'null', ?)
           ON CONFLICT DO UPDATE SET due_at = min(due_at, ?)`,
          kind,
          RECURRING,
          tx.now + FIRST_RUN_MS,
          tx.now + everyMs,
        )
  }

  /** The first due job of the next kind that has one. */
  #next(): DueJob | undefined {
    const now = this.#clock.now()
    for (const _ of this.#jobs) {
      const job = this.#jobs[this.#turn % this.#jobs.length]
      this.#turn = (this.#turn + 1) % this.#jobs.length
      const found = job && this.#db.sql.get<{ key: JobKey }>(`${DUE} LIMIT 1`, job.kind, now)
      if (job && found) return { job, key: found.key }
    }
    return undefined
  }

  #untilNext(): number {
    const first = this.#jobs.map(({ kind }) =>
      this.#db.sql.scalar<number | null>('SELECT min(due_at) FROM jobs WHERE kind = ?', kind),
    )
    const at = Math.min(...first.filter((each) => each !== null))
    return Math.min(Math.max(at - this.#clock.now(), LOOK_MS), MAX_WAIT_MS)
  }

  async #runOne({ job, key }: DueJob): Promise<void> {
    const name = `${job.kind} ${key}`
    try {
      await runOnce({ db: this.#db, worker: this.#worker }, job, key)
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

/** SQL for the keys of the enqueued jobs of a kind. */
export const keysOf = ({ kind }: Pick<Job, 'kind'>): string => `SELECT key FROM jobs WHERE kind = '${kind}'`

/** Counting further says no more. */
const MAX_COUNTED = 10_000

/** How many jobs of a kind are enqueued, counted up to 10,000. */
export const countJobs = ({ sql }: Reader, { kind }: Pick<Job, 'kind'>): number =>
  sql.scalar(`SELECT count(*) FROM (SELECT 1 FROM jobs WHERE kind = ? LIMIT ${MAX_COUNTED})`, kind)
