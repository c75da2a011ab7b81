import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { NOT_CONFIRMED, showsDamage } from '../errors.ts'
import { ReplacedFileDetector } from './replaced-files.ts'

const LOST =
  'A file of the database was replaced or removed while the server ran; it acknowledges no writes any more and stops.'

const NOT_KEPT =
  'The disk of this server failed to keep a write, so nothing was written and the server stops. Whoever runs it must check the disk and start it again.'

/** Whether an open database can be relied on: its pages can be read, and its files are still those that it opened. */
export class Health {
  readonly #files: ReplacedFileDetector | undefined
  readonly #file: string
  readonly #log: Log
  readonly #listeners: (() => void)[] = []
  #isDamaged = false
  #isFailing = false
  #lost: readonly string[] = []

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    this.#files = file === ':memory:' ? undefined : new ReplacedFileDetector(file)
  }

  get isSound(): boolean {
    return !this.#isDamaged && !this.#isFailing && !this.isLost
  }

  /** That of every write, once nothing is acknowledged any more. */
  get refusal(): Refusal {
    return unavailable(this.#isFailing ? NOT_KEPT : LOST)
  }

  get isLost(): boolean {
    return this.#lost.length > 0
  }

  /** Whether the database file is still in place, so that the log that lost its name can still be moved into it. */
  get lostOnlyLog(): boolean {
    return this.#lost.includes('write-ahead log') && !this.#lost.includes('database')
  }

  /** The open database file (`isInLogMode`); undefined for a database in memory. */
  get descriptor(): number | undefined {
    return this.#files?.descriptor
  }

  /** Checks several times a second whether the files are still there. */
  start(): void {
    this.#files?.start(() => this.#check())
  }

  stop(): void {
    this.#files?.stop()
  }

  /** To be called once SQLite has closed the file. */
  close(): void {
    this.#files?.close()
  }

  onLost(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /**
   * The refusal of a commit that would go into replaced files. Must be called before the commit, so that nothing is
   * written. After it only `refusalAfterCommit` is certain where the commit went.
   */
  refusalOfCommit(): Refusal | undefined {
    if (this.#isFailing) return this.refusal
    if (this.#files?.keepsCommits !== false) return undefined
    this.#check()
    return this.refusal
  }

  refusalAfterCommit(): Refusal | undefined {
    return this.#isFailing ? unavailable(NOT_CONFIRMED) : this.refusalOfCommit()
  }

  noteError(error: unknown): void {
    if (this.#isDamaged || !showsDamage(error)) return
    this.#isDamaged = true
    this.#log.error('the database is damaged: stop the server and restore a backup', { file: this.#file })
  }

  /**
   * Must be called when a commit could not be synced. The system may have given up what it could not write, and a later
   * sync succeeds all the same: only once the whole log is in the file, as after closing it, is it certain what is kept.
   */
  noteFailedSync(error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.stop()
    this.#log.error('the disk failed to keep a commit: nothing is acknowledged any more', {
      file: this.#file,
      error: String(error),
    })
    for (const listener of this.#listeners) listener()
  }

  #check(): void {
    const lost = this.#files?.lost() ?? []
    if (lost.length === 0 || this.isLost) return
    this.#lost = lost
    this.stop()
    this.#log.error('files of the database were replaced or removed: nothing is acknowledged any more', {
      file: this.#file,
      lost: lost.join(', '),
    })
    for (const listener of this.#listeners) listener()
  }
}
