import type { Log } from '../../lib/log.ts'
import { workerProgram } from '../../lib/program.ts'
import { Refusal, type RefusalCode, refused, unavailable } from '../../refusal.ts'
import type { Db } from '../database.ts'
import type { Reader } from '../reader.ts'

/** How a query will run. */
export interface QueryPlan {
  /**
   * An estimate of all that the query reads, searches, compares and returns, in rows of a scan: what takes as long as
   * scanning 100 rows costs 100. A query of more than `manyRows` runs in the worker.
   */
  readonly cost: number
}

/**
 * A read that may scan many rows; then it runs in the worker (`heavy-reads.ts`, where it must be listed), so
 * that light requests never wait for it. Input and output cross over as copies.
 */
export interface WorkerQuery<Input, Plan extends QueryPlan, Output> {
  readonly name: string
  /** Judges the read; cheap, as it is done before every one. */
  plan(reader: Reader, input: Input): Plan
  run(reader: Reader, plan: Plan): Output
}

/** A change of what is derived that takes long; it runs in the worker, in one transaction, while writes wait. */
export interface WorkerTask<Input, Output> {
  readonly name: string
  run(reader: Reader, input: Input): Output
}

/** Where heavy work is done. */
export interface WorkerClient {
  /** A query that costs more runs in the worker, and a structure of fewer rows needs no index. */
  readonly manyRows: number
  run<Input, Plan extends QueryPlan, Output>(
    read: WorkerQuery<Input, Plan, Output>,
    input: Input,
  ): Promise<Output>
  write<Input, Output>(write: WorkerTask<Input, Output>, input: Input): Promise<Output>
  /** Refuses what is asked, and lets a write that runs finish, for some seconds. */
  close(): Promise<void>
}

/** What the worker is asked. */
export interface WorkerRequest {
  readonly file: string
  readonly kind: 'read' | 'write'
  readonly name: string
  readonly input: unknown
  /** Whether a write may move the write-ahead log into the file (`Db.checkpoints`). */
  readonly checkpoints: boolean
}

/** What it answers: a refusal travels as its code and its sentence. */
export type WorkerResponse =
  | { readonly output: unknown }
  | { readonly code: RefusalCode; readonly sentence: string }
  | { readonly failure: string }

interface Task {
  readonly question: WorkerRequest
  resolve(output: unknown): void
  reject(error: unknown): void
}

export interface WorkerOptions {
  db: Db
  log: Log
  manyRows?: number
  timeLimitMs?: number
}

const MANY_ROWS = 10_000
const TIME_LIMIT_MS = 30_000
const CLOSE_WITHIN_MS = 5_000

const tooLong = (seconds: number) =>
  refused(
    `The answer took longer than ${seconds} seconds to find and was given up; narrow the question with a filter.`,
  )
const shuttingDown = () => unavailable('The server is shutting down; try again.')

/** Starts the worker when it is first needed. A database in memory has one connection, and works inline. */
export function openWorker({
  db,
  log,
  manyRows = MANY_ROWS,
  timeLimitMs = TIME_LIMIT_MS,
}: WorkerOptions): WorkerClient {
  const isInline = db.file === ':memory:'
  const line = new WorkerLine(db, log, timeLimitMs)
  const ask = <Output>(kind: WorkerRequest['kind'], name: string, input: unknown) =>
    line.ask({ file: db.file, kind, name, input, checkpoints: db.checkpoints }) as Promise<Output>
  return {
    manyRows,
    run: async (read, input) => {
      const plan = read.plan(db, input)
      return isInline || plan.cost <= manyRows ? read.run(db, plan) : ask('read', read.name, input)
    },
    write: async <Input, Output>(write: WorkerTask<Input, Output>, input: Input) =>
      isInline
        ? ((await db.write((tx) => [write.run(tx, input)] as const))[0] as Output)
        : ask<Output>('write', write.name, input),
    close: () => line.close(),
  }
}

/** One worker, and those who wait for it; it is asked one thing at a time, so that each has its own time limit. */
class WorkerLine {
  readonly #db: Db
  readonly #log: Log
  readonly #timeLimitMs: number
  #worker: Worker | undefined
  #waiting: Task[] = []
  #running: Promise<void> | undefined
  #giveUpRead: ((error: Error) => void) | undefined
  #isClosed = false

  constructor(db: Db, log: Log, timeLimitMs: number) {
    this.#db = db
    this.#log = log
    this.#timeLimitMs = timeLimitMs
  }

  ask(question: WorkerRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(shuttingDown())
      this.#waiting.push({ question, resolve, reject })
      this.#running ??= this.#work()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting.splice(0)) reject(shuttingDown())
    this.#giveUpRead?.(shuttingDown())
    const { promise: late, resolve: stopWaiting } = Promise.withResolvers<void>()
    const timer = setTimeout(stopWaiting, CLOSE_WITHIN_MS)
    await Promise.race([this.#running, late])
    clearTimeout(timer)
    this.#worker?.terminate()
    this.#worker = undefined
  }

  async #work(): Promise<void> {
    for (let task = this.#waiting.shift(); task; task = this.#waiting.shift()) {
      const { question } = task
      const reply = () => this.#reply(question)
      try {
        task.resolve(outputOf(await (question.kind === 'write' ? this.#db.pauseDuring(reply) : reply())))
      } catch (error) {
        task.reject(error)
      }
    }
    this.#running = undefined
  }

  /**
   * A worker that is too slow, or breaks, is given up, and the next question starts another. SQLite cannot be
   * stopped within a statement: the thread ends when that does.
   */
  #reply(question: WorkerRequest): Promise<WorkerResponse> {
    const worker = this.#worker ?? startWorker()
    this.#worker = worker
    const { promise, resolve, reject } = Promise.withResolvers<WorkerResponse>()
    const giveUp = (error: Error) => {
      worker.terminate()
      this.#worker = undefined
      reject(error)
    }
    const isRead = question.kind === 'read'
    const limit = isRead
      ? setTimeout(() => giveUp(tooLong(this.#timeLimitMs / 1000)), this.#timeLimitMs)
      : undefined
    if (isRead) this.#giveUpRead = giveUp
    worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => resolve(data)
    worker.onerror = ({ message }) => {
      this.#log.error('the worker of heavy reads broke', { error: message })
      giveUp(new Error(message))
    }
    // An idle worker keeps no process alive; one that is asked does.
    worker.ref()
    worker.postMessage(question)
    return promise.finally(() => {
      worker.unref()
      clearTimeout(limit)
      this.#giveUpRead = undefined
    })
  }
}

const startWorker = (): Worker => new Worker(workerProgram('worker.ts'))

function outputOf(reply: WorkerResponse): unknown {
  if ('output' in reply) return reply.output
  throw 'code' in reply ? new Refusal(reply.code, reply.sentence) : new Error(reply.failure)
}
