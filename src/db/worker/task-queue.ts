import type { Clock } from '../../lib/clock.ts'
import { Turns } from '../../lib/fair-queue.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { noResponse } from '../errors.ts'
import { currentRequester } from '../writes/requester.ts'
import type { PausingAction } from '../writes/write-queue.ts'
import { OPENING } from './protocol.ts'
import { shuttingDown } from './query-scheduler.ts'
import { ThreadClosed, ThreadFailed, type ThreadRequest, WorkerThread } from './thread.ts'

const CLOSE_WITHIN_MS = 5_000

const AGAIN = 'it may have been written. Read it again before you send it again.'
const mayBeWritten = (event: string) => unavailable(`${event} before the write had ended; ${AGAIN}`)
const closedMeanwhile = () => mayBeWritten('The server shut down')
const failedMeanwhile = () => mayBeWritten('A thread of the server failed')
const failedBefore = () => unavailable('A thread of the server failed; nothing was written. Try again.')

export interface TaskQueueOptions {
  readonly clock: Clock
  readonly log: Log
  /** The ids of the main thread, which come in one order with those of tasks. */
  readonly ids: IdSource
  /** Called for each task that is no preparation; runs it while nothing else writes. */
  readonly around: (run: PausingAction<unknown>) => Promise<unknown>
  /** Called after the commit of a task that wrote what others wait for. */
  readonly onWrite: () => void
}

/**
 * Runs tasks in a thread of their own, one at a time and in turn between requesters, so that no query, and no task of
 * another queue, waits for them.
 */
export class TaskQueue {
  readonly #options: TaskQueueOptions
  readonly #thread: WorkerThread
  readonly #turns = new Turns()
  #isClosed = false
  /** Whether the thread is closed for good. */
  #isEnded = false

  constructor(options: TaskQueueOptions) {
    this.#options = options
    this.#thread = new WorkerThread(options.clock, options.log)
  }

  /** Rejects before the task has ended if the disk does not respond. */
  run(request: ThreadRequest, isPreparation: boolean): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const onLate = () => reject(noResponse())
    this.#turns
      .run(currentRequester(), () => this.#runTask(request, isPreparation, onLate))
      .then(resolve, reject)
    return promise
  }

  /** Rejects the tasks that wait. */
  refuse(refusal: Refusal): void {
    this.#turns.refuse(refusal)
  }

  /** Refuses the tasks that wait, and lets the one that runs finish, for some seconds. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.refuse(shuttingDown())
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stopTimer = this.#options.clock.after(CLOSE_WITHIN_MS, resolve)
    await Promise.race([this.#turns.running, late])
    stopTimer()
    this.#isEnded = true
    await this.#thread.close()
  }

  #send(request: ThreadRequest, onCommitting?: () => void): Promise<unknown> {
    return this.#isEnded ? Promise.reject(shuttingDown()) : this.#thread.run(request, onCommitting)
  }

  async #open(request: ThreadRequest): Promise<void> {
    try {
      await this.#send({ ...request, name: OPENING, input: undefined })
    } catch {
      // The task itself will fail too, or start another thread.
    }
  }

  async #runTask(request: ThreadRequest, isPreparation: boolean, onLate: () => void): Promise<unknown> {
    if (this.#isClosed) throw shuttingDown()
    if (isPreparation) return unlessThreadEnds(this.#send(request), shuttingDown, failedBefore)
    // Starting a thread takes longer than many tasks do, and no write should wait for it.
    if (!this.#thread.isStarted) await this.#open(request)
    const { clock, ids, around, onWrite } = this.#options
    const output = await around((beginSync) => {
      const onCommitting = () => beginSync(onLate)
      const running = this.#send({ ...request, now: clock.now(), lastId: ids.last() }, onCommitting)
      return unlessThreadEnds(running, closedMeanwhile, failedMeanwhile).finally(() =>
        ids.follow(this.#thread.lastId),
      )
    })
    if (this.#thread.wakes) onWrite()
    return output
  }
}

/** With the refusals that the caller gets if the thread was closed, or failed, meanwhile. */
function unlessThreadEnds(
  running: Promise<unknown>,
  ifClosed: () => Refusal,
  ifFailed: () => Refusal,
): Promise<unknown> {
  return running.catch((error) => {
    if (error instanceof ThreadClosed) throw ifClosed()
    throw error instanceof ThreadFailed ? ifFailed() : error
  })
}
