import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Db } from '../storage/database.ts'
import type { Reader } from '../storage/reader.ts'
import type { QueryScheduling, WorkerClient, WorkerQuery, WorkerTask } from '../storage/worker/client.ts'
import { forSomeMilliseconds, pauseBetween } from '../storage/writes/chunks.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/*
 * Jobs are the only way to defer work. A write enqueues a job in its own transaction, as a row of `jobs`. The work is
 * therefore neither lost nor done for a failed write. The server then runs the job's steps between other writes, a few
 * milliseconds at a time. A crash repeats at most one transaction of steps.
 *
 * The `due_at` of a job that is due at once counts its steps from 0. It is in the past whatever the clock says, and the
 * job with the fewest steps comes first. The runner rotates between kinds, so a long backlog of one kind never delays
 * another.
 */

/** Identifies a job within its kind: usually the pk of the object that it works on. */
export type JobKey = number | string

export interface Job<Key extends JobKey = JobKey, State = unknown> {
  readonly kind: string
  /**
   * Does the next part of the work, at most about 200 rows and 5 ms. Returns the state for the next step, which must be
   * a JSON value. `later` pauses the job. A step may find that its object is gone, and, after a restart, that
   * `prepared` is missing.
   */
  step(tx: Tx, key: Key, state: State, prepared?: unknown): State | 'done' | Later<State>
  /**
   * Whether a step may take longer, such as dropping an index. A server runs it in another thread when no write waits.
   */
  readonly isLong?: true
  /**
   * Runs the job only while nothing else is written, because it is cheaper after many writes than after each of them.
   * An urgent job also runs beside other writes.
   */
  readonly whenIdle?: { isUrgent(reader: Reader): boolean }
  readonly prepare?: Preparation<Key, State>
  /** Called in a server after the commit of the last step. */
  onDone?(log: Log, key: Key): void
  /** Makes the job recurring in every server. After a server starts, the first run begins within this time. */
  readonly everyMs?: number
}

/**
 * A slow read that a step needs. A thread runs it outside the transaction, so the step must check that its output is
 * still valid.
 */
interface Preparation<Key extends JobKey, State> {
  /** The input of the query; undefined if the step needs nothing new and gets the last prepared output. */
  inputOf(reader: Reader, key: Key, state: State): unknown
  readonly query: WorkerQuery<unknown, unknown>
}

class Later<State> {
  constructor(
    readonly dueAt: number,
    readonly state: State,
  ) {}
}

/** Returned by a step to pause its job until this instant. */
export const later = <State>(dueAt: number, state: State): Later<State> => new Later(dueAt, state)

/** `kind` is stored: renaming a released kind requires a migration. */
export const defineJob = <Key extends JobKey, State>(
  kind: string,
  step: Job<Key, State>['step'],
  options: Pick<Job<Key, State>, 'isLong' | 'whenIdle' | 'prepare' | 'onDone'> = {},
): Job<Key, State> => ({ kind, step, ...options })

/**
 * A job that always exists exactly once. `step` does some of its work and returns whether there is more; if not, the
 * job pauses.
 */
export const defineRecurringJob = (kind: string, everyMs: number, step: (tx: Tx) => boolean): Job => ({
  kind,
  everyMs,
  step: (tx) => (step(tx) ? null : later(tx.now + everyMs, null)),
})

/** The key of a recurring job. */
export const RECURRING = 0

/** Due immediately. */
export const AT_ONCE = 0

/** Writing counts as idle after this time without a write. */
export const IDLE_MS = 200

/**
 * Stores a job in the transaction of the write that causes it. An existing job of the same kind and key restarts with
 * this state.
 */
export function enqueue<Key extends JobKey, State>(
  tx: Tx,
  job: Job<Key, State>,
  key: Key,
  state: State,
  dueAt = AT_ONCE,
): void {
  storeJob(tx, job, key, state, dueAt)
  noteEnqueued(tx, job as Job, key, dueAt)
}

/** The same outside of a write, for example in an upgrade. No runner is notified. */
export function storeJob<Key extends JobKey, State>(
  { sql }: Reader,
  { kind }: Job<Key, State>,
  key: Key,
  state: State,
  dueAt = AT_ONCE,
): void {
  sql.run(
    `INSERT INTO jobs (kind, key, state, due_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET state = excluded.state, due_at = excluded.due_at`,
    kind,
    key,
    JSON.stringify(state),
    dueAt,
  )
}

/** Stores a job unless one of the same kind and key exists; an existing job continues. */
export function enqueueOnce<Key extends JobKey, State>(
  tx: Tx,
  job: Job<Key, State>,
  key: Key,
  state: State,
): void {
  const { kind } = job
  tx.sql.run(
    `INSERT OR IGNORE INTO jobs (kind, key, state, due_at) VALUES (?, ?, ?, ${AT_ONCE})`,
    kind,
    key,
    JSON.stringify(state),
  )
  noteEnqueued(tx, job as Job, key, AT_ONCE)
}

