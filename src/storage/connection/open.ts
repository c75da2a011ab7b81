import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { asReadError, asSystemError, asUnusable, faultOf, UnusableDatabase } from '../errors.ts'
import { accessProblem } from '../file-access.ts'
import { createFile } from '../new-file.ts'
import type { Reader } from '../reader.ts'
import { MIGRATIONS } from '../schema/migrations/migrations.ts'
import { Sql } from '../sql.ts'
import type { StartThread } from '../thread-start.ts'
import { MANY_PAGES } from './checkpoint.ts'
import { refuseForeignWal } from './foreign-wal.ts'
import type { DiskCalls } from './health.ts'
import { hasSchema, migrate, needsMigration } from './migrate.ts'
import { noDatabase } from './missing.ts'
import { finishRestore } from './restore.ts'
import { realFile, takeServerLock } from './server-lock.ts'

/** The threads and the disk below a database; those of the system by default. */
export interface Platform {
  /** Starts the threads of the database. */
  readonly startThread?: StartThread
  /** The calls by which a server syncs commits to the disk. */
  readonly disk?: DiskCalls
}

export interface OpenOptions extends Platform {
  file: string
  /** The content of a database in memory; without it the database is new. */
  content?: Uint8Array
  programVersion: string
  clock: Clock
  log: Log
  /**
   * A `server` creates a missing file and never blocks on the lock of another process. A `command` needs an existing
   * file and waits up to five seconds for a lock.
   */
  role: 'server' | 'command'
  /** `off` when another program alone checkpoints the database; `auto` by default. */
  checkpoint?: 'auto' | 'off'
  /** Updates derived data for this version of the program, in the transaction of an upgrade. */
  afterUpgrade?: (reader: Reader) => void
}

const LOCK_WAIT_MS = 5_000
const CACHE_KIB = 65_536

/** Opens a read-only connection. */
export function openReadingConnection(file: string): Database {
  const database = new Database(file, { readonly: true, strict: true })
  database.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  keepTemporaryInMemory(database)
  return database
}

/**
 * Settings of every writing connection: commits are synced to disk, foreign keys are checked, and locks are waited
 * for.
 */
