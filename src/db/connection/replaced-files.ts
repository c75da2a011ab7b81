import { closeSync, lstatSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isInLogMode } from './mismatched-log.ts'
import { realFile } from './server-lock.ts'

const POLL_MS = 250

/** A path that must keep naming the file that it named when the database was opened. */
interface Watched {
  readonly path: string
  readonly what: string
  readonly identity: string
}

/** Device and inode of the file at a path; undefined if there is none. Throws when the disk cannot tell. */
function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/**
 * Detects that a file of an open database was renamed, replaced or removed, or that a backup was written over it. Later
 * writes would go into a file that no longer has a name, and would be lost when the process ends.
 */
export class ReplacedFileDetector {
  /** The files that every commit is written to. */
  readonly #written: readonly Watched[]
  /** The files through which processes coordinate. */
  readonly #shared: readonly Watched[]
  readonly #file: string
  /** The open database file (`isInLogMode`). */
  readonly descriptor: number
  /** The folder of the files that every commit is written to; undefined when they are reached over a symbolic link. */
  readonly #folder: FolderNames | undefined
  readonly #wasInLogMode: boolean
  #timer: Timer | undefined

  /** Must be called after the write-ahead log and its index were created. */
  constructor(file: string, now = () => performance.now()) {
    const real = realFile(file)
    this.#file = file
    this.#folder = isLink(file) ? undefined : new FolderNames(dirname(file), now)
    this.descriptor = openSync(real, 'r')
    this.#wasInLogMode = isInLogMode(file, this.descriptor)
    this.#written = [...watch(file, 'database'), ...watch(`${real}-wal`, 'write-ahead log')]
    this.#shared = [...watch(`${real}-shm`, 'index of the write-ahead log'), ...watch(`${real}.lock`, 'lock')]
  }

  /** Calls `check` several times a second. */
  start(check: () => void): void {
    this.#timer = setInterval(check, POLL_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** To be called once SQLite has closed the file. */
  close(): void {
    closeSync(this.descriptor)
  }

  /** Whether a commit that just ended is in the files at the paths of the database; takes a few microseconds. Throws like `lost`. */
  get keepsCommits(): boolean {
    const check = () => this.#written.every(isUnchanged)
    return this.#folder ? this.#folder.areRight(check) : check()
  }

  /** Names the files that are no longer there. Throws the error of the system when the disk cannot tell. */
  lost(): string[] {
    const lost = [...this.#written, ...this.#shared].filter((file) => !isUnchanged(file))
    if (lost.length > 0 || !this.#isOverwritten) return lost.map(({ what }) => what)
    return ['database']
  }

  /** Whether the file is not, or no longer, a database as it is while it is open: a backup is in another mode. */
  get #isOverwritten(): boolean {
    if (!this.#wasInLogMode) return false
    try {
      return !isInLogMode(this.#file, this.descriptor)
    } catch (error) {
      if (!isOutOfFiles(error)) throw error
      return false
    }
  }
}

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** Whether the process, or the system, has as many open files as it may have, which says nothing about this one. */
const isOutOfFiles = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as { code?: string }).code ?? '')

function watch(path: string, what: string): Watched[] {
  const identity = identityOf(path)
  return identity === undefined ? [] : [{ path, what, identity }]
}

const isUnchanged = ({ path, identity }: Watched): boolean => identityOf(path) === identity

/** Longer than the steps in which any file system records times: some count in two seconds. */
const SETTLED_MS = 3_000

/**
 * Caches that a folder's names are as they should be. POSIX requires that a folder gets a new time whenever a file in
 * it is renamed, replaced or removed, so reading this time is a cheaper check than looking up every file. The
 * time is relied on only when it is so old that a later change must differ from it. `now` is a clock that is never set.
 */
class FolderNames {
  readonly #path: string
  readonly #now: () => number
  #seen: Stats | undefined
  #seenAt = 0
  #isKnown = false

  constructor(path: string, now: () => number) {
    this.#path = path
    this.#now = now
  }

  /** The result of `check`, which is run unless nothing has changed since it was true. */
  areRight(check: () => boolean): boolean {
    const stat = statOf(this.#path)
    if (!stat || !isSame(stat, this.#seen)) {
      this.#seen = stat
      this.#seenAt = this.#now()
      this.#isKnown = false
    }
    if (this.#isKnown) return true
    const isSettled = stat !== undefined && this.#now() - this.#seenAt >= SETTLED_MS
    const isRight = check()
    this.#isKnown = isSettled && isRight
    return isRight
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

const isSame = (stat: Stats, other: Stats | undefined): boolean =>
  stat.ctimeMs === other?.ctimeMs && stat.ino === other.ino && stat.dev === other.dev