export const nameOf = (kind: string, key: JobKey): string => `${kind} ${key}`

/** Stores a job due at this instant, unless the existing one is due earlier. */
export function enqueueBy(tx: Tx, job: Pick<Job, 'kind'>, key: JobKey, dueAt: number): void {
  tx.sql.run(
    `INSERT INTO jobs (kind, key, state, due_at) VALUES (?, ?, 'null', ?)
     ON CONFLICT DO UPDATE SET due_at = excluded.due_at WHERE due_at > excluded.due_at`,
    job.kind,
    key,
    dueAt,
  )
  noteEnqueued(tx, job, key, dueAt)
}

/** Called with the milliseconds until a lookup finds the enqueued job. */
type EnqueueListener = (delayMs: number) => void

const newListeners = () => new Set<EnqueueListener>()

/** Calls the listener after transactions of this connection that enqueued jobs; returns a function that removes it. */
export function onEnqueued({ sql }: Reader, listener: EnqueueListener): () => void {
  const listeners = sql.state.of(newListeners)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The jobs that a transaction has enqueued, including those of savepoints that were rolled back. */
const newEnqueued = () => ({
  byName: new Map<string, { readonly kind: string; readonly key: JobKey }>(),
  delayMs: Number.POSITIVE_INFINITY,
})

/** Notifies the runner once, after the commit. */
function noteEnqueued(
  tx: Tx,
  { kind, whenIdle }: Pick<Job, 'kind' | 'whenIdle'>,
  key: JobKey,
  dueAt: number,
): void {
  const enqueued = tx.transaction.state.of(newEnqueued)
  if (enqueued.byName.size === 0)
    tx.afterCommit(() => {
      for (const listener of tx.sql.state.of(newListeners)) listener(enqueued.delayMs)
    })
  enqueued.byName.set(nameOf(kind, key), { kind, key })
  enqueued.delayMs = Math.min(enqueued.delayMs, Math.max(dueAt - tx.now, whenIdle ? IDLE_MS : 0))
}

const newService = () => ({ startedAt: Number.NEGATIVE_INFINITY })

/** The start time of the job runner of the database's server. */
export const serviceOf = ({ sql }: Reader): { startedAt: number } => sql.state.of(newService)

/** Removes a job whose work was done in another way. */
export const removeJob = <Key extends JobKey, State>({ sql }: Reader, { kind }: Job<Key, State>, key: Key) =>
  sql.run('DELETE FROM jobs WHERE kind = ? AND key = ?', kind, key)

/** Time limit for the steps that share the transaction of the write that causes a job. */
const FIRST_MS = 25

/** Runs the first steps of a job in the transaction of the write that causes it; enqueues the rest, if any. */
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
  const enqueued = [...transaction.state.of(newEnqueued).byName.values()]
  return enqueued.filter(({ kind }) => jobs.some((job) => job.kind === kind)).map(({ key }) => key)
}

/** Whether a job continues immediately after a step. */
const isDue = (result: unknown): boolean => result !== 'done' && !(result instanceof Later)

/** Whether a job is enqueued and not done yet. */
export const isPending = <Key extends JobKey>({ sql }: Reader, { kind }: Job<Key>, key: Key): boolean =>
  sql.get('SELECT 1 FROM jobs WHERE kind = ? AND key = ?', kind, key) !== undefined

/** The state from which a job continues; undefined without a job. */
export function findState<Key extends JobKey, State>(
  { sql }: Reader,
  { kind }: Pick<Job<Key, State>, 'kind' | 'step'>,
  key: Key,
): State | undefined {
  const found = sql.get<{ state: string }>('SELECT state FROM jobs WHERE kind = ? AND key = ?', kind, key)
  return found && JSON.parse(found.state)
}

