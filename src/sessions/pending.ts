import { addressGroup } from '../lib/address-group.ts'
import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'

/** From how many addresses steps are kept, and how many of each; the oldest are dropped for new ones. */
const MAX_ADDRESSES = 1_000
const MAX_OF_ADDRESS = 200

/** The steps of sign-ins that have begun: each is taken up once, within a time. They are kept in memory alone. */
export class Pending<Step> {
  readonly #steps = new Map<string, { readonly step: Step; readonly until: number }>()
  readonly #keysOf = new BoundedCache<string, string[]>(MAX_ADDRESSES, (keys) => this.#drop(keys))

  constructor(
    private readonly clock: Clock,
    private readonly validMs: number,
  ) {}

  add(key: string, step: Step, from: string): void {
    this.#dropExpired()
    const address = addressGroup(from)
    const keys = [...(this.#keysOf.get(address) ?? []), key]
    this.#drop(keys.splice(0, keys.length - MAX_OF_ADDRESS))
    this.#keysOf.set(address, keys)
    this.#steps.set(key, { step, until: this.clock.now() + this.validMs })
  }

  /** Undefined for one that is unknown, was taken before, or is too old. */
  take(key: string): Step | undefined {
    const found = this.#steps.get(key)
    this.#steps.delete(key)
    return found && this.clock.now() < found.until ? found.step : undefined
  }

  /** All are valid for as long, so that the oldest expire first. */
  #dropExpired(): void {
    const now = this.clock.now()
    for (const [key, { until }] of this.#steps) {
      if (now < until) return
      this.#steps.delete(key)
    }
  }

  #drop(keys: readonly string[]): void {
    for (const key of keys) this.#steps.delete(key)
  }
}
