import { BoundedCache } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'
import { Refusal } from '../refusal.ts'

const WINDOW_MS = 15 * 60_000
const FAILURES_PER_USER = 5
const FAILURES_PER_ADDRESS = 20
const MAX_KNOWN = 10_000

interface Failure {
  readonly address: string
  readonly user: string
  readonly at: number
}

/**
 * Limits how often passwords are tried: after 5 failures for one user, or 20 from one address, within 15 minutes,
 * further tries are refused with 429. Someone who signs in from an address that has not failed for this user is not
 * held up by others' failures.
 */
export class FailedSignIns {
  readonly #byUser = new BoundedCache<string, readonly Failure[]>(MAX_KNOWN)
  readonly #byAddress = new BoundedCache<string, readonly Failure[]>(MAX_KNOWN)

  constructor(private readonly clock: Clock) {}

  /**
   * Runs a check of a password and returns what it returns. A try counts as failed from its beginning, so that many at
   * once are no way around the limit; a success clears the failures of this address for this user.
   */
  async limit(user: string, address: string, check: () => Promise<boolean>): Promise<boolean> {
    const ofUser = this.#recent(this.#byUser, user)
    const ofAddress = this.#recent(this.#byAddress, address)
    const isUserLimited = ofUser.length >= FAILURES_PER_USER
    if (isUserLimited && ofUser.some((failure) => failure.address === address)) throw this.#tooMany(ofUser)
    if (ofAddress.length >= FAILURES_PER_ADDRESS) throw this.#tooMany(ofAddress)
    this.#add({ user, address, at: this.clock.now() })
    if (await check()) {
      this.#clear(user, address)
      return true
    }
    if (isUserLimited) throw this.#tooMany(ofUser)
    return false
  }

  #add(failure: Failure): void {
    this.#byUser.set(failure.user, [...this.#recent(this.#byUser, failure.user), failure])
    this.#byAddress.set(failure.address, [...this.#recent(this.#byAddress, failure.address), failure])
  }

  #clear(user: string, address: string): void {
    const ofUser = this.#recent(this.#byUser, user).filter((failure) => failure.address !== address)
    const ofAddress = this.#recent(this.#byAddress, address).filter((failure) => failure.user !== user)
    this.#byUser.set(user, ofUser)
    this.#byAddress.set(address, ofAddress)
  }

  #recent(failures: BoundedCache<string, readonly Failure[]>, key: string): readonly Failure[] {
    const now = this.clock.now()
    return (failures.get(key) ?? []).filter(({ at }) => at <= now && now - at < WINDOW_MS)
  }

  #tooMany([oldest]: readonly Failure[]): Refusal {
    const endsAt = (oldest?.at ?? this.clock.now()) + WINDOW_MS
    return new Refusal(
      'rate_limited',
      'Too many failed attempts to sign in; wait a few minutes, or ask for a new setup link.',
      Math.max(1, Math.ceil((endsAt - this.clock.now()) / 1000)),
    )
  }
}
