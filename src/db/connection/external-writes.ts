import type { Log } from '../../lib/log.ts'
import { unlessStorageFails } from '../errors.ts'
import type { Sql } from '../sql.ts'

const POLL_MS = 200

/** Tells, within a fraction of a second, that another process wrote. */
export class ExternalWrites {
  readonly #sql: Sql
  readonly #log: Log
  readonly #timers = new Set<Timer>()

  constructor(sql: Sql, log: Log) {
    this.#sql = sql
    this.#log = log
  }

  /** Answers how to stop. */
  onWrite(listener: () => void): () => void {
    // It moves only when another connection commits, so our own writes never count.
    const version = () => this.#sql.scalar<number>('PRAGMA data_version')
    let seen = version()
    const look = () => {
      const now = version()
      if (now === seen) return
      seen = now
      listener()
    }
    const timer = setInterval(() => unlessStorageFails(this.#log, look), POLL_MS)
    this.#timers.add(timer)
    return () => {
      clearInterval(timer)
      this.#timers.delete(timer)
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }
}
