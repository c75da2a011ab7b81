import { Database } from 'bun:sqlite'
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { copyVerified, syncFolder } from '../copy.ts'
import { isBusy, showsDamage, UnusableDatabase } from '../errors.ts'
import { refuseOtherPrograms, refuseUnknownSchema } from '../schema/migrations/migrate.ts'
import { hasMismatchedLog } from './mismatched-log.ts'
import { realFile, takeServerLock } from './server-lock.ts'

/** What SQLite keeps beside a database; the log and the journal may hold what is not in the file yet. */
const LOGS = ['-wal', '-journal']
const INDEX = '-shm'
const UNFINISHED = '.restoring'

/**
 * Puts a verified copy of `backup` in the place of the database, and returns the name under which the old one is kept,
 * if there was one. Whenever the process dies, one of the two is whole and in its place. `onStep` is called between the
 * steps. Throws UnusableDatabase.
 */
export function restoreDatabase(
  backup: string,
  database: string,
  onStep: () => void = () => {},
): string | undefined {
  const file = realFile(database)
  refuseUnusableBackup(backup, file)
  const lock = takeServerLock(file)
  if (!lock) throw new UnusableDatabase(`A daybook server runs on ${database}; stop it before you restore.`)
  try {
    finishRestore(file)
    const restored = file + UNFINISHED
    copyBackup(backup, restored)
    onStep()
    closeLog(file, database)
    onStep()
    return replace(file, restored, onStep)
  } finally {
    lock.release()
  }
}

function refuseUnusableBackup(backup: string, file: string): void {
  const stat = statSync(backup, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new UnusableDatabase(`There is no backup at ${backup}.`)
  // SQLite takes an empty file for an empty database.
  if (stat.size === 0)
    throw new UnusableDatabase(`${backup} is empty, so it is no backup; nothing was changed.`)
  if (existsSync(file) && realpathSync(backup) === resolve(file))
    throw new UnusableDatabase(`${backup} is the database itself; name a backup.`)
  if (hasMismatchedLog(backup))
    throw new UnusableDatabase(
      `The write-ahead log ${backup}-wal does not belong to ${backup}; move it elsewhere first.`,
    )
}

/** The copy is in rollback mode, so that a write-ahead log that is found beside it is known not to be its own. */
function copyBackup(backup: string, target: string): void {
  try {
    const source = new Database(backup, { readonly: true })
    try {
      refuseUnknownSchema(source)
      copyVerified(source, target)
    } finally {
      source.close()
    }
  } catch (error) {
    if (!showsDamage(error)) throw error
    throw new UnusableDatabase(`${backup} is damaged or not a daybook database; nothing was changed.`)
  }
}

/** Moves what is in the log into the old database, so that it is whole in one file; where it is damaged they stay a pair. */
function closeLog(file: string, name: string): void {
  if (!existsSync(file) || hasMismatchedLog(file)) return
  try {
    const old = new Database(file, { readwrite: true, create: false })
    try {
      // One of a newer daybook is kept too: this is how an upgrade is undone.
      refuseOtherPrograms(old)
      old.run('PRAGMA journal_mode = DELETE')
    } finally {
      old.close()
    }
  } catch (error) {
    if (isBusy(error))
      throw new UnusableDatabase(`Another process uses ${name}; let it finish before you restore.`)
    if (!showsDamage(error)) throw error
  }
}

/**
 * The old file gets a second name first, so that the renaming of the new one replaces it in one step. A log beside the
 * new one is refused until it is moved (`mismatched-log.ts`).
 */
function replace(file: string, restored: string, onStep: () => void): string | undefined {
  const kept = existsSync(file) || LOGS.some((log) => existsSync(file + log)) ? freeName(file) : undefined
  if (kept !== undefined && existsSync(file)) {
    nameTwice(file, kept)
    onStep()
  }
  renameSync(restored, file)
  onStep()
  for (const log of LOGS) {
    if (!existsSync(file + log)) continue
    renameSync(file + log, kept + log)
    onStep()
  }
  rmSync(file + INDEX, { force: true })
  onStep()
  syncFolder(dirname(file))
  return kept
}

const keptName = (file: string, count: number) => `${file}.before-restore${count === 1 ? '' : `-${count}`}`

function freeName(file: string): string {
  for (let count = 1; ; count++) {
    const name = keptName(file, count)
    if (!['', ...LOGS].some((suffix) => existsSync(name + suffix))) return name
  }
}

/** A copy where the file system knows no second names. */
function nameTwice(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch {
    copyFileSync(file, file + UNFINISHED)
    renameSync(file + UNFINISHED, name)
  }
}

/**
 * Takes back what a restore did before it was killed: a second name of the database, which is whole, and copies. To be
 * called by the process that has the server's lock.
 */
export function finishRestore(file: string): void {
  const [folder, name] = [dirname(resolve(file)), basename(file)]
  if (!existsSync(folder)) return
  for (const left of readdirSync(folder)) {
    if (left.startsWith(name + UNFINISHED)) rmSync(join(folder, left))
  }
  removeSecondName(file)
}

function removeSecondName(file: string): void {
  const identity = (path: string) => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat && `${stat.dev}:${stat.ino}`
  }
  const own = identity(file)
  for (let count = 1; own !== undefined; count++) {
    const name = keptName(file, count)
    const other = identity(name)
    if (other === undefined) return
    if (other === own) rmSync(name)
  }
}
