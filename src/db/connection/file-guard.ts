import { statSync } from 'node:fs'
import { realFile } from './server-lock.ts'

const POLL_MS = 250

/** One name that must go on leading to the file that it led to when the database was opened. */
interface Watched {
  readonly path: string
  readonly what: string
  readonly identity: string
}

/** Device and inode of what a name leads to; undefined when it leads nowhere. */
function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat && `${stat.dev}:${stat.ino}`
  } catch {
    return undefined
  }
}

/**
 * Notices that a file of an open database was renamed, replaced or removed. What is written then goes into a file that
 * no longer has a name, and is gone when the process ends.
 */
export class FileGuard {
  /** The files that every commit is written to. */
  readonly #written: readonly Watched[]
  /** Those by which processes know of each other. */
  readonly #shared: readonly Watched[]
  #timer: Timer | undefined

  /** To be made when the write-ahead log and its index exist. */
  constructor(file: string) {
    const real = realFile(file)
    this.#written = [...watch(file, 'database'), ...watch(`${real}-wal`, 'write-ahead log')]
    this.#shared = [...watch(`${real}-shm`, 'index of the write-ahead log'), ...watch(`${real}.lock`, 'lock')]
  }

  /** Calls `look` several times a second. */
  start(look: () => void): void {
    this.#timer = setInterval(look, POLL_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Whether a commit that just ended is in the files that have the names of the database; costs a few microseconds. */
  get keepsCommits(): boolean {
    return this.#written.every(isUnchanged)
  }

  /** The files that are no longer there, in words. */
  lost(): string[] {
    return [...this.#written, ...this.#shared].filter((file) => !isUnchanged(file)).map(({ what }) => what)
  }
}

function watch(path: string, what: string): Watched[] {
  const identity = identityOf(path)
  return identity === undefined ? [] : [{ path, what, identity }]
}

const isUnchanged = ({ path, identity }: Watched): boolean => identityOf(path) === identity
