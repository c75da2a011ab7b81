import { Database } from 'bun:sqlite'
import { encoded } from '../lib/encoding.ts'
import { reach } from '../lib/failure-points.ts'
import { createIdSource } from '../lib/ids.ts'
import { Refusal, unavailable } from '../lib/refusal.ts'
import { State } from '../lib/state.ts'
import { lowerThreadPriority } from '../lib/thread-priority.ts'
import { isOpenFile, LOST } from '../storage/connection/health.ts'
import {
  keepTemporaryInMemory,
  openReadingConnection,
  prepareWriting,
  shrinkMemory,
} from '../storage/connection/open.ts'
import { asOpenError, asUnavailable } from '../storage/errors.ts'
import type { Reader } from '../storage/reader.ts'
import { Sql } from '../storage/sql.ts'
import {
  COMMITTING,
  type WorkerOutput,
  type WorkerRequest,
  type WorkerResponse,
} from '../storage/worker/thread.ts'
import { Trial } from '../storage/writes/transaction.ts'
import { performRead, performWrite, received } from './call.ts'
import type { Performed, Sent } from './call-format.ts'
import type { Credentials } from './caller.ts'
import type { JobInput, JobPreparing, JobStepping } from './job-steps.ts'
import type { ReadOperation, WriteOperation } from './operation.ts'

/*
 * The worker threads (`storage/worker`) run long operations and jobs on separate connections, so that the main thread
 * can serve requests. Connections are reused, because opening one takes longer than many requests do; their memory is
 * released after some idle seconds.
 */

declare const self: Worker

/** The features of a thread. */
export interface ThreadOptions {
  /** Finds an operation, or the jobs, by name. */
  findOperation(name: string): Promise<{ readonly name: string }>
  readonly credentials: Credentials
  /** Whether the thread is simulated in another one, whose priority and memory are not its own. */
  readonly isSimulated?: boolean
}

/** The side of the thread from which it receives requests. */
interface ThreadPort {
  onmessage: ((event: MessageEvent<WorkerRequest>) => void) | null
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
}

type AnyQuery = JobPreparing | ReadOperation<unknown, unknown>
type AnyTask = JobStepping | WriteOperation<unknown, unknown>
type AnyOperation = AnyQuery | AnyTask

const IDLE_MS = 3_000

/** The output of a request, and whether its write must notify listeners of the main thread. */
interface Done {
  readonly output: unknown
  readonly hasWritten?: boolean
}

/** SQLite would write the WAL of the open database into a file that replaced it. */
function refuseReplaced({ file, descriptor }: WorkerRequest): void {
  if (descriptor !== undefined && !isOpenFile(file, descriptor)) throw unavailable(LOST)
}

/** Long JSON text is encoded in this thread, not when it is sent. */
const sendable = (output: unknown): unknown => (typeof output === 'string' ? encoded(output) : output)

const crossing = ({ output, ...rest }: Performed): Performed => ({ ...rest, output: sendable(output) })

/** The buffers of the output that are transferred instead of copied. */
function buffersIn(response: WorkerResponse): ArrayBuffer[] {
  const { output: performed } = response as Partial<WorkerOutput>
  const { output } = (performed ?? {}) as Partial<Performed>
  return output instanceof Uint8Array ? [output.buffer as ArrayBuffer] : []
}

/** Runs the requests of this thread, one at a time. */
class Requests {
  #reading: Reader | undefined
  #writing: Reader | undefined
  #stopFlag: WorkerRequest['stopFlag'] = new Int32Array(1)
  #isLowered = false
  #idleTimer: Timer | undefined
  /** The operations that this thread has found, by name. */
  readonly #operations = new Map<string, AnyOperation>()
  /** The ids of this thread, which follow the ids of the main thread and vice versa. */
  readonly #ids = createIdSource()

  constructor(
    private readonly options: ThreadOptions,
    private readonly port: ThreadPort,
  ) {}