export function prepareWriting(database: Database): void {
  database.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`)
  database.run('PRAGMA synchronous = FULL')
  database.run('PRAGMA foreign_keys = ON')
  database.run(`PRAGMA cache_size = -${CACHE_KIB}`)
}

/** Runs the function with another page cache size. */
export function withCacheOf<T>(kib: number, database: Database, run: () => T): T {
  database.run(`PRAGMA cache_size = -${kib}`)
  try {
    return run()
  } finally {
    database.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  }
}

/**
 * Keeps temporary tables and statement journals in memory: files would take longer than many writes themselves. Not
 * for connections that sort whole tables.
 */
export function keepTemporaryInMemory(database: Database): void {
  database.run('PRAGMA temp_store = MEMORY')
}

/** Empties the page cache, which would otherwise keep its largest size. */
export function shrinkMemory(database: Database): void {
  try {
    database.run('PRAGMA shrink_memory')
  } catch (error) {
    throw asReadError(error, database)
  }
}

function openFile(options: OpenOptions): Database {
  const { file, content, role } = options
  if (content) return Database.deserialize(content, { strict: true })
  if (role === 'command' && !statSync(file, { throwIfNoEntry: false })) {
    throw noDatabase(file)
  }
  if (file !== ':memory:') checkFiles(options)
  try {
    if (role === 'server' && file !== ':memory:') createFile(realFile(file), {})
    return new Database(file, { create: false, readwrite: true, strict: true })
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined ? !asSystemError(error) : fault !== 'unusable') throw error
    throw new UnusableDatabase(
      `The database ${file} cannot be opened. ${accessProblem(file) ?? 'Check that it is a file, and its permissions.'}`,
    )
  }
}

/** Reverts an interrupted restore, but not one that still runs, and refuses the WAL of another database. */
function checkFiles({ file, role }: OpenOptions): void {
  if (role === 'server') finishRestore(realFile(file))
  else if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 1) > 1) {
    const lock = takeServerLock(file)
    if (lock) finishRestore(realFile(file))
    lock?.release()
  }
  refuseForeignWal(file)
}

/**
 * A server waits for locks with a timer (`writes/write-queue.ts`), so that it serves requests meanwhile. It syncs
 * each commit (`health.ts`) and checkpoints (`checkpoint.ts`) in other threads. A command lets SQLite do all of
 * this.
 */
function prepareMain(database: Database, { role, checkpoint }: OpenOptions): void {
  changeJournal(database, 'WAL')
  keepTemporaryInMemory(database)
  const folds = role === 'command' && checkpoint !== 'off'
  database.run(`PRAGMA wal_autocheckpoint = ${folds ? MANY_PAGES : 0}`)
  if (role === 'command') return
  database.run('PRAGMA busy_timeout = 0')
  database.run('PRAGMA synchronous = NORMAL')
}

function opened(options: OpenOptions): Database {
  try {
    return openFile(options)
  } catch (error) {
    throw asUnusable(error, options.file)
  }
}

/** Opens, migrates and prepares the writing connection. Throws UnusableDatabase. */
export function openWritingConnection(options: OpenOptions): Database {
  const database = opened(options)
  try {
    prepareWriting(database)
    migrateAlone(database, options)
    prepareMain(database, options)
    return database
  } catch (thrown) {
    const error = asUnusable(asReadError(thrown, database), options.file)
    database.close()
    throw error
  }
}

/** A server already holds its lock. A command takes it for the migration, so that no schema in use is changed. */
function migrateAlone(database: Database, options: OpenOptions): void {
  if (!needsMigration(database)) return
  const { file, role } = options
  if (role === 'server') {
    upgrade(database, options)
    return
  }
  const lock = takeServerLock(file)
  if (!lock)
    throw new UnusableDatabase(
      `An older daybook serves ${file}, or another one upgrades it; stop it, or wait until it is done.`,
    )
  try {
    upgrade(database, options)
  } finally {
    lock.release()
  }
}

/** Logs the beginning and the end of an upgrade of a database with data, because it can take minutes. */
function upgrade(database: Database, options: OpenOptions): void {
  const { file, programVersion, log } = options
  const startedAt = performance.now()
  if (hasSchema(database)) {
    log.info('upgrading the database, which may take seconds for every million records', { file })
    log.flush()
  }
  let isUpgraded = false
  migrate(database, file, programVersion, MIGRATIONS, () => {
    updateDerived(database, options)
    isUpgraded = true
  })
  if (isUpgraded) log.info('upgraded the database', { ms: Math.round(performance.now() - startedAt) })
}

function updateDerived(database: Database, { afterUpgrade }: OpenOptions): void {
  const sql = new Sql(database)
  try {
    afterUpgrade?.({ sql })
  } finally {
    sql.finalize()
  }
}

/**
 * Closes the database. All acknowledged writes are already on the disk, so a checkpoint that fails on a full disk
 * loses nothing. A command beside a server leaves the checkpoint to the server, which may upload the WAL first; alone,
 * it checkpoints as it leaves WAL mode.
 */
export function closeDatabase(database: Database, { role, checkpoint }: OpenOptions): void {
  try {
    if (checkpoint !== 'off') {
      if (role === 'server') database.run('PRAGMA wal_checkpoint(TRUNCATE)')
      leaveWalMode(database)
    }
  } catch (error) {
    if (faultOf(error) === undefined) throw error
  } finally {
    database.close()
  }
}

/** Returns the file to rollback mode, in which it has no WAL, unless another process has it open. */
function leaveWalMode(database: Database): void {
  database.run('PRAGMA busy_timeout = 0')
  changeJournal(database, 'DELETE')
}

/**
 * Changes the journal mode so that the removal of the old journal survives a power loss; otherwise the journal could
 * undo the change.
 */
function changeJournal(database: Database, mode: 'WAL' | 'DELETE'): void {
  database.run('PRAGMA synchronous = EXTRA')
  database.run(`PRAGMA journal_mode = ${mode}`)
  database.run('PRAGMA synchronous = FULL')
}
