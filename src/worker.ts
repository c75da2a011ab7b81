/*
 * The program of the worker threads (`db/worker`): large queries, and long changes of derived data, on connections of
 * their own, away from the thread that serves requests. Every query and task that may run here is listed here.
 */
import { Database } from 'bun:sqlite'
import { openReadingConnection, prepareWriting, shrinkMemory } from './db/connection/open.ts'
import { asUnavailable } from './db/errors.ts'
import { type Reader, readerOf } from './db/reader.ts'
import { Sql } from './db/sql.ts'
import type { QueryPlan, WorkerQuery, WorkerTask } from './db/worker/client.ts'
import type { WorkerRequest, WorkerResponse } from './db/worker/protocol.ts'
import { fileSearchRead } from './files/search.ts'
import { graphRead } from './lenses/graph.ts'
import { lowerThreadPriority } from './lib/thread-priority.ts'
import { linksRead } from './notes/links/links.ts'
import { listRead as noteListRead } from './notes/query/list.ts'
import { treeRead } from './notes/query/tree-query.ts'
import { longNoteEntries, longNoteWords } from './notes/search/long-notes.ts'
import { listRead } from './records/query/list.ts'
import { summaryRead } from './records/query/summary.ts'
import { Refusal } from './refusal.ts'
import {
  autoIndexDrop,
  autoIndexFill,
  autoIndexSort,
  autoIndexStart,
} from './structures/storage/auto-index.ts'
import { textIndexFill } from './structures/storage/text-index.ts'
import { uniqueDrop, uniqueFill, uniqueSort, uniqueStart } from './structures/storage/unique-build.ts'
import { viewRead } from './views/notes.ts'

declare const self: Worker

type AnyQuery = WorkerQuery<unknown, QueryPlan, unknown>
type AnyTask = WorkerTask<unknown, unknown>

const QUERIES = new Map(
  (
    [
      listRead,
      summaryRead,
      noteListRead,
      longNoteWords,
      linksRead,
      treeRead,
      viewRead,
      graphRead,
      fileSearchRead,
    ] as unknown as AnyQuery[]
  ).map((query) => [query.name, query]),
)
const TASKS = new Map(
  (
    [
      longNoteEntries,
      autoIndexStart,
      autoIndexSort,
      autoIndexFill,
      autoIndexDrop,
      textIndexFill,
      uniqueStart,
      uniqueSort,
      uniqueFill,
      uniqueDrop,
    ] as unknown as AnyTask[]
  ).map((task) => [task.name, task]),
)

let reading: Reader | undefined
let writing: Reader | undefined
/** That of the running request. */
let stopFlag: WorkerRequest['stopFlag'] = new Int32Array(1)

function checkStop(): void {
  if (Atomics.load(stopFlag, 0) === 1) throw new Error('the request was stopped')
}

const openReading = (file: string): Reader => readerOf(new Sql(openReadingConnection(file), { checkStop }))

function openWriting({ file, checkpoints }: WorkerRequest): Reader {
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  prepareWriting(database)
  if (!checkpoints) database.run('PRAGMA wal_autocheckpoint = 0')
  return readerOf(new Sql(database))
}

/** Everything that one query reads is of one snapshot. */
function runQuery({ file, name, input }: WorkerRequest): unknown {
  const query = QUERIES.get(name)
  if (!query) throw new Error(`there is no query "${name}" for the worker`)
  reading ??= openReading(file)
  const { database } = reading.sql
  database.run('BEGIN')
  try {
    return query.run(reading, query.plan(reading, input))
  } finally {
    // A failing disk may have ended it already; after a damaged page only a rollback can end it.
    if (database.inTransaction) database.run('ROLLBACK')
  }
}

/** The connection is kept: opening one takes longer than many a task. */
function runTask(request: WorkerRequest): unknown {
  const task = TASKS.get(request.name)
  if (!task) throw new Error(`there is no task "${request.name}" for the worker`)
  writing ??= openWriting(request)
  const { sql } = writing
  sql.run(task.isPreparation ? 'BEGIN' : 'BEGIN IMMEDIATE')
  try {
    const output = task.run(writing, request.input)
    sql.run('COMMIT')
    return output
  } finally {
    if (sql.database.inTransaction) sql.run('ROLLBACK')
  }
}

function responseTo(request: WorkerRequest): WorkerResponse {
  stopFlag = request.stopFlag
  try {
    return { output: request.kind === 'query' ? runQuery(request) : runTask(request) }
  } catch (thrown) {
    const error = asUnavailable(thrown)
    if (error instanceof Refusal) return { code: error.code, sentence: error.message }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// A light request must not wait until this thread has used up its share of a processor.
lowerThreadPriority()

const IDLE_MS = 30_000
let idleTimer: Timer | undefined

function releaseMemory(): void {
  for (const reader of [reading, writing]) if (reader) shrinkMemory(reader.sql.database)
  Bun.gc(true)
}

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  clearTimeout(idleTimer)
  self.postMessage(responseTo(data))
  idleTimer = setTimeout(releaseMemory, IDLE_MS)
}