/** Runs steps of a job for a few milliseconds; returns whether it is due again immediately. */
function runSteps(job: Job, tx: Tx, key: JobKey, prepared?: unknown): boolean {
  const { sql } = tx
  const { kind, step } = job
  let result = findState(tx, job, key)
  if (result === undefined) return false
  const hasMore = forSomeMilliseconds(() => {
    result = step(tx, key, result, prepared)
    // The next step may need a different input.
    return isDue(result) && !job.prepare
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
  return hasMore || isDue(result)
}

/** The connection and threads that run jobs. Without a worker, as in a command, long steps run like others. */
interface Place {
  readonly db: Db
  readonly worker?: WorkerClient
}

interface JobInput {
  readonly kind: string
  readonly key: JobKey
  readonly prepared?: unknown
}

/** Runs the job of this kind and key in the background thread. */
export const jobTask = (jobs: readonly Job[]): WorkerTask<JobInput, boolean> => ({
  name: 'features.job',
  isBackground: true,
  run: (tx, { kind, key, prepared }) => {
    const job = jobs.find((each) => each.kind === kind)
    return job !== undefined && runSteps(job, tx, key, prepared)
  },
})

const BACKGROUND = { schedulingKey: 'jobs', isBackground: true }

/** The prepared outputs for the next step of each job, by kind and key. */
export type Prepared = Map<string, unknown>

async function prepareStep(
  { db, worker }: Place,
  job: Job,
  key: JobKey,
  { all, turn }: Preparing,
): Promise<unknown> {
  const { prepare } = job
  const state = prepare && findState(db, job, key)
  if (!prepare || state === undefined) return undefined
  const name = nameOf(job.kind, key)
  const input = prepare.inputOf(db, key, state)
  if (input !== undefined)
    all.set(name, worker ? await worker.run(prepare.query, input, turn) : prepare.query.run(db, input))
  return all.get(name)
}

interface Preparing {
  readonly all: Prepared
  /** The caller under which the queries are scheduled. */
  readonly turn: QueryScheduling
}

/** Runs some steps in a transaction; returns whether the job is due again immediately. */
export async function runOnce(
  place: Place,
  job: Job,
  key: JobKey,
  all: Prepared,
  turn: QueryScheduling = BACKGROUND,
): Promise<boolean> {
  const { db, worker } = place
  const { kind, isLong } = job
  const prepared = await prepareStep(place, job, key, { all, turn })
  const hasMore =
    isLong && worker
      ? await worker.write(jobTask([job]), { kind, key, ...(prepared !== undefined && { prepared }) })
      : await db.write((tx): boolean => runSteps(job, tx, key, prepared))
  if (!hasMore) all.delete(nameOf(kind, key))
  return hasMore
}

/** Number of transactions between two pauses that leave the write lock free for other processes. */
export const STEPS_BETWEEN_PAUSES = 5

/**
 * Runs a job until it is done or pauses, for a caller whose response must include the finished work. Resolves
 * immediately if there is no job; rejects with the error of a step. The writes belong to no caller and alternate with
 * those of other requests. Preparations count as queries of the caller.
 */
export async function settle<Key extends JobKey, State>(
  place: Place,
  job: Job<Key, State>,
  key: Key,
  turn?: QueryScheduling,
): Promise<void> {
  const all: Prepared = new Map()
  for (let steps = 1; await runOnce(place, job as Job, key, all, turn); steps++)
    if (steps % STEPS_BETWEEN_PAUSES === 0) await pauseBetween(place.db)
}

/**
 * Settles every due job, for a process that does not serve the database. Jobs that wait for idle time are left to a
 * server, because reads do not depend on them.
 */
export async function settleAll(
  place: Place & { readonly clock: Clock },
  jobs: readonly Job[],
): Promise<void> {
  const { db, clock } = place
  const own = jobs.filter(({ whenIdle }) => !whenIdle)
  const listDue = () => listWaiting(db, own).filter(({ dueAt }) => dueAt <= clock.now())
  for (let due = listDue(); due.length > 0; due = listDue())
    for (const { job } of due) {
      const key = findFirst(db, job)
      if (key !== undefined) await settle(place, job, key)
    }
}

/** A kind with enqueued jobs, and the due time of its first one. */
export interface Waiting {
  readonly job: Job
  readonly dueAt: number
}

const FIRST_OF_EACH_KIND =
  'SELECT (SELECT min(due_at) FROM jobs WHERE kind = value) AS dueAt FROM json_each(?)'

/** The kinds with enqueued jobs, in declaration order. */
export function listWaiting({ sql }: Reader, jobs: readonly Job[]): Waiting[] {
  const first = sql.column<number | null>(FIRST_OF_EACH_KIND, JSON.stringify(jobs.map(({ kind }) => kind)))
  return jobs.flatMap((job, index) => {
    const dueAt = first[index] ?? null
    return dueAt === null ? [] : [{ job, dueAt }]
  })
}

/** The key of the job of a kind that is due first. */
export const findFirst = ({ sql }: Reader, { kind }: Job): JobKey | undefined =>
  sql.get<{ key: JobKey }>('SELECT key FROM jobs WHERE kind = ? ORDER BY due_at LIMIT 1', kind)?.key

/** SQL for the keys of the enqueued jobs of a kind. */
export const keysOf = ({ kind }: Pick<Job, 'kind'>): string => `SELECT key FROM jobs WHERE kind = '${kind}'`

/** A more exact count is not useful. */
const MAX_COUNTED = 10_000

/** The number of enqueued jobs of a kind, counted up to 10,000. */
export const countJobs = ({ sql }: Reader, { kind }: Pick<Job, 'kind'>): number =>
  sql.scalar(`SELECT count(*) FROM (SELECT 1 FROM jobs WHERE kind = ? LIMIT ${MAX_COUNTED})`, kind)
