import type { Database, Statement } from 'bun:sqlite'
import { asReadError, isStorageFailure } from '../errors.ts'
import { Sql } from '../sql.ts'
import { openReadingConnection } from './open.ts'

/*
 * A server reads from a separate connection. Many reads share one snapshot, because beginning one takes locks of the
 * WAL, which costs more than a small read. A snapshot ends with every commit of this process or another one, so that
 * a read never misses an acknowledged write. It also ends after a few milliseconds, so that the WAL can restart.
 *
 * Until a commit is on the disk, reads see the state before it. The exception is a commit of another process, which
 * every read sees: that process syncs the WAL, and with it everything this process has committed before, before its
 * commit becomes visible.
 */

/** The longest life of a snapshot. */
const MAX_AGE_MS = 20

/** The reading connection and its snapshot. */
export class Reading {
  readonly sql: Sql
  readonly #database: Database
  readonly #begin: Statement
  readonly #end: Statement
  readonly #read: Statement
  /** Changes when a connection other than the writing one commits. */
  readonly #version: Statement
  readonly #writer: Database
  readonly #onOtherCommit: () => void
  readonly #memoized = new MemoizedResults(this)
  /** Set while there is a snapshot. */
  #timer: Timer | undefined
  #beganAt = 0
  /** Whether the snapshot stays despite commits of this process. */
  #isHeld = false
  /** The version at the last commit of another connection that was noticed. */
  #knownVersion: unknown
  /** Whether the version was read since this thread last waited. */
  #isVersionRead = false

  /** `onOtherCommit` is called when a connection other than the writing one has committed. */
  constructor(file: string, writer: Sql, onOtherCommit: () => void) {
    const database = openReadingConnection(file)
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#end = database.prepare('COMMIT')
    this.#read = database.prepare('PRAGMA schema_version')
    this.#writer = writer.database
    this.#version = this.#writer.prepare('PRAGMA data_version')
    this.#knownVersion = this.#readVersion()
    this.#onOtherCommit = onOtherCommit
    this.#memoized.watch(this.#writer)
    this.sql = new Sql(database, {
      state: writer.state,
      enter: () => {
        this.noteOthers()
        this.#enter()
      },
      memory: {
        get: (name) => {
          this.noteOthers()
          return this.#memoized.get(name)
        },
        set: (name, made) => this.#memoized.set(name, made),
      },
    })
  }

  /** When the current snapshot began, or else the last one. */
  get beganAt(): number {
    return this.#beganAt
  }

  get isOpen(): boolean {
    return this.#timer !== undefined
  }

