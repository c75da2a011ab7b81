import fs from 'node:fs'
import type { Log } from '../../lib/log.ts'
import { unavailable } from '../../refusal.ts'
import { NOT_CONFIRMED, UnusableDatabase } from '../errors.ts'
import { realFile } from './server-lock.ts'

/*
 * After each commit the WAL is synced to the disk in another thread, so that reads go on, however long the disk takes: its
 * content and its length, on Linux without its times, which the disk keeps elsewhere. The system tells of a failed sync
 * once: a later one succeeds although what the disk refused is lost. So after a failure no sync succeeds any more, and a
 * sync whose result nobody has seen confirms nothing.
 *
 * SQLite itself syncs in this thread when it starts the WAL again. Before the first write after a pause the disk is
 * therefore synced in the other thread, too: this thread never waits for a disk that has stopped to respond.
 */

/** For how long after a sync the disk is expected to respond. */
const RESPONDS_FOR_MS = 500

/** The calls by which commits get to the disk, and for how long they may take. */
export interface DiskCalls extends Pick<typeof fs, 'fdatasync'> {
  readonly withinMs?: number
}

/** Elsewhere than on Linux `fdatasync` may leave out the new length of a file, and with it what was written at its end. */
const CALLS: DiskCalls = process.platform === 'linux' ? fs : { fdatasync: fs.fsync }

export interface WalSyncOptions {
  /** The database. */
  readonly file: string
  /** Called once, with the error of the first sync that failed. */
  readonly onFailure: (error: unknown) => void
  /** The calls of the system unless given. */
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

  /** The WAL must be there; it is one file until the database is closed. */
  constructor(options: WalSyncOptions) {
    this.#options = options
    this.#descriptor = openWal(options.file)
  }

  /** Whether the disk responded a moment ago. */
  get hasResponded(): boolean {
    return !this.#isRunning && performance.now() - this.#syncedAt < RESPONDS_FOR_MS
  }

  /** Rejects with a refusal if this sync, or an earlier one, failed; what was committed stays visible then. One at a time. */
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

  /** The descriptor stays open while a sync is under way. */
  close(): void {
    this.#isClosed = true
    if (!this.#isRunning) fs.closeSync(this.#descriptor)
  }
}

const SYNC_WITHIN_MS = 10_000
/** What has ended while this thread did other things is seen to have ended within this time. */
const SEEN_WITHIN_MS = 10

/** Tells when the disk does not respond in time. */
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

  /** Whether the disk does not respond. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Calls the listener whenever the disk does not respond; returns a function that stops it. */
  onLate(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** To be called when the disk is asked; `onLate` is called, before the listeners, if it takes too long. */
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

  /** To be called once it has responded. */
  end(): void {
    clearTimeout(this.#timer)
    if (this.#isLate) this.#log.info('the disk responds again')
    this.#isLate = false
  }
}
