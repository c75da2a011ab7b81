import { Database } from 'bun:sqlite'
import { closeSync, existsSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { asUnusable, faultOf, isBusy, isStorageFailure, UnusableDatabase } from '../errors.ts'
import { accessProblem } from '../file-access.ts'
import { createFile } from '../new-file.ts'

/** The lock that a server holds on its database; the system releases it when the process ends for any reason. */
export interface ServerLock {
  release(): void
}

const MAX_LINKS = 40

/** Resolves symbolic links, even to a file that does not exist yet. */
export function realFile(file: string, links = 0): string {
  if (existsSync(file)) return realpathSync(file)
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (!isLink || links === MAX_LINKS) return file
  return realFile(resolve(dirname(file), readlinkSync(file)), links + 1)
}

/** The lock file, the same for every symbolic link to the database. */
const lockFileOf = (file: string) => `${realFile(file)}.lock`

/** SQLite says only that a file cannot be opened; the system gives the reason. */
function refuseFailingDisk(file: string): void {
  try {
    closeSync(openSync(lockFileOf(file), 'a'))
  } catch (error) {
    if (faultOf(error)) throw asUnusable(error, file)
  }
}

function openLockFile(file: string): Database {
  try {
    createFile(lockFileOf(file), { beside: realFile(file) })
    return new Database(lockFileOf(file), { create: false, readwrite: true })
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error
    refuseFailingDisk(file)
    throw new UnusableDatabase(
      `The lock file of ${file} cannot be created. ${accessProblem(file) ?? 'Check the folder and its permissions.'}`,
    )
  }
}

/**
 * Takes the server's lock on `file`; returns undefined if another process holds it. The lock is an exclusive SQLite
 * transaction on the empty file `<file>.lock`, which works the same on every system.
 */
export function takeServerLock(file: string): ServerLock | undefined {
  const database = openLockFile(file)
  try {
    database.run('PRAGMA journal_mode = MEMORY')
    database.run('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    if (!isStorageFailure(error)) throw error
    throw new UnusableDatabase(
      `${lockFileOf(file)} cannot be used as the lock of ${file}. ${accessProblem(file) ?? 'Remove it while no daybook runs on that database.'}`,
    )
  }
  return { release: () => database.close() }
}

/** Whether a server is running on `file`. */
export function isServed(file: string): boolean {
  const lock = takeServerLock(file)
  lock?.release()
  return lock === undefined
}
