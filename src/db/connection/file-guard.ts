import { statSync } from 'node:fs'
import { realFile } from './server-lock.ts'

const POLL_MS = 250

/** A path that must keep naming the file that it named when the database was opened. */
interface Watched {
  readonly path: string
  readonly what: string
  readonly identity: string
}

/** Device and inode of the file at a path; undefined if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat && `${stat.dev}:${stat.ino}`
  } catch {
    return undefined
  }
}

/**
 * Detects that a file of an open database was renamed, replaced or removed. Later writes would go into a file that no
 * longer has a name, and would be lost when the process ends.
 */
export class FileGuard {
  /** The files that every commit is written to. */
  readonly #written: readonly Watched[]
  /** The files through which processes coordinate. */
  readonly #shared: readonly Watched[]
  #timer: Timer | undefined

  /** Must be called after the write-ahead log and its index were created. */
  constructor(file: string) {
    const real = realFile(file)
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

  /** Whether a commit that just ended is in the files at the paths of the database; takes a few microseconds. */
  get keepsCommits(): boolean {
    return this.#written.every(isUnchanged)
  }

  /** Names the files that are no longer there. */
  lost(): string[] {
    return [...this.#written, ...this.#shared].filter((file) => !isUnchanged(file)).map(({ what }) => what)
  }
}

function watch(path: string, what: string): Watched[] {
  const identity = identityOf(path)
  return identity === undefined ? [] : [{ path, what, identity }]
}

const isUnchanged = ({ path, identity }: Watched): boolean => identityOf(path) === identity
