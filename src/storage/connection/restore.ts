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
import { reach } from '../../lib/failure-points.ts'
import { copyVerified, syncFile, syncFolder } from '../copy.ts'
import { asSystemError, isBusy, isStorageFailure, showsDamage, UnusableDatabase } from '../errors.ts'
import { listForeignParts } from '../foreign-schema.ts'
import { createFile } from '../new-file.ts'
import { hasForeignWal } from './foreign-wal.ts'
import { refuseOtherPrograms, refuseUnknownSchema } from './migrate.ts'
import { isServed, realFile, takeServerLock } from './server-lock.ts'

const served = (database: string) =>
  new UnusableDatabase(`A daybook server runs on ${database}; stop it before you restore.`)

/** Throws UnusableDatabase while a server runs, before anything long is begun. */
export function refuseServed(database: string): void {
  const file = realFile(database)
  // Asking creates the lock.
  if (existsSync(file) && isServed(file)) throw served(database)
}

/** SQLite's files beside a database. The WAL and the journal may hold content that is not in the file yet. */
const BESIDE = ['-wal', '-journal']
const INDEX = '-shm'
/** The copy that will replace the database, and the copy of the old one on file systems without hard links. */
const UNFINISHED = '.restoring'
const UNFINISHED_KEPT = '.restoring-old'
/** The suffixes of files that an interrupted restore leaves. */
const LEFT = /^\.restoring(?:-old|(?:\.partial-\d+)?(?:-journal)?)$/

/**
 * Replaces the database with a verified copy of `backup`. Returns the path of the old database, if there was one.
 * Whenever the process dies, one of the two is complete and in place. Throws UnusableDatabase.
 */
export function restoreDatabase(backup: string, database: string): string | undefined {
  const file = realFile(database)
  refuseUnusableBackup(backup, file)
  const lock = takeServerLock(file)
  if (!lock) throw served(database)
  try {
    finishRestore(file)
    const restored = file + UNFINISHED
    copyBackup(backup, restored, file)
    reach('restore copied')
    foldWal(file, database)
    reach('restore checkpointed')
    return replace(file, restored)
  } catch (error) {
    const { code } = asSystemError(error) ?? {}
    finishIfPossible(file)
    if (code === undefined) throw error
    throw new UnusableDatabase(
      `${backup} could not be put in the place of ${database} (${code}); check the folder, its permissions and the space on its disk, then restore again.`,
    )
  } finally {
    lock.release()
  }
}

