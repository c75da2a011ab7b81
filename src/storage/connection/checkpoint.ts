import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { unlessStorageFails } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { type StartThread, startWorker, type Thread } from '../thread-start.ts'
import { LogHold } from './log-hold.ts'
import { realFile } from './server-lock.ts'

/*
 * Checkpoints of a server, which follow one rule: another thread checkpoints the WAL every second, unless writes
 * continue and the WAL is short. Reads and writes continue meanwhile. Writes wait only for the few pages that were
 * added during the checkpoint, so that the next one restarts the WAL from its beginning. A WAL file that has become
 * long is truncated the next time nothing is written. A reader of an older state keeps a part of the WAL in use until
 * a later attempt.
 *
 * A follower reads the WAL while it is written. No process can restart the WAL before the follower has all of it: a
 * read transaction holds it (`log-hold.ts`), and ends only in the pause in which the WAL restarts.
 */

const INTERVAL_MS = 1_000
/** While writes continue, the WAL is checkpointed once it has more pages than this. */
export const MANY_PAGES = 10_000
/** Checkpointing so many pages takes some milliseconds. */
const FEW_PAGES = 500
/** The most pages for which writes wait: some tens of milliseconds. */
const MOST_PAGES = 4_000
const MAX_ROUNDS = 4
/** Long work waits while more pages than this are not checkpointed. */
const TOO_MANY_PAGES = 16_000
const LONG_FILE_BYTES = 67_108_864
/** The place in the header of a WAL file of the number of restarts before it. */
const RESTARTS_AT = 12
/** Longer than any checkpoint, unless the disk does not respond. */
const FINISH_WITHIN_MS = 8_000

export interface CheckpointOptions {
  readonly file: string
  /** The open database (`isOpenFile`). */
  readonly descriptor: number | undefined
  readonly clock: Clock
  readonly log: Log
  /** The writing connection. */
  readonly sql: Sql
  /** Runs an action while writes are paused. */
  readonly pauseDuring: (action: () => Promise<void>) => Promise<void>
  /** Starts the checkpoint thread; a `Worker` by default. */
  readonly startThread?: StartThread | undefined
}

/** The message to the checkpoint thread (`checkpoint-worker.ts`). */
export interface CheckpointTask {
  readonly file: string
  /** The file that the process has open. */
  readonly descriptor: number | undefined
  /** Writes wait for every mode except `PASSIVE`. */
  readonly mode: 'PASSIVE' | 'RESTART' | 'TRUNCATE'
}

/** The result of a checkpoint: the number of pages in the log, or the message of the error. */
export type CheckpointResult = { readonly total: number } | { readonly failure: string }

/** Reads the WAL of a server. */
export interface LogFollower {
  /** Whether the log may be checkpointed. `isIdle` says that nothing was written for a second. */
  mayCheckpoint(log: { readonly pages: number; readonly isIdle: boolean }): boolean
  /** Called while writes are paused, with the number of pages. Resolves to whether the log may restart now. */
  beforeRestart(pages: number): Promise<boolean>
  /** Called before writes continue, with the number of pages that the log had: more if another process wrote. */
  afterRestart(pages: number): void
}

/** A log with a follower. */
export interface FollowedLog {
  /** The number of pages of all commits; undefined while a transaction is open. */
  pages(): number | undefined
  /** Whether the next commit restarts the log, because all of it is checkpointed. */
  readonly isAtRest: boolean
  /** Whether every page is in the database, also of other processes' commits of this moment. */
  isInDatabase(): boolean
  stop(): void
}

interface WalPages {
  readonly total: number
  /** The number of pages that are not checkpointed. */
  readonly left: number
}

export class Checkpoints {
  readonly #options: CheckpointOptions
  /** Resolved once, because that fails while the process is out of file descriptors. */
  readonly #wal: string
  #worker: Thread | undefined
  /** Whether any commit followed the last check. */
  #hasCommitted = false
  #stopChecking: (() => void) | undefined
  #running: Promise<void> | undefined
  #isStopped = false
  #known: WalPages = { total: 0, left: 0 }
  #followed: { readonly follower: LogFollower; readonly hold: LogHold } | undefined

  constructor(options: CheckpointOptions) {
    this.#options = options
    this.#wal = `${realFile(options.file)}-wal`
  }

