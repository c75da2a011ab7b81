import type { Database, Statement } from 'bun:sqlite'
import fs from 'node:fs'
import { asReadError, asUnusable, isStorageFailure } from '../errors.ts'
import { createFile } from '../new-file.ts'
import { Sql } from '../sql.ts'
import { openReadingConnection } from './open.ts'
import { realFile } from './server-lock.ts'

/*
 * A server reads from a connection of its own. Many reads share one snapshot, because beginning one takes locks of the WAL,
 * which costs more than a small read. It ends with every commit of this process or of a command, so that a read never misses
 * an acknowledged write, and after a few milliseconds, so that the WAL can start again.
 *
 * Until a commit is on the disk, reads go on with the state before it, except that every read sees what a command has
 * committed: a command syncs the WAL before its commit can be seen, and with it what this process has committed before.
 */

/** The longest life of a snapshot. */
const MAX_AGE_MS = 20

/** The connection that reads, and its snapshot. */
export class Reading {
  readonly sql: Sql
  readonly #database: Database
  readonly #begin: Statement
  readonly #end: Statement
  readonly #read: Statement
  readonly #writer: Sql
  readonly #mark: WriteMark | undefined
  readonly #onMark: () => void
  readonly #memoized = new MemoizedResults(this)
  /** Runs while there is a snapshot. */
  #timer: Timer | undefined
  #beganAt = 0
  /** Whether the snapshot stays although something was committed, and when another connection had committed last by then. */
  #isHeld = false
  #heldVersion = 0

  /** `onMark` is called when a command has committed. On a full disk there is no room for the mark, nor for a command. */
  constructor(file: string, writer: Sql, isFull: boolean, onMark: () => void) {
    const database = openReadingConnection(file)
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#end = database.prepare('COMMIT')
    this.#read = database.prepare('PRAGMA schema_version')
    this.#writer = writer
    this.#mark = isFull ? undefined : new WriteMark(file)
    this.#onMark = onMark
    this.#memoized.watch(writer.database)
    this.sql = new Sql(database, {
      state: writer.state,
      enter: () => {
        this.noteMark()
        this.#enter()
      },
      memory: {
        get: (name) => {
          this.noteMark()
          return this.#memoized.get(name)
        },
        set: (name, made) => this.#memoized.set(name, made),
      },
    })
  }

  /** When the present snapshot, or else the last one, began. */
  get beganAt(): number {
    return this.#beganAt
  }

  get isOpen(): boolean {
    return this.#timer !== undefined
  }

