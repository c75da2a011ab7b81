import type { Clock } from '../../lib/clock.ts'
import { Histogram } from '../../lib/histogram.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { Refusal, shuttingDown } from '../../refusal.ts'
import { asUnavailable, isBusy, isStorageFailure } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { asNobody } from './requester.ts'
import { noResponse, notConfirmedYet, notReadable, type PausingAction, type Sync, SyncWatch } from './sync.ts'
import type { Tx, WriteFunction } from './transaction.ts'
import { WaitingWrites } from './waiting-writes.ts'
import { type Group, type Item, newItem, rewriteVersion } from './write-item.ts'

export interface WriteQueueOptions {
  sql: Sql
  clock: Clock
  newId: IdSource
  log: Log
  /** How long a write waits for another process's lock before it is refused as unavailable. */
  lockWaitMs: number
  /** Whether the lock is regularly left free for other processes during many commits; a command yields to a server. */
  yieldsLock?: boolean
  /** Called before each commit, and before the queue is paused. */
  beforeCommit?: () => void
  /** How commits get to the disk, unless COMMIT itself does that. */
  sync?: Sync
  /** For how long the disk may take over a commit before writes are refused; 10 seconds unless given. */
  syncWithinMs?: number | undefined
  /** Called after each commit, before its writes are settled; a refusal that it returns rejects them. */
  onCommit?: () => Refusal | undefined
  /** Called once a group of writes is rolled back because storage failed. */
  onRollback?: () => void
}

