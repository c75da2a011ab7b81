import type { Clock } from '../lib/clock.ts'
import { reach } from '../lib/failure-points.ts'
import type { Log } from '../lib/log.ts'
import type { Db } from '../storage/database.ts'
import { unlessStorageFails } from '../storage/errors.ts'
import type { Reader } from '../storage/reader.ts'
import type { QueryScheduling, WorkerClient } from '../storage/worker/client.ts'
import { forSomeMilliseconds, pauseBetween } from '../storage/writes/chunks.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { type Caller, callerKeyOf } from './caller.ts'
import {
  findFirst,
  findState,
  isDue,
  type Job,
  type JobKey,
  Later,
  listWaiting,
  nameOf,
  type UpgradeJob,
} from './jobs.ts'

/* Where and when the steps of jobs run: for a server by `job-runner.ts`, or for a caller that waits for them. */

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
  reach('job stepped')
  return hasMore || isDue(result)
}

/** The connection and threads that run jobs. Without a worker, as in a command, long steps run like others. */
interface Place {
  readonly db: Db
  readonly worker?: WorkerClient
}

/** A job in the format that crosses to a thread. */
export interface JobInput {
  readonly kind: string
  readonly key: JobKey
  readonly prepared?: unknown
}

/** Runs steps of jobs in the background thread. */
export interface JobStepping {
  readonly name: string
  readonly kind: 'stepping'
  run(tx: Tx, input: JobInput): boolean
}

/** Prepares steps of jobs in a reader thread. */
export interface JobPreparing {
  readonly name: string
  readonly kind: 'preparing'
  run(reader: Reader, input: JobInput): unknown
}

const STEPPING = 'jobs.step'
const PREPARING = { name: 'jobs.prepare', isLong: true }

export const jobRunning = (jobs: readonly Job[]): JobStepping => ({
  name: STEPPING,
  kind: 'stepping',
  run: (tx, { kind, key, prepared }) => {
    const job = jobs.find((each) => each.kind === kind)
    return job !== undefined && runSteps(job, tx, key, prepared)
  },
})

export const jobPreparing = (jobs: readonly Job[]): JobPreparing => ({
  name: PREPARING.name,
  kind: 'preparing',
  run: (reader, { kind, key }) => jobs.find((job) => job.kind === kind)?.prepare?.read(reader, key),
})

const BACKGROUND = { schedulingKey: 'jobs', isBackground: true }

/** The prepared outputs for the next step of each job, by kind and key. */
export type Prepared = Map<string, unknown>

async function prepareStep(
  { db, worker }: Place,
  { kind, prepare }: Job,
  key: JobKey,
  state: unknown,
  { all, turn }: Preparing,
): Promise<unknown> {
  if (!prepare) return undefined
  const name = nameOf(kind, key)
  const here = () => prepare.read(db, key)
  if (prepare.isNeeded?.(state) ?? true)
    all.set(name, await (worker ? worker.read(PREPARING, turn, here, () => ({ kind, key })) : here()))
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
  const { kind } = job
  const state = findState(db, job, key)
  if (state === undefined) return all.delete(nameOf(kind, key)) && false
  const prepared = await prepareStep(place, job, key, state, { all, turn })
  const input = { kind, key, ...(prepared !== undefined && { prepared }) }
  const hasMore =
    worker && !worker.isInline && job.isLong?.(db, state)
      ? ((await worker.task(STEPPING, input, BACKGROUND)) as boolean)
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
  caller?: Caller,
): Promise<void> {
  const all: Prepared = new Map()
  const turn = caller && {
    schedulingKey: callerKeyOf(caller),
    ...(caller.signal && { signal: caller.signal }),
  }
  for (let steps = 1; await runOnce(place, job as Job, key, all, turn); steps++)
    if (steps % STEPS_BETWEEN_PAUSES === 0) await pauseBetween(place.db)
}

/** Settles every due job of these kinds, also those that wait for idle time. */
export async function settleAll(
  place: Place & { readonly clock: Clock },
  jobs: readonly Job[],
): Promise<void> {
  const { db, clock } = place
  const listDue = () => listWaiting(db, jobs).filter(({ dueAt }) => dueAt <= clock.now())
  for (let due = listDue(); due.length > 0; due = listDue())
    for (const { job } of due) {
      const key = findFirst(db, job)
      if (key !== undefined) await settle(place, job, key)
    }
}

/** The same without the kinds that wait for idle time. */
export const settleBusy = (place: Parameters<typeof settleAll>[0], jobs: readonly Job[]): Promise<void> =>
  settleAll(
    place,
    jobs.filter(({ whenIdle }) => !whenIdle),
  )

const PROGRESS_MS = 2_000

/** Settles the jobs of an upgrade, also after it was interrupted, and logs the progress. */
export async function finishUpgrade(
  place: Place & { readonly clock: Clock; readonly log: Log },
  jobs: readonly UpgradeJob[],
): Promise<void> {
  const { db, clock, log } = place
  if (listWaiting(db, jobs).length === 0) return
  const countLeft = () => jobs.reduce((sum, job) => sum + job.countLeft(db), 0)
  const of = countLeft()
  const report = () => {
    log.info('finishing the upgrade', { done: of - countLeft(), of })
    log.flush()
  }
  const stop = clock.every(PROGRESS_MS, () => unlessStorageFails(log, report))
  try {
    await settleAll(place, jobs)
  } finally {
    stop()
  }
}