  async answer(request: WorkerRequest): Promise<void> {
    clearTimeout(this.#idleTimer)
    const response = await this.#responseTo(request)
    this.port.postMessage(response, buffersIn(response))
    this.#idleTimer = setTimeout(() => this.#releaseMemory(), IDLE_MS)
  }

  async #responseTo(request: WorkerRequest): Promise<WorkerResponse> {
    const { kind, name, lastId, stopFlag } = request
    this.#stopFlag = stopFlag
    this.#ids.follow(lastId)
    try {
      let done: Done = { output: undefined }
      if (kind === 'close') this.#close()
      else if (kind === 'open') this.#open(request)
      else if (kind === 'query')
        done = { output: this.#runQuery((await this.#find(name)) as AnyQuery, request) }
      else done = this.#runTask((await this.#find(name)) as AnyTask, request)
      return { ...done, output: sendable(done.output), lastId: this.#ids.last() }
    } catch (thrown) {
      const error = asUnavailable(asOpenError(thrown, request.file))
      if (error instanceof Refusal) return { code: error.code, sentence: error.message, data: error.data }
      return { failure: (error as Error).stack ?? String(error) }
    }
  }

  async #find(name: string): Promise<AnyOperation> {
    const known = this.#operations.get(name)
    if (known) return known
    const found = (await this.options.findOperation(name)) as AnyOperation
    this.#operations.set(name, found)
    return found
  }

  /** A query reads a single snapshot. */
  #runQuery(query: AnyQuery, request: WorkerRequest): unknown {
    this.#lowerPriority()
    this.#reading ??= this.#openReading(request)
    const { database } = this.#reading.sql
    database.run('BEGIN')
    try {
      if (query.kind === 'preparing') return query.run(this.#reading, request.input as JobInput)
      const sent = received(request.input as Sent)
      return crossing(performRead(query, this.#reading, request.now, sent, this.options.credentials))
    } finally {
      // A failing disk may have ended it already; after a damaged page only a rollback can end it.
      if (database.inTransaction) database.run('ROLLBACK')
    }
  }

  /** Runs a task. Its commit listeners run on the main thread, which is notified if there are any. */
  #runTask(task: AnyTask, request: WorkerRequest): Done {
    const { now } = request
    this.#writing ??= openWriting(request)
    const { sql } = this.#writing
    if (request.isBackground) this.#lowerPriority()
    else keepTemporaryInMemory(sql.database)
    let hasWritten = false
    sql.run('BEGIN IMMEDIATE')
    try {
      const tx = {
        sql,
        now,
        newId: () => this.#ids(now),
        afterCommit: () => {
          hasWritten = true
        },
        transaction: { startedAt: now, state: new State() },
      }
      const output =
        task.kind === 'stepping'
          ? task.run(tx, request.input as JobInput)
          : crossing(performWrite(task, tx, received(request.input as Sent), this.options.credentials))
      reach('task written')
      this.port.postMessage(COMMITTING, [])
      sql.run('COMMIT')
      return { output, hasWritten }
    } catch (error) {
      if (error instanceof Trial) return { output: error.outcome }
      throw error
    } finally {
      if (sql.database.inTransaction) sql.run('ROLLBACK')
    }
  }

  /** Opens the connection for tasks, and reads the schema, as the first statement of a connection does. */
  #open(request: WorkerRequest): void {
    this.#writing ??= openWriting(request)
    this.#writing.sql.get('SELECT 1 FROM sqlite_schema')
  }

  #openReading(request: WorkerRequest): Reader {
    refuseReplaced(request)
    const checkStop = () => {
      if (Atomics.load(this.#stopFlag, 0) === 1) throw new Error('the request was stopped')
    }
    return { sql: new Sql(openReadingConnection(request.file), { checkStop }) }
  }

  /**
   * Light requests must not wait until this thread has used up its share of a processor, unless they wait for its
   * write.
   */
  #lowerPriority(): void {
    if (!this.#isLowered && !this.options.isSimulated) lowerThreadPriority()
    this.#isLowered = true
  }

  #close(): void {
    for (const reader of [this.#reading, this.#writing]) {
      reader?.sql.finalize()
      reader?.sql.database.close()
    }
    this.#reading = undefined
    this.#writing = undefined
  }

  #releaseMemory(): void {
    for (const reader of [this.#reading, this.#writing]) if (reader) shrinkMemory(reader.sql.database)
    if (!this.options.isSimulated) Bun.gc(true)
  }
}

function openWriting(request: WorkerRequest): Reader {
  refuseReplaced(request)
  const database = new Database(request.file, { readwrite: true })
  prepareWriting(database)
  database.run('PRAGMA wal_autocheckpoint = 0')
  return { sql: new Sql(database) }
}

/** Answers the requests of the main thread in this one; `port` is this thread's own by default. */
export function serveThread(options: ThreadOptions, port: ThreadPort = self): void {
  const requests = new Requests(options, port)
  port.onmessage = ({ data }) => void requests.answer(data)
}
