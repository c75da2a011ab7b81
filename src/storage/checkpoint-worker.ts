/*
 * A worker that checkpoints a database for the main thread (`connection/checkpoint.ts`), because writing and syncing
 * many pages takes long. It closes its connection after each checkpoint, so that it never keeps the database open.
 */
import { Database } from 'bun:sqlite'
import type { CheckpointResult, CheckpointTask } from './connection/checkpoint.ts'
import { isOpenFile } from './connection/health.ts'

declare const self: Worker

/** How long a checkpoint waits for readers. It exceeds the longest snapshot of a server (`connection/reading.ts`). */
const WAIT_MS = 40

function checkpoint({ file, descriptor, mode }: CheckpointTask): number {
  // SQLite would write the WAL into another database that replaced this one.
  if (descriptor === undefined || !isOpenFile(file, descriptor))
    throw new Error('the path no longer refers to the open database')
  const database = new Database(file, { readwrite: true, create: false })
  try {
    database.run(`PRAGMA busy_timeout = ${WAIT_MS}`)
    database.run('PRAGMA synchronous = FULL')
    const [[, total]] = database.query(`PRAGMA wal_checkpoint(${mode})`).values() as [
      [number, number, number],
    ]
    return total
  } finally {
    database.close()
  }
}

const resultOf = (task: CheckpointTask): CheckpointResult => {
  try {
    return { total: checkpoint(task) }
  } catch (error) {
    return { failure: String(error) }
  }
}

self.onmessage = ({ data }: MessageEvent<CheckpointTask>) => self.postMessage(resultOf(data))
