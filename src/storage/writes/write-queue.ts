import { type Clock, systemClock } from '../../lib/clock.ts'
import { reach } from '../../lib/failure-points.ts'
import { FairQueue } from '../../lib/fair-queue.ts'
import { Histogram } from '../../lib/histogram.ts'
import type { IdSource } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { Refusal, shuttingDown, unavailable } from '../../lib/refusal.ts'
import { DiskWatch } from '../connection/health.ts'
import { asUnavailable, isBusy, NOT_CONFIRMED, noResponse } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { type Item, newItem, type Tx, type WriteFunction, WriteGroup } from './transaction.ts'

/*
 * Group commit: writes that arrive together share one transaction and one sync to the disk. Each has its own
 * savepoint, so that a refusal does not affect the others, and settles after the commit, with its result or its
 * refusal. No other write runs until the group is on the disk. A transaction that holds fewer writes than recent ones
 * stays open for one turn of the event loop: callers whose writes were just settled may send their next ones, which
 * would otherwise wait for the commit of another group.
 *
 * Short writes are scheduled round-robin between callers. Long work has one queue of its own that is served like one
 * caller, so that a short write waits for at most one piece of long work: a long write, which shares its commit with
 * no other, or a pause, during which another connection of this process writes.
 *
 * While the disk does not respond every write is refused. That includes the one in progress, which may be saved. Once
 * a sync has failed, or the queue is closed during a sync, the committed writes are never acknowledged.
 *
 * The queue waits with a timer for a lock that another process holds; nothing else stops meanwhile. While commits
 * fail an empty write is tried every second, so that the queue recovers without a caller.
 */

/** Syncs commits to the disk. */
export interface Sync {
  /** Whether the disk responded a moment ago; if not, a write runs only after `run`. */
  readonly hasResponded: boolean
  /** Rejects with a refusal if the disk fails. */
  run(): Promise<void>
  /** Commits. The promise resolves once the commit is on the disk; if it rejects, that is uncertain. */
  commit(): Promise<void>
}

/**
 * Runs while writes are paused. It must call `beginSync` before it waits for the disk; `onLate` is called if that
 * takes too long.
 */
export type PausingAction<T> = (beginSync: (onLate: () => void) => void) => Promise<T>

export interface WriteOptions {
  readonly isLong?: boolean
  /** The key by which writes take turns: that of a caller or an address; empty for the server's own work. */
  readonly schedulingKey?: string
}

export interface WriteQueueOptions {
  sql: Sql
  clock: Clock
  newId: IdSource
  log: Log
  /** How long a write waits for another process's lock before it is refused as unavailable. */
  lockWaitMs: number
  /** Whether the lock is left free for other processes now and then; a command yields to a server. */
  yieldsLock?: boolean
  /** Called before each commit, and before the queue is paused. */
  beforeCommit?: () => void
  /** Syncs commits, unless COMMIT itself does that. */
  sync?: Sync
  /** Measures how long the disk and the lock take; the system's by default. */
  diskClock?: Clock | undefined
  /** Called before the writes of a commit are settled, with the failure if it may be lost; a refusal rejects them. */
  onCommit?: (failure?: Refusal) => Refusal | undefined
}

/** A queued pause, during which another connection writes. */
interface Pause {
  begin(): void
  reject(error: unknown): void
}

/** A group that is committed but not on the disk yet. */
interface Syncing {
  readonly group: WriteGroup
  readonly ended: Promise<void>
  /** Rejects if the sync takes too long, or the queue is closed meanwhile. */
  readonly inTime: PromiseWithResolvers<void>
}

const LONG = 'long'
const LOCK_RETRY_MS = 10
/** Slightly longer than the retry interval of other processes, so that they find the lock free. */
const LOCK_FREE_MS = LOCK_RETRY_MS + 2
/** How long the lock is held in total, with short gaps, before it is left free. */
const MAX_HOLD_MS = 25
const PROBE_MS = 1_000

export class WriteQueue {
  /** A histogram of writes per committed transaction. */
  readonly commitSizes = new Histogram([1, 2, 4, 8, 16, 32, 64, 128, 256])
  readonly #options: WriteQueueOptions
  readonly #queue = new FairQueue<Item | Pause>()
  readonly #disk: DiskWatch
  readonly #diskClock: Clock
  #scheduled = false
  #isPaused = false
  /** The group whose transaction stays open for a turn of the event loop. */
  #open: WriteGroup | undefined
  #syncing: Syncing | undefined
  /** The number of writes that were settled or queued last. */
  #recentWrites = 0
  /** The refusal of the last commit, if it failed. */
  #failure: Refusal | undefined
  #stopProbing: (() => void) | undefined
  /** The refusal of every write once the queue is closed. */
  #closed: Refusal | undefined
  #committedAt = Number.NEGATIVE_INFINITY
  /** When the lock was first found to be held by another process, since this one had it. */
  #lockedSince: number | undefined
  /** How long the lock was held since it was last left free. */
  #heldMs = 0

