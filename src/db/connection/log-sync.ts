import fs from 'node:fs'
import { unavailable } from '../../refusal.ts'
import { UnusableDatabase } from '../errors.ts'
import { realFile } from './server-lock.ts'

/** After a sync that took longer, another thread does the next ones: while others write much, some take a hundred times as long. */
const QUICK_MS = 1
/** For how long after that, or after other writing, syncing is expected to take long. */
const SLOW_FOR_MS = 500

const NOT_CONFIRMED =
  'The disk of this server failed while this was saved, so it may be lost. Read it again before you send it again.'

export interface LogSyncOptions {
  /** The database. */
  readonly file: string
  /** Called once, with the error of a sync that failed; every later one fails too. */
  readonly onFailure: (error: unknown) => void
  /** The calls of the system. */
  readonly disk?: Pick<typeof fs, 'fsync' | 'fsyncSync'> | undefined
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
 * Syncs the write-ahead log to the disk after each commit. While the disk is slow, or has much else to write, another
 * thread waits for it, so that reads go on; otherwise waiting takes less time than handing it over.
 */
export class LogSync {
  readonly #options: LogSyncOptions
  readonly #disk: Pick<typeof fs, 'fsync' | 'fsyncSync'>
  readonly #now: () => number
  readonly #descriptor: number
  #lastMs = 0
  #slowUntil = Number.NEGATIVE_INFINITY
  #isInThread = false
  #isClosed = false
  #hasFailed = false

  /** The log must be there; it is one file until the database is closed. */
  constructor(options: LogSyncOptions) {
    this.#options = options
    this.#disk = options.disk ?? fs
    this.#now = options.now ?? (() => performance.now())
    this.#descriptor = openLog(options.file)
  }

  /** Whether syncing is expected to take long. */
  get isSlow(): boolean {
    return this.#lastMs > QUICK_MS || this.#now() < this.#slowUntil
  }

  /** Whether the next commit, which may be one of much, is to be synced in another thread. */
  takesLong(isMuch: boolean): boolean {
    return isMuch || this.isSlow
  }

  /** To be called when something else begins to write much to this disk, and when it has ended. */
  expectDelay(): void {
    this.#slowUntil = this.#now() + SLOW_FOR_MS
  }

  /** Syncs in this thread. Throws a refusal if the disk fails; the commit stays visible then. */
  now(): void {
    const startedAt = this.#now()
    if (!this.#hasFailed) {
      try {
        this.#disk.fsyncSync(this.#descriptor)
        this.#record(this.#now() - startedAt)
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
    // How long this thread is busy with other things does not count.
    let startedAt = this.#now()
    setImmediate(() => {
      startedAt = this.#now()
    })
    this.#isInThread = true
    this.#disk.fsync(this.#descriptor, resolve)
    const failure = await promise
    this.#isInThread = false
    if (this.#isClosed) return this.close()
    if (failure) this.#fail(failure)
    if (this.#hasFailed) throw unavailable(NOT_CONFIRMED)
    this.#record(this.#now() - startedAt)
  }

  close(): void {
    this.#isClosed = true
    if (!this.#isInThread) fs.closeSync(this.#descriptor)
  }

  #record(tookMs: number): void {
    this.#lastMs = tookMs
    if (tookMs > QUICK_MS) this.expectDelay()
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#options.onFailure(error)
  }
}
