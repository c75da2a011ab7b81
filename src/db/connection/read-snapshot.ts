import type { Database, Statement } from 'bun:sqlite'
import { asReadError, isStorageFailure } from '../errors.ts'

/** The longest life of a snapshot. */
export const MAX_AGE_MS = 20

/**
 * Shares one read transaction among many reads, because beginning one takes locks of the WAL, which costs
 * more than a small read. It ends with every commit of this process or of a command, so that a read never misses an
 * acknowledged write, and after a few milliseconds, so that the WAL can start again.
 */
export class ReadSnapshot {
  readonly #database: Database
  readonly #begin: Statement
  readonly #end: Statement
  readonly #read: Statement
  /** Whether it stays although something was committed. */
  #isHeld = false
  #timer: Timer | undefined
  #beganAt = 0

  constructor(database: Database) {
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#end = database.prepare('COMMIT')
    this.#read = database.prepare('PRAGMA schema_version')
  }

  /** When the present snapshot, or else the last one, began. */
  get beganAt(): number {
    return this.#beganAt
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  get isOpen(): boolean {
    return this.#timer !== undefined
  }

  /** Must be called before every read; begins a snapshot if there is none. */
  enter(): void {
    if (this.#timer !== undefined) return
    this.#beganAt = performance.now()
    this.#begin.run()
    this.#timer = setTimeout(() => this.leave(), MAX_AGE_MS)
  }

  /** Until `release` every read sees what is committed now: for a commit that is not on the disk at once. */
  hold(): void {
    this.leave()
    this.enter()
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

  /** Ends the snapshot, unless it is held: the next read sees everything committed by then. */
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

  close(): void {
    this.release()
    this.#begin.finalize()
    this.#end.finalize()
    this.#read.finalize()
  }
}
