import type { Clock } from '../../lib/clock.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type LongText, OPENING } from './protocol.ts'
import { shuttingDown } from './query-scheduler.ts'
import { type ThreadRequest, WorkerThread } from './thread.ts'

const CLOSE_WITHIN_MS = 5_000

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
  /** Called for each task that is no preparation; runs it while nothing else writes. */
  readonly around: (run: () => Promise<unknown>) => Promise<unknown>
}

/** Runs tasks in a thread of their own, one after the other, so that no query waits for a task. */
export class TaskQueue {
  readonly #options: TaskQueueOptions
  readonly #thread: WorkerThread
  readonly #waiting: WaitingTask[] = []
  #running: Promise<void> | undefined
  #isClosed = false

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
    await this.#thread.close()
  }

  async #open(request: ThreadRequest): Promise<void> {
    try {
      await this.#thread.run({ ...request, name: OPENING, input: undefined })
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
    const { clock, ids, around } = this.#options
    if (isPreparation) return this.#thread.run(request)
    // Starting a thread takes longer than many tasks do, and no write should wait for it.
    if (!this.#thread.isStarted) await this.#open(request)
    if (hasPreparation) await this.#thread.run({ ...request, kind: 'prepare' }, text)
    const input = hasPreparation ? undefined : request.input
    const run = () => this.#thread.run({ ...request, input, now: clock.now(), lastId: ids.last() })
    return around(() => run().finally(() => ids.follow(this.#thread.lastId)))
  }
}