  constructor(options: WriteQueueOptions) {
    this.#options = options
    this.#diskClock = options.diskClock ?? systemClock
    this.#disk = new DiskWatch(options.log, this.#diskClock)
  }

  /** Why writes fail: from a failed commit until the next successful one, and like `refusal`. */
  get problem(): Refusal | undefined {
    return this.refusal ?? this.#failure
  }

  /** The refusal of every write while the queue is closed or the disk does not respond. */
  get refusal(): Refusal | undefined {
    return this.#closed ?? (this.isLate ? noResponse() : undefined)
  }

  get isLate(): boolean {
    return this.#disk.isLate
  }

  /** Resolves once all that other connections can read is on the disk; rejects if that is late or may be lost. */
  async synced(): Promise<void> {
    await this.#unsynced?.inTime.promise
    if (this.#closed && this.#failure) throw this.#failure
  }

  /** Calls the action at once, or after the current sync. */
  afterSync(action: () => void): void {
    const unsynced = this.#unsynced
    if (unsynced) void unsynced.ended.then(action)
    else action()
  }

  /** Calls the listener whenever the disk does not respond for so long that writes are refused. */
  onLateSync(listener: () => void): () => void {
    return this.#disk.onLate(listener)
  }

  write<T>(run: WriteFunction<T>, { isLong = false, schedulingKey = '' }: WriteOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const item = newItem(this.#options, run as (tx: Tx) => T, schedulingKey, resolve, reject)
      this.#add(isLong ? LONG : `by ${schedulingKey}`, item)
    })
  }

