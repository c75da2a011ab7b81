import type { Clock } from '../../lib/clock.ts'
import type { Sql } from '../sql.ts'
import type { WalIndex } from './wal-index.ts'

/*
 * With `--checkpoint off` another program folds the WAL into the database. When it has stopped, nothing but the free space of the
 * disk bounds the WAL, and no copy is made of it.
 */

const INTERVAL_MS = 10_000
const LONG_BYTES = 67_108_864
const LONG_MS = 600_000
const FRAME_HEADER = 24

/** Watches whether the WAL still starts again from its beginning. */
export class LogGrowth {
  readonly #index: WalIndex
  readonly #frameBytes: number
  #known: WalIndex['log']
  #restartedAt: number
  /** When frames were last found to have been added. */
  #grownAt: number
  readonly stop: () => void

  constructor(index: WalIndex, sql: Sql, clock: Clock) {
    this.#index = index
    this.#frameBytes = sql.scalar<number>('PRAGMA page_size') + FRAME_HEADER
    this.#known = index.log
    this.#restartedAt = this.#grownAt = clock.now()
    this.stop = clock.every(INTERVAL_MS, () => this.#check(clock.now()))
  }

  /** Whether the WAL is longer than 64 MiB, or was written to for ten minutes without starting again. */
  get isGrowing(): boolean {
    return (
      this.#index.log.frames * this.#frameBytes > LONG_BYTES || this.#grownAt - this.#restartedAt >= LONG_MS
    )
  }

  #check(now: number): void {
    const { frames, salt } = this.#index.log
    if (salt !== this.#known.salt) this.#restartedAt = now
    if (salt !== this.#known.salt || frames !== this.#known.frames) this.#grownAt = now
    this.#known = { frames, salt }
  }
}
