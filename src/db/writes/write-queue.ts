import type { Clock } from '../../lib/clock.ts'
import { FairQueue } from '../../lib/fair-queue.ts'
import { Histogram } from '../../lib/histogram.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { asUnavailable, isBusy, isStorageFailure } from '../errors.ts'
import type { Reader } from '../reader.ts'
import type { Sql } from '../sql.ts'
import { asNobody, currentRequester } from './requester.ts'
import type { Tx, WriteFunction } from './transaction.ts'
import { type Group, hasMoreSteps, type Item, newItem } from './write-item.ts'

export interface WriteQueueOptions {
  sql: Sql
  clock: Clock
  newId: IdSource
  log: Log
  /** How long a write waits for another process's lock before it is refused as unavailable. */
  lockWaitMs: number
  /** Whether the lock is regularly left free for other processes during many commits; a command yields to a server. */
  yieldsLock?: boolean
  /** Whether others are served between the steps of a write: only where they read from another connection. */
  yieldsBetweenSteps?: boolean
  /** Called before each commit, and before the queue is paused. */
  beforeCommit?: () => void
  /** How commits get to the disk, unless COMMIT itself does that. */
  sync?: Sync
  /** Called after each commit, before its writes are settled; a refusal that it returns rejects them. */
  onCommit?: () => Refusal | undefined
  /** Called once a group of writes is rolled back because storage failed. */
  onRollback?: () => void
}

/** Brings commits to the disk. Writes are acknowledged after it, and until then no other write runs. */
export interface Sync {
  /** Commits. A promise means that the commit is not on the disk yet; if it rejects, or `now` throws, that is uncertain. */
  commit(isLong: boolean): Promise<void> | undefined
  /** Brings the last commit to the disk at once. */
  now(): void
}

const GROUP_SIZE = 256
const COMMIT_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const GROUP_TIME_MS = 5
/** For how long steps of writes are done before others are served. */
const STEPS_TIME_MS = 5
const LOCK_RETRY_MS = 10
/** Slightly longer than another process waits between two tries, so that it finds the lock free. */
const LOCK_FREE_MS = LOCK_RETRY_MS + 2
/** The total time for which the lock is held, with short gaps, before it is left free. */
const MAX_HOLD_MS = 25
const PROBE_MS = 1_000

