import { serialize } from 'bun:jsc'
import { hash } from 'bun'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { stepsOfThread } from '../../lib/fair-queue.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'
import { noResponse } from '../errors.ts'
import type { Reader } from '../reader.ts'
import type { State } from '../state.ts'
import { currentRequester, currentRight } from '../writes/requester.ts'
import { type Tx, writeUnlessDry } from '../writes/transaction.ts'
import { QueryScheduler, type Requester, requesterKey } from './query-scheduler.ts'
import { TaskQueue } from './task-queue.ts'
import type { WorkerRequest } from './thread.ts'

export { type Requester, requesterKey }

/**
 * A read that may take long. It begins on the main thread; one that reads too much there (`db/read-limit.ts`) begins again in
 * a worker thread, so that other requests never wait for it. Input and output are copied between the threads. Its
 * statements that read many rows need a stop condition (`Sql.stopCondition`).
 */
export interface WorkerQuery<Input, Output> {
  /** The name of its feature, a dot, and its own: by it a worker thread finds it (`operations.ts`). */
  readonly name: string
  /** Whether it always runs in a worker thread, because its work cannot be counted. */
  readonly isLong?: true
  run(reader: Reader, input: Input): Output
}

/** Name of a read in worker threads, and whether it always runs in one. */
export interface LongRead {
  readonly name: string
  readonly isLong?: boolean
}

/** Thrown by what reads so much on the main thread that another one has to run it. */
export class TooLongForMainThread extends Error {}

const tooLong = () => new TooLongForMainThread()

/** Those who are told of a write after its commit. */
export interface WriteListeners {
  /** Reports that anything in the structure may have changed; without an id, anything at all. */
  wake(structureId?: string): void
}

/**
 * A write that may take long; it runs in one transaction, on the main thread or, while other writes wait, in a thread of
 * writes, where neither reads nor requests wait for it. One that reads long values on the main thread is rolled back and
 * runs there, too. Its input and output are copied between the threads.
 */
export interface WorkerTask<Input, Output> {
  /** As that of a query. */
  readonly name: string
  /** Whether no request waits for it, and it waits for no request: building an index, for example. */
  readonly isBackground?: true
  run(tx: Tx, input: Input, listeners: WriteListeners): Output
}

/** How large a write is, as far as its request says. */
export interface WriteSize {
  /** The length of the body, in characters. */
  readonly length?: number
  /** How many objects it writes. */
  readonly items?: number
}

interface WriteOptions {
  /** Without one, the write always runs in the thread of writes. */
  readonly size?: WriteSize
  /** Whether everything is checked in the same way, and nothing is written. */
  readonly isDryRun?: boolean | undefined
}

/** The thread of writes runs what is larger than this, which the main thread does in some tens of milliseconds. */
const MAX_LENGTH = 524_288
const MAX_ITEMS = 2_000
/** A write of more shares its commit with no other, so that short ones do not wait for many of them. */
const FEW_ITEMS = 20

/** Runs what takes long. */
export interface WorkerClient {
  /** A query that reads more rows runs in the worker, and a structure of fewer rows needs no index. */
  readonly manyRows: number
  /** That of the database. */
  readonly state: State
  run<Input, Output>(query: WorkerQuery<Input, Output>, input: Input, requester: Requester): Promise<Output>
  /** Whether the database is in memory: then everything runs on the main thread. */
  readonly isInline: boolean
  /** A write whose text is longer runs in the thread of writes. */
  readonly maxWriteLength: number
  /** Runs a read here, and returns its output; or, if it reads too much or is long, in a reader thread with this input. */
  read(query: LongRead, requester: Requester, here: () => unknown, input: () => unknown): unknown
  /** Runs a write in the thread of writes; `requester` is the key of the line in which it waits. */
  task(name: string, input: unknown, requester: string): Promise<unknown>
  write<Input, Output>(task: WorkerTask<Input, Output>, input: Input, options?: WriteOptions): Promise<Output>
  /** Refuses the queries, and lets a task that runs finish, for some seconds. */
  close(): Promise<void>
}

export interface WorkerOptions {
  db: Db
  listeners: WriteListeners
  clock: Clock
  log: Log
  manyRows?: number
  /** The largest write of the main thread. */
  maxWriteLength?: number
  timeLimitMs?: number
}

/** The input without the signal of its caller, which cannot be copied; on the main thread, reading one takes time. */
function sendable(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('caller' in input)) return input
  return { ...input, caller: { ...(input.caller as object), signal: undefined } }
}

/** For how long a read that was too long for the main thread does not begin there again. */
const REMEMBERED_MS = 1_000
const MAX_REMEMBERED = 1_000

