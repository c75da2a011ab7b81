import { statSync } from 'node:fs'
import type { Sql } from '../sql.ts'
import { realFile } from './server-lock.ts'

/** While writes go on, the write-ahead log is moved into the file once it has more pages than this. */
export const MANY_PAGES = 10_000
/** Moving up to this many pages takes some milliseconds. */
export const FEW_PAGES = 500
/** A file of the log that is longer is truncated; while a server moves it, it is often half as long. */
const LONG_FILE_BYTES = 134_217_728
/**
 * How long a checkpoint that keeps others from writing waits for readers: longer than a server reads from one state
 * (`read-snapshot.ts`).
 */
export const LOCK_WAIT_MS = 40

export interface LogPages {
  readonly total: number
  /** How many of them are not in the file. */
  readonly left: number
}

/** How long the log is. Throws a storage failure while the connection has a transaction or a statement open. */
export function logPages(sql: Pick<Sql, 'rows'>): LogPages {
  const [row] = sql.rows<[number, number, number]>('PRAGMA wal_checkpoint(NOOP)')
  return row ? { total: row[1], left: row[1] - row[2] } : { total: 0, left: 0 }
}

/** Whether the file of the log takes much space, however much of it is in use. */
export function isLogFileLong(file: string): boolean {
  try {
    return statSync(`${realFile(file)}-wal`).size > LONG_FILE_BYTES
  } catch {
    return false
  }
}
