import type { Database, Statement } from 'bun:sqlite'
import { isStorageFailure } from '../errors.ts'

/** What was made from the reads of one snapshot, by name; forgotten with it. */
export type SnapshotMemory = Map<string, unknown>

/** How long one snapshot is read from: so late may a read see what another process wrote. */
const LONGEST_MS = 20

/**
 * Keeps one read transaction open over many reads: beginning one takes the locks of the write-ahead log, which
 * costs more than a small read. It ends with every commit of this process, so that a read never misses an
 * acknowledged write, and after a few milliseconds, so that it neither hides what other processes wrote nor
 * holds the log back.
 */
export class ReadSnapshot {
  readonly #database: Database
  readonly #begin: Statement
  readonly #end: Statement
  readonly #memory: SnapshotMemory = new Map()
  #timer: Timer | undefined

  constructor(database: Database) {
    this.#database = database
    this.#begin = database.prepare('BEGIN')
    this.#end = database.prepare('COMMIT')
  }

  /** To be called before every read. */
  enter(): SnapshotMemory {
    if (this.#timer === undefined) {
      this.#begin.run()
      this.#timer = setTimeout(() => this.leave(), LONGEST_MS)
    }
    return this.#memory
  }

  /** The next read sees everything committed by then. */
  leave(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#memory.clear()
    // A failing disk may have ended the transaction already, and a read that met a damaged page makes its end fail.
    try {
      if (this.#database.inTransaction) this.#end.run()
    } catch (error) {
      if (!isStorageFailure(error)) throw error
      if (this.#database.inTransaction) this.#database.run('ROLLBACK')
    }
  }

  close(): void {
    this.leave()
    this.#begin.finalize()
    this.#end.finalize()
  }
}
