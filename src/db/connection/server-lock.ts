import { Database } from 'bun:sqlite'
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isBusy, UnusableDatabase } from '../errors.ts'

/** Held while a server runs on a database; the system releases it when the process dies, however it dies. */
export interface ServerLock {
  release(): void
}

const MOST_LINKS = 40

/** Where a name leads through symbolic links, also while there is no file yet. */
export function realFile(file: string, links = 0): string {
  if (existsSync(file)) return realpathSync(file)
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (!isLink || links === MOST_LINKS) return file
  return realFile(resolve(dirname(file), readlinkSync(file)), links + 1)
}

/** The same lock for every name of the file: through a symbolic link, too. */
const lockFileOf = (file: string) => `${realFile(file)}.lock`

function openLockFile(file: string): Database {
  try {
    return new Database(lockFileOf(file), { create: true })
  } catch {
    throw new UnusableDatabase(
      `Beside ${file} no lock file can be made; check the folder and its permissions.`,
    )
  }
}

/**
 * Takes the lock of the server on `file`, or answers undefined when another process holds it. The lock is
 * an exclusive SQLite transaction on the empty file `<file>.lock`, which works the same on every system.
 */
export function takeServerLock(file: string): ServerLock | undefined {
  const database = openLockFile(file)
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
