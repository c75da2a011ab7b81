import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { showsDamage } from '../errors.ts'
import { FileGuard } from './file-guard.ts'

const LOST =
  'A file of the database was replaced or removed while the server ran; it acknowledges no writes any more and stops.'

/** Whether an open database can be relied on: its pages can be read, and its files are still those that it opened. */
export class Health {
  readonly refusal: Refusal = unavailable(LOST)
  readonly #guard: FileGuard | undefined
  readonly #file: string
  readonly #log: Log
  readonly #listeners: (() => void)[] = []
  #isDamaged = false
  #lost: readonly string[] = []

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    this.#guard = file === ':memory:' ? undefined : new FileGuard(file)
  }

  get isSound(): boolean {
    return !this.#isDamaged && !this.isLost
  }

  get isLost(): boolean {
    return this.#lost.length > 0
  }

  /** Whether the file is in its place, so that what is in the log that lost its name can still be moved into it. */
  get lostOnlyLog(): boolean {
    return this.#lost.includes('write-ahead log') && !this.#lost.includes('database')
  }

  /** Looks several times a second whether the files are still there. */
  start(): void {
    this.#guard?.start(() => this.#look())
  }

  stop(): void {
    this.#guard?.stop()
  }

  onLost(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /**
   * What the writes of a commit are refused with if it would go into files that were replaced. To be asked before the
   * commit, so that nothing is written, and after it, as only then it is certain where it went.
   */
  refusalOfCommit(): Refusal | undefined {
    if (this.#guard?.keepsCommits !== false) return undefined
    this.#look()
    return this.refusal
  }

  noteError(error: unknown): void {
    if (this.#isDamaged || !showsDamage(error)) return
    this.#isDamaged = true
    this.#log.error('the database is damaged: stop the server and restore a backup', { file: this.#file })
  }

  #look(): void {
    const lost = this.#guard?.lost() ?? []
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
