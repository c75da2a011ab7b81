/*
 * A worker that folds the WAL of a database into it, for the main thread (`connection/checkpoint.ts`): writing and syncing
 * many pages takes long. Its connection is closed again, so that it never keeps the database open.
 */
import { Database } from 'bun:sqlite'
import type { CheckpointTask } from './connection/checkpoint.ts'
import { isOpenFile } from './connection/health.ts'

declare const self: Worker

/** How long readers are waited for: longer than a server reads from one state (`connection/reading.ts`). */
const WAIT_MS = 40

function checkpoint({ file, descriptor, mode }: CheckpointTask): void {
  // SQLite would fold the WAL into another database that was put in its place.
  if (descriptor === undefined || !isOpenFile(file, descriptor))
    throw new Error('the file is not that of the open database')
  const database = new Database(file, { readwrite: true, create: false })
  try {
    database.run(`PRAGMA busy_timeout = ${WAIT_MS}`)
    database.run('PRAGMA synchronous = FULL')
    database.query(`PRAGMA wal_checkpoint(${mode})`).get()
  } finally {
    database.close()
  }
}

/** Responds with the error as a text; the empty one means success. */
self.onmessage = ({ data }: MessageEvent<CheckpointTask>) => {
  try {
    checkpoint(data)
    self.postMessage('')
  } catch (error) {
    self.postMessage(String(error))
  }
}
