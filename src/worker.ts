/*
 * The program of the worker threads (`db/worker`): large queries, and long changes of derived data, on connections of
 * their own, so that the main thread goes on serving requests. Every query and task that may run here is listed here or
 * in `worker-on-demand.ts`.
 */
import { Database } from 'bun:sqlite'
import {
  keepTemporaryInMemory,
  openReadingConnection,
  prepareWriting,
  shrinkMemory,
} from './db/connection/open.ts'
import { asUnavailable } from './db/errors.ts'
import type { Reader } from './db/reader.ts'
import { Sql } from './db/sql.ts'
import type { QueryPlan, WorkerQuery, WorkerTask } from './db/worker/client.ts'
import {
  COMMITTING,
  type LongText,
  OPENING,
  type WorkerRequest,
  type WorkerResponse,
} from './db/worker/protocol.ts'
import { taskIds } from './db/writes/task-transaction.ts'
import { fileSearchQuery } from './files/search.ts'
import type { RightData } from './http/request-right.ts'
import { encoded } from './http/responses.ts'
import { graphQuery } from './lenses/graph.ts'
import { lowerThreadPriority } from './lib/thread-priority.ts'
import { analyzeTable } from './maintenance/statistics.ts'
import { linkDifferenceQuery } from './notes/links/indexing.ts'
import { linksQuery } from './notes/links/note-links.ts'
import { listQuery as noteListQuery } from './notes/query/list.ts'
import { treeQuery } from './notes/query/tree-query.ts'
import { longNoteEntries, longNoteWordsQuery } from './notes/search/long-notes.ts'
import { searchMerge } from './notes/search/merging.ts'
import { historyQuery } from './records/history.ts'
import { deletedQuery } from './records/query/deleted.ts'
import { listBodyQuery, listQuery } from './records/query/list.ts'
import { summaryQuery } from './records/query/summary.ts'
import { pastPageQuery, watchPageQuery } from './records/watch/pages.ts'
import { replacedQuery } from './records/writing/revert.ts'
import { Refusal } from './refusal.ts'
import { checkRight } from './sessions/rights.ts'
import {
  autoIndexDrop,
  autoIndexFill,
  autoIndexSort,
  autoIndexStart,
} from './structures/storage/auto-index.ts'
import { discardSortedRows } from './structures/storage/index-table.ts'
import { textIndexFill } from './structures/storage/text-index.ts'
import { uniqueDrop, uniqueFill, uniqueSort, uniqueStart } from './structures/storage/unique-build.ts'
import { viewQuery } from './views/notes.ts'

declare const self: Worker

type AnyQuery = WorkerQuery<unknown, QueryPlan, unknown>
type AnyTask = WorkerTask<unknown, unknown>

const QUERIES = new Map(
  (
    [
      listQuery,
      listBodyQuery,
      deletedQuery,
      historyQuery,
      replacedQuery,
      watchPageQuery,
      pastPageQuery,
      summaryQuery,
      noteListQuery,
      longNoteWordsQuery,
      linksQuery,
      linkDifferenceQuery,
      treeQuery,
      viewQuery,
      graphQuery,
      fileSearchQuery,
    ] as unknown as AnyQuery[]
  ).map((query) => [query.name, query]),
)
/** Reads the schema, as the first statement of a connection does. */
const opening: WorkerTask<undefined, void> = {
  name: OPENING,
  isPreparation: true,
  run: ({ sql }) => void sql.get('SELECT 1 FROM sqlite_schema'),
}

const TASKS = new Map(
  (
    [
      opening,
      longNoteEntries,
      searchMerge,
      autoIndexStart,
      autoIndexSort,
      autoIndexFill,
      autoIndexDrop,
      discardSortedRows,
      textIndexFill,
      uniqueStart,
      uniqueSort,
      uniqueFill,
      uniqueDrop,
      analyzeTable,
    ] as unknown as AnyTask[]
  ).map((task) => [task.name, task]),
)

/** Finds what is listed here, or loads it with the rest. */
async function find<One extends { readonly name: string }>(
  known: ReadonlyMap<string, One>,
  kind: 'queries' | 'tasks',
  name: string,
): Promise<One> {
  const found = known.get(name)
  if (found) return found
  const rest = (await import('./worker-on-demand.ts'))[kind] as unknown as One[]
  const one = rest.find((other) => other.name === name)
  if (!one) throw new Error(`there is nothing of the ${kind} named "${name}" in the worker`)
  return one
}

