import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Db } from '../database.ts'
import type { Reader } from '../reader.ts'
import { currentRight } from '../writes/requester.ts'
import { noResponse, type PausingAction } from '../writes/sync.ts'
import { taskIds } from '../writes/task-transaction.ts'
import type { Tx } from '../writes/transaction.ts'
import type { LongText, WorkerRequest } from './protocol.ts'
import { QueryScheduler, type Requester, requesterKey, shuttingDown } from './query-scheduler.ts'
import { TaskQueue } from './task-queue.ts'
import { Turns } from './turns.ts'

export { type Requester, requesterKey }

/** How a query will run. */
export interface QueryPlan {
  /**
   * An estimate of all that the query reads, searches, compares and returns, in rows of a scan: what takes as long as
   * scanning 100 rows costs 100. A query of more than `manyRows` runs in the worker.
   */
  readonly cost: number
  /**
   * The same if what it looks for is as far away as it can be; by default `cost`. A query that costs little, but may cost
   * more than `manyRows`, is begun on the main thread and goes to the worker once it has read too many rows, for which
   * its statements need a stop condition.
   */
  readonly mostCost?: number
  /** What one of these rows costs; 1 by default. */
  readonly rowCost?: number
}

/**
 * A read that may take long; then it runs in a worker thread (`worker.ts`, where it must be listed), so that other
 * requests never wait for it. Input and output are copied between the threads. Its statements that read many rows
 * need a stop condition (`Sql.stopCondition`).
 */
export interface WorkerQuery<Input, Plan extends QueryPlan, Output> {
  readonly name: string
  /** Estimates the query; cheap, because it runs before every one. */
  plan(reader: Reader, input: Input): Plan
  /** The input for the worker, with what the main thread knows already; by default the same. */
  workerInput?(plan: Plan, input: Input): Input
  /** `maxLength`, if given, is how long the text of the output may be, in characters; throws `TooLongForMainThread` beyond. */
  run(reader: Reader, plan: Plan, maxLength?: number): Output
}

/** Thrown by a query on the main thread whose output is so long, or that reads so many rows, that the worker has to run it. */
export class TooLongForMainThread extends Error {}

/** The longest output that is made on the main thread, in characters. */
const MAX_MAIN_THREAD_LENGTH = 1_048_576

/** Replacing the texts of many notes is prepared for longer than a write of records takes. */
type TaskThread = 'records' | 'texts' | 'background'

/** A change that takes long, mostly of derived data; it runs in a worker thread, in one transaction, while writes wait. */
export interface WorkerTask<Input, Output, Prepared = Input, Result = Output> {
  readonly name: string
  /** Whether it writes temporary tables only, so that nothing waits for it. */
  readonly isPreparation?: boolean
  /** Which of the threads runs it, of which none waits for the others; the one of what no request waits for by default. */
  readonly thread?: TaskThread
  /** Makes of the input, and of a long text that came with it, what `run` needs: before writes wait, and without writing. */
  prepare?(input: Input, text: LongText, reader: Reader): Prepared
  /** `now` is the instant from which on writes wait. */
  run(reader: Reader, prepared: Prepared, now: number): Result
  /** Makes the output of what `run` returned, after the commit; by default they are the same. */
  present?(result: Result, prepared: Prepared): Output
}

/** Runs what takes long. */
export interface WorkerClient {
  /** A query that costs more runs in the worker, and a structure of fewer rows needs no index. */
  readonly manyRows: number
  /** What a write on the main thread reads and writes of texts that may be long, in characters. */
  readonly maxWriteLength: number
  run<Input, Plan extends QueryPlan, Output>(
    query: WorkerQuery<Input, Plan, Output>,
    input: Input,
    requester: Requester,
  ): Promise<Output>
  /** A text that may be long is handed over beside the input, without being copied. */
  write<Input, Output, Prepared, Result>(
    task: WorkerTask<Input, Output, Prepared, Result>,
    input: Input,
    text?: LongText,
  ): Promise<Output>
  /** Runs tasks that belong together, with no other such series between them, in turn between requesters. */
  inSeries<T>(run: () => Promise<T>): Promise<T>
  /** Refuses the queries, and lets a task that runs finish, for some seconds. */
  close(): Promise<void>
}

