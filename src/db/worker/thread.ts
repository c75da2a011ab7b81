import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { workerProgram } from '../../lib/program.ts'
import { Refusal, type RefusalCode, type RefusalData } from '../../refusal.ts'

/** Sent before a task commits, which waits for the disk. */
export const COMMITTING = 'committing'

/** What the main thread sends to a worker thread: one request at a time. */
export interface WorkerRequest {
  readonly file: string
  /** The file that the process has open. */
  readonly descriptor: number | undefined
  /** `open` only opens the database; `close` closes its connections, and nothing else is sent after it. */
  readonly kind: 'query' | 'task' | 'open' | 'close'
  readonly name: string
  readonly input: unknown
  /** Whether a task writes nothing, and only returns what it would have done. */
  readonly isDryRun: boolean
  /** The instant of a task, and the last id that the main thread has made. */
  readonly now: number
  readonly lastId: string
  /** Of the request for which a task runs: what its transaction checks first (`Right.data`). */
  readonly right?: object | undefined
  /** Shared memory: its only element is 1 from the moment the request is to be stopped. */
  readonly stopFlag: Int32Array
}

export interface WorkerOutput {
  readonly output: unknown
  /** The last id that a task has made. */
  readonly lastId: string
  /** Whether a task wrote what others wait for. */
  readonly wakes: boolean
}

/** The message that the worker thread sends back: a refusal travels as its parts. */
export type WorkerResponse =
  | WorkerOutput
  | { readonly code: RefusalCode; readonly sentence: string; readonly data: RefusalData }
  | { readonly failure: string }

/** A request that goes on for this long after it was stopped is abandoned. */
const STOP_WITHIN_MS = 2_000
/** How long closing connections may take. */
const CLOSE_WITHIN_MS = 2_000

/** A request as the main thread makes it; only a task has an instant and a last id. */
export type ThreadRequest = Pick<WorkerRequest, 'file' | 'kind' | 'name' | 'input'> &
  Partial<Pick<WorkerRequest, 'descriptor' | 'now' | 'lastId' | 'isDryRun' | 'right'>>

/** The thread was closed while it ran a request, which may have been carried out. */
export class ThreadClosed extends Error {}

/** The thread ended by itself while it ran a request, which may have been carried out. The next one starts another. */
export class ThreadFailed extends Error {}

/** A thread that runs one request at a time. It is started by the first one. */
export class WorkerThread {
  readonly #clock: Clock
  readonly #log: Log
  #worker: Worker | undefined
  /** Each worker has its own, so that an abandoned one stays stopped. */
  #stopFlag = newFlag()
  /** Ends the running request from this side. */
  #abandon: ((error: Error) => void) | undefined
  #stopTimer: (() => void) | undefined

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  get isStarted(): boolean {
    return this.#worker !== undefined
  }

  /**
   * Settles when the thread is free again. A refusal by the request is thrown as it is. `onCommitting` is called before a
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
    // A worker keeps the process alive only while it runs a request.
    worker.ref()
    const defaults = { descriptor: undefined, now: 0, lastId: '', isDryRun: false, stopFlag: this.#stopFlag }
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
   * Ends the running request. Its statement ends within the next rows that it reads, where it has a stop condition
   * (`Sql.stopCondition`). Otherwise the thread is abandoned: SQLite goes on until the statement is complete.
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
   * Ends the thread, also while it runs a request. One that is idle first closes its connections: beside them the
   * database could not be closed whole.
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

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(workerProgram('worker.ts'))
    worker.onerror = ({ message }) => this.#noteEnd(worker, message)
    worker.addEventListener('close', () => this.#noteEnd(worker, 'it ended'))
    this.#worker = worker
    return worker
  }

  /** Also called, later, for one that was terminated. */
  #noteEnd(worker: Worker, error: string): void {
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