  /** Lets another connection of this process write: writes are paused until `action` has finished. */
  pauseDuring<T>(action: PausingAction<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#add(LONG, { begin: () => void this.#runPaused(action).then(resolve, reject), reject })
    })
  }

  /** Refuses every queued and later write. A commit that is being synced is no longer acknowledged. */
  close(refusal: Refusal = shuttingDown()): void {
    this.#stopProbing?.()
    this.#closed ??= refusal
    this.#rejectWaiting(refusal)
    this.#open?.undo(refusal)
    this.#open = undefined
    if (!this.#syncing || this.isLate) return
    this.#syncing.inTime.reject(unavailable(NOT_CONFIRMED))
    this.#settle(this.#syncing.group, unavailable(NOT_CONFIRMED))
  }

  get #unsynced(): Syncing | undefined {
    return this.#syncing?.group.isEmpty === false ? this.#syncing : undefined
  }

  #add(key: string, one: Item | Pause): void {
    const { refusal } = this
    if (refusal) one.reject(refusal)
    else {
      this.#queue.add(key, one)
      this.#schedule()
    }
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const wait = this.#options.yieldsLock ? this.#lockFreeFor() : 0
    if (wait > 0) setTimeout(() => this.#flush(), wait)
    else setImmediate(() => this.#flush())
  }

  /** For how many milliseconds the lock must still be left free. */
  #lockFreeFor(): number {
    const left = this.#committedAt + LOCK_FREE_MS - this.#diskClock.monotonicMs()
    if (left > 0 && this.#heldMs < MAX_HOLD_MS) return 0
    this.#heldMs = 0
    return left
  }

  #flush(): void {
    this.#scheduled = false
    if (this.#queue.isEmpty || this.#open || this.#syncing || this.#isPaused) return
    const { sync, sql } = this.#options
    const next = this.#queue.next
    if (sync && !sync.hasResponded) this.#settleAfter(sync.run(), new WriteGroup(sql, this.#diskClock))
    else if (next && 'begin' in next) (this.#queue.take() as Pause).begin()
    else if (this.#begin()) this.#runWrites()
  }

  #rejectWaiting(refusal: unknown): void {
    for (const one of this.#queue.clear()) one.reject(refusal)
  }

  async #runPaused<T>(action: PausingAction<T>): Promise<T> {
    this.#isPaused = true
    let refusal: Refusal | undefined
    let result: T
    try {
      this.#options.beforeCommit?.()
      result = await action((onLate) => this.#waitForDisk(onLate))
    } finally {
      this.#disk.end()
      this.#isPaused = false
      this.#lockedSince = undefined
      refusal = this.#options.onCommit?.()
      this.#schedule()
    }
    if (refusal) throw refusal
    return result
  }

  /** Takes the write lock before anything leaves the queue; tries again later if another process holds it. */
  #begin(): boolean {
    try {
      this.#options.sql.run('BEGIN IMMEDIATE')
      this.#lockedSince = undefined
      return true
    } catch (error) {
      const now = this.#diskClock.monotonicMs()
      this.#lockedSince ??= now
      if (isBusy(error) && now - this.#lockedSince < this.#options.lockWaitMs) {
        this.#scheduled = true
        setTimeout(() => this.#flush(), LOCK_RETRY_MS)
        return false
      }
      this.#lockedSince = undefined
      const refusal = asUnavailable(error)
      if (refusal instanceof Refusal) this.#becomeUnhealthy(refusal)
      this.#rejectWaiting(refusal)
      return false
    }
  }

  /**
   * Runs one long write, or short ones for a few milliseconds, and commits them, possibly one turn later with others.
   */
  #runWrites(): void {
    const group = new WriteGroup(this.#options.sql, this.#diskClock)
    const isLong = this.#queue.nextKey === LONG
    const isBegun = this.#run(group, () => {
      if (this.#runNext(group) && !isLong) this.#runOthers(group)
    })
    if (!isBegun) this.#settle(group)
    else if (isLong || !this.#expectsMore(group)) this.#commit(group)
    else {
      this.#open = group
      setImmediate(() => this.#commitOpen(group))
    }
  }

  /** Returns whether the group has writes to be committed. */
  #run(group: WriteGroup, action: () => void): boolean {
    try {
      action()
    } catch (error) {
      this.#abandon(group, error)
    }
    return !group.isEmpty
  }

  #runNext(group: WriteGroup): boolean {
    return group.run(this.#queue.take() as Item)
  }

  /** Runs the queued short writes. */
  #runOthers(group: WriteGroup): void {
    const mayJoin = () => !this.#queue.isEmpty && this.#queue.nextKey !== LONG && !group.isFull
    while (mayJoin() && this.#runNext(group));
  }

  /** Commits of a command, which has no `sync`, and of the server's own work are never delayed. */
  #expectsMore({ done, size }: WriteGroup): boolean {
    const mayWait = this.#options.sync !== undefined && done.every(({ isOfRequest }) => isOfRequest)
    return mayWait && this.#queue.isEmpty && size < this.#recentWrites
  }

  #commitOpen(group: WriteGroup): void {
    if (this.#open !== group) return
    this.#open = undefined
    if (this.#run(group, () => this.#runOthers(group))) this.#commit(group)
    else this.#settle(group)
  }

  #commit(group: WriteGroup): void {
    const { beforeCommit, sync, sql } = this.#options
    let synced: Promise<void> | undefined
    this.#run(group, () => {
      beforeCommit?.()
      synced = sync?.commit()
      if (!sync) sql.run('COMMIT')
    })
    if (synced) this.#settleAfter(synced, group)
    else this.#settle(group)
  }

  #abandon(group: WriteGroup, error: unknown): void {
    const refusal = asUnavailable(error)
    this.#options.log.repeated('error', 'commit failed', { error: String(error), writes: group.done.length })
    group.undo(refusal)
    if (refusal instanceof Refusal) this.#becomeUnhealthy(refusal)
  }

  /** Settles a group once it is on the disk; an empty one only checks whether the disk responds. */
  #settleAfter(synced: Promise<void>, group: WriteGroup): void {
    const inTime = Promise.withResolvers<void>()
    inTime.promise.catch(() => {})
    this.#waitForDisk(() => {
      group.reject(noResponse())
      inTime.reject(noResponse())
    })
    const settle = (failure?: Refusal) => {
      inTime.resolve()
      if (this.#syncing?.group === group) this.#settle(group, failure)
    }
    this.#syncing = { group, ended: synced.then(() => settle(), settle), inTime }
  }

  /** Settles the writes of a committed group; `failure` is set if the commit may not be durable. */
  #settle(group: WriteGroup, failure?: Refusal): void {
    this.#disk.end()
    this.#syncing = undefined
    this.#recentWrites = group.size + this.#queue.size
    if (failure) this.#rejectWaiting(failure)
    if (!group.isEmpty) this.#settleWrites(group, failure)
    if (!this.#queue.isEmpty) this.#schedule()
  }

  #settleWrites(group: WriteGroup, failure?: Refusal): void {
    if (failure) this.#becomeUnhealthy(failure)
    else this.#becomeHealthy()
    this.commitSizes.add(group.done.length)
    reach('synced')
    const refusal = this.#options.onCommit?.(failure)
    this.#committedAt = this.#diskClock.monotonicMs()
    this.#heldMs += this.#committedAt - group.locked
    group.settle(failure ?? refusal)
  }

  #waitForDisk(onLate: () => void): void {
    this.#disk.begin(() => {
      onLate()
      this.#rejectWaiting(noResponse())
    })
  }

  #becomeUnhealthy(failure: Refusal): void {
    this.#failure = failure
    if (this.#closed) return
    this.#stopProbing ??= this.#options.clock.every(PROBE_MS, () => {
      this.write(({ sql }): void =>
        // Writes the first page without changing it.
        sql.script(`PRAGMA user_version = ${sql.scalar<number>('PRAGMA user_version')}`),
      ).catch(() => {})
    })
  }

  #becomeHealthy(): void {
    this.#failure = undefined
    this.#stopProbing?.()
    this.#stopProbing = undefined
  }
}
