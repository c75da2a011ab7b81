import type { Clock } from '../../lib/clock.ts'
import { FairQueue } from '../../lib/fair-queue.ts'
import type { Log } from '../../lib/log.ts'
import { Refusal, refused, unavailable } from '../../refusal.ts'
import { ThreadFailed, type ThreadRequest, WorkerThread } from './thread.ts'

/** For whom a query runs. */
export interface Requester {
  readonly userId: string
  readonly keyId: string | null
  readonly surface: string
  /** Aborts once the result is no longer needed; the query is then stopped. */
  readonly signal?: AbortSignal
  /** Whether the query waits for as long as it takes and is never refused for it, as that of a watch. */
  readonly isBackground?: boolean
}

/** Requests without a key are those of a user on a surface. */
export const requesterKey = ({ keyId, surface, userId }: Requester): string => keyId ?? `${surface} ${userId}`

/** One query from its arrival to its end. */
interface Job {
  readonly key: string
  readonly isBackground: boolean
  readonly request: ThreadRequest
  /** The thread that runs it; undefined while it waits. */
  thread: WorkerThread | undefined
  /** Settles when its thread is free again. */
  finished: Promise<void> | undefined
  /** Whether its caller has the result or the refusal. */
  isSettled: boolean
  resolve(output: unknown): void
  reject(error: unknown): void
}

export interface QuerySchedulerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly timeLimitMs: number
}

/** As a key runs one query at a time, a single one never has all threads. */
const THREADS = 2
/** How many queries of one key may wait or run. */
const MAX_PER_KEY = 8
const MAX_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

const busy = (sentence: string) => new Refusal('unavailable', sentence, RETRY_AFTER_SECONDS)
const tooMany = () =>
  busy(`This key already has ${MAX_PER_KEY} large queries that wait or run; try again when one is done.`)
const waitedTooLong = () =>
  busy(`The query waited ${MAX_WAIT_MS / 1000} seconds for other queries and was refused; try again later.`)
const ranTooLong = (seconds: number) =>
  refused(`The query took longer than ${seconds} seconds and was stopped; narrow it with a filter.`)
const threadFailed = () => unavailable('The query was lost with the thread that ran it; try again.')
const callerIsGone = () => unavailable('The client closed the connection.')
export const shuttingDown = () => unavailable('The server is shutting down; try again.')

/** Runs queries in worker threads, round-robin between keys, and stops those whose requests have ended. */
export class QueryScheduler {
  readonly #options: QuerySchedulerOptions
  readonly #queue = new FairQueue<Job>()
  readonly #threads: WorkerThread[] = []
  /** The queries that run, by key. */
  readonly #running = new Map<string, Job>()
  /** How many queries wait or run, by key; those in the background are not counted. */
  readonly #counts = new Map<string, number>()
  readonly #idle: WorkerThread[] = []
  #isClosed = false

  constructor(options: QuerySchedulerOptions) {
    this.#options = options
  }

  run(request: Job['request'], requester: Requester): Promise<unknown> {
    const { signal, isBackground = false } = requester
    const key = requesterKey(requester)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const start = { thread: undefined, finished: undefined, isSettled: false }
    const job: Job = { key, isBackground, request, resolve, reject, ...start }
    if (this.#isClosed) return Promise.reject(shuttingDown())
    if (signal?.aborted) return Promise.reject(callerIsGone())
    if (!isBackground && !this.#count(key)) return Promise.reject(tooMany())
    this.#queue.add(key, job, isBackground)
    const onAbort = () => this.#end(job, callerIsGone())
    signal?.addEventListener('abort', onAbort)
    const stopWaiting = isBackground
      ? undefined
      : this.#options.clock.after(MAX_WAIT_MS, () => {
          if (!job.thread) this.#end(job, waitedTooLong())
        })
    this.#dispatch()
    return promise.finally(() => {
      stopWaiting?.()
      signal?.removeEventListener('abort', onAbort)
    })
  }

  /** Refuses what waits and what runs, and ends the threads as soon as they have stopped. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of this.#queue.clear()) this.#settle(job, () => job.reject(shuttingDown()))
    const running = [...this.#running.values()]
    for (const job of running) this.#end(job, shuttingDown())
    await Promise.all(running.map(({ finished }) => finished))
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  /** Counts one more query of a key; false if it has too many. */
  #count(key: string): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= MAX_PER_KEY) return false
    this.#counts.set(key, count + 1)
    return true
  }

  #uncount({ key, isBackground }: Job): void {
    if (isBackground) return
    const count = (this.#counts.get(key) ?? 1) - 1
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }

  #dispatch(): void {
    while (!this.#isClosed && this.#running.size < THREADS) {
      const job = this.#queue.take((key) => !this.#running.has(key))
      if (!job) return
      job.finished = this.#runJob(job, this.#idle.pop() ?? this.#newThread())
    }
  }

  #newThread(): WorkerThread {
    const thread = new WorkerThread(this.#options.clock, this.#options.log)
    this.#threads.push(thread)
    return thread
  }

  async #runJob(job: Job, thread: WorkerThread): Promise<void> {
    const { clock, timeLimitMs } = this.#options
    job.thread = thread
    this.#running.set(job.key, job)
    const finished = thread.run(job.request)
    const isLate = () => this.#end(job, ranTooLong(timeLimitMs / 1000))
    const stopTimer = timeLimitMs > 0 ? clock.after(timeLimitMs, isLate) : isLate()
    try {
      const output = await finished
      this.#settle(job, () => job.resolve(output))
    } catch (error) {
      this.#settle(job, () => job.reject(error instanceof ThreadFailed ? threadFailed() : error))
    }
    stopTimer?.()
    this.#running.delete(job.key)
    this.#idle.push(thread)
    this.#dispatch()
  }

  /** Refuses a query; if it runs, it goes on to occupy its thread until it has stopped. */
  #end(job: Job, refusal: Refusal): void {
    if (job.isSettled) return
    if (job.thread) job.thread.stop()
    else this.#queue.remove(job.key, job)
    this.#settle(job, () => job.reject(refusal))
  }

  #settle(job: Job, settle: () => void): void {
    if (job.isSettled) return
    job.isSettled = true
    this.#uncount(job)
    settle()
  }
}
