import { serialize } from 'bun:jsc'
import { Admission, type Release } from '../../lib/admission.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, refused, shuttingDown, unavailable } from '../../lib/refusal.ts'
import type { StartThread } from '../thread-start.ts'
import { ThreadFailed, type ThreadRequest, WorkerThread } from './thread.ts'

/** The place of a query among those of others. */
export interface QueryScheduling {
  /** The key by which queries take turns: that of a caller, mostly. */
  readonly schedulingKey: string
  /** Aborts once the result is no longer needed; the query is then stopped. */
  readonly signal?: AbortSignal
  /** Whether the query has no time limit and is never refused, as for a watch. */
  readonly isBackground?: boolean
}

/** A request that waits for the result of a query. */
interface Waiter {
  resolve(output: unknown): void
  reject(error: unknown): void
  /** Cancels the deadline by which the query must have begun. */
  stopTimer: () => void
}

/** A query, from its first request to its end. */
interface Job {
  readonly key: string
  /** Equal for equal queries of one key. */
  readonly name: string
  readonly isBackground: boolean
  readonly request: ThreadRequest
  /** Empty once the query is settled. */
  readonly waiters: Set<Waiter>
  /** Leaves the queue for threads. */
  leaveQueue: () => void
  /** The thread that runs it; undefined while it is queued. */
  thread: WorkerThread | undefined
  /** The state of the database when it began. */
  state: number
  /** Settles when its thread is free again. */
  finished: Promise<void> | undefined
}

export interface QuerySchedulerOptions {
  readonly clock: Clock
  readonly log: Log
  /** A number that changes whenever a query may have another result. */
  readonly state: () => number
  readonly startThread?: StartThread | undefined
}

/** The time limit of a running query. */
const TIME_LIMIT_MS = 30_000
/** Each key runs one query at a time, so that it never occupies all threads. */
const THREADS = 2
/** How many queries of one key may run or be queued for a thread. */
const MAX_PER_KEY = 8
/** How many further queries of one key may wait to be queued. */
const MAX_IN_LINE = 64
/** The time limit of each of these two queues. */
const MAX_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