/** The reads that were too long for the main thread a moment ago: many of them at once take no more of it than one. */
class LongReads {
  readonly #byQuery = new Map<string, BoundedCache<number | bigint, number>>()
  /** From then on none is remembered: hashing an input takes as long as reading a few rows. */
  #until = 0

  has(query: string, input: () => unknown): boolean {
    const now = performance.now()
    if (now >= this.#until) return false
    const inputs = this.#byQuery.get(query)
    return inputs !== undefined && now < (inputs.get(hash(serialize(input()))) ?? 0)
  }

  add(query: string, input: () => unknown): void {
    const inputs = this.#byQuery.get(query) ?? new BoundedCache(MAX_REMEMBERED)
    this.#byQuery.set(query, inputs)
    this.#until = performance.now() + REMEMBERED_MS
    inputs.set(hash(serialize(input())), this.#until)
  }
}

const MANY_ROWS = 10_000
const TIME_LIMIT_MS = 30_000

/** Starts threads when they are first needed. A database in memory has one connection, and needs none. */
export function openWorker({
  db,
  listeners,
  clock,
  log,
  manyRows = MANY_ROWS,
  maxWriteLength = MAX_LENGTH,
  timeLimitMs = TIME_LIMIT_MS,
}: WorkerOptions): WorkerClient {
  const isInline = db.file === ':memory:'
  const queries = new QueryScheduler({ clock, log, timeLimitMs, state: () => db.state })
  const longReads = new LongReads()
  const { ids } = db
  const newTaskQueue = () =>
    new TaskQueue({
      clock,
      log,
      ids,
      pauseDuring: (run) => db.pauseDuring(run),
      onWrite: () => listeners.wake(),
    })
  const tasks = { writes: newTaskQueue(), background: newTaskQueue() }
  db.onLateSync(() => {
    for (const queue of Object.values(tasks)) queue.refuse(noResponse())
  })
  const isShort = ({ length = 0, items = 0 }: WriteSize) => length <= maxWriteLength && items <= MAX_ITEMS
  const request = (kind: WorkerRequest['kind'], name: string, input: unknown) => ({
    file: db.file,
    descriptor: db.descriptor,
    kind,
    name,
    input,
    now: clock.now(),
  })
  const readInThread = async (name: string, input: unknown, requester: Requester): Promise<unknown> => {
    let output: unknown
    try {
      output = await queries.run(request('query', name, input), requester)
    } finally {
      // The output or the refusal may rest on a commit that is not on the disk yet.
      await db.synced()
    }
    // Making a response of a large result takes milliseconds, and many requests may share one.
    await stepsOfThread.run(requesterKey(requester), () => {})
    return output
  }
  const read: WorkerClient['read'] = ({ name, isLong }, requester, here, input) => {
    if (isInline) return here()
    try {
      if (!isLong && !longReads.has(name, input)) return db.sql.withRowLimit(manyRows, tooLong, here)
    } catch (error) {
      if (!(error instanceof TooLongForMainThread)) throw error
      longReads.add(name, input)
    }
    return readInThread(name, input(), requester)
  }
  return {
    manyRows,
    state: db.sql.state,
    isInline,
    maxWriteLength,
    read,
    task: async (name, input, requester) => {
      if (db.refusal) throw db.refusal
      return tasks.writes.run(request('task', name, input), requester)
    },
    run: async <Input, Output>(query: WorkerQuery<Input, Output>, input: Input, requester: Requester) =>
      (await read(
        query,
        requester,
        () => query.run(db, input),
        () => input,
      )) as Output,
    write: async <Input, Output>(
      task: WorkerTask<Input, Output>,
      input: Input,
      { size, isDryRun = false }: WriteOptions = {},
    ) => {
      if (isInline || (size && isShort(size))) {
        const isLong = (size?.items ?? 0) > FEW_ITEMS
        const run = (tx: Tx) => task.run(tx, input, listeners)
        const limited = (tx: Tx) =>
          isInline ? run(tx) : tx.sql.withValueLimit(maxWriteLength, tooLong, () => run(tx))
        try {
          return await writeUnlessDry(db, limited, isDryRun, isLong)
        } catch (error) {
          if (!(error instanceof TooLongForMainThread)) throw error
        }
      }
      if (db.refusal) throw db.refusal
      const queue = tasks[task.isBackground ? 'background' : 'writes']
      const ofRequest = {
        ...request('task', task.name, sendable(input)),
        isDryRun,
        right: currentRight()?.data,
      }
      return (await queue.run(ofRequest, currentRequester())) as Output
    },
    close: async () => {
      await Promise.all([queries, ...Object.values(tasks)].map((each) => each.close()))
    },
  }
}