  /** Sees what commands have committed; before every read this is done by itself. */
  noteMark(): void {
    if (!this.#mark?.hasChanged()) return
    this.#onMark()
    this.#memoized.clear()
    if (this.#version !== this.#heldVersion) this.#isHeld = false
    this.leave()
  }

  /** Begins a snapshot if there is none. */
  #enter(): void {
    if (this.#timer !== undefined) return
    this.#beganAt = performance.now()
    this.#begin.run()
    this.#timer = setTimeout(() => this.leave(), MAX_AGE_MS)
  }

  /** Until `noteCommit` or `release` every read sees what is committed now: for a commit that is not on the disk at once. */
  hold(): void {
    this.#heldVersion = this.#version
    this.leave()
    this.#enter()
    // The state is that of the first statement.
    try {
      this.#read.get()
    } catch (error) {
      throw asReadError(error, this.#database)
    }
    this.#isHeld = true
  }

  /** Ends a snapshot, also one that is held. */
  release(): void {
    this.#isHeld = false
    this.leave()
  }

  /**
   * Ends the snapshot, unless it is held: the next read sees everything committed by then. To be called before each commit:
   * the WAL starts again only while nothing reads from it.
   */
  leave(): void {
    if (this.#timer === undefined || this.#isHeld) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    // A failing disk may have ended the transaction already, and a read that met a damaged page makes its end fail.
    try {
      if (this.#database.inTransaction) this.#end.run()
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      if (this.#database.inTransaction) this.#database.run('ROLLBACK')
    }
  }

  /** To be called after each commit of this process, once it is on the disk. */
  noteCommit(): void {
    this.release()
    this.#memoized.noteCommit()
  }

  /** To be called when another connection may have written. */
  refresh(): void {
    this.leave()
    this.#memoized.clear()
  }

  close(): void {
    this.release()
    for (const statement of [this.#begin, this.#end, this.#read]) statement.finalize()
    this.sql.finalize()
    this.#database.close()
    this.#mark?.close()
  }

  /** Changes when another connection than the writing one commits. */
  get #version(): number {
    return this.#writer.scalar<number>('PRAGMA data_version')
  }
}

/**
 * What `Sql.memoize` may read: tables that are needed for every request and seldom written, with the event of an update.
 * Of a workspace it may read what identifies it, not its counters; of a structure which one a name means, and its
 * fields; of a source what verifies calls.
 */
const TABLES = [
  ['workspaces', 'UPDATE OF id, name'],
  ['users', 'UPDATE'],
  ['members', 'UPDATE'],
  ['keys', 'UPDATE'],
  ['sessions', 'UPDATE'],
  ['change_epochs', 'UPDATE'],
  ['structures', 'UPDATE OF name_fold, fields'],
  ['sources', 'UPDATE OF token, secret, secret_version, options, is_removed'],
] as const

/** The SQL function that the triggers call. */
const NOTE_WRITE = 'note_write'

/**
 * Results that most requests need, such as whose a key is, by name. They are cached beyond the end of a snapshot, until
 * this process commits a write to one of their tables, and no longer than a snapshot lives.
 */
class MemoizedResults {
  readonly #results = new Map<string, unknown>()
  /** When the snapshot began from which the oldest result was read. */
  #since = 0
  /** Whether a transaction that may not have ended has written to one of the tables; then nothing is cached. */
  #isOutdated = false

  constructor(private readonly reading: Pick<Reading, 'beganAt' | 'isOpen'>) {}

  /** Has every write of this connection to one of the tables noted, whichever statement or cascade makes it. */
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

const BYTES = 8
const markFileOf = (file: string) => `${realFile(file)}.mark`

/**
 * The mark, a file of a few bytes beside the database of a server that a command changes after each of its commits. The server
 * has it mapped into its memory, where every read can look at it: no read that begins after a commit of a command misses
 * that commit.
 */
class WriteMark {
  readonly #path: string
  /** Of the open file, where the system cannot map it. */
  readonly #descriptor: number | undefined
  readonly #words: Uint32Array
  #first = 0
  #second = 0

  constructor(file: string) {
    this.#path = markFileOf(file)
    const descriptor = openMark(this.#path, file)
    const bytes = mapped(this.#path)
    if (bytes) fs.closeSync(descriptor)
    else this.#descriptor = descriptor
    this.#words = new Uint32Array(bytes?.buffer ?? new ArrayBuffer(BYTES), bytes?.byteOffset ?? 0, 2)
    this.hasChanged()
  }

  /** Whether a command has committed since the last call. */
  hasChanged(): boolean {
    if (this.#descriptor !== undefined) fs.readSync(this.#descriptor, this.#words, 0, BYTES, 0)
    const [first = 0, second = 0] = this.#words
    if (first === this.#first && second === this.#second) return false
    this.#first = first
    this.#second = second
    return true
  }

  /** Removes the mark. Where a disk that fails keeps it, the next server uses it again. */
  close(): void {
    try {
      if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor)
      fs.rmSync(this.#path, { force: true })
    } catch {
      return
    }
  }
}

/** A mark that a killed server left is used again: a command may be about to change it. */
function openMark(path: string, file: string): number {
  try {
    createFile(path, { beside: realFile(file) })
    const descriptor = fs.openSync(path, 'a+')
    fs.ftruncateSync(descriptor, BYTES)
    return descriptor
  } catch (error) {
    throw asUnusable(error, file)
  }
}

function mapped(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Bun.mmap(path)
  } catch {
    return undefined
  }
}

/** Changes the mark, if there is a server. One that cannot be changed costs the server a few milliseconds. */
export function markWrite(file: string): void {
  try {
    const descriptor = fs.openSync(markFileOf(file), 'r+')
    try {
      fs.writeSync(descriptor, crypto.getRandomValues(Buffer.alloc(BYTES)), 0, BYTES, 0)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    // Without a server there is none.
  }
}
