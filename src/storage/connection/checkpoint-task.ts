import { Database } from 'bun:sqlite'
import { reach } from '../../lib/failure-points.ts'
import type { CheckpointResult, CheckpointTask } from './checkpoint.ts'
import { isOpenFile } from './health.ts'

/** How long a checkpoint waits for readers. It exceeds the longest snapshot of a server (`reading.ts`). */
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
    reach('checkpointed')
    return total
  } finally {
    database.close()
  }
}

/**
 * Checkpoints a database for another thread. Closes its connection afterwards, so that it never keeps the database open.
 */
export function runCheckpoint(task: CheckpointTask): CheckpointResult {
  try {
    return { total: checkpoint(task) }
  } catch (error) {
    return { failure: String(error) }
  }
}
