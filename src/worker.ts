/*
 * The worker that `db/heavy.ts` starts: heavy reads, and long changes of what is derived, on connections of its
 * own, away from the thread that answers requests. Whatever may run here is listed here.
 */
import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { openReadingConnection, prepareWriting } from './db/connection/open.ts'
import { asUnavailable } from './db/errors.ts'
import type { Reader } from './db/reader.ts'
import { Sql } from './db/sql.ts'
import type { QueryPlan, WorkerQuery, WorkerRequest, WorkerResponse, WorkerTask } from './db/worker/client.ts'
import { fileSearchRead } from './files/search.ts'
import { graphRead } from './lenses/graph.ts'
import { stepBack } from './lib/thread-priority.ts'
import { linksRead } from './notes/links/links.ts'
import { searchRead } from './notes/query/list.ts'
import { treeRead } from './notes/query/tree-query.ts'
import { listRead } from './records/query/list.ts'
import { summaryRead } from './records/query/summary.ts'
import { Refusal } from './refusal.ts'
import { autoIndexBuild, autoIndexDrop } from './structures/storage/auto-index.ts'
import { textIndexFill } from './structures/storage/text-index.ts'
import { viewRead } from './views/notes.ts'

declare const self: Worker

type AnyRead = WorkerQuery<unknown, QueryPlan, unknown>
type AnyWrite = WorkerTask<unknown, unknown>

const READS = new Map(
  (
    [
      listRead,
      summaryRead,
      searchRead,
      linksRead,
      treeRead,
      viewRead,
      graphRead,
      fileSearchRead,
    ] as unknown as AnyRead[]
  ).map((read) => [read.name, read]),
)
const WRITES = new Map(
  ([autoIndexBuild, autoIndexDrop, textIndexFill] as unknown as AnyWrite[]).map((write) => [
    write.name,
    write,
  ]),
)

let reading: Reader | undefined
let writing: Reader | undefined

const readerOf = (database: Database): Reader => ({ sql: new Sql(database), orm: drizzle(database) })

function openWriting({ file, checkpoints }: WorkerRequest): Reader {
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  prepareWriting(database)
  if (!checkpoints) database.run('PRAGMA wal_autocheckpoint = 0')
  return readerOf(database)
}

/** Everything one read sees is one state. */
function read({ file, name, input }: WorkerRequest): unknown {
  const worker = READS.get(name)
  if (!worker) throw new Error(`there is no heavy read "${name}"`)
  reading ??= readerOf(openReadingConnection(file))
  reading.sql.run('BEGIN')
  try {
    return worker.run(reading, worker.plan(reading, input))
  } finally {
    // A failing disk may have ended it already.
    if (reading.sql.database.inTransaction) reading.sql.run('COMMIT')
  }
}

/** Over a connection of its own, which is kept: making one takes longer than many a write. */
function write(question: WorkerRequest): unknown {
  const worker = WRITES.get(question.name)
  if (!worker) throw new Error(`there is no heavy write "${question.name}"`)
  writing ??= openWriting(question)
  const { sql } = writing
  sql.run('BEGIN IMMEDIATE')
  try {
    const output = worker.run(writing, question.input)
    sql.run('COMMIT')
    return output
  } finally {
    if (sql.database.inTransaction) sql.run('ROLLBACK')
  }
}

function replyTo(question: WorkerRequest): WorkerResponse {
  try {
    return { output: question.kind === 'read' ? read(question) : write(question) }
  } catch (thrown) {
    const error = asUnavailable(thrown)
    if (error instanceof Refusal) return { code: error.code, sentence: error.message }
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

// A light request must not wait until this thread has used up its share of a processor.
stepBack()

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => self.postMessage(replyTo(data))
