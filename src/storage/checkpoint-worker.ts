/*
 * A worker that checkpoints a database for the main thread (`connection/checkpoint.ts`), because writing and syncing
 * many pages takes long. It closes its connection after each checkpoint, so that it never keeps the database open.
 */
import { Database } from 'bun:sqlite'
import type { CheckpointTask } from './connection/checkpoint.ts'
import { isOpenFile } from './connection/health.ts'

declare const self: Worker

/** How long a checkpoint waits for readers. It exceeds the longest snapshot of a server (`connection/reading.ts`). */
const WAIT_MS = 40

function checkpoint({ file, descriptor, mode }: CheckpointTask): void {
  // SQLite would write the WAL into another database that replaced this one.
  if (descriptor === undefined || !isOpenFile(file, descriptor))
    throw new Error('the path no longer refers to the open database')
  const database = new Database(file, { readwrite: true, create: false })
  try {
    database.run(`PRAGMA busy_timeout = ${WAIT_MS}`)
    database.run('PRAGMA synchronous = FULL')
    database.query(`PRAGMA wal_checkpoint(${mode})`).get()
  } finally {
    database.close()
  }
}

/** Responds with the message of the error; an empty text means success. */
self.onmessage = ({ data }: MessageEvent<CheckpointTask>) => {
  try {
    checkpoint(data)
    self.postMessage('')
  } catch (error) {
    self.postMessage(String(error))
  }
}
