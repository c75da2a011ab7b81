import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { Refusal, type RefusalCode, type RefusalData } from '../../lib/refusal.ts'
import { type StartThread, startWorker, type Thread } from '../thread-start.ts'

/** Sent before a task commits, which waits for the disk. */
export const COMMITTING = 'committing'

/** A message to a worker thread, which handles one request at a time. */
export interface WorkerRequest {
  readonly file: string
  /** The descriptor of the file that the process has open. */
  readonly descriptor: number | undefined
  /** `open` only opens the database; `close` closes its connections and is the last message. */
  readonly kind: 'query' | 'task' | 'open' | 'close'
  readonly name: string
  readonly input: unknown
  /** Whether no request waits for a task. */
  readonly isBackground: boolean
  /** The instant of a task, and the last id created by the main thread. */
  readonly now: number
  readonly lastId: string
  /** Shared memory; its only element becomes 1 when the request must stop. */
  readonly stopFlag: Int32Array
}

export interface WorkerOutput {
  readonly output: unknown
  /** The last id created by a task. */
  readonly lastId: string
  /** Whether listeners must be notified of the write. */
  readonly hasWritten?: boolean
}

/** The response of a worker thread; a refusal is sent as its parts. */
export type WorkerResponse =
  | WorkerOutput
  | { readonly code: RefusalCode; readonly sentence: string; readonly data: RefusalData }
  | { readonly failure: string }

/** A request that continues this long after it was stopped is abandoned. */
const STOP_WITHIN_MS = 2_000
/** The time limit for closing connections. */
const CLOSE_WITHIN_MS = 2_000

/** A request as created by the main thread; only a task has an instant and a last id. */
export type ThreadRequest = Pick<WorkerRequest, 'file' | 'kind' | 'name' | 'input'> &
  Partial<Pick<WorkerRequest, 'descriptor' | 'isBackground' | 'now' | 'lastId'>>

/** The thread was closed during a request, which may have been carried out. */
export class ThreadClosed extends Error {}

/**
 * The thread ended unexpectedly during a request, which may have been carried out. The next request starts a new
 * thread.
 */
export class ThreadFailed extends Error {}

/** A thread that runs one request at a time, started by the first one. */
export class WorkerThread {
  readonly #clock: Clock
  readonly #log: Log
  readonly #startThread: StartThread
  #worker: Thread | undefined
  /** Each worker has its own flag, so that an abandoned one stays stopped. */
  #stopFlag = newFlag()
  /** Ends the current request on this side. */
  #abandon: ((error: Error) => void) | undefined
  #stopTimer: (() => void) | undefined

  constructor(clock: Clock, log: Log, startThread = startWorker) {
    this.#clock = clock
    this.#log = log
    this.#startThread = startThread
  }

  get isStarted(): boolean {
    return this.#worker !== undefined
  }

  /**
   * Settles when the thread is free again. Refusals of the request are rethrown. `onCommitting` is called before a
   * task commits.
   */
  async run(request: ThreadRequest, onCommitting = () => {}): Promise<WorkerOutput> {
    const worker = this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<WorkerResponse>()
    this.#abandon = (error) => {
      this.#terminate()
      reject(error)
    }
    worker.onmessage = ({ data }: MessageEvent<WorkerResponse | typeof COMMITTING>) => {
      if (data === COMMITTING) onCommitting()
      else resolve(data)
    }
    Atomics.store(this.#stopFlag, 0, 0)
    // A worker keeps the process alive only during a request.
    worker.ref()
    const defaults = {
      descriptor: undefined,
      isBackground: false,
      now: 0,
      lastId: '',
      stopFlag: this.#stopFlag,
    }
    worker.postMessage({ ...defaults, ...request } satisfies WorkerRequest)
    try {
      return outputOf(await promise)
    } finally {
      worker.unref()
      this.#stopTimer?.()
      this.#stopTimer = undefined
      this.#abandon = undefined
    }
  }

  /**
   * Stops the current request. A statement that names its scan (`scan.ts`) ends within the next rows.
   * Otherwise the thread is abandoned: SQLite continues until the statement is complete.
   */
  stop(): void {
    if (!this.#abandon || this.#stopTimer) return
    Atomics.store(this.#stopFlag, 0, 1)
    this.#stopTimer = this.#clock.after(STOP_WITHIN_MS, () => {
      this.#log.warn('a worker thread did not stop and was abandoned')
      this.#abandon?.(new Error('the worker thread did not stop'))
    })
  }

  /**
   * Ends the thread, even during a request. An idle one first closes its connections, which would keep the database
   * from closing completely.
   */
  async close(): Promise<void> {
    const abandon = () => this.#abandon?.(new ThreadClosed('the worker thread was closed'))
    if (this.#abandon) return abandon()
    if (!this.#worker) return
    const stopTimer = this.#clock.after(CLOSE_WITHIN_MS, abandon)
    await this.run({ file: '', kind: 'close', name: '', input: undefined }).catch((error) =>
      this.#log.warn('a worker thread did not close its connections', { error: String(error) }),
    )
    stopTimer()
    this.#terminate()
  }

  #start(): Thread {
    if (this.#worker) return this.#worker
    const worker = this.#startThread('worker.ts')
    worker.onerror = ({ message }) => this.#noteEnd(worker, message)
    worker.addEventListener('close', () => this.#noteEnd(worker, 'the thread ended'))
    this.#worker = worker
    return worker
  }

  /** Also called, later, for a terminated worker. */
  #noteEnd(worker: Thread, error: string): void {
    if (this.#worker !== worker) return
    this.#log.error('a worker thread failed', { error })
    if (this.#abandon) this.#abandon(new ThreadFailed(error))
    else this.#terminate()
  }

  #terminate(): void {
    Atomics.store(this.#stopFlag, 0, 1)
    this.#worker?.terminate()
    this.#worker = undefined
    this.#stopFlag = newFlag()
  }
}

const newFlag = () => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

function outputOf(response: WorkerResponse): WorkerOutput {
  if ('output' in response) return response
  throw 'code' in response
    ? new Refusal(response.code, response.sentence, response.data)
    : new Error(response.failure)
}