  /** Must be called after each commit, including those of other processes. */
  noteCommit(): void {
    if (this.#isStopped) return
    this.#hold()
    this.#hasCommitted = this.#stopChecking !== undefined
    // Started early: once the process is out of file descriptors, starting a thread would end it.
    this.#worker ??= this.#newWorker()
    this.#stopChecking ??= this.#options.clock.every(INTERVAL_MS, () => this.#check())
  }

  /** From now on the log restarts only once the follower has all of it. There is one follower at most. */
  follow(follower: LogFollower): FollowedLog {
    const hold = new LogHold(this.#options.file)
    this.#followed = { follower, hold }
    this.#hold()
    return {
      pages: () => readWalPages(this.#options.sql)?.total,
      get isAtRest() {
        return !hold.isHeld
      },
      isInDatabase: () => !hold.isHeld && readWalPages(this.#options.sql)?.left === 0,
      stop: () => this.#unfollow(),
    }
  }

  #unfollow(): void {
    this.#followed?.hold.close()
    this.#followed = undefined
  }

  /** Holds the log, unless all of it is checkpointed. */
  #hold(): void {
    const hold = this.#followed?.hold
    if (!hold || hold.isHeld) return
    unlessStorageFails(this.#options.log, () => {
      hold.move()
      if (this.#pages().left === 0) hold.release()
    })
  }

  /** Resolves at once, or after the next checkpoint while too much of the WAL is not checkpointed. */
  async keepUp(): Promise<void> {
    if (this.#isStopped || this.#pages().left <= TOO_MANY_PAGES) return
    if (this.#mayStart(false)) this.#start(false)
    await this.#running
  }

  /** Checkpoints in this thread, as far as readers of other processes allow. */
  runNow(): void {
    const { log, sql } = this.#options
    unlessStorageFails(log, () => sql.all('PRAGMA wal_checkpoint(PASSIVE)'))
  }

  /** Whether the checkpoint thread did not end in time. */
  get isStuck(): boolean {
    return this.#isStopped && this.#running !== undefined
  }

  /** Resolves once no other thread has the database open, or after some seconds. No checkpoint starts afterwards. */
  async finish(): Promise<void> {
    this.stop()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stopTimer = this.#options.clock.after(FINISH_WITHIN_MS, resolve)
    await Promise.race([this.#running, late])
    stopTimer()
  }

  stop(): void {
    this.#isStopped = true
    this.#unfollow()
    this.#stopChecking?.()
    if (!this.#running) this.#worker?.terminate()
  }

  #check(): void {
    // The pages cannot be counted in a transaction; the next check does it.
    if (this.#running || this.#options.sql.database.inTransaction) return
    const isIdle = !this.#hasCommitted
    this.#hasCommitted = false
    const { total, left } = this.#pages()
    const truncates = isIdle && isLong(this.#wal) && (!this.#followed || hasRestarted(this.#wal))
    if (isIdle ? left > 0 || truncates : total > MANY_PAGES) {
      if (this.#mayStart(isIdle)) this.#start(truncates)
    } else if (isIdle) {
      this.#stopChecking?.()
      this.#stopChecking = undefined
    }
  }

  #mayStart(isIdle: boolean): boolean {
    return this.#followed?.follower.mayCheckpoint({ pages: this.#known.total, isIdle }) ?? true
  }

  #start(truncates: boolean): void {
    this.#running ??= this.#fold(truncates)
      .catch((error) =>
        this.#options.log.repeated('warn', 'the write-ahead log could not be checkpointed', {
          error: String(error),
        }),
      )
      .finally(() => {
        this.#running = undefined
        if (this.#isStopped) this.#worker?.terminate()
      })
  }

  async #fold(truncates: boolean): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // A transaction that begins while nothing is left to checkpoint would hold nothing.
      if (this.#followed?.hold.isHeld && this.#pages().left > 0) this.#followed.hold.move()
      await this.#run('PASSIVE')
      if (this.#isStopped) return
      if (this.#pages().left <= FEW_PAGES) break
    }
    if (this.#pages().left > MOST_PAGES) return
    await this.#options.pauseDuring(() => this.#restart(truncates))
  }

  async #restart(truncates: boolean): Promise<void> {
    if (!this.#followed) return void (await this.#run(truncates ? 'TRUNCATE' : 'RESTART'))
    const { follower } = this.#followed
    const { total } = this.#pages()
    if (!(await follower.beforeRestart(total))) return
    this.#followed?.hold.release()
    try {
      const restarted = await this.#run('RESTART')
      follower.afterRestart(restarted)
      // Not in one step: truncating does not report the pages of the log.
      if (truncates && restarted === total) await this.#run('TRUNCATE')
    } finally {
      this.#hold()
    }
  }

  /** Returns the number of pages in the log. */
  async #run(mode: CheckpointTask['mode']): Promise<number> {
    const { file, descriptor } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<CheckpointResult>()
    this.#worker ??= this.#newWorker()
    this.#worker.onmessage = ({ data }: MessageEvent<CheckpointResult>) => resolve(data)
    this.#worker.onerror = ({ message }) => reject(new Error(message))
    this.#worker.postMessage({ file, descriptor, mode } satisfies CheckpointTask)
    const result = await promise
    if ('failure' in result) throw new Error(result.failure)
    return result.total
  }

  #newWorker(): Thread {
    const { startThread = startWorker } = this.#options
    const worker = startThread('storage/checkpoint-worker.ts')
    worker.unref()
    return worker
  }

  /** The page counts, or the last known ones while a transaction of this connection is open. */
  #pages(): WalPages {
    const { log, sql } = this.#options
    unlessStorageFails(log, () => {
      this.#known = readWalPages(sql) ?? this.#known
    })
    return this.#known
  }
}

/** Undefined while a transaction of the connection is open, because SQLite does not count the pages then. */
export function readWalPages(sql: Sql): WalPages | undefined {
  if (sql.database.inTransaction) return undefined
  const [row] = sql.rows<[isBusy: number, total: number, moved: number]>('PRAGMA wal_checkpoint(NOOP)')
  return row && { total: row[1], left: row[1] - row[2] }
}

const isLong = (wal: string): boolean =>
  (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > LONG_FILE_BYTES

/**
 * Whether the log has ever restarted. Its salt grows by one at each restart, which tells followers that they missed
 * none. A log that is truncated before its first restart gets a random salt.
 */
function hasRestarted(wal: string): boolean {
  const descriptor = openSync(wal, 'r')
  try {
    const count = Buffer.alloc(4)
    return readSync(descriptor, count, 0, 4, RESTARTS_AT) === 4 && count.readUInt32BE() > 0
  } finally {
    closeSync(descriptor)
  }
}
