import { Admission } from '../../lib/admission.ts'
import type { Clock } from '../../lib/clock.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, shuttingDown, unavailable } from '../../lib/refusal.ts'
import { noResponse } from '../errors.ts'
import type { StartThread } from '../thread-start.ts'
import type { PausingAction } from '../writes/write-queue.ts'
import { ThreadClosed, ThreadFailed, type ThreadRequest, type WorkerOutput, WorkerThread } from './thread.ts'

const CLOSE_WITHIN_MS = 5_000

const AGAIN = 'it may have been written. Read it again before you send it again.'
const mayBeWritten = (event: string) => unavailable(`${event} before the write had ended; ${AGAIN}`)
const closedMeanwhile = () => mayBeWritten('The server shut down')
const failedMeanwhile = () => mayBeWritten('A thread of the server failed')

export interface TaskQueueOptions {
  readonly clock: Clock
  readonly log: Log
  /** The ids of the main thread, in one order with those of tasks. */
  readonly ids: IdSource
  /** Runs each task while other writes are paused. */
  readonly pauseDuring: (run: PausingAction<WorkerOutput>) => Promise<WorkerOutput>
  /** Called after the commit of a task with listeners. */
  readonly onWrite: () => void
  readonly startThread?: StartThread | undefined
}

/**
 * Runs tasks in a separate thread, one at a time and round-robin between callers, so that they delay no query and no
 * task of another queue.
 */
export class TaskQueue {
  readonly #options: TaskQueueOptions
  readonly #thread: WorkerThread
  readonly #turns = new Admission({ most: 1 })
  /** Settles when the current task has finished. */
  #current: Promise<unknown> | undefined
  #isClosed = false
  /** Whether the thread is closed for good. */
  #isEnded = false

  constructor(options: TaskQueueOptions) {
    this.#options = options
    this.#thread = new WorkerThread(options.clock, options.log, options.startThread)
  }

  /** `requester` is the key of its queue. Rejects early if the disk does not respond. */
  run(request: ThreadRequest, requester: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const onLate = () => reject(noResponse())
    const run = () => {
      const running = this.#runTask(request, onLate)
      this.#current = running.catch(() => {})
      return running
    }
    this.#turns.run({ key: requester }, run).then(resolve, reject)
    return promise
  }

  /** Rejects the queued tasks. */
  refuse(refusal: Refusal): void {
    this.#turns.refuse(refusal)
  }

  /** Refuses the queued tasks, and lets the current one finish for some seconds. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.refuse(shuttingDown())
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stopTimer = this.#options.clock.after(CLOSE_WITHIN_MS, resolve)
    await Promise.race([this.#current, late])
    stopTimer()
    this.#isEnded = true
    await this.#thread.close()
  }

  #send(request: ThreadRequest, onCommitting?: () => void): Promise<WorkerOutput> {
    return this.#isEnded ? Promise.reject(shuttingDown()) : this.#thread.run(request, onCommitting)
  }

  async #runTask(request: ThreadRequest, onLate: () => void): Promise<unknown> {
    if (this.#isClosed) throw shuttingDown()
    // Starting a thread takes longer than many tasks do, and no write should wait for it. If it fails, the
    // task will fail.
    if (!this.#thread.isStarted)
      await this.#send({ ...request, kind: 'open', input: undefined }).catch(() => {})
    const { clock, ids, pauseDuring, onWrite } = this.#options
    const { output, hasWritten } = await pauseDuring(async (beginSync) => {
      const now = { now: clock.now(), lastId: ids.last() }
      const running = this.#send({ ...request, ...now }, () => beginSync(onLate))
      const done = await unlessThreadEnds(running, closedMeanwhile, failedMeanwhile)
      ids.follow(done.lastId)
      return done
    })
    if (hasWritten) onWrite()
    return output
  }
}

/** Adds the refusals for a thread that was closed or failed meanwhile. */
const unlessThreadEnds = <Result>(
  running: Promise<Result>,
  ifClosed: () => Refusal,
  ifFailed: () => Refusal,
): Promise<Result> =>
  running.catch((error) => {
    if (error instanceof ThreadClosed) throw ifClosed()
    throw error instanceof ThreadFailed ? ifFailed() : error
  })
