import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { unlessStorageFails } from '../errors.ts'
import type { Sql } from '../sql.ts'

const POLL_MS = 200

/** Detects, within a fraction of a second, that another process wrote. */
export class ExternalWrites {
  readonly #sql: Sql
  readonly #log: Log
  readonly #clock: Clock
  readonly #stops = new Set<() => void>()

  constructor(sql: Sql, log: Log, clock: Clock) {
    this.#sql = sql
    this.#log = log
    this.#clock = clock
  }

  /** Calls the listener after another process wrote; returns a function that stops it. */
  onWrite(listener: () => void): () => void {
    // The version changes only when another connection commits, so writes of this one never count.
    const version = () => this.#sql.scalar<number>('PRAGMA data_version')
    let lastVersion = version()
    const check = () => {
      const current = version()
      if (current === lastVersion) return
      lastVersion = current
      listener()
    }
    const stop = this.#clock.every(POLL_MS, () => unlessStorageFails(this.#log, check))
    this.#stops.add(stop)
    return () => {
      stop()
      this.#stops.delete(stop)
    }
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }
}
