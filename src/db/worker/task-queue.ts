import type { Clock } from '../../lib/clock.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { notConfirmedYet, type PausingAction } from '../writes/sync.ts'
import { type LongText, OPENING } from './protocol.ts'
import { shuttingDown } from './query-scheduler.ts'
import { ThreadClosed, ThreadFailed, type ThreadRequest, WorkerThread } from './thread.ts'
import { Turns } from './turns.ts'

const CLOSE_WITHIN_MS = 5_000
/** A task may commit much: for as long as this the disk may be busy with it. */
const COMMIT_WITHIN_MS = 10_000

const AGAIN = 'it may have been written. Read it again before you send it again.'
const mayBeWritten = (event: string) => unavailable(`${event} before the write had ended; ${AGAIN}`)
const closedMeanwhile = () => mayBeWritten('The server shut down')
const failedMeanwhile = () => mayBeWritten('A thread of the server failed')
const failedBefore = () => unavailable('A thread of the server failed; nothing was written. Try again.')

interface TaskOptions {
  readonly isPreparation?: boolean
  /** Whether the input is sent, with a text, to be prepared before writes wait. */
  readonly hasPreparation?: boolean
  readonly text?: LongText
}

export interface TaskQueueOptions {
  readonly clock: Clock
  readonly log: Log
  /** The ids of the main thread, which come in one order with those of tasks. */
  readonly ids: IdSource
  /** Called for each task that is no preparation; runs it while nothing else writes. */
  readonly around: (run: PausingAction<unknown>) => Promise<unknown>
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
  run(request: ThreadRequest, options: TaskOptions = {}): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const onLate = () => reject(notConfirmedYet())
    this.#turns.run(() => this.#runTask(request, options, onLate)).then(resolve, reject)
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

  #send(request: ThreadRequest, text?: LongText, onCommitting?: () => void): Promise<unknown> {
    return this.#isEnded ? Promise.reject(shuttingDown()) : this.#thread.run(request, text, onCommitting)
  }

  async #open(request: ThreadRequest): Promise<void> {
    try {
      await this.#send({ ...request, name: OPENING, input: undefined })
    } catch {
      // The task itself will fail too, or start another thread.
    }
  }

  async #runTask(
    request: ThreadRequest,
    { isPreparation, hasPreparation, text }: TaskOptions,
    onLate: () => void,
  ): Promise<unknown> {
    if (this.#isClosed) throw shuttingDown()
    if (isPreparation) return unlessThreadEnds(this.#send(request), shuttingDown, failedBefore)
    // Starting a thread takes longer than many tasks do, and no write should wait for it.
    if (!this.#thread.isStarted) await this.#open(request)
    if (hasPreparation) {
      const preparing = this.#send({ ...request, kind: 'prepare' }, text)
      await unlessThreadEnds(preparing, shuttingDown, failedBefore)
    }
    const { clock, ids, around } = this.#options
    const input = hasPreparation ? undefined : request.input
    return around((beginSync) => {
      const onCommitting = () => beginSync(onLate, COMMIT_WITHIN_MS)
      const running = this.#send(
        { ...request, input, now: clock.now(), lastId: ids.last() },
        '',
        onCommitting,
      )
      return unlessThreadEnds(running, closedMeanwhile, failedMeanwhile).finally(() =>
        ids.follow(this.#thread.lastId),
      )
    })
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
