import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { workerProgram } from '../../lib/program.ts'
import type { CheckpointTask } from '../checkpoint-worker.ts'
import { unlessStorageFails } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { asNobody } from '../writes/requester.ts'
import { FEW_PAGES, isLogFileLong, type LogPages, logPages, MANY_PAGES } from './log-pages.ts'

const INTERVAL_MS = 1_000
/** In each round those pages are left that were written meanwhile. In the last one, of few pages, writes wait. */
const MAX_ROUNDS = 4
/** Long work waits while more pages than this are not in the file. */
const TOO_MANY_PAGES = 16_000
/** While a reader has an older state open, or the log cannot be moved, no thread is started for this many checks. */
const CHECKS_TO_SKIP = 10
/** Longer than moving a log takes, unless the disk does not respond. */
const FINISH_WITHIN_MS = 8_000

export interface CheckpointOptions {
  readonly file: string
  /** The open database file (`isInLogMode`). */
  readonly descriptor: number | undefined
  readonly clock: Clock
  readonly log: Log
  /** The connection that writes. */
  readonly sql: Sql
  /** Ends the reading snapshot of this process, which would keep a part of the log. */
  readonly renew: () => void
  /** Whether the files at the paths are those of the open database: another thread opens them by their names. */
  readonly isSound: () => boolean
  /** Runs an action while writes wait. */
  readonly pauseDuring: (action: () => Promise<void>) => Promise<void>
  /** Resolves once the disk responds; rejects if it fails. */
  readonly probe: () => Promise<void>
}

/**
 * Moves the write-ahead log into the file once nothing was committed for a second, or once it is large. What is more than
 * a few pages is moved in another thread. Only when the whole log is in the file does the next write start it again from
 * its beginning. The other thread also truncates a file of the log that once was long, which would take this one a tenth
 * of a second.
 */
export class Checkpoints {
  readonly #options: CheckpointOptions
  /** Whether anything was committed since the last check. */
  #hasCommitted = false
  #stopChecking: (() => void) | undefined
  #running: Promise<void> | undefined
  /** Whether the disk was asked whether it responds. */
  #isAsking = false
  #checksToSkip = 0
  /** For how many checks the file of the log has been long, although it may be used by a few pages only. */
  #checksWhileLong = 0
  #isStopped = false
  #isStuck = false
  /** What a transaction that stays open between its steps has to end for. */
  #afterTransaction: (() => void) | undefined

  constructor(options: CheckpointOptions) {
    this.#options = options
  }

  /** To be called right after each commit, while no transaction is open. */
  noteCommit(): void {
    this.noteWrite()
    this.noteEnd()
  }

