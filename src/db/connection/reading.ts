import { Sql } from '../sql.ts'
import { MemoizedResults } from './memoized-results.ts'
import { openReadingConnection } from './open.ts'
import { ReadSnapshot } from './read-snapshot.ts'
import { WriteMark } from './write-mark.ts'

/*
 * A server reads from a connection of its own, in snapshots (`read-snapshot.ts`). Until a commit is on the disk, reads go on
 * with the state before it, except that every read sees what a command has committed: a command syncs the WAL before its
 * commit can be seen, and with it what this process has committed before.
 */

export class Reading {
  readonly sql: Sql
  readonly #snapshot: ReadSnapshot
  readonly #memoized: MemoizedResults
  readonly #writer: Sql
  readonly #mark: WriteMark | undefined
  readonly #onMark: () => void
  #heldVersion = 0

  /** `onMark` is called when a command has committed. On a full disk there is no room for the mark, nor for a command. */
  constructor(file: string, writer: Sql, isFull: boolean, onMark: () => void) {
    const database = openReadingConnection(file)
    this.#snapshot = new ReadSnapshot(database)
    this.#memoized = new MemoizedResults(this.#snapshot)
    this.#memoized.watch(writer.database)
    this.#writer = writer
    this.#mark = isFull ? undefined : new WriteMark(file)
    this.#onMark = onMark
    this.sql = new Sql(database, {
      state: writer.state,
      enter: () => {
        this.noteMark()
        this.#snapshot.enter()
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

  /** Sees what commands have committed; before every read this is done by itself. */
  noteMark(): void {
    if (!this.#mark?.hasChanged()) return
    this.#onMark()
    this.#memoized.clear()
    if (this.#snapshot.isHeld && this.#version !== this.#heldVersion) this.#snapshot.release()
    else this.#snapshot.leave()
  }

  /** Ends the snapshot. To be called before each commit: the WAL starts again only while nothing reads from it. */
  renew(): void {
    this.#snapshot.leave()
  }

  /** Has every read see what is committed now, until `noteCommit` or `release`. */
  hold(): void {
    this.#heldVersion = this.#version
    this.#snapshot.hold()
  }

  release(): void {
    this.#snapshot.release()
  }

  /** To be called after each commit of this process, once it is on the disk. */
  noteCommit(): void {
    this.#snapshot.release()
    this.#memoized.noteCommit()
  }

  /** To be called when another connection may have written. */
  refresh(): void {
    this.#snapshot.leave()
    this.#memoized.clear()
  }

  close(): void {
    this.#snapshot.close()
    this.sql.finalize()
    this.sql.database.close()
    this.#mark?.close()
  }

  /** Changes when another connection than the writing one commits. */
  get #version(): number {
    return this.#writer.scalar<number>('PRAGMA data_version')
  }
}
