import fs from 'node:fs'
import { unavailable } from '../../refusal.ts'
import { NOT_CONFIRMED, UnusableDatabase } from '../errors.ts'
import { realFile } from './server-lock.ts'

/** For how long after a sync the disk is expected to respond. */
const RESPONDS_FOR_MS = 500

/** The calls by which commits get to the disk, and for how long they may take. */
export interface DiskCalls extends Pick<typeof fs, 'fsync' | 'fsyncSync'> {
  readonly withinMs?: number
}

export interface LogSyncOptions {
  /** The database. */
  readonly file: string
  /** Called once, with the error of a sync that failed; every later one fails too. */
  readonly onFailure: (error: unknown) => void
  /** The calls of the system. */
  readonly disk?: DiskCalls | undefined
  /** A clock that is never set, in milliseconds. */
  readonly now?: () => number
}

function openLog(file: string): number {
  try {
    return fs.openSync(`${realFile(file)}-wal`, 'r+')
  } catch {
    throw new UnusableDatabase(`The write-ahead log of ${file} cannot be opened; check its permissions.`)
  }
}

/**
 * Syncs the write-ahead log to the disk after each commit. Another thread waits for the disk, so that reads go on, also
 * when it suddenly takes long or does not respond at all.
 */
export class LogSync {
  readonly #options: LogSyncOptions
  readonly #disk: Pick<typeof fs, 'fsync' | 'fsyncSync'>
  readonly #now: () => number
  readonly #descriptor: number
  #syncedAt = Number.NEGATIVE_INFINITY
  /** How many syncs are under way in another thread. */
  #inThread = 0
  #isClosed = false
  #hasFailed = false

  /** The log must be there; it is one file until the database is closed. */
  constructor(options: LogSyncOptions) {
    this.#options = options
    this.#disk = options.disk ?? fs
    this.#now = options.now ?? (() => performance.now())
    this.#descriptor = openLog(options.file)
  }

  /**
   * Whether the disk responded a moment ago. SQLite itself syncs in this thread when it moves the log, and when it starts
   * the log again: a sync in another thread shows beforehand whether that might take for ever.
   */
  get hasResponded(): boolean {
    return this.#inThread === 0 && this.#now() - this.#syncedAt < RESPONDS_FOR_MS
  }

  /**
   * Syncs in this thread. Throws a refusal if the disk fails; the commit stays visible then. So it does during a sync in
   * another thread: the system tells of a failure once, and that one may have been told.
   */
  now(): void {
    if (!this.#hasFailed && this.#inThread === 0) {
      try {
        this.#disk.fsyncSync(this.#descriptor)
        this.#syncedAt = this.#now()
        return
      } catch (error) {
        this.#fail(error)
      }
    }
    throw unavailable(NOT_CONFIRMED)
  }

  /** Syncs in another thread. Rejects as `now` throws. */
  async inThread(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    this.#inThread += 1
    this.#disk.fsync(this.#descriptor, resolve)
    const failure = await promise
    this.#inThread -= 1
    if (this.#isClosed) return this.close()
    if (failure) this.#fail(failure)
    if (this.#hasFailed) throw unavailable(NOT_CONFIRMED)
    this.#syncedAt = this.#now()
  }

  close(): void {
    this.#isClosed = true
    if (this.#inThread === 0) fs.closeSync(this.#descriptor)
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#options.onFailure(error)
  }
}