  /** To be called once another process wrote. */
  noteWrite(): void {
    if (this.#isStopped) return
    this.#hasCommitted = this.#stopChecking !== undefined
    // A request that wrote first is not whom the log is moved for: its pauses do not wait for others of that requester.
    asNobody(() => {
      this.#stopChecking ??= this.#options.clock.every(INTERVAL_MS, () => this.#check())
    })
  }

  /** To be called when a transaction ended, also if it was rolled back. */
  noteEnd(): void {
    this.#afterTransaction?.()
    this.#afterTransaction = undefined
  }

  /**
   * Resolves at once, or, while much of the log is not in the file, once that is moved. Awaited between the parts of long
   * work, it keeps the log from growing faster than it is moved.
   */
  async keepUp(): Promise<void> {
    if (this.#isStopped || this.#isInTransaction || this.#checksToSkip > 0) return
    if (this.#pages().left <= TOO_MANY_PAGES) return
    asNobody(() => {
      this.#running ??= this.#moveInThread()
    })
    await this.#running
  }

  /** Moves the log in this thread, as far as readers of other processes allow. */
  runNow(): void {
    const { log, sql, renew } = this.#options
    if (sql.database.inTransaction) return
    unlessStorageFails(log, () => {
      renew()
      sql.all('PRAGMA wal_checkpoint(PASSIVE)')
    })
  }

  /** Whether a checkpoint in another thread did not end when it had to. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  /** Resolves once no other thread has the database open for a checkpoint, or some seconds later; starts none any more. */
  async finish(): Promise<void> {
    this.stop()
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const stopTimer = this.#options.clock.after(FINISH_WITHIN_MS, resolve)
    await Promise.race([this.#running, late])
    stopTimer()
    this.#isStuck = this.#running !== undefined
  }

  stop(): void {
    this.#isStopped = true
    this.#stopChecking?.()
    this.#stopChecking = undefined
    this.#afterTransaction?.()
  }

  get #isInTransaction(): boolean {
    return this.#options.sql.database.inTransaction
  }

  #check(): void {
    if (this.#running || this.#isAsking || this.#isStopped) return
    if (this.#isInTransaction) {
      this.#afterTransaction = () => this.#check()
      return
    }
    const isBusy = this.#hasCommitted
    this.#hasCommitted = false
    const { total, left } = this.#pages()
    this.#checksWhileLong = isLogFileLong(this.#options.file) ? this.#checksWhileLong + 1 : 0
    if (!isBusy && this.#checksWhileLong === 0) {
      this.#stopChecking?.()
      this.#stopChecking = undefined
    }
    const isTooLong = !isBusy && this.#checksWhileLong % CHECKS_TO_SKIP === 1
    if (!isTooLong && (left === 0 || (isBusy && total <= MANY_PAGES))) return
    // Where no file can be opened any more, starting a thread ends the process.
    if (!isTooLong && left <= FEW_PAGES) void this.#moveFew()
    else if (isBusy && this.#checksToSkip > 0) this.#checksToSkip -= 1
    else this.#running = this.#moveInThread(isTooLong)
  }

  /** In this thread, once the disk responds. */
  async #moveFew(): Promise<void> {
    // Whoever opened the database is told of a disk that fails.
    this.#isAsking = true
    await this.#options.probe().catch(() => {})
    this.#isAsking = false
    if (this.#mayGoOn) this.runNow()
  }

  #pages(): LogPages {
    const { log, sql } = this.#options
    let pages = { total: 0, left: 0 }
    unlessStorageFails(log, () => {
      pages = logPages(sql)
    })
    return pages
  }

  /** `truncates` the file of the log too, for which writes wait. */
  async #moveInThread(truncates = false): Promise<void> {
    const worker = new Worker(workerProgram('db/checkpoint-worker.ts'))
    let isKept = true
    try {
      isKept = await this.#moveInRounds(worker, truncates)
    } catch (error) {
      this.#options.log.warn('the write-ahead log could not be moved into the file', { error: String(error) })
    } finally {
      worker.terminate()
      this.#checksToSkip = isKept ? CHECKS_TO_SKIP : 0
      this.#running = undefined
    }
  }

  get #mayGoOn(): boolean {
    return !this.#isStopped && this.#options.isSound()
  }

  /** In a transaction the pages cannot be counted. */
  async #transactionEnd(): Promise<void> {
    if (!this.#isInTransaction || this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#afterTransaction = resolve
    await promise
  }

  /** Returns whether a part of the log stays because a reader has an older state open. */
  async #moveInRounds(worker: Worker, truncates: boolean): Promise<boolean> {
    const { file, descriptor, pauseDuring } = this.#options
    const move = () => checkpointIn(worker, { file, descriptor, truncates })
    for (let round = 1; this.#mayGoOn; round++) {
      const before = this.#pages()
      const isLast = round === MAX_ROUNDS || before.left <= FEW_PAGES
      await (isLast ? pauseDuring(move) : move())
      await this.#transactionEnd()
      const after = this.#pages()
      const moved = after.total - after.left - (before.total - before.left)
      if (after.total >= before.total && moved < before.left / 2) return true
      if (isLast) return false
    }
    return false
  }
}

async function checkpointIn(worker: Worker, task: CheckpointTask): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  worker.onmessage = ({ data }: MessageEvent<string>) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message))
  worker.postMessage(task)
  const failure = await promise
  if (failure !== '') throw new Error(failure)
}