const busy = (sentence: string) => unavailable(sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
const tooMany = () =>
  busy(
    `This key already has ${MAX_PER_KEY + MAX_IN_LINE} large queries that wait or run; try again when one is done.`,
  )
const waitedTooLong = () =>
  busy(`The query waited ${MAX_WAIT_MS / 1000} seconds for other queries and was refused; try again later.`)
const ranTooLong = () =>
  refused(
    `The query took longer than ${TIME_LIMIT_MS / 1_000} seconds and was stopped; narrow it with a filter.`,
  )
const threadFailed = () => unavailable('The query was lost with the thread that ran it; try again.')
const callerIsGone = () => unavailable('The client closed the connection.')

/** Equal for equal queries of one key, as sent to a thread. */
const nameOf = (key: string, isBackground: boolean, { name, input }: ThreadRequest): string =>
  `${key} ${isBackground} ${name} ${Buffer.from(serialize(input)).toString('latin1')}`

/**
 * Runs queries in worker threads, round-robin between keys, and stops those whose requests have ended. Equal requests
 * for the same state share one query.
 */
export class QueryScheduler {
  readonly #options: QuerySchedulerOptions
  /** Threads, of which a key has one at a time. */
  readonly #turns = new Admission({ most: THREADS, mostPerKey: 1 })
  /** The queries of a key, except background ones: the first eight run or are queued, the others wait. */
  readonly #jobs = new Map<string, Job[]>()
  readonly #threads: WorkerThread[] = []
  /** Every query, until it is settled and its thread is free again. */
  readonly #all = new Set<Job>()
  /** The queries that other requests may share, by name. */
  readonly #shared = new Map<string, Job>()
  readonly #idle: WorkerThread[] = []
  #isClosed = false

  constructor(options: QuerySchedulerOptions) {
    this.#options = options
  }

  run(
    request: ThreadRequest,
    { schedulingKey: key, signal, isBackground = false }: QueryScheduling,
  ): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(shuttingDown())
    if (signal?.aborted) return Promise.reject(callerIsGone())
    const name = nameOf(key, isBackground, request)
    const shared = this.#findShared(name)
    const job = shared ?? this.#add({ key, name, isBackground, request })
    if (!job) return Promise.reject(tooMany())
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const waiter: Waiter = { resolve, reject, stopTimer: () => {} }
    job.waiters.add(waiter)
    this.#startTimer(job, waiter)
    const onAbort = () => this.#leave(job, waiter, callerIsGone())
    signal?.addEventListener('abort', onAbort)
    if (!shared && this.#mayQueue(job)) this.#enqueue(job)
    return promise.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  /** Refuses all queries, and ends the threads as soon as they have stopped. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#all]
    for (const job of all) this.#end(job, shuttingDown())
    await Promise.all(all.map(({ finished }) => finished))
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  /** A query with the same result as a new one: it has not begun, or nothing was written since. */
  #findShared(name: string): Job | undefined {
    const job = this.#shared.get(name)
    return job && (!job.thread || job.state === this.#options.state()) ? job : undefined
  }

  /** Undefined if the key has too many queries. */
  #add(query: Pick<Job, 'key' | 'name' | 'isBackground' | 'request'>): Job | undefined {
    const { key, name, isBackground } = query
    const start = { leaveQueue: () => {}, thread: undefined, state: 0, finished: undefined }
    const job: Job = { ...query, waiters: new Set(), ...start }
    const jobs = this.#jobs.get(key) ?? []
    if (!isBackground) {
      if (jobs.length === MAX_PER_KEY + MAX_IN_LINE) return undefined
      jobs.push(job)
      this.#jobs.set(key, jobs)
    }
    this.#shared.set(name, job)
    this.#all.add(job)
    return job
  }

  /** Whether a new query may queue for a thread now. */
  #mayQueue({ key, isBackground }: Job): boolean {
    return isBackground || (this.#jobs.get(key) ?? []).length <= MAX_PER_KEY
  }

  #enqueue(job: Job): void {
    if (this.#isClosed) return
    job.leaveQueue = this.#turns.enter(job, (release) => {
      job.finished = this.#runJob(job, this.#idle.pop() ?? this.#newThread(), release)
    })
  }

  /** Removes a query and queues the next one of its key. */
  #remove(job: Job): void {
    const { key, name } = job
    if (this.#shared.get(name) === job) this.#shared.delete(name)
    job.leaveQueue()
    if (!job.thread) this.#all.delete(job)
    const jobs = this.#jobs.get(key) ?? []
    const at = jobs.indexOf(job)
    if (at === -1) return
    jobs.splice(at, 1)
    if (jobs.length === 0) this.#jobs.delete(key)
    const next = jobs[MAX_PER_KEY - 1]
    if (at >= MAX_PER_KEY || !next) return
    this.#enqueue(next)
    for (const waiter of next.waiters) this.#startTimer(next, waiter)
  }

  #startTimer(job: Job, waiter: Waiter): void {
    if (job.isBackground || job.thread) return
    waiter.stopTimer()
    waiter.stopTimer = this.#options.clock.after(MAX_WAIT_MS, () => this.#leave(job, waiter, waitedTooLong()))
  }

  #newThread(): WorkerThread {
    const { clock, log, startThread } = this.#options
    const thread = new WorkerThread(clock, log, startThread)
    this.#threads.push(thread)
    return thread
  }

  async #runJob(job: Job, thread: WorkerThread, release: Release): Promise<void> {
    const { clock, state } = this.#options
    for (const { stopTimer } of job.waiters) stopTimer()
    job.thread = thread
    job.state = state()
    const finished = thread.run(job.request)
    const stopTimer = clock.after(TIME_LIMIT_MS, () => this.#end(job, ranTooLong()))
    try {
      const { output } = await finished
      this.#settle(job, ({ resolve }) => resolve(output))
    } catch (error) {
      this.#settle(job, ({ reject }) => reject(error instanceof ThreadFailed ? threadFailed() : error))
    }
    stopTimer()
    this.#all.delete(job)
    this.#idle.push(thread)
    release()
  }

  /** Refuses one request; the query ends with its last request. */
  #leave(job: Job, waiter: Waiter, refusal: Refusal): void {
    if (job.waiters.size === 1 && job.waiters.has(waiter)) this.#end(job, refusal)
    else if (job.waiters.delete(waiter)) refuse(waiter, refusal)
  }

  /** Refuses a query; a running one occupies its thread until it has stopped. */
  #end(job: Job, refusal: Refusal): void {
    job.thread?.stop()
    this.#settle(job, (waiter) => refuse(waiter, refusal))
  }

  #settle(job: Job, settle: (waiter: Waiter) => void): void {
    if (job.waiters.size === 0) return
    const waiters = [...job.waiters]
    job.waiters.clear()
    this.#remove(job)
    for (const waiter of waiters) settle(waiter)
  }
}

function refuse({ stopTimer, reject }: Waiter, refusal: Refusal): void {
  stopTimer()
  reject(refusal)
}
