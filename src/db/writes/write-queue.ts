import type { Clock } from '../../lib/clock.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { asUnavailable, isBusy, isStorageFailure } from '../errors.ts'
import type { Orm, Reader } from '../reader.ts'
import type { Sql } from '../sql.ts'

/** An open transaction of one write: everything written through it stands or falls together. */
export interface Tx extends Reader {
  /** The one instant of this write, in milliseconds. */
  readonly now: number
  newId(): string
  /** Runs after the commit; never when the write is refused or the commit fails. */
  afterCommit(action: () => void): void
}

/** A write is synchronous: handing in a function that answers a promise is a type error. */
export type WriteFunction<T> = (tx: Tx) => T extends PromiseLike<unknown> ? never : T

interface Item {
  run(): void
  settle(): void
  reject(error: unknown): void
  readonly queuedAt: number
}

export interface WriteQueueOptions {
  sql: Sql
  orm: Orm
  clock: Clock
  newId: IdSource
  log: Log
  /** How long a write waits for another process's lock before it is refused as unavailable. */
  lockWaitMs: number
  /** Whether a process that waits for the lock gets it between two commits of many; a command gives way to a server. */
  yieldsLock?: boolean
  /** Called before each commit, and before another connection gets its way. */
  beforeCommit?: () => void
  /** Called after each commit, before anyone learns of it; what it returns is what the writes are refused with. */
  onCommit?: () => Refusal | undefined
}

const GROUP_SIZE = 256
const GROUP_TIME_MS = 5
const LOCK_RETRY_MS = 10
/** A little longer than another process waits before it tries again: else it would seldom meet a free moment. */
const WAY_MS = LOCK_RETRY_MS + 2
/** So long the lock is held, with short moments between, before it is left free. */
const HELD_MS = 25
const PROBE_MS = 1_000

