import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import type { Clock } from '../lib/clock.ts'
import { createIdSource } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { IdleCheckpoint } from './connection/checkpoint.ts'
import { ExternalWrites } from './connection/external-writes.ts'
import { Health } from './connection/health.ts'
import { IdleMemory } from './connection/idle-memory.ts'
import { refuseForeignLog } from './connection/log-owner.ts'
import { openReadingConnection, prepareWriting, shrinkMemory } from './connection/open.ts'
import { ReadSnapshot } from './connection/read-snapshot.ts'
import { finishRestore } from './connection/restore.ts'
import { realFile, takeServerLock } from './connection/server-lock.ts'
import {
  isBusy,
  isDamaged,
  isNotADatabase,
  isStorageFailure,
  RESTORE,
  UnusableDatabase,
  unlessStorageFails,
} from './errors.ts'
import { type Reader, readerOf } from './reader.ts'
import { migrate, needsMigration } from './schema/migrations/migrate.ts'
import { MIGRATIONS } from './schema/migrations/migrations.ts'
import { Sql } from './sql.ts'
import { type WriteFunction, WriteQueue } from './writes/write-queue.ts'

/** The one door to storage: it reads as it stands, and writes through `write` alone. */
export interface Db extends Reader {
  readonly file: string
  /** False when another program alone moves the write-ahead log into the file. */
  readonly checkpoints: boolean
  /** Runs the function in a transaction and answers its result after the commit (`write-queue.ts`). */
  write<T>(run: WriteFunction<T>, isLong?: boolean): Promise<T>
  /** Holds writes back, however long, while `action` writes over another connection (`write-queue.ts`). */
  pauseDuring<T>(action: () => Promise<T>): Promise<T>
  /** False while commits fail, and for good once a damaged page was met or a file was replaced. */
  readonly healthy: boolean
  /** To be told of every error that a read ended with: one that shows damage makes the database unhealthy. */
  noteError(error: unknown): void
  /**
   * Calls the listener once when a file of the database was replaced or removed by another program; by then every write
   * is refused.
   */
  onLost(listener: () => void): void
  /** Calls the listener, within a fraction of a second, after another process wrote; answers how to stop. */
  onExternalWrite(listener: () => void): () => void
  /** Lets the next read see all that other processes have written by now. */
  refresh(): void
  /** Moves the write-ahead log into the file as far as readers allow. */
  checkpoint(): void
  /** Lets SQLite refresh the statistics it plans by; a few milliseconds. */
  optimize(): void
  close(): void
}

export interface OpenOptions {
  file: string
  programVersion: string
  clock: Clock
  log: Log
  /**
   * `server` makes the file when there is none and never blocks on another process's lock; `command` works
   * on a file that exists and waits for a lock up to five seconds.
   */
  role: 'server' | 'command'
  /** `off` when another program alone moves the write-ahead log into the file; `auto` unless given. */
  checkpoint?: 'auto' | 'off'
  /** Brings what is derived from the data in step with this program, in the transaction of an upgrade. */
  afterUpgrade?: (reader: Reader) => void
}

/** How long the queue tries again; the connection of a command has waited for the lock by itself (`connection.ts`). */
const LOCK_WAIT_MS = { server: 2_000, command: 0 }
/** Pages of the write-ahead log, and what its file may keep of them afterwards. */
const CHECKPOINT_PAGES = 10_000
const LOG_BYTES = 67_108_864

function openFile(options: OpenOptions): Database {
  const { file, role } = options
  if (role === 'command' && !existsSync(file)) {
    throw new UnusableDatabase(
      `There is no database at ${file}; "daybook serve" makes one, --db names another.`,
    )
  }
  if (file !== ':memory:') refuseForeignFiles(options)
  try {
    return new Database(file, { create: role === 'server', readwrite: true, strict: true })
  } catch {
    throw new UnusableDatabase(`The database ${file} cannot be opened or made.`)
  }
}

