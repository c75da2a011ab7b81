import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { Random } from '../random.ts'

const MINUTE_S = 60
/** Deliveries and keys of an hour feel it; what is kept for days does not. */
const FARTHEST_S = 180 * MINUTE_S

/** Debian's package libfaketime puts it there. */
function findLibrary(): string | undefined {
  const [found] = new Glob('/usr/lib/*/faketime/libfaketimeMT.so.1').scanSync('/')
  return found
}

/** The clock that the executable sees: that of the machine, set off by what stands in a file. */
export class SetClock {
  readonly #file: string

  private constructor(
    folder: string,
    readonly library: string,
  ) {
    this.#file = join(folder, 'clock')
    this.set(0)
  }

  /** Undefined where there is no libfaketime. */
  static find(folder: string, library = findLibrary()): SetClock | undefined {
    return library !== undefined && existsSync(library) ? new SetClock(folder, library) : undefined
  }

  /** Waits keep their length; the time of files is left alone. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
  }

  /** Seconds that it is ahead; seen within a second or so. */
  set(seconds: number): void {
    writeFileSync(`${this.#file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`)
    renameSync(`${this.#file}.new`, this.#file)
  }

  /** Sets it forwards or back. */
  jump(random: Random): void {
    this.set(random.between(-FARTHEST_S, FARTHEST_S))
  }
}
