import { Database } from 'bun:sqlite'
import { isBusy } from './failures.ts'

/** Held while a server runs on a database; the system releases it when the process dies, however it dies. */
export interface ServerLock {
  release(): void
}

/**
 * Takes the lock of the server on `file`, or answers undefined when another process holds it. The lock is
 * an exclusive SQLite transaction on the empty file `<file>.lock`, which works the same on every system.
 */
export function takeServerLock(file: string): ServerLock | undefined {
  const database = new Database(`${file}.lock`, { create: true })
  try {
    database.run('PRAGMA journal_mode = MEMORY')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => database.close() }
}
