import fs, { closeSync, fstatSync, openSync, statSync } from 'node:fs'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Refusal, unavailable } from '../../lib/refusal.ts'
import { asUnavailable, faultOf, NOT_CONFIRMED, UnusableDatabase } from '../errors.ts'
import { isInRollbackMode } from './foreign-wal.ts'
import { realFile } from './server-lock.ts'

/*
 * The paths of an open database must lead to the opened files: writes into an unlinked file are lost when the process
 * ends, and SQLite would write the WAL into whatever database replaced it. Hence device and inode are compared at
 * each commit and several times a second; other threads compare them before they open the database by its path. A
 * backup that was copied over the database keeps the inode, but is in rollback mode.
 */

export const LOST =
  'A file of the database was replaced or removed while the server ran; it refuses writes and is shutting down.'

const FAILED =
  'The disk of this server failed, so it refuses writes and is shutting down. The operator must check the disk and start the server again.'

/** Log messages for an unreadable page, each written once. */
const UNREADABLE = {
  damaged: 'the database is damaged: stop the server and restore a backup',
  failing: 'the disk failed to read a page: check the disk; the database need not be damaged',
}

/** Why writes have ended. */
interface End {
  readonly refusal: Refusal
  /** The sentence for the operator. */
  readonly sentence: string
}

/** Whether an open database is reliable: its pages are readable, and its files are still the opened ones. */
export class Health {
  readonly #files: OpenFiles | undefined
  readonly #file: string
  readonly #log: Log
  readonly #listeners: (() => void)[] = []
  /** The refusal for the first unreadable page. */
  #unreadable: Refusal | undefined
  #end: End | undefined
  #lost: readonly string[] = []

  constructor(file: string, log: Log) {
    this.#file = file
    this.#log = log
    this.#files = file === ':memory:' ? undefined : new OpenFiles(file)
  }

  /** The reason why the database is unreliable, if it is. */
  get problem(): Refusal | undefined {
    return this.#end?.refusal ?? this.#unreadable
  }

  get isLost(): boolean {
    return this.#lost.length > 0
  }

  /**
   * Whether the database itself is still in place, so that a WAL without a name can still be checkpointed into it.
   */
  get lostOnlyWal(): boolean {
    return this.#lost.includes(WAL) && !this.#lost.includes(DATABASE)
  }

  /** The open database (`isOpenFile`); undefined for one in memory. */
  get descriptor(): number | undefined {
    return this.#files?.descriptor
  }

  /** Checks several times a second whether the files are still in place. */
  start(): void {
    this.#files?.watch(() => this.#check())
  }

  stop(): void {
    this.#files?.stop()
  }

  /** Must be called after SQLite has closed the file. */
  close(): void {
    this.#files?.close()
  }

  /** Calls the listener once writes are refused for good. */
  onEnd(listener: (end: End) => void): void {
    this.#listeners.push(() => this.#end && listener(this.#end))
  }

  /** The refusal of a commit that went into files that are gone, or to a failing disk. */
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

  /** Must be called with the error of the first failed sync, or of the disk. */
  fail(error: unknown): void {
    if (this.#end) return
    const cause = error instanceof Error ? error.message : String(error)
    this.#endWith(
      'the disk failed: all writes are refused',
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
      'files of the database were replaced or removed: all writes are refused',
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
/** The files that every commit writes; processes use the others for coordination. */
const WRITTEN: readonly string[] = [DATABASE, WAL]

interface Identity {
  readonly dev: number
  readonly ino: number
}

interface OpenFile extends Identity {
  readonly path: string
  /** The name of the file in sentences for the operator. */
  readonly name: string
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
   * The database, open as long as SQLite has it open: closing any descriptor of a file releases all locks of the
   * process on that file, and SQLite would not notice.
   */
  readonly descriptor: number
  readonly #files: readonly OpenFile[]
  #timer: Timer | undefined

  /** Must be called after SQLite created the WAL and its index. */
  constructor(file: string) {
    const real = realFile(file)
    this.descriptor = openSync(real, 'r')
    this.#files = NAMES.flatMap(([suffix, name]) => {
      const path = suffix === '' ? file : real + suffix
      const identity = identityOf(path)
      return identity ? [{ path, name, dev: identity.dev, ino: identity.ino }] : []
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

  /** Must be called after SQLite has closed the database. */
  close(): void {
    closeSync(this.descriptor)
  }

  /** The names of missing files. Throws the system's error if the disk does not respond. */
  lost(): string[] {
    const lost = this.#files.filter((file) => !isAt(file.path, file))
    if (lost.length === 0 && isInRollbackMode(this.descriptor)) return [DATABASE]
    return lost.map(({ name }) => name)
  }

  /** Whether the files that every commit writes are in place. */
  get keepCommits(): boolean {
    return this.#files.every((file) => !WRITTEN.includes(file.name) || isAt(file.path, file))
  }
}

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

/** The calls that sync commits to the disk. */
export interface DiskCalls extends Pick<typeof fs, 'fdatasync'> {
  /** Measures how long they take; the system's by default. */
  readonly clock?: Clock
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
  readonly #clock: Clock
  readonly #descriptor: number
  #syncedAt = Number.NEGATIVE_INFINITY
  #isRunning = false
  #isClosed = false
  #hasFailed = false

  /** Needs an existing WAL, which stays the same file until the database is closed. */
  constructor(options: WalSyncOptions) {
    this.#options = options
    this.#clock = options.disk?.clock ?? systemClock
    this.#descriptor = openWal(options.file)
  }

  /** Whether the disk responded a moment ago. */
  get hasResponded(): boolean {
    return !this.#isRunning && this.#clock.monotonicMs() - this.#syncedAt < RESPONDS_FOR_MS
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
    this.#syncedAt = this.#clock.monotonicMs()
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
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  #cancel = () => {}
  #isLate = false

  constructor(log: Log, clock = systemClock) {
    this.#log = log
    this.#clock = clock
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
    this.#cancel = this.#clock.after(SYNC_WITHIN_MS, () => {
      this.#cancel = this.#clock.after(SEEN_WITHIN_MS, noteLate)
    })
  }

  /** Must be called when the disk has responded. */
  end(): void {
    this.#cancel()
    if (this.#isLate) this.#log.info('the disk responds again')
    this.#isLate = false
  }
}