export interface WorkerOptions {
  db: Db
  clock: Clock
  log: Log
  manyRows?: number
  maxWriteLength?: number
  timeLimitMs?: number
}

async function inline<Input, Output, Prepared, Result>(
  db: Db,
  task: WorkerTask<Input, Output, Prepared, Result>,
  input: Input,
  text: LongText,
): Promise<Output> {
  const { ids } = db
  const prepared = (task.prepare?.(input, text, db) ?? input) as Prepared
  const run = (tx: Tx) => {
    taskIds.follow(ids.last())
    const result = task.run(tx, prepared, tx.now)
    ids.follow(taskIds.last())
    return [result] as const
  }
  const [result] = await db.write(run)
  return task.present ? task.present(result, prepared) : (result as unknown as Output)
}

const MANY_ROWS = 10_000
/** Written as rows in about ten milliseconds. */
const MAX_WRITE_LENGTH = 524_288
const TIME_LIMIT_MS = 30_000

/** Starts threads when they are first needed. A database in memory has one connection, and needs none. */
export function openWorker({
  db,
  clock,
  log,
  manyRows = MANY_ROWS,
  maxWriteLength = MAX_WRITE_LENGTH,
  timeLimitMs = TIME_LIMIT_MS,
}: WorkerOptions): WorkerClient {
  const isInline = db.file === ':memory:'
  const queries = new QueryScheduler({ clock, log, timeLimitMs, state: () => db.state })
  const around = (run: PausingAction<unknown>) => db.pauseDuring(run)
  const newTaskQueue = () => new TaskQueue({ clock, log, ids: db.ids, around })
  const tasks = { records: newTaskQueue(), texts: newTaskQueue(), background: newTaskQueue() }
  const series = new Turns()
  db.onLateSync(() => {
    for (const waiting of [series, ...Object.values(tasks)]) waiting.refuse(noResponse())
  })
  const request = (kind: WorkerRequest['kind'], name: string, input: unknown) => ({
    file: db.file,
    kind,
    name,
    input,
  })
  /** Throws `TooLongForMainThread`. */
  const runOnMainThread = <Input, Plan extends QueryPlan, Output>(
    query: WorkerQuery<Input, Plan, Output>,
    plan: Plan,
  ): Output => {
    const { mostCost = plan.cost, rowCost = 1 } = plan
    const read = () => query.run(db, plan, MAX_MAIN_THREAD_LENGTH)
    return mostCost <= manyRows
      ? read()
      : db.sql.withRowLimit(manyRows / rowCost, () => new TooLongForMainThread(), read)
  }
  return {
    manyRows,
    maxWriteLength,
    run: async <Input, Plan extends QueryPlan, Output>(
      query: WorkerQuery<Input, Plan, Output>,
      input: Input,
      requester: Requester,
    ) => {
      const plan = query.plan(db, input)
      if (isInline) return query.run(db, plan)
      try {
        if (plan.cost <= manyRows) return runOnMainThread(query, plan)
      } catch (error) {
        if (!(error instanceof TooLongForMainThread)) throw error
      }
      const forWorker = query.workerInput?.(plan, input) ?? input
      const output = await queries.run(request('query', query.name, forWorker), requester)
      // The worker may have seen a commit that is not on the disk yet.
      await db.synced()
      return output as Output
    },
    write: async <Input, Output, Prepared, Result>(
      task: WorkerTask<Input, Output, Prepared, Result>,
      input: Input,
      text: LongText = '',
    ) => {
      if (isInline) return inline(db, task, input, text)
      if (db.refusal) throw db.refusal
      const { isPreparation = false, thread = 'background', prepare } = task
      const options = { isPreparation, hasPreparation: prepare !== undefined, text }
      const ofRequest = { ...request('task', task.name, input), right: currentRight()?.data }
      return (await tasks[thread].run(ofRequest, options)) as Output
    },
    inSeries: (run) => series.run(run),
    close: async () => {
      series.refuse(shuttingDown())
      await Promise.all([queries, ...Object.values(tasks)].map((each) => each.close()))
    },
  }
}