  /**
   * Makes commits of other connections visible to the next read; every read calls it. The version is read again only
   * after this thread has waited: no request arrives before that, so no caller can know of a later commit.
   */
  noteOthers(): void {
    if (this.#isVersionRead) return
    this.#isVersionRead = true
    queueMicrotask(this.#forgetVersion)
    this.#compareVersion()
  }

  readonly #forgetVersion = (): void => {
    this.#isVersionRead = false
  }

  #compareVersion(): void {
    const version = this.#readVersion()
    if (version === this.#knownVersion) return
    this.#knownVersion = version
    this.#onOtherCommit()
    this.#memoized.clear()
    this.release()
  }

  /** Begins a snapshot if there is none. */
  #enter(): void {
    if (this.#timer !== undefined) return
    this.#beganAt = performance.now()
    this.#begin.run()
    this.#timer = setTimeout(() => this.leave(), MAX_AGE_MS)
  }

  /**
   * Keeps every read at the current state until `noteCommit` or `release`, for a commit that is not on the disk at
   * once.
   */
  hold(): void {
    this.#compareVersion()
    this.leave()
    this.#enter()
    // The snapshot begins with its first statement.
    firstValue(this.#read, this.#database)
    this.#isHeld = true
  }

  /** Ends a snapshot, even a held one. */
  release(): void {
    this.#isHeld = false
    this.leave()
  }

  /**
   * Ends the snapshot unless it is held, so that the next read sees everything committed by then. Must be called
   * before each commit: the WAL restarts only while nothing reads from it.
   */
  leave(): void {
    if (this.#timer === undefined || this.#isHeld) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    // A failing disk may have ended the transaction already, and a damaged page makes its end fail.
    try {
      if (this.#database.inTransaction) this.#end.run()
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      if (this.#database.inTransaction) this.#database.run('ROLLBACK')
    }
  }

  /** Must be called after each commit of this process, once it is on the disk. */
  noteCommit(): void {
    this.release()
    this.#memoized.noteCommit()
  }

  /** Must be called when another connection may have written. */
  refresh(): void {
    this.leave()
    this.#memoized.clear()
  }

  close(): void {
    this.release()
    for (const statement of [this.#begin, this.#end, this.#read, this.#version]) statement.finalize()
    this.sql.finalize()
    this.#database.close()
  }

  #readVersion(): unknown {
    return firstValue(this.#version, this.#writer)
  }
}

function firstValue(statement: Statement, database: Database): unknown {
  try {
    return statement.values()[0]?.[0]
  } catch (error) {
    throw asReadError(error, database)
  }
}

/**
 * The tables that `Sql.memoize` may read: those that every request needs and that are seldom written, each with the
 * columns that make a cached result stale. Of a workspace it may read the identity but not the counters; of a
 * structure, its names and fields; of a source, what verifies calls.
 */
const TABLES = [
  ['workspaces', 'UPDATE OF id, name'],
  ['users', 'UPDATE'],
  ['members', 'UPDATE'],
  ['keys', 'UPDATE'],
  ['sessions', 'UPDATE'],
  ['connected_apps', 'UPDATE'],
  ['access_tokens', 'UPDATE'],
  ['change_epochs', 'UPDATE'],
  ['structures', 'UPDATE OF name_fold, fields'],
  ['sources', 'UPDATE OF token, secret, secret_version, options'],
] as const

/** The SQL function that the triggers call. */
const NOTE_WRITE = 'note_write'

/**
 * Results that most requests need, such as the owner of a key, by name. They outlive a snapshot until this process
 * commits a write to one of their tables, and at most for the life of a snapshot.
 */
class MemoizedResults {
  readonly #results = new Map<string, unknown>()
  /** When the snapshot of the oldest result began. */
  #since = 0
  /** Whether an open transaction may have written to one of the tables; nothing is cached then. */
  #isOutdated = false

  constructor(private readonly reading: Pick<Reading, 'beganAt' | 'isOpen'>) {}

  /** Notes every write of this connection to one of the tables, whichever statement or cascade makes it. */
  watch(writer: Database): void {
    writer.function(NOTE_WRITE, () => {
      this.#isOutdated = true
      return 1
    })
    for (const [table, update] of TABLES)
      for (const [at, event] of ['INSERT', update, 'DELETE'].entries())
        writer.run(
          `CREATE TEMP TRIGGER ${NOTE_WRITE}_${table}_${at} AFTER ${event} ON main.${table}
           BEGIN SELECT ${NOTE_WRITE}(); END`,
        )
  }

  get(name: string): unknown {
    if (this.#results.size === 0) return undefined
    if (this.#isOutdated || this.#isTooOld) this.clear()
    return this.#results.get(name)
  }

  set(name: string, result: unknown): void {
    if (this.#isOutdated) return
    if (this.#results.size === 0) this.#since = this.reading.beganAt
    this.#results.set(name, result)
  }

  /** A snapshot ends late when the thread is busy. */
  get #isTooOld(): boolean {
    const { beganAt, isOpen } = this.reading
    if (isOpen && this.#since === beganAt) return false
    return performance.now() - this.#since >= MAX_AGE_MS
  }

  /** Must be called after every commit of the watched connection, once its snapshot has ended. */
  noteCommit(): void {
    if (!this.#isOutdated) return
    this.clear()
    this.#isOutdated = false
  }

  /** Must be called when another connection may have written. */
  clear(): void {
    this.#results.clear()
  }
}