const GROUP_SIZE = 256
const GROUP_TIME_MS = 5
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
  readonly #waiting = new WaitingWrites()
  /** What is on its way to the disk. */
  readonly syncs: SyncWatch
  readonly #lateListeners = new Set<() => void>()
  #scheduled = false
  #isProbed = false
  /** That of the last commit, if it failed. */
  #failure: Refusal | undefined
  #isPaused = false
  #committedAt = Number.NEGATIVE_INFINITY
  /** When the lock was first found to be held by another process, since this one had it. */
  #lockedSince: number | undefined
  /** How long the lock was held since it was last left free. */
  #heldMs = 0
  #stopProbing: (() => void) | undefined
  /** The group that is committed and not on the disk yet, with the end of that. */
  #syncing: { readonly group: Group; readonly ended: Promise<void> } | undefined
  /** The refusal of every write once the queue is closed. */
  #closed: Refusal | undefined

  constructor(options: WriteQueueOptions) {
    this.#options = options
    this.syncs = new SyncWatch(options, () => this.#noteLateSync())
  }

  /** Why nothing can be written: from a failed commit until the next one that succeeds, and like `refusal`. */
  get problem(): Refusal | undefined {
    return this.refusal ?? this.#failure
  }

  /** That of every write, once the queue is closed, or while the disk does not respond. */
  get refusal(): Refusal | undefined {
    return this.#closed ?? (this.syncs.isLate ? noResponse() : undefined)
  }

  /** How many writes each committed transaction held. */
  readonly commitSizes = new Histogram([1, 2, 4, 8, 16, 32, 64, 128, 256])

  /** Whether no write is waiting or unfinished. */
  get idle(): boolean {
    return this.#waiting.isEmpty && !this.#syncing
  }

  /** The end of the sync of what is committed and not on the disk yet. */
  get #unsynced(): Promise<void> | undefined {
    return this.#syncing && this.#syncing.group.done.length > 0 ? this.#syncing.ended : undefined
  }

  /** Resolves once all that is committed is on the disk, or is known not to be; rejects if that takes too long. */
  async synced(): Promise<void> {
    const unsynced = this.#unsynced
    if (!unsynced) return
    const { promise: late, reject } = Promise.withResolvers<void>()
    const stop = this.onLateSync(() => reject(notReadable()))
    if (this.syncs.isLate) reject(notReadable())
    await Promise.race([unsynced, late]).finally(stop)
  }

  /** Calls the listener whenever the disk does not respond for so long that writes are refused. */
  onLateSync(listener: () => void): () => void {
    this.#lateListeners.add(listener)
    return () => void this.#lateListeners.delete(listener)
  }

  /** Calls the action at once, or, while a commit is being brought to the disk, after that. */
  afterSync(action: () => void): void {
    const unsynced = this.#unsynced
    if (unsynced) void unsynced.then(action)
    else action()
  }

  /** One that `isLong` shares its commit with no other. */
  write<T>(run: WriteFunction<T>, isLong = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.refusal) return reject(this.refusal)
      this.#waiting.add(newItem(this.#options, run as (tx: Tx) => T, { resolve, reject }), isLong)
      this.#schedule()
    })
  }

  /**
   * Lets another connection of this process write: until `action` has finished, writes wait, however long it takes. It
   * takes its turn, so that a series of such actions delays a write by at most one of them.
   */
  pauseDuring<T>(action: PausingAction<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.refusal) return reject(this.refusal)
      const begin = () => this.#runPaused(action).then(resolve, reject)
      this.#waiting.addPause({ begin, reject })
      this.#schedule()
    })
  }

  async #runPaused<T>(action: PausingAction<T>): Promise<T> {
    this.#isPaused = true
    let endSync = () => {}
    let refusal: Refusal | undefined
    let result: T
    try {
      this.#options.beforeCommit?.()
      result = await action((onLate) => {
        endSync = this.syncs.begin(onLate)
      })
    } finally {
      endSync()
      this.#isPaused = false
      this.#lockedSince = undefined
      refusal = this.#options.onCommit?.()
      this.#continue()
    }
    if (refusal) throw refusal
    return result
  }

  /** Refuses every waiting and later write; one that has run is finished. */
  close(refusal: Refusal = shuttingDown()): void {
    this.#stopProbing?.()
    this.#closed ??= refusal
    this.#rejectWaiting(refusal)
    if (this.#syncing && !this.syncs.isLate) this.#syncNow(this.#syncing.group)
  }

  #noteLateSync(): void {
    this.#rejectWaiting(noResponse())
    for (const listener of this.#lateListeners) listener()
  }

  /** While commits fail, tries a write that changes nothing every second, so that it recovers without a caller. */
  #becomeUnhealthy(failure: Refusal): void {
    this.#failure = failure
    if (this.#closed) return
    this.#stopProbing ??= this.#options.clock.every(PROBE_MS, () => {
      this.write((tx) => rewriteVersion(tx)).catch(() => {})
    })
  }

  #becomeHealthy(): void {
    this.#failure = undefined
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
    if (this.idle || this.#syncing || this.#isPaused) return
    const { sync } = this.#options
    const isProbed = this.#isProbed || !sync || sync.hasResponded
    this.#isProbed = !isProbed
    if (!isProbed) this.#settleAfter(sync.probe(), { done: [], locked: 0 })
    else this.#runNext()
  }

  /** Other processes may hold the lock: it is taken before anything is removed from the queue. */
  #runNext(): void {
    const pause = this.#waiting.takePause()
    if (pause) void pause.begin()
    else if (this.#begin()) this.#runWrites()
  }

  #runWrites(): void {
    const group: Group = { done: [], locked: performance.now() }
    try {
      const long = this.#waiting.takeLong()
      if (long) this.#runItem(long, group.done)
      else this.#runShort(group.done)
      if (group.done.length === 0) this.#continue()
      else {
        const synced = this.#commit()
        if (synced) this.#settleAfter(synced, group)
        else this.#settle(group)
      }
    } catch (error) {
      this.#abandon(group.done, error)
      this.#continue()
    }
  }

  #commit(): Promise<void> | undefined {
    const { beforeCommit, sync, sql } = this.#options
    beforeCommit?.()
    if (sync) return sync.commit()
    sql.run('COMMIT')
    return undefined
  }

  #settleAfter(synced: Promise<void>, group: Group): void {
    const end = this.syncs.begin(() => {
      for (const item of group.done) item.reject(notConfirmedYet())
    })
    const settle = (failure?: Refusal) => {
      end()
      if (this.#syncing?.group !== group) return
      this.#syncing = undefined
      if (group.done.length > 0) this.#settle(group, failure)
      else this.#continue(failure)
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

  /** Tells those who wait for a group that it is committed; `failure` if that may not last. */
  #settle({ done, locked }: Group, failure?: Refusal): void {
    if (failure) this.#becomeUnhealthy(failure)
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

  #continue(failure?: Refusal): void {
    if (failure) this.#rejectWaiting(failure)
    // What the disk was asked for may have been refused meanwhile.
    if (this.idle) this.#isProbed = false
    else this.#schedule()
  }

  #rejectWaiting(refusal: Refusal): void {
    for (const item of this.#waiting.removeAll()) item.reject(refusal)
  }

  /** Takes the write lock; when another process holds it, tries again later and returns false. */
  #begin(): boolean {
    try {
      this.#options.sql.run('BEGIN IMMEDIATE')
      this.#lockedSince = undefined
      return true
    } catch (error) {
      const now = performance.now()
      const lockedSince = this.#lockedSince ?? now
      this.#lockedSince = lockedSince
      const oldest = now - this.#options.lockWaitMs
      const isOver = !isBusy(error) || lockedSince <= oldest
      const expired = isOver ? this.#waiting.removeAll(isBusy(error) ? oldest : undefined) : []
      const refusal = asUnavailable(error)
      if (expired.length > 0 && refusal instanceof Refusal) this.#becomeUnhealthy(refusal)
      for (const one of expired) one.reject(refusal)
      if (this.idle) this.#lockedSince = undefined
      else {
        this.#scheduled = true
        setTimeout(() => this.#flush(), LOCK_RETRY_MS)
      }
      return false
    }
  }

  /** Runs short writes for a few milliseconds, at least one. */
  #runShort(done: Item[]): void {
    const until = performance.now() + GROUP_TIME_MS
    for (let item = this.#waiting.takeShort(); item; item = this.#waiting.takeShort()) {
      if (!this.#runItem(item, done)) return
      if (done.length === GROUP_SIZE || performance.now() > until) return
    }
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
    const refusal = asUnavailable(error)
    if (refusal instanceof Refusal) this.#becomeUnhealthy(refusal)
    log.repeated('error', 'commit failed', { error: String(error), writes: group.length })
    for (const item of group) item.reject(refusal)
  }
}