/**
 * Group commit: writes that arrive together share one transaction and one sync to disk, each in its
 * own savepoint, so that one that is refused leaves the others alone. Each is answered after the commit.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  /** Short writes; they do not wait for long ones that came before them. */
  #items: Item[] = []
  #longItems: Item[] = []
  #scheduled = false
  #healthy = true
  #isMakingWay = false
  #madeWayUntil = 0
  #committedAt = Number.NEGATIVE_INFINITY
  /** How long the lock was held since it was last left free. */
  #heldMs = 0
  #probeTimer: Timer | undefined
  /** What every write is refused with once nothing may be written. */
  #closed: Refusal | undefined

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  /** False from a failed commit until the next one that succeeds. */
  get healthy(): boolean {
    return this.#healthy && !this.#closed
  }

  get idle(): boolean {
    return this.#items.length === 0 && this.#longItems.length === 0
  }

  /** A long write, such as that of many rows, shares its commit with no other long one. */
  write<T>(run: WriteFunction<T>, isLong = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) return reject(this.#closed)
      const items = isLong ? this.#longItems : this.#items
      items.push(this.#item(run as (tx: Tx) => T, resolve, reject))
      this.#schedule()
    })
  }

  /**
   * Lets another connection of this process write, one at a time: until `action` is done, writes wait for it,
   * however long it takes. Those that wait already go first, so that many such actions in a row hold none up for
   * longer than one.
   */
  async pauseDuring<T>(action: () => Promise<T>): Promise<T> {
    if (!this.idle) await this.write((): void => {}, true)
    if (this.#closed) throw this.#closed
    this.#isMakingWay = true
    this.#options.beforeCommit?.()
    try {
      return await action()
    } finally {
      this.#isMakingWay = false
      this.#madeWayUntil = performance.now()
      this.#options.onCommit?.()
      this.#continue()
    }
  }

  /** What waits, and whatever comes after this, is refused; nothing is written any more. */
  close(
    refusal: Refusal = unavailable('The server is shutting down; nothing was written. Try again.'),
  ): void {
    clearTimeout(this.#probeTimer)
    this.#closed ??= refusal
    const waiting = [...this.#items, ...this.#longItems]
    this.#items = []
    this.#longItems = []
    for (const item of waiting) item.reject(refusal)
  }

  /** While commits fail, a write that changes nothing is tried now and then: `healthy` must not wait for a caller's. */
  #becomeUnhealthy(): void {
    this.#healthy = false
    clearTimeout(this.#probeTimer)
    if (this.#closed) return
    this.#probeTimer = setTimeout(() => {
      this.write((tx) => rewriteVersion(tx)).catch(() => {})
    }, PROBE_MS)
  }

  #item<T>(run: (tx: Tx) => T, resolve: (result: T) => void, reject: (error: unknown) => void): Item {
    const { sql, orm, clock, newId, log } = this.#options
    const actions: (() => void)[] = []
    let result: T
    return {
      queuedAt: performance.now(),
      run: () => {
        const now = clock.now()
        result = run({
          sql,
          orm,
          now,
          newId: () => newId(now),
          afterCommit: (action) => actions.push(action),
        })
      },
      settle: () => {
        for (const action of actions) {
          try {
            action()
          } catch (error) {
            log.error('after-commit action failed', { error: String(error) })
          }
        }
        resolve(result)
      },
      reject,
    }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const wait = this.#options.yieldsLock ? this.#wayLeft() : 0
    if (wait > 0) setTimeout(() => this.#flush(), wait)
    else setImmediate(() => this.#flush())
  }

  /** How long the lock is still to be left free. */
  #wayLeft(): number {
    const left = this.#committedAt + WAY_MS - performance.now()
    if (left > 0 && this.#heldMs < HELD_MS) return 0
    this.#heldMs = 0
    return left
  }

  #flush(): void {
    this.#scheduled = false
    if (this.idle || this.#isMakingWay || !this.#begin()) return
    const done: Item[] = []
    const locked = performance.now()
    try {
      this.#runGroup(done)
      this.#options.beforeCommit?.()
      this.#options.sql.run('COMMIT')
    } catch (error) {
      this.#abandon(done, error)
      this.#continue()
      return
    }
    this.#healthy = true
    this.#committedAt = performance.now()
    this.#heldMs += this.#committedAt - locked
    const refusal = this.#options.onCommit?.()
    for (const item of done) {
      if (refusal) item.reject(refusal)
      else item.settle()
    }
    this.#continue()
  }

  #continue(): void {
    if (!this.idle) this.#schedule()
  }

  /** Takes the write lock; when another process holds it, tries again by a timer and answers false. */
  #begin(): boolean {
    try {
      this.#options.sql.run('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      const oldest = performance.now() - this.#options.lockWaitMs
      const isWaiting = ({ queuedAt }: Item) => Math.max(queuedAt, this.#madeWayUntil) > oldest
      const isExpired = (item: Item) => !isBusy(error) || !isWaiting(item)
      const expired = [...this.#items, ...this.#longItems].filter(isExpired)
      this.#items = this.#items.filter((item) => !isExpired(item))
      this.#longItems = this.#longItems.filter((item) => !isExpired(item))
      if (expired.length > 0) this.#becomeUnhealthy()
      for (const item of expired) item.reject(asUnavailable(error))
      if (!this.idle) {
        this.#scheduled = true
        setTimeout(() => this.#flush(), LOCK_RETRY_MS)
      }
      return false
    }
  }

  /** Short writes for a few milliseconds, then one long write: neither kind keeps the other waiting for long. */
  #runGroup(done: Item[]): void {
    const until = performance.now() + GROUP_TIME_MS
    for (let count = 0; count < GROUP_SIZE; count++) {
      const item = this.#items.shift()
      if (!item) break
      this.#runItem(item, done)
      if (performance.now() > until) break
    }
    const long = this.#longItems.shift()
    if (long) this.#runItem(long, done)
  }

  #runItem(item: Item, done: Item[]): void {
    const { sql } = this.#options
    done.push(item)
    sql.run('SAVEPOINT write_item')
    try {
      item.run()
    } catch (error) {
      if (isStorageFailure(error) || !sql.database.inTransaction) throw error
      sql.run('ROLLBACK TO write_item')
      sql.run('RELEASE write_item')
      done.pop()
      item.reject(error)
      return
    }
    sql.run('RELEASE write_item')
  }

  /** Nothing of the group was written: whoever was in it learns so. */
  #abandon(group: readonly Item[], error: unknown): void {
    const { sql, log } = this.#options
    if (sql.database.inTransaction) sql.run('ROLLBACK')
    this.#becomeUnhealthy()
    log.error('commit failed', {
      error: error instanceof Error ? error.message : String(error),
      writes: group.length,
    })
    for (const item of group) item.reject(asUnavailable(error))
  }
}

/** Writes the first page of the file as it is. */
function rewriteVersion({ sql }: Reader): void {
  sql.script(`PRAGMA user_version = ${sql.scalar<number>('PRAGMA user_version')}`)
}