function refuseUnusableBackup(backup: string, file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new UnusableDatabase(`${file} is not a file; name the database with --db.`)
  const stat = statSync(backup, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new UnusableDatabase(`There is no backup at ${backup}.`)
  // SQLite accepts an empty file as an empty database.
  if (stat.size === 0)
    throw new UnusableDatabase(`${backup} is empty, so it is no backup; nothing was changed.`)
  if (identityOf(backup) === identityOf(file))
    throw new UnusableDatabase(`${backup} is the database itself; name a backup.`)
  const [path, own] = [realpathSync(backup), resolve(file)]
  if (path.startsWith(own) && LEFT.test(path.slice(own.length)))
    throw new UnusableDatabase(`${backup} is left from an interrupted restore; name the backup itself.`)
  if (hasForeignWal(backup))
    throw new UnusableDatabase(
      `The write-ahead log ${backup}-wal does not belong to ${backup}; move it elsewhere first.`,
    )
}

/** The copy is in rollback mode, so that a WAL beside it is recognized as foreign. */
function copyBackup(backup: string, target: string, replaces: string): void {
  try {
    const source = new Database(backup, { readonly: true })
    try {
      refuseUnknownSchema(source)
      refuseForeignSchema(source, backup)
      copyVerified(source, target, { model: { replaces } })
    } finally {
      source.close()
    }
  } catch (error) {
    if (showsDamage(error))
      throw new UnusableDatabase(`${backup} is damaged or not a daybook database; nothing was changed.`)
    if (!isStorageFailure(error)) throw error
    throw new UnusableDatabase(
      `${backup} cannot be read as it is (${(error as Error).message}); copy it, with ${backup}-wal or ${backup}-journal if there is one, to a folder that can be written, run "daybook check --db <copy>", and restore that copy.`,
    )
  }
}

/** A foreign trigger would run at the first write. Foreign tables and indexes are left to `daybook check`. */
function refuseForeignSchema(source: Database, backup: string): void {
  const program = listForeignParts(source).find(({ isProgram }) => isProgram)
  if (!program) return
  throw new UnusableDatabase(
    `${backup} has the ${program.part}, which is not daybook's; nothing was changed. Drop it in a copy of the backup, and restore that.`,
  )
}

/** Checkpoints the old database, so that it is complete in one file; a damaged one keeps its WAL. */
function foldWal(file: string, name: string): void {
  if (!existsSync(file) || hasForeignWal(file)) return
  try {
    const old = new Database(file, { readwrite: true, create: false })
    try {
      // A database of a newer daybook is kept too: this is how an upgrade is undone.
      refuseOtherPrograms(old)
      old.run('PRAGMA journal_mode = DELETE')
    } finally {
      old.close()
    }
  } catch (error) {
    if (isBusy(error))
      throw new UnusableDatabase(`Another process uses ${name}; let it finish before you restore.`)
    if (showsDamage(error)) return
    if (!isStorageFailure(error)) throw error
    throw new UnusableDatabase(
      `The write-ahead log of ${name} could not be checkpointed (${(error as Error).message}); check the disk and its permissions. It was not replaced.`,
    )
  }
}

/**
 * Gives the old file a second name first, so that renaming the new one replaces it in one step. A WAL beside the new
 * file is refused until it is moved (`foreign-wal.ts`).
 */
function replace(file: string, restored: string): string | undefined {
  const kept =
    existsSync(file) || BESIDE.some((suffix) => existsSync(file + suffix)) ? freeName(file) : undefined
  if (kept !== undefined && existsSync(file)) {
    nameTwice(file, kept)
    reach('restore linked')
  }
  renameSync(restored, file)
  reach('restore renamed')
  for (const suffix of BESIDE) {
    if (!existsSync(file + suffix)) continue
    renameSync(file + suffix, kept + suffix)
    reach('restore moved')
  }
  rmSync(file + INDEX, { force: true })
  reach('restore finished')
  syncFolder(dirname(file))
  return kept
}

const keptName = (file: string, count: number) => `${file}.before-restore${count === 1 ? '' : `-${count}`}`

function freeName(file: string): string {
  for (let count = 1; ; count++) {
    const name = keptName(file, count)
    if (!['', ...BESIDE].some((suffix) => existsSync(name + suffix))) return name
  }
}

/** Copies the file on file systems without hard links. */
function nameTwice(file: string, name: string): void {
  try {
    linkSync(file, name)
  } catch {
    const copy = file + UNFINISHED_KEPT
    createFile(copy, { replaces: file })
    copyFileSync(file, copy)
    syncFile(copy)
    renameSync(copy, name)
  }
}

/**
 * Reverts a restore that was killed: removes the second name of the database, which is complete, and copies. Only the
 * process with the server's lock may call it.
 */
export function finishRestore(file: string): void {
  const [folder, name] = [dirname(resolve(file)), basename(file)]
  if (!existsSync(folder)) return
  for (const left of readdirSync(folder)) {
    if (left.startsWith(name) && LEFT.test(left.slice(name.length))) rmSync(join(folder, left))
  }
  removeSecondName(file)
}

/** The device and inode of a file, equal under all its names; undefined if there is no file. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** Called after a failure that may also prevent this; the next start tries again. */
function finishIfPossible(file: string): void {
  try {
    finishRestore(file)
  } catch (error) {
    if (!asSystemError(error)) throw error
  }
}

function removeSecondName(file: string): void {
  const own = identityOf(file)
  for (let count = 1; own !== undefined; count++) {
    const name = keptName(file, count)
    const other = identityOf(name)
    if (other === undefined) return
    if (other === own) rmSync(name)
  }
}