let reading: Reader | undefined
let writing: Reader | undefined
/** That of the running request. */
let stopFlag: WorkerRequest['stopFlag'] = new Int32Array(1)

function checkStop(): void {
  if (Atomics.load(stopFlag, 0) === 1) throw new Error('the request was stopped')
}

const openReading = (file: string): Reader => ({
  sql: new Sql(openReadingConnection(file), { checkStop }),
})

function openWriting({ file }: WorkerRequest): Reader {
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  prepareWriting(database)
  database.run('PRAGMA wal_autocheckpoint = 0')
  return { sql: new Sql(database) }
}

/** Everything that one query reads is of one snapshot. A long JSON text is encoded here and not when it is sent. */
function runQuery(query: AnyQuery, { file, input }: WorkerRequest): unknown {
  reading ??= openReading(file)
  const { database } = reading.sql
  database.run('BEGIN')
  try {
    const output = query.run(reading, query.plan(reading, input))
    return typeof output === 'string' ? encoded(output) : output
  } finally {
    // A failing disk may have ended it already; after a damaged page only a rollback can end it.
    if (database.inTransaction) database.run('ROLLBACK')
  }
}

/** What came before the request that uses it. */
let longText: LongText = ''
/** What the next task was given before writes wait for it. */
let prepared: { readonly value: unknown } | undefined

function prepare(task: AnyTask, request: WorkerRequest): void {
  const text = longText
  longText = ''
  prepared = undefined
  if (!task.prepare) throw new Error(`the task "${task.name}" has no preparation`)
  writing ??= openWriting(request)
  prepared = { value: task.prepare(request.input, text, writing) }
}

function takePrepared({ name }: AnyTask): unknown {
  if (!prepared) throw new Error(`the task "${name}" was not prepared`)
  const { value } = prepared
  prepared = undefined
  return value
}

/** The connection is kept: opening one takes longer than many tasks do. */
function runTask(task: AnyTask, request: WorkerRequest): unknown {
  writing ??= openWriting(request)
  const { sql } = writing
  const input = task.prepare ? takePrepared(task) : request.input
  if ((task.thread ?? 'background') !== 'background') keepTemporaryInMemory(sql.database)
  sql.run(task.isPreparation ? 'BEGIN' : 'BEGIN IMMEDIATE')
  try {
    if (request.right && !task.isPreparation) checkRight(writing, request.right as RightData, request.now)
    const result = task.run(writing, input, request.now)
    if (!task.isPreparation) self.postMessage(COMMITTING)
    sql.run('COMMIT')
    return task.present ? task.present(result, input) : result
  } finally {
    if (sql.database.inTransaction) sql.run('ROLLBACK')
  }
}

function closeConnections(): void {
  for (const reader of [reading, writing]) {
    reader?.sql.finalize()
    reader?.sql.database.close()
  }
  reading = undefined
  writing = undefined
}

async function outputOf(request: WorkerRequest): Promise<unknown> {
  const { kind, name } = request
  if (kind === 'close') return closeConnections()
  if (kind === 'query') return runQuery(await find(QUERIES, 'queries', name), request)
  const task = await find(TASKS, 'tasks', name)
  return kind === 'prepare' ? prepare(task, request) : runTask(task, request)
}

async function responseTo(request: WorkerRequest): Promise<WorkerResponse> {
  stopFlag = request.stopFlag
  try {
    taskIds.follow(request.lastId)
    return { output: await outputOf(request), lastId: taskIds.last() }
  } catch (thrown) {
    const error = asUnavailable(thrown)
    if (error instanceof Refusal) return { code: error.code, sentence: error.message }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** The bytes of an output, or of its body, which are handed over instead of copied. */
function buffersIn(output: unknown): ArrayBuffer[] {
  const bytes = output instanceof Uint8Array ? output : (output as { body?: unknown } | undefined)?.body
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}

// A light request must not wait until this thread has used up its share of a processor.
lowerThreadPriority()

const IDLE_MS = 30_000
let idleTimer: Timer | undefined

function releaseMemory(): void {
  for (const reader of [reading, writing]) if (reader) shrinkMemory(reader.sql.database)
  Bun.gc(true)
}

self.onmessage = async ({ data }: MessageEvent<WorkerRequest | LongText>) => {
  clearTimeout(idleTimer)
  if (typeof data === 'string' || data instanceof Uint8Array) {
    longText = data
    return
  }
  const response = await responseTo(data)
  self.postMessage(response, 'output' in response ? buffersIn(response.output) : [])
  idleTimer = setTimeout(releaseMemory, IDLE_MS)
}
