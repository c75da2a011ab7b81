import type { AppContext } from '../../context.ts'
import type { Tx } from '../../storage/writes/transaction.ts'

const INTERVAL_MS = 1_000

/** Counts frequent events of objects, and writes the counts once a second. */
export class Tally {
  #counts = new Map<number, number>()
  #cancel: (() => void) | undefined

  constructor(
    private readonly ctx: Pick<AppContext, 'db' | 'clock' | 'log'>,
    private readonly noun: string,
    private readonly save: (tx: Tx, pk: number, count: number, at: number) => void,
  ) {}

  add(pk: number): void {
    this.#counts.set(pk, (this.#counts.get(pk) ?? 0) + 1)
    this.#cancel ??= this.ctx.clock.after(INTERVAL_MS, () => void this.write())
  }

  /** Writes the counts so far. A failure must not cause a refusal. */
  async write(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#counts.size === 0) return
    const counts = this.#counts
    this.#counts = new Map()
    const { db, clock, log } = this.ctx
    const at = clock.now()
    await db
      .write((tx): void => counts.forEach((count, pk) => void this.save(tx, pk, count, at)))
      .catch((error) => log.warn(`could not count ${this.noun}`, { error: String(error) }))
  }
}
