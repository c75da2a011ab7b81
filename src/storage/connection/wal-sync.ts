import fs from 'node:fs'
import type { Log } from '../../lib/log.ts'
import { unavailable } from '../../lib/refusal.ts'
import { NOT_CONFIRMED, UnusableDatabase } from '../errors.ts'
import { realFile } from './server-lock.ts'

/*
 * Syncs the WAL to the disk in another thread after each commit, so that reads continue however long the disk takes.
 * On Linux the sync covers content and length but not times, which are stored elsewhere. The system reports a failed
 * sync only once: a later one succeeds although the refused pages are lost. So after a failure every sync fails, and
 * a sync without an observed result confirms nothing.
 *
 * SQLite itself syncs in this thread when it restarts the WAL. Before the first write after a pause the disk is
 * therefore synced in the other thread first, so that this thread never waits for a disk that has stopped responding.
 */

/** How long after a sync the disk is assumed to respond. */
const RESPONDS_FOR_MS = 500

/** The calls that sync commits to the disk, and their time limit. */
export interface DiskCalls extends Pick<typeof fs, 'fdatasync'> {
  readonly withinMs?: number
}

/** On systems other than Linux `fdatasync` may omit the new length of a file, and with it the data at its end. */
const CALLS: DiskCalls = process.platform === 'linux' ? fs : { fdatasync: fs.fsync }

export interface WalSyncOptions {
  /** The database. */
  readonly file: string
  /** Called once, with the error of the first failed sync. */
  readonly onFailure: (error: unknown) => void
  /** The system's calls by default. */
  readonly disk?: DiskCalls | undefined
}

function openWal(file: string): number {
  try {
    return fs.openSync(`${realFile(file)}-wal`, 'r+')
  } catch {
    throw new UnusableDatabase(`The write-ahead log of ${file} cannot be opened; check its permissions.`)
  }
}

export class WalSync {
  readonly #options: WalSyncOptions
  readonly #descriptor: number
  #syncedAt = Number.NEGATIVE_INFINITY
  #isRunning = false
  #isClosed = false
  #hasFailed = false

  /** Needs an existing WAL, which stays the same file until the database is closed. */
  constructor(options: WalSyncOptions) {
    this.#options = options
    this.#descriptor = openWal(options.file)
  }

  /** Whether the disk responded a moment ago. */
  get hasResponded(): boolean {
    return !this.#isRunning && performance.now() - this.#syncedAt < RESPONDS_FOR_MS
  }

  /**
   * Rejects with a refusal if this sync or an earlier one failed; committed writes stay visible then. Only one sync
   * may run at a time.
   */
  async run(): Promise<void> {
    const { disk = CALLS, onFailure } = this.#options
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    this.#isRunning = true
    disk.fdatasync(this.#descriptor, resolve)
    const failure = await promise
    this.#isRunning = false
    if (this.#isClosed) this.close()
    if (failure && !this.#hasFailed) {
      this.#hasFailed = true
      onFailure(failure)
    }
    if (this.#hasFailed) throw unavailable(NOT_CONFIRMED)
    this.#syncedAt = performance.now()
  }

  /** The descriptor stays open until a pending sync has finished. */
  close(): void {
    this.#isClosed = true
    if (!this.#isRunning) fs.closeSync(this.#descriptor)
  }
}

const SYNC_WITHIN_MS = 10_000
/** A result that arrives while this thread is busy is noticed within this time. */
const SEEN_WITHIN_MS = 10

/** Notifies listeners when the disk does not respond in time. */
export class DiskWatch {
  readonly #log: Log
  readonly #withinMs: number
  readonly #listeners = new Set<() => void>()
  #timer: Timer | undefined
  #isLate = false

  constructor(log: Log, withinMs = SYNC_WITHIN_MS) {
    this.#log = log
    this.#withinMs = withinMs
  }

  get isLate(): boolean {
    return this.#isLate
  }

  /** Calls the listener whenever the disk does not respond; returns a function that stops it. */
  onLate(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Must be called when a sync begins. If it takes too long, `onLate` is called before the listeners. */
  begin(onLate: () => void): void {
    const noteLate = () => {
      this.#isLate = true
      this.#log.error('the disk does not respond: writes are refused until it does')
      onLate()
      for (const listener of this.#listeners) listener()
    }
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(noteLate, SEEN_WITHIN_MS)
    }, this.#withinMs)
  }

  /** Must be called when the disk has responded. */
  end(): void {
    clearTimeout(this.#timer)
    if (this.#isLate) this.#log.info('the disk responds again')
    this.#isLate = false
  }
}