/** A restore that was killed is taken back, unless it is running: then it has the lock. */
function refuseForeignFiles({ file, role }: OpenOptions): void {
  if (role === 'server') finishRestore(realFile(file))
  else if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 1) > 1) {
    const lock = takeServerLock(file)
    if (lock) finishRestore(realFile(file))
    lock?.release()
  }
  refuseForeignLog(file)
}

/** A server waits for locks by a timer (`write-queue.ts`), so that it goes on answering meanwhile. */
function prepareMain(database: Database, { role, checkpoint }: OpenOptions): void {
  changeJournal(database, 'WAL')
  database.run('PRAGMA temp_store = MEMORY')
  database.run(`PRAGMA wal_autocheckpoint = ${checkpoint === 'off' ? 0 : CHECKPOINT_PAGES}`)
  database.run(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
  if (role === 'server') database.run('PRAGMA busy_timeout = 0')
}

function openUsable(options: OpenOptions): Database {
  const database = openFile(options)
  try {
    prepareWriting(database)
    migrateAlone(database, options)
    prepareMain(database, options)
    return database
  } catch (error) {
    database.close()
    throw asUnusable(error, options.file)
  }
}

/** A server holds its lock already; a command takes it for the migration, so as not to change a schema in use. */
function migrateAlone(database: Database, options: OpenOptions): void {
  if (!needsMigration(database)) return
  const { file, role } = options
  if (role === 'server') {
    upgrade(database, options)
    return
  }
  const lock = takeServerLock(file)
  if (!lock)
    throw new UnusableDatabase('An older daybook serves this database; stop it before you use this one.')
  try {
    upgrade(database, options)
  } finally {
    lock.release()
  }
}

const upgrade = (database: Database, { file, programVersion, afterUpgrade }: OpenOptions): void =>
  migrate(database, file, programVersion, MIGRATIONS, () => {
    const sql = new Sql(database)
    try {
      afterUpgrade?.(readerOf(sql))
    } finally {
      sql.finalize()
    }
  })

/** What keeps a file from being used as a sentence for the operator; a programming error as it is. */
function asUnusable(error: unknown, file: string): unknown {
  if (isBusy(error)) return new UnusableDatabase('The database is locked by another process; try again.')
  if (isDamaged(error)) return new UnusableDatabase(`The database ${file} is damaged. ${RESTORE}`)
  if (isNotADatabase(error)) return new UnusableDatabase(`${file} is not a daybook database.`)
  if (isStorageFailure(error)) {
    return new UnusableDatabase(
      `The database ${file} cannot be read and written; check the disk and its permissions.`,
    )
  }
  return error
}

/** The connection that requests read from. */
interface Reading {
  readonly reader: Reader
  /** Called around each commit of this process, and when that of another is seen. */
  renew(): void
  /** Empties its page cache. */
  shrink(): void
  close(): void
}

/** A server reads from a connection of its own, in snapshots; commands, and databases in memory, have only one. */
function openReading({ file, role }: OpenOptions, writer: Reader, onRead: () => void): Reading {
  if (role === 'command' || file === ':memory:')
    return { reader: writer, renew: () => {}, shrink: () => {}, close: () => {} }
  const database = openReadingConnection(file)
  const snapshot = new ReadSnapshot(database)
  const enter = () => {
    onRead()
    return snapshot.enter()
  }
  const sql = new Sql(database, { enter })
  return {
    reader: readerOf(sql),
    renew: () => snapshot.leave(),
    shrink: () => shrinkMemory(database),
    close: () => {
      snapshot.close()
      sql.finalize()
      database.close()
    },
  }
}

/** Opens, migrates and prepares the database. Throws UnusableDatabase. */
export function openDatabase(options: OpenOptions): Db {
  const { file, clock, log, role } = options
  const checkpoints = options.checkpoint !== 'off'
  const database = openUsable(options)
  const sql = new Sql(database)
  const writer = readerOf(sql)
  const idleMemory = new IdleMemory(() =>
    unlessStorageFails(log, () => {
      shrinkMemory(database)
      reading.shrink()
    }),
  )
  const reading = openReading(options, writer, () => idleMemory.noteRead())
  const checkpoint = () => void sql.all('PRAGMA wal_checkpoint(PASSIVE)')
  const idleCheckpoint = new IdleCheckpoint(clock, () => unlessStorageFails(log, checkpoint))
  const externalWrites = new ExternalWrites(sql, log, clock)
  const health = new Health(file, log)
  const queue = new WriteQueue({
    ...writer,
    clock,
    log,
    newId: createIdSource(),
    lockWaitMs: LOCK_WAIT_MS[role],
    yieldsLock: role === 'command',
    // A commit that moves the write-ahead log into the file starts it anew only where nobody reads from it.
    beforeCommit: () => {
      const refusal = health.refusalOfCommit()
      if (refusal) throw refusal
      reading.renew()
    },
    onCommit: () => {
      reading.renew()
      idleMemory.noteCommit()
      if (role === 'server' && checkpoints) idleCheckpoint.noteCommit()
      return health.refusalOfCommit()
    },
  })
  /** What was acknowledged is lost with this process when the log that holds it has no name any more. */
  const saveLog = () => {
    if (health.lostOnlyLog) unlessStorageFails(log, checkpoint)
  }
  health.onLost(() => {
    queue.close(health.refusal)
    reading.renew()
    saveLog()
  })
  health.start()
  if (role === 'server') idleMemory.start()
  return {
    ...reading.reader,
    file,
    checkpoints,
    write: (run, isLong) => queue.write(run, isLong),
    pauseDuring: (action) => queue.pauseDuring(action),
    get healthy() {
      return queue.healthy && health.isSound
    },
    noteError: (error) => health.noteError(error),
    onLost: (listener) => health.onLost(listener),
    onExternalWrite: (listener) =>
      externalWrites.onWrite(() => {
        reading.renew()
        listener()
      }),
    refresh: () => reading.renew(),
    checkpoint,
    optimize: () => {
      sql.all('PRAGMA analysis_limit = 1000')
      sql.all('PRAGMA optimize')
    },
    close: () => {
      health.stop()
      idleCheckpoint.stop()
      idleMemory.stop()
      queue.close()
      externalWrites.stop()
      unlessStorageFails(log, () => reading.close())
      // SQLite removes the log when it closes a database, and the names may lead to the files of another one by now.
      if (health.isLost) saveLog()
      else closeDatabase(database, options)
    },
  }
}

/**
 * Everything that was acknowledged is on the disk by now: a checkpoint that fails for a full one loses nothing. That of
 * a command takes no lock and waits for nobody who reads: a server may be writing beside it.
 */
function closeDatabase(database: Database, { role, checkpoint }: OpenOptions): void {
  try {
    if (checkpoint !== 'off') {
      database.run(`PRAGMA wal_checkpoint(${role === 'server' ? 'TRUNCATE' : 'PASSIVE'})`)
      putAtRest(database)
    }
  } catch (error) {
    if (!isStorageFailure(error)) throw error
  } finally {
    database.close()
  }
}

/** Returns the file to rollback mode, in which it has no write-ahead log, unless somebody else has it open. */
function putAtRest(database: Database): void {
  database.run('PRAGMA busy_timeout = 0')
  changeJournal(database, 'DELETE')
}

/** Also the removal of the journal that this takes survives a power loss: else the change would be undone then. */
function changeJournal(database: Database, mode: 'WAL' | 'DELETE'): void {
  database.run('PRAGMA synchronous = EXTRA')
  database.run(`PRAGMA journal_mode = ${mode}`)
  database.run('PRAGMA synchronous = FULL')
}
