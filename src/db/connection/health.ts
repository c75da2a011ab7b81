import { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../refusal.ts'
import { asUnavailable, faultOf, NOT_CONFIRMED } from '../errors.ts'
import { isInRollbackMode } from './foreign-wal.ts'
import { realFile } from './server-lock.ts'

/*
 * The names of an open database must lead to the files that were opened: what is written into a file that has lost its
 * name is lost when the process ends, and SQLite would fold the WAL into whatever database has been put in its place.
 * Hence device and inode are compared at each commit and several times a second; other threads compare them before they
 * open the database by its name. A backup that was copied over the database keeps the inode, but is in rollback mode.
 */

export const LOST =
  'A file of the database was replaced or removed while the server ran; it acknowledges no writes any more and stops.'

const FAILED =
  'The disk of this server failed, so nothing is written any more and the server stops. Whoever runs it must check the disk and start it again.'

/** What the log says, once, of a page that could not be used. */
const UNREADABLE = {
  damaged: 'the database is damaged: stop the server and restore a backup',
  failing: 'the disk failed to read a page: check the disk; the database need not be damaged',
}

/** Why nothing is acknowledged any more. */
interface End {
  readonly refusal: Refusal
  /** For the operator. */
  readonly sentence: string
}

/** Whether an open database can be relied on: its pages can be read, and its files are still those that it opened. */
export class Health {
  readonly #files: OpenFiles | undefined
  readonly #file: string
  readonly #log: Log
  readonly #listeners: (() => void)[] = []
  /** That of the first page that could not be used. */
  #unreadable: Refusal | undefined
  #end: End | undefined
  #lost: readonly string[] = []

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    this.#files = file === ':memory:' ? undefined : new OpenFiles(file)
  }

  /** Why the database cannot be relied on, if so. */
  get problem(): Refusal | undefined {
    return this.#end?.refusal ?? this.#unreadable
  }

  get isLost(): boolean {
    return this.#lost.length > 0
  }

  /** Whether the database is still in place, so that the WAL that lost its name can still be folded into it. */
  get lostOnlyWal(): boolean {
    return this.#lost.includes(WAL) && !this.#lost.includes(DATABASE)
  }

  /** The open database (`isOpenFile`); undefined for one in memory. */
  get descriptor(): number | undefined {
    return this.#files?.descriptor
  }

  /** Checks several times a second whether the files are still there. */
  start(): void {
    this.#files?.watch(() => this.#check())
  }

  stop(): void {
    this.#files?.stop()
  }

  /** To be called once SQLite has closed the file. */
  close(): void {
    this.#files?.close()
  }

  /** Calls the listener once nothing is acknowledged any more. */
  onEnd(listener: (end: End) => void): void {
    this.#listeners.push(() => this.#end && listener(this.#end))
  }

  /** The refusal of a commit that is on the disk, into files that are no longer there, or on a disk that fails. */
  refusalOfCommit(): Refusal | undefined {
    if (!this.#end && this.#keepsCommits) return undefined
    this.#check()
    return this.isLost ? this.#end?.refusal : unavailable(NOT_CONFIRMED)
  }

  noteError(error: unknown): void {
    const fault = faultOf(error)
    if (this.#unreadable || (fault !== 'damaged' && fault !== 'failing')) return
    this.#unreadable = asUnavailable(error) as Refusal
    this.#log.error(UNREADABLE[fault], { file: this.#file })
  }

  /** Must be called with the error of the first sync that failed (`wal-sync.ts`), or of the disk. */
  fail(error: unknown): void {
    if (this.#end) return
    const cause = error instanceof Error ? error.message : String(error)
    this.#endWith(
      'the disk failed: nothing is acknowledged any more',
      { error: cause },
      {
        refusal: unavailable(FAILED),
        sentence: `The disk of the database ${this.#file} failed (${cause}); nothing was acknowledged since. Check the disk, run "daybook check", and start the server again.`,
      },
    )
  }

  get #keepsCommits(): boolean {
    try {
      return this.#files?.keepCommits !== false
    } catch {
      return false
    }
  }

  #check(): void {
    if (this.#end) return
    try {
      this.#lost = this.#files?.lost() ?? []
    } catch (error) {
      this.fail(error)
    }
    if (this.#end || !this.isLost) return
    this.#endWith(
      'files of the database were replaced or removed: nothing is acknowledged any more',
      { lost: this.#lost.join(', ') },
      {
        refusal: unavailable(LOST),
        sentence: `A file of the database ${this.#file} was replaced or removed while the server ran; nothing was acknowledged since. Start the server again, and stop it before you replace the database.`,
      },
    )
  }

  #endWith(message: string, fields: Record<string, string>, end: End): void {
    this.#end = end
    this.stop()
    this.#log.error(message, { file: this.#file, ...fields })
    for (const listener of this.#listeners) listener()
  }
}

const POLL_MS = 250

const DATABASE = 'database'
const WAL = 'write-ahead log'
const NAMES = [
  ['', DATABASE],
  ['-wal', WAL],
  ['-shm', 'index of the write-ahead log'],
  ['.lock', 'lock'],
] as const
/** What every commit is written to; processes coordinate through the others. */
const WRITTEN: readonly string[] = [DATABASE, WAL]

interface Identity {
  readonly dev: number
  readonly ino: number
}

interface OpenFile extends Identity {
  readonly path: string
  /** Its name for the operator. */
  readonly what: string
}

const identityOf = (path: string): Identity | undefined => statSync(path, { throwIfNoEntry: false })

function isAt(path: string, { dev, ino }: Identity): boolean {
  const named = identityOf(path)
  return named?.ino === ino && named.dev === dev
}

/** Whether the path names the file that is open as `descriptor`. */
export const isOpenFile = (file: string, descriptor: number): boolean => isAt(file, fstatSync(descriptor))

/** The files of an open database. */
class OpenFiles {
  /**
   * The database. It stays open as long as SQLite has it open: when a process closes any descriptor of a file, the system
   * ends all its locks of that file, and SQLite takes those of this process for gone.
   */
  readonly descriptor: number
  readonly #files: readonly OpenFile[]
  #timer: Timer | undefined

  /** Must be called after the WAL and its index were created. */
  constructor(file: string) {
    const real = realFile(file)
    this.descriptor = openSync(real, 'r')
    this.#files = NAMES.flatMap(([suffix, what]) => {
      const path = suffix === '' ? file : real + suffix
      const identity = identityOf(path)
      return identity ? [{ path, what, dev: identity.dev, ino: identity.ino }] : []
    })
  }

  /** Calls `check` several times a second. */
  watch(check: () => void): void {
    this.#timer = setInterval(check, POLL_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** To be called once SQLite has closed the database. */
  close(): void {
    closeSync(this.descriptor)
  }

  /** What is no longer there. Throws the error of the system when the disk cannot tell. */
  lost(): string[] {
    const lost = this.#files.filter((file) => !isAt(file.path, file))
    if (lost.length === 0 && isInRollbackMode(this.descriptor)) return [DATABASE]
    return lost.map(({ what }) => what)
  }

  /** Whether the files that every commit is written to are there. */
  get keepCommits(): boolean {
    return this.#files.every((file) => !WRITTEN.includes(file.what) || isAt(file.path, file))
  }
}
