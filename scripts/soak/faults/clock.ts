import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { Random } from '../../lib/random.ts'

const MINUTE_S = 60
/** Enough to affect retries and short-lived keys, but not retention, which is in days. */
const MAX_OFFSET_S = 180 * MINUTE_S

/** Where Debian's package libfaketime installs it. */
function findLibrary(): string | undefined {
  const [found] = new Glob('/usr/lib/*/faketime/libfaketimeMT.so.1').scanSync('/')
  return found
}

/** The clock of the executable: the machine's clock plus an offset, which libfaketime reads from a file. */
export class FakeClock {
  readonly #file: string

  private constructor(
    folder: string,
    readonly library: string,
  ) {
    this.#file = join(folder, 'clock')
    this.set(0)
  }

  /** Returns undefined without libfaketime. */
  static find(folder: string, library = findLibrary()): FakeClock | undefined {
    return library !== undefined && existsSync(library) ? new FakeClock(folder, library) : undefined
  }

  /** Leaves timers and file times unchanged. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
  }

  /** Sets the offset; takes effect within about a second. */
  set(seconds: number): void {
    writeFileSync(`${this.#file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`)
    renameSync(`${this.#file}.new`, this.#file)
  }

  /** Moves the clock forward or back. */
  jump(random: Random): void {
    this.set(random.between(-MAX_OFFSET_S, MAX_OFFSET_S))
  }
}
