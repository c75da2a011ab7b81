import type { AppContext } from '../context.ts'
import { addCounts } from './store.ts'

const INTERVAL_MS = 1_000

/** Counts the calls with a wrong signature, and writes how many there were once in a while: each may be one of very many. */
export class RejectedCalls {
  #bySource = new Map<number, number>()
  #cancel: (() => void) | undefined

  constructor(private readonly ctx: Pick<AppContext, 'db' | 'clock' | 'log'>) {}

  add(source: number): void {
    this.#bySource.set(source, (this.#bySource.get(source) ?? 0) + 1)
    this.#cancel ??= this.ctx.clock.after(INTERVAL_MS, () => void this.write())
  }

  /** Writes what was counted so far; a failure is no reason to refuse anything. */
  async write(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#bySource.size === 0) return
    const counted = this.#bySource
    this.#bySource = new Map()
    await this.ctx.db
      .write((tx): void => {
        for (const [source, rejected] of counted) addCounts(tx, source, { rejected })
      })
      .catch((error) => this.ctx.log.warn('could not count rejected calls', { error: String(error) }))
  }
}
