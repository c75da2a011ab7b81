import fs from 'node:fs'
import type { Log } from '../../lib/log.ts'
import { unavailable } from '../../refusal.ts'
import { realFile } from './server-lock.ts'

/** After a sync that took longer, another thread does the next one. */
const QUICK_MS = 5
/** For how long after other writing syncing is expected to take long. */
const SLOW_FOR_MS = 1_000

const NOT_CONFIRMED =
  'The disk of this server reported an error while this was saved, so it may be lost. Read it again before you send it again.'

export interface LogSyncOptions {
  /** The database. */
  readonly file: string
  readonly log: Log
  /** Moves the whole write-ahead log into the file; returns whether nothing of it is left. */
  readonly moveLog: () => boolean
  /** The calls of the system. */
  readonly disk?: Pick<typeof fs, 'fsync' | 'fsyncSync'>
}

/**
 * Syncs the write-ahead log to the disk after each commit. While the disk is slow, or has much else to write, another
 * thread waits for it, so that reads go on; otherwise waiting takes less time than handing it over.
 */
export class LogSync {
  readonly #options: LogSyncOptions
  readonly #disk: Pick<typeof fs, 'fsync' | 'fsyncSync'>
  readonly #descriptor: number
  #lastMs = 0
  #slowUntil = Number.NEGATIVE_INFINITY
  #isInThread = false
  #isClosed = false
  /** After a failed sync another one may succeed although the system has given up what it could not write. */
  #isDoubtful = false

  /** The log must be there; it is one file until the database is closed. */
  constructor(options: LogSyncOptions) {
    this.#options = options
    this.#disk = options.disk ?? fs
    this.#descriptor = fs.openSync(`${realFile(options.file)}-wal`, 'r+')
  }

  /** Whether syncing is expected to take long. */
  get isSlow(): boolean {
    return this.#lastMs > QUICK_MS || performance.now() < this.#slowUntil
  }

  /** Whether the next commit, which may be one of much, is to be synced in another thread. */
  takesLong(isMuch: boolean): boolean {
    return (isMuch || this.isSlow) && !this.#isDoubtful
  }

  /** To be called when something else begins to write much to this disk, and when it has ended. */
  expectDelay(): void {
    this.#slowUntil = performance.now() + SLOW_FOR_MS
  }

  /** Syncs in this thread. Throws a refusal if the disk fails; the commit stays visible then. */
  now(): void {
    this.#measure(performance.now(), () => this.#disk.fsyncSync(this.#descriptor))
  }

  /** Syncs in another thread. Rejects as `now` throws. */
  async inThread(): Promise<void> {
    const startedAt = performance.now()
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    this.#isInThread = true
    this.#disk.fsync(this.#descriptor, resolve)
    const failure = await promise
    this.#isInThread = false
    if (this.#isClosed) return this.close()
    this.#measure(startedAt, () => {
      if (failure) throw failure
    })
  }

  close(): void {
    this.#isClosed = true
    if (!this.#isInThread) fs.closeSync(this.#descriptor)
  }

  #measure(startedAt: number, finish: () => void): void {
    try {
      finish()
      if (this.#isDoubtful && !this.#options.moveLog())
        throw new Error('what was written before is not confirmed')
      this.#isDoubtful = false
    } catch (error) {
      this.#isDoubtful = true
      this.#options.log.error('the disk did not confirm a commit', { error: String(error) })
      throw unavailable(NOT_CONFIRMED)
    }
    this.#lastMs = performance.now() - startedAt
  }
}