/**
 * Group commit: writes that arrive together share one transaction and one sync to disk. Each has its own savepoint, so
 * that one that is refused does not affect the others. Each settles after the commit.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions
  /** Short writes, in turn between requesters; they do not wait for long ones that were queued before them. */
  readonly #items = new FairQueue<Item>()
  #longItems: Item[] = []
  /** Whether short writes were run while a long one waited, which is next. */
  #isTurnOfLong = false
  #scheduled = false
  #healthy = true
  #pauses = 0
  #pausedUntil = 0
  #committedAt = Number.NEGATIVE_INFINITY
  /** How long the lock was held since it was last left free. */
  #heldMs = 0
  #stopProbing: (() => void) | undefined
  /** The group whose steps are not all done; its transaction is open. */
  #open: Group | undefined
  /** The group that is committed and not on the disk yet, with the end of that. */
  #syncing: { readonly group: Group; readonly ended: Promise<void> } | undefined
  /** The refusal of every write once the queue is closed. */
  #closed: Refusal | undefined

  constructor(options: WriteQueueOptions) {
    this.#options = options
  }

  /** False from a failed commit until the next one that succeeds. */
  get healthy(): boolean {
    return this.#healthy && !this.#closed
  }

  /** How many writes each committed transaction held. */
  readonly commitSizes = new Histogram(COMMIT_SIZES)

  /** Whether no write is waiting or unfinished. */
  get idle(): boolean {
    return this.#items.isEmpty && this.#longItems.length === 0 && !this.#open && !this.#syncing
  }

  /** Resolves once all that is committed is on the disk, or is known not to be. */
  async synced(): Promise<void> {
    await this.#syncing?.ended
  }

  /** Calls the action at once, or, while a commit is being brought to the disk, after that. */
  afterSync(action: () => void): void {
    if (this.#syncing) void this.#syncing.ended.then(action)
    else action()
  }

  /** A long write, such as one of many rows, shares its commit with no other. */
  write<T>(run: WriteFunction<T>, isLong = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) return reject(this.#closed)
      const item = newItem(this.#options, run as (tx: Tx) => T, isLong, { resolve, reject })
      if (isLong) this.#longItems.push(item)
      else this.#items.add(currentRequester(), item)
      this.#schedule()
    })
  }

  /**
   * Lets another connection of this process write: until `action` has finished, writes wait, however long it takes.
   * Writes that are already waiting run first, so that a series of such actions delays a write by at most one of them.
   * Only one of them may write: another one, meanwhile, may move the write-ahead log.
   */
  async pauseDuring<T>(action: () => Promise<T>): Promise<T> {
    if (!this.idle) await this.write((): void => {}, true)
    if (this.#closed) throw this.#closed
    this.#options.beforeCommit?.()
    this.#pauses += 1
    try {
      return await action()
    } finally {
      this.#pauses -= 1
      this.#pausedUntil = performance.now()
      this.#options.onCommit?.()
      this.#continue()
    }
  }

  /** Refuses every waiting and later write; one that has run is finished. */
  close(
    refusal: Refusal = unavailable('The server is shutting down; nothing was written. Try again.'),
  ): void {
    this.#stopProbing?.()
    this.#closed ??= refusal
    const waiting = [...this.#items.clear(), ...this.#longItems]
    this.#longItems = []
    for (const item of waiting) item.reject(refusal)
    if (this.#open) this.#finish(this.#open, Number.POSITIVE_INFINITY)
    if (this.#syncing) this.#syncNow(this.#syncing.group)
  }

  /** While commits fail, tries a write that changes nothing every second, so that `healthy` recovers without a caller. */
  #becomeUnhealthy(): void {
    this.#healthy = false
    if (this.#closed) return
    this.#stopProbing ??= this.#options.clock.every(PROBE_MS, () => {
      this.write((tx) => rewriteVersion(tx)).catch(() => {})
    })
  }

  #becomeHealthy(): void {
    this.#healthy = true
    this.#stopProbing?.()
    this.#stopProbing = undefined
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const wait = this.#options.yieldsLock ? this.#lockFreeFor() : 0
    // What follows from a group of writes belongs to none of their requesters.
    asNobody(() => {
      if (wait > 0) setTimeout(() => this.#flush(), wait)
      else setImmediate(() => this.#flush())
    })
  }

  /** For how many milliseconds the lock must still be left free. */
  #lockFreeFor(): number {
    const left = this.#committedAt + LOCK_FREE_MS - performance.now()
    if (left > 0 && this.#heldMs < MAX_HOLD_MS) return 0
    this.#heldMs = 0
    return left
  }

  #flush(): void {
    this.#scheduled = false
    if (this.idle || this.#syncing || this.#pauses > 0 || !this.#begin()) return
    const done: Item[] = []
    const locked = performance.now()
    try {
      this.#runGroup(done)
    } catch (error) {
      this.#abandon(done, error)
      this.#continue()
      return
    }
    if (done.length === 0) this.#continue()
    else
      this.#finish(
        { done, locked, leftAt: locked },
        this.#options.yieldsBetweenSteps ? STEPS_TIME_MS : Infinity,
      )
  }

  /** Does what is left of a group and commits it; after some milliseconds, later. */
  #finish(group: Group, timeMs: number): void {
    this.#open = undefined
    let synced: Promise<void> | undefined
    try {
      if (hasMoreSteps(group, performance.now() + timeMs)) {
        this.#leaveOpen({ ...group, leftAt: performance.now() })
        return
      }
      synced = this.#commit(group)
    } catch (error) {
      this.#abandon(group.done, error)
      this.#continue()
      return
    }
    if (synced) this.#settleAfter(synced, group)
    else this.#settle(group)
  }

  #commit({ done }: Group): Promise<void> | undefined {
    const { beforeCommit, sync, sql } = this.#options
    beforeCommit?.()
    if (sync) return sync.commit(done.some(({ isLong }) => isLong))
    sql.run('COMMIT')
    return undefined
  }

  #settleAfter(synced: Promise<void>, group: Group): void {
    const settle = (failure?: Refusal) => {
      if (this.#syncing?.group !== group) return
      this.#syncing = undefined
      this.#settle(group, failure)
    }
    this.#syncing = { group, ended: synced.then(() => settle(), settle) }
  }

  #syncNow(group: Group): void {
    this.#syncing = undefined
    let failure: Refusal | undefined
    try {
      this.#options.sync?.now()
    } catch (error) {
      failure = error as Refusal
    }
    this.#settle(group, failure)
  }

  #leaveOpen(group: Group): void {
    this.#open = group
    this.#scheduled = true
    setImmediate(() => this.#resume(group))
  }

  /** Others who took long get no more than half of the time: every other write waits for the steps that are left. */
  #resume(group: Group): void {
    if (this.#open !== group) return
    this.#scheduled = false
    this.#finish(group, Math.max(STEPS_TIME_MS, performance.now() - group.leftAt))
  }

  /** Tells those who wait for a group that it is committed; `failure` if that may not last. */
  #settle({ done, locked }: Group, failure?: Refusal): void {
    if (failure) this.#becomeUnhealthy()
    else this.#becomeHealthy()
    this.commitSizes.add(done.length)
    const refusal = this.#options.onCommit?.()
    // A command may have moved the write-ahead log by now, which holds the lock, too.
    this.#committedAt = performance.now()
    this.#heldMs += this.#committedAt - locked
    for (const item of done) {
      if (refusal && !failure) item.reject(refusal)
      else item.settle(failure)
    }
    this.#continue()
  }

  #continue(): void {
    if (!this.idle) this.#schedule()
  }

  /** Takes the write lock; when another process holds it, tries again later and returns false. */
  #begin(): boolean {
    try {
      this.#options.sql.run('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      const oldest = performance.now() - this.#options.lockWaitMs
      const isWaiting = ({ queuedAt }: Item) => Math.max(queuedAt, this.#pausedUntil) > oldest
      const isExpired = (item: Item) => !isBusy(error) || !isWaiting(item)
      const expired = [...this.#items.removeAll(isExpired), ...this.#longItems.filter(isExpired)]
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

  /** Runs short writes for a few milliseconds, or one long write, in turn: a short one waits for at most one long one. */
  #runGroup(done: Item[]): void {
    const isLongWaiting = this.#longItems.length > 0
    if (!(this.#isTurnOfLong && isLongWaiting) && !this.#runShort(done)) return
    this.#isTurnOfLong = isLongWaiting && done.length > 0
    const long = done.length > 0 ? undefined : this.#longItems.shift()
    if (long) this.#runItem(long, done)
  }

  /** False if the transaction is rolled back. */
  #runShort(done: Item[]): boolean {
    const until = performance.now() + GROUP_TIME_MS
    for (let count = 0; count < GROUP_SIZE; count++) {
      const item = this.#items.take()
      if (!item) break
      if (!this.#runItem(item, done)) return false
      if (performance.now() > until) break
    }
    return true
  }

  /**
   * Runs a write that can be refused without the others. The first one of a transaction has no savepoint: in a large
   * write, keeping the pages as they were at the savepoint takes as long as writing. If it is refused, the transaction
   * is rolled back, and this returns false.
   */
  #runItem(item: Item, done: Item[]): boolean {
    const { sql } = this.#options
    const isFirst = done.length === 0
    done.push(item)
    if (!isFirst) sql.run('SAVEPOINT write_item')
    try {
      item.run()
    } catch (error) {
      if (isStorageFailure(error) || !sql.database.inTransaction) throw error
      sql.run(isFirst ? 'ROLLBACK' : 'ROLLBACK TO write_item')
      if (!isFirst) sql.run('RELEASE write_item')
      done.pop()
      item.reject(error)
      return !isFirst
    }
    if (!isFirst) sql.run('RELEASE write_item')
    return true
  }

  /** Rolls the group back and rejects its writes. */
  #abandon(group: readonly Item[], error: unknown): void {
    const { sql, log } = this.#options
    if (sql.database.inTransaction) sql.run('ROLLBACK')
    this.#options.onRollback?.()
    this.#becomeUnhealthy()
    log.error('commit failed', {
      error: error instanceof Error ? error.message : String(error),
      writes: group.length,
    })
    for (const item of group) item.reject(asUnavailable(error))
  }
}

/** Writes the first page of the file without changing it. */
function rewriteVersion({ sql }: Reader): void {
  sql.script(`PRAGMA user_version = ${sql.scalar<number>('PRAGMA user_version')}`)
}
