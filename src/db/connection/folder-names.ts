import { type Stats, statSync } from 'node:fs'

/** Longer than the steps in which any file system records times: some count in two seconds. */
const SETTLED_MS = 3_000

/**
 * Remembers that a folder's names are as they should be. POSIX requires that a folder gets a new time whenever a file in
 * it is renamed, replaced or removed, so that reading this time once tells more cheaply than looking up every file. The
 * time is relied on only when it is so old that a later change must differ from it. `now` is a clock that is never set.
 */
export class FolderNames {
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
