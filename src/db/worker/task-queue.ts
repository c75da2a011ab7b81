import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { OPENING, type WorkerRequest } from './protocol.ts'
import { shuttingDown } from './query-scheduler.ts'
import { WorkerThread } from './thread.ts'

const CLOSE_WITHIN_MS = 5_000

type TaskRequest = Omit<WorkerRequest, 'stopFlag'>

interface WaitingTask {
  readonly request: TaskRequest
  readonly isPreparation: boolean
  resolve(output: unknown): void
  reject(error: unknown): void
}

export interface TaskQueueOptions {
  readonly clock: Clock
  readonly log: Log
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

  run(request: TaskRequest, isPreparation = false): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(shuttingDown())
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ request, isPreparation, resolve, reject })
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

  async #open(request: TaskRequest): Promise<void> {
    try {
      await this.#thread.run({ ...request, name: OPENING, input: undefined })
    } catch {
      // The task itself will fail too, or start another thread.
    }
  }

  async #runAll(): Promise<void> {
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) {
      const { request, isPreparation, resolve, reject } = task
      const run = () => this.#thread.run(request)
      // Starting a thread takes longer than many tasks do, and no write should wait for it.
      if (!isPreparation && !this.#thread.isStarted) await this.#open(request)
      await (isPreparation ? run() : this.#options.around(run)).then(resolve, reject)
    }
    this.#running = undefined
  }
}
