import type { Clock } from '../../lib/clock.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { type LongText, OPENING } from './protocol.ts'
import { shuttingDown } from './query-scheduler.ts'
import { ThreadClosed, type ThreadRequest, WorkerThread } from './thread.ts'

const CLOSE_WITHIN_MS = 5_000

const mayBeWritten = () =>
  unavailable(
    'The server shut down before the write had ended; it may have been written. Read it again before you send it again.',
  )

interface TaskOptions {
  readonly isPreparation?: boolean
  /** Whether the input is sent, with a text, to be prepared before writes wait. */
  readonly hasPreparation?: boolean
  readonly text?: LongText
}

interface WaitingTask {
  readonly request: ThreadRequest
  readonly options: TaskOptions
  resolve(output: unknown): void
  reject(error: unknown): void
}

export interface TaskQueueOptions {
  readonly clock: Clock
  readonly log: Log
  /** The ids of the main thread, which come in one order with those of tasks. */
  readonly ids: IdSource
  /** Called for each task that is no preparation; runs it while nothing else writes, also no task of another queue. */
  readonly around: (run: () => Promise<unknown>) => Promise<unknown>
}

/** Runs tasks in a thread of their own, one after the other, so that no query, and no task of another queue, waits for them. */
export class TaskQueue {
  readonly #options: TaskQueueOptions
  readonly #thread: WorkerThread
  readonly #waiting: WaitingTask[] = []
  #running: Promise<void> | undefined
  #isClosed = false
  /** Whether the thread is closed for good. */
  #isEnded = false

  constructor(options: TaskQueueOptions) {
    this.#options = options
    this.#thread = new WorkerThread(options.clock, options.log)
  }

  run(request: ThreadRequest, options: TaskOptions = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(shuttingDown())
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ request, options, resolve, reject })
    this.#running ??= this.#runAll()
    return promise
  }

  /** Refuses the tasks that wait, and lets the one that runs finish, for some seconds. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(shuttingDown())
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stopTimer = this.#options.clock.after(CLOSE_WITHIN_MS, resolve)
    await Promise.race([this.#running, late])
    stopTimer()
    this.#isEnded = true
    await this.#thread.close()
  }

  #send(request: ThreadRequest, text?: LongText): Promise<unknown> {
    return this.#isEnded ? Promise.reject(shuttingDown()) : this.#thread.run(request, text)
  }

  async #open(request: ThreadRequest): Promise<void> {
    try {
      await this.#send({ ...request, name: OPENING, input: undefined })
    } catch {
      // The task itself will fail too, or start another thread.
    }
  }

  async #runAll(): Promise<void> {
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) {
      await this.#runTask(task).then(task.resolve, task.reject)
    }
    this.#running = undefined
  }

  async #runTask({
    request,
    options: { isPreparation, hasPreparation, text },
  }: WaitingTask): Promise<unknown> {
    if (isPreparation) return orIfClosed(this.#send(request), shuttingDown)
    // Starting a thread takes longer than many tasks do, and no write should wait for it.
    if (!this.#thread.isStarted) await this.#open(request)
    if (hasPreparation) await orIfClosed(this.#send({ ...request, kind: 'prepare' }, text), shuttingDown)
    const { clock, ids, around } = this.#options
    const input = hasPreparation ? undefined : request.input
    const run = () => this.#send({ ...request, input, now: clock.now(), lastId: ids.last() })
    return around(() => orIfClosed(run(), mayBeWritten).finally(() => ids.follow(this.#thread.lastId)))
  }
}

/** With the refusal that its caller gets if the thread was closed meanwhile. */
function orIfClosed(running: Promise<unknown>, refusal: () => Refusal): Promise<unknown> {
  return running.catch((error) => {
    throw error instanceof ThreadClosed ? refusal() : error
  })
}
