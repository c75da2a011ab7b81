/*
 * The program of the worker threads (`db/worker`): large queries, and long changes of derived data, on connections of
 * their own, so that the main thread goes on serving requests.
 */
import { Database } from 'bun:sqlite'
import { LOST } from './db/connection/health.ts'
import {
  keepTemporaryInMemory,
  openReadingConnection,
  prepareWriting,
  shrinkMemory,
} from './db/connection/open.ts'
import { isOpenFile } from './db/connection/open-files.ts'
import { asUnavailable } from './db/errors.ts'
import type { Reader } from './db/reader.ts'
import { Sql } from './db/sql.ts'
import type { WorkerQuery, WorkerTask, WriteListeners } from './db/worker/client.ts'
import { COMMITTING, OPENING, type WorkerRequest, type WorkerResponse } from './db/worker/protocol.ts'
import { taskIds, taskTransaction } from './db/writes/task-transaction.ts'
import type { RightData } from './http/request-right.ts'
import { encoded } from './http/responses.ts'
import { lowerThreadPriority } from './lib/thread-priority.ts'
import { findOperation } from './operations.ts'
import { Refusal, unavailable } from './refusal.ts'
import { checkRight } from './sessions/rights.ts'

declare const self: Worker

type AnyQuery = WorkerQuery<unknown, unknown>
type AnyTask = WorkerTask<unknown, unknown>

/** Reads the schema, as the first statement of a connection does. */
const opening: AnyTask = {
  name: OPENING,
  isPreparation: true,
  run: ({ sql }) => void sql.get('SELECT 1 FROM sqlite_schema'),
}

let reading: Reader | undefined
let writing: Reader | undefined
/** Whether the running task wrote what others wait for; the main thread tells them. */
let wakes = false

const NOBODY: WriteListeners = { wake: () => {}, wakeDeliveries: () => {} }
/** That of the running request. */
let stopFlag: WorkerRequest['stopFlag'] = new Int32Array(1)

function checkStop(): void {
  if (Atomics.load(stopFlag, 0) === 1) throw new Error('the request was stopped')
}

/** SQLite would move the log of the open database into another one that was put in its place. */
function refuseReplaced({ file, descriptor }: WorkerRequest): void {
  if (descriptor !== undefined && !isOpenFile(file, descriptor)) throw unavailable(LOST)
}

function openReading(request: WorkerRequest): Reader {
  refuseReplaced(request)
  return { sql: new Sql(openReadingConnection(request.file), { checkStop }) }
}

function openWriting(request: WorkerRequest): Reader {
  refuseReplaced(request)
  const { file } = request
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  prepareWriting(database)
  database.run('PRAGMA wal_autocheckpoint = 0')
  return { sql: new Sql(database) }
}

/** Everything that one query reads is of one snapshot. A long JSON text is encoded here and not when it is sent. */
function runQuery(query: AnyQuery, request: WorkerRequest): unknown {
  reading ??= openReading(request)
  const { database } = reading.sql
  database.run('BEGIN')
  try {
    const output = query.run(reading, request.input)
    return typeof output === 'string' ? encoded(output) : output
  } finally {
    // A failing disk may have ended it already; after a damaged page only a rollback can end it.
    if (database.inTransaction) database.run('ROLLBACK')
  }
}

/** The connection is kept: opening one takes longer than many tasks do. */
function runTask(task: AnyTask, request: WorkerRequest): unknown {
  writing ??= openWriting(request)
  const { sql } = writing
  if (task.isBackground) lowerPriority()
  else keepTemporaryInMemory(sql.database)
  sql.run(task.isPreparation ? 'BEGIN' : 'BEGIN IMMEDIATE')
  try {
    if (request.right && !task.isPreparation) checkRight(writing, request.right as RightData, request.now)
    const tx = taskTransaction(writing, request.now, () => {
      wakes = !request.isDryRun
    })
    const output = task.run(tx, request.input, NOBODY)
    if (request.isDryRun) return output
    if (!task.isPreparation) self.postMessage(COMMITTING)
    sql.run('COMMIT')
    return typeof output === 'string' ? encoded(output) : output
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

let isLowered = false

/** A light request must not wait until this thread has used up its share of a processor; it waits for a write. */
function lowerPriority(): void {
  if (!isLowered) lowerThreadPriority()
  isLowered = true
}

async function outputOf(request: WorkerRequest): Promise<unknown> {
  const { kind, name } = request
  if (kind === 'close') return closeConnections()
  if (kind === 'query') {
    lowerPriority()
    return runQuery((await findOperation(name)) as AnyQuery, request)
  }
  return runTask(name === OPENING ? opening : ((await findOperation(name)) as AnyTask), request)
}

async function responseTo(request: WorkerRequest): Promise<WorkerResponse> {
  stopFlag = request.stopFlag
  try {
    taskIds.follow(request.lastId)
    wakes = false
    return { output: await outputOf(request), lastId: taskIds.last(), wakes }
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

const IDLE_MS = 30_000
let idleTimer: Timer | undefined

function releaseMemory(): void {
  for (const reader of [reading, writing]) if (reader) shrinkMemory(reader.sql.database)
  Bun.gc(true)
}

self.onmessage = async ({ data }: MessageEvent<WorkerRequest>) => {
  clearTimeout(idleTimer)
  const response = await responseTo(data)
  self.postMessage(response, 'output' in response ? buffersIn(response.output) : [])
  idleTimer = setTimeout(releaseMemory, IDLE_MS)
}
