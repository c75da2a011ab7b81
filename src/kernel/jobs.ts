import type { Log } from '../lib/log.ts'
import type { Reader } from '../storage/reader.ts'
import { forSomeMilliseconds } from '../storage/writes/chunks.ts'
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
  /** Whether a step may take longer (`defineLongJob`). */
  isLong?(reader: Reader, state: State): boolean
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
  read(reader: Reader, key: Key): unknown
  /** Whether a step needs a new output; otherwise it gets the last one. */
  isNeeded?(state: State): boolean
}

export class Later<State> {
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
  options: Omit<Job<Key, State>, 'kind' | 'step' | 'isLong'> = {},
): Job<Key, State> => ({ kind, step, ...options })

/**
 * The same for a job whose step may take longer, such as dropping an index. A server runs it in another thread when no
 * write waits.
 */
export const defineLongJob: typeof defineJob = (kind, step, options) => ({
  ...defineJob(kind, step, options),
  isLong: () => true,
})

/**
 * A job that always exists exactly once. `step` does some of its work and returns whether there is more; if not, the
 * job pauses.
 */
export const defineRecurringJob = (kind: string, everyMs: number, step: (tx: Tx) => boolean): Job => ({
  kind,
  everyMs,
  step: (tx) => (step(tx) ? null : later(tx.now + everyMs, null)),
})

/**
 * A job of an upgrade. It is done before the database is used, so that all readers know one format of its tables. Its
 * steps may therefore be long.
 */
export interface UpgradeJob extends Job {
  /** The number of items that are still in an older format. */
  countLeft(reader: Reader): number
}

/** `convertSome` converts some items and returns whether there were any. */
export const defineUpgradeJob = (
  kind: string,
  countLeft: UpgradeJob['countLeft'],
  convertSome: (tx: Tx) => boolean,
): UpgradeJob => ({ kind, countLeft, step: (tx) => (convertSome(tx) ? null : 'done') })

/** Stores the jobs of an upgrade that have anything to convert, in its transaction. */
export function storeUpgradeJobs(reader: Reader, jobs: readonly UpgradeJob[]): void {
  for (const job of jobs) if (job.countLeft(reader) > 0) storeJob(reader, job, SINGLE, null)
}

/** The key of the jobs of a kind that has only one, such as a recurring job. */
export const SINGLE = 0

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
  if (result instanceof Later) enqueue(tx, job, key, result.state, result.dueAt)
  else if (hasMore) enqueue(tx, job, key, result)
}

/** Does the whole work of a job in this transaction, because there is little. */
export function runWhole<Key extends JobKey, State>(
  tx: Tx,
  job: Job<Key, State>,
  key: Key,
  state: State,
): void {
  let result: ReturnType<typeof job.step> = state
  do result = job.step(tx, key, result as State)
  while (isDue(result))
}

/** The keys of the jobs of these kinds that the transaction has enqueued. */
export function enqueuedKeys({ transaction }: Tx, jobs: readonly Job[]): JobKey[] {
  const enqueued = [...transaction.state.of(newEnqueued).byName.values()]
  return enqueued.filter(({ kind }) => jobs.some((job) => job.kind === kind)).map(({ key }) => key)
}

/** Whether a job continues immediately after a step. */
export const isDue = (result: unknown): boolean => result !== 'done' && !(result instanceof Later)

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
