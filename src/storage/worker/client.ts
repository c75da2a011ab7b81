import { serialize } from 'bun:jsc'
import { hash } from 'bun'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'
import { noResponse } from '../errors.ts'
import type { StartThread } from '../thread-start.ts'
import { QueryScheduler, type QueryScheduling } from './query-scheduler.ts'
import { TaskQueue } from './task-queue.ts'
import type { WorkerRequest } from './thread.ts'

export type { QueryScheduling }

/** The name of a read in worker threads (`operations.ts`), and whether it always runs there. */
export interface LongRead {
  readonly name: string
  readonly isLong?: boolean
}

/** Thrown by reads that are too large for the main thread and must run in another. */
export class TooLongForMainThread extends Error {}

export const tooLong = () => new TooLongForMainThread()

/** Listeners that are notified after the commit of a write. */
export interface WriteListeners {
  /** Reports that anything in the structure may have changed; without an id, anything at all. */
  notify(structureId?: string): void
}

/** The place of a write among the others of its thread. */
export interface TaskScheduling {
  readonly schedulingKey: string
  /** Whether no request waits for it, as for the steps of jobs. It then runs in the background thread. */
  readonly isBackground?: boolean
}

/** Larger writes run in the write thread. The main thread handles this size in some tens of milliseconds. */
const MAX_LENGTH = 524_288

/** Runs long work. */
export interface WorkerClient {
  /** A query over more rows runs in the worker, and a structure with fewer rows needs no index. */
  readonly manyRows: number
  /** Whether the database is in memory, so that everything runs on the main thread. */
  readonly isInline: boolean
  /** Writes with a longer text run in the write thread. */
  readonly maxWriteLength: number
  /**
   * Runs a read on this thread and returns its output. A read that is too large or long runs in a reader thread with
   * this input.
   */
  read(query: LongRead, turn: QueryScheduling, here: () => unknown, input: () => unknown): unknown
  /** Runs a write in the write thread or the background thread, where writes take turns by `schedulingKey`. */
  task(name: string, input: unknown, turn: TaskScheduling): Promise<unknown>
  /** Refuses the queries, and lets the current task finish for some seconds. */
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
  /** Starts threads; `Worker`s by default. */
  startThread?: StartThread | undefined
  /** Whether everything runs on this thread; always if the database is in memory. */
  isInline?: boolean
}

/** How long a read that was too large for the main thread is sent directly to a reader thread. */
const REMEMBERED_MS = 1_000
const MAX_REMEMBERED = 1_000

/** Recent reads that were too large for the main thread: many of them at once cost it no more than one. */
class LongReads {
  readonly #byQuery = new Map<string, BoundedCache<number | bigint, number>>()
  /**
   * Entries expire at this time, so that inputs are not hashed needlessly: hashing costs as much as reading a few
   * rows.
   */
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

/** Threads start when they are first needed. A database in memory has one connection and needs none. */
export function openWorker({
  db,
  listeners,
  clock,
  log,
  manyRows = MANY_ROWS,
  maxWriteLength = MAX_LENGTH,
  startThread,
  isInline = db.file === ':memory:',
}: WorkerOptions): WorkerClient {
  const queries = new QueryScheduler({ clock, log, startThread, state: () => db.state })
  const longReads = new LongReads()
  const { ids } = db
  const newTaskQueue = () =>
    new TaskQueue({
      clock,
      log,
      ids,
      startThread,
      pauseDuring: (run) => db.pauseDuring(run),
      onWrite: () => listeners.notify(),
    })
  const tasks = { writes: newTaskQueue(), background: newTaskQueue() }
  db.onLateSync(() => {
    for (const queue of Object.values(tasks)) queue.refuse(noResponse())
  })
  const request = (kind: WorkerRequest['kind'], name: string, input: unknown) => ({
    file: db.file,
    descriptor: db.descriptor,
    kind,
    name,
    input,
    now: clock.now(),
  })
  const readInThread = async (name: string, input: unknown, turn: QueryScheduling): Promise<unknown> => {
    let output: unknown
    try {
      output = await queries.run(request('query', name, input), turn)
    } finally {
      // The output or the refusal may depend on a commit that is not on the disk yet.
      await db.synced()
    }
    return output
  }
  const read: WorkerClient['read'] = ({ name, isLong }, turn, here, input) => {
    if (isInline) return here()
    try {
      if (!isLong && !longReads.has(name, input)) return db.sql.withRowLimit(manyRows, tooLong, here)
    } catch (error) {
      if (!(error instanceof TooLongForMainThread)) throw error
      longReads.add(name, input)
    }
    return readInThread(name, input(), turn)
  }
  return {
    manyRows,
    isInline,
    maxWriteLength,
    read,
    task: async (name, input, { schedulingKey, isBackground = false }) => {
      if (db.refusal) throw db.refusal
      const queue = tasks[isBackground ? 'background' : 'writes']
      return queue.run({ ...request('task', name, input), isBackground }, schedulingKey)
    },
    close: async () => {
      await Promise.all([queries, ...Object.values(tasks)].map((each) => each.close()))
    },
  }
}
