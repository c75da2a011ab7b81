import type { Database } from 'bun:sqlite'
import { MAX_AGE_MS, type ReadSnapshot } from './read-snapshot.ts'

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
export class MemoizedResults {
  readonly #results = new Map<string, unknown>()
  readonly #snapshot: ReadSnapshot
  /** When the snapshot began from which the oldest result was read. */
  #since = 0
  /** Whether a transaction that may not have ended has written to one of the tables; then nothing is cached. */
  #isOutdated = false

  /** `snapshot` is what results are read from. */
  constructor(snapshot: ReadSnapshot) {
    this.#snapshot = snapshot
  }

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
    if (this.#isOutdated || this.#isTooOld) this.#results.clear()
    return this.#results.get(name)
  }

  set(name: string, result: unknown): void {
    if (this.#isOutdated) return
    if (this.#results.size === 0) this.#since = this.#snapshot.beganAt
    this.#results.set(name, result)
  }

  /** A snapshot ends late when the thread is busy. */
  get #isTooOld(): boolean {
    const { beganAt, isOpen } = this.#snapshot
    if (isOpen && this.#since === beganAt) return false
    return performance.now() - this.#since >= MAX_AGE_MS
  }

  /** Must be called after every commit of the watched connection, once its snapshot has ended. */
  noteCommit(): void {
    if (!this.#isOutdated) return
    this.#results.clear()
    this.#isOutdated = false
  }

  /** Must be called when another connection may have written. */
  clear(): void {
    this.#results.clear()
  }
}
