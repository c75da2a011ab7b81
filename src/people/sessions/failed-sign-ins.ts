import { and, eq, gt, lte, sql } from 'drizzle-orm'
import type { AppContext } from '../../context.ts'
import { addressGroup } from '../../lib/address-group.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { Refusal } from '../../lib/refusal.ts'
import { from, orm, rowBy, runBy, upsertInto } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { signInAddresses } from '../../storage/schema/sessions.ts'
import type { Tx } from '../../storage/writes/transaction.ts'

const WINDOW_MS = 15 * 60_000
const FAILURES_PER_USER = 5
const FAILURES_PER_ADDRESS = 20
/** The limit of wrong passwords for one user within 24 hours. Beyond it, only known addresses of that user may try. */
const FAILURES_PER_DAY = 200
const MAX_KNOWN = 10_000

const TOO_MANY = 'Too many failed attempts to sign in; wait a few minutes, or ask for a new setup link.'
const TOO_MANY_OF_DAY =
  'Too many wrong passwords were tried for this name within 24 hours; sign in from an address that you used recently, ask for a new setup link, or wait.'

/** The period during which an address counts as a known address of a user, in milliseconds. */
const ADDRESS_KNOWN_MS = 30 * DAY_MS

/** The source of a password attempt: the user, or an unknown name, and the address. */
interface SignInAttempt {
  /** The pk of a user, or an unknown name. */
  readonly user: number | string
  readonly address: string
}

/**
 * The origin of a password attempt: an address or its /64, and whether the user has signed in from it within 30 days.
 */
export interface SignInOrigin {
  readonly address: string
  readonly isKnown: boolean
}

interface Failure extends SignInAttempt {
  readonly at: number
  /** Whether the user has since signed in from this address, so that the failure counts only toward the daily limit. */
  readonly isForgiven?: true
}

type Failures = readonly Failure[]

/**
 * Limits password attempts: after 5 failures for one user, or 20 from one address, within 15 minutes, further attempts
 * are refused with 429. Failures from other addresses do not block a successful sign-in from an address without
 * failures for this user. After 200 failures for one user within 24 hours, attempts are accepted only from addresses
 * where the user has signed in within 30 days. Failures are lost when the server stops; those addresses are stored.
 */
export class FailedSignIns {
  readonly #byUser = new Map<number, Failures>()
  readonly #byName = new BoundedCache<string, Failures>(MAX_KNOWN)
  readonly #byAddress = new BoundedCache<string, Failures>(MAX_KNOWN)

  constructor(private readonly ctx: Pick<AppContext, 'clock' | 'db'>) {}

  /**
   * Runs a password check and returns its result. An attempt counts as failed from its beginning, so that concurrent
   * attempts cannot bypass the limit. A success clears the failures of this address for this user. A check that throws
   * does not count as an attempt.
   */
  async limit(attempt: SignInAttempt, check: (from: SignInOrigin) => Promise<boolean>): Promise<boolean> {
    const { user } = attempt
    const address = addressGroup(attempt.address)
    const isKnown = this.#isKnown({ user, address })
    const ofDay = this.#ofUser(user)
    if (ofDay.length >= FAILURES_PER_DAY && !isKnown) throw this.#refusal(ofDay, DAY_MS, TOO_MANY_OF_DAY)
    const ofUser = this.#recent(ofDay)
    const ofAddress = this.#recent(this.#byAddress.get(address))
    const isUserLimited = ofUser.length >= FAILURES_PER_USER
    if (isUserLimited && ofUser.some((failure) => failure.address === address)) throw this.#tooMany(ofUser)
    if (ofAddress.length >= FAILURES_PER_ADDRESS) throw this.#tooMany(ofAddress)
    const failure = { user, address, at: this.ctx.clock.now() }
    this.#setOfUser(user, [...ofDay, failure])
    this.#byAddress.set(address, [...ofAddress, failure])
    if (await this.#isRight(failure, () => check({ address, isKnown }))) return true
    this.#setOfUser(user, this.#ofUser(user).slice(-FAILURES_PER_DAY))
    if (isUserLimited) throw this.#tooMany(ofUser)
    return false
  }

  async #isRight(failure: Failure, check: () => Promise<boolean>): Promise<boolean> {
    try {
      const isRight = await check()
      if (isRight) this.#forgive(failure)
      return isRight
    } catch (error) {
      this.#remove(failure)
      throw error
    }
  }

  #remove(failure: Failure): void {
    const { user, address } = failure
    const others = (failures: Failures) => failures.filter((one) => one !== failure)
    this.#setOfUser(user, others(this.#ofUser(user)))
    this.#byAddress.set(address, others(this.#recent(this.#byAddress.get(address))))
  }

  /** Removes a successful attempt; the failures of its address for its user count only toward the daily limit. */
  #forgive(success: Failure): void {
    this.#remove(success)
    const { user, address } = success
    const ofUser = this.#ofUser(user)
    const ofAddress = this.#recent(this.#byAddress.get(address))
    this.#setOfUser(
      user,
      ofUser.map((one) => (one.address === address ? { ...one, isForgiven: true } : one)),
    )
    this.#byAddress.set(
      address,
      ofAddress.filter((one) => one.user !== user),
    )
  }

  /** The failures for a user or a name within 24 hours: the newest 200, and attempts in flight. */
  #ofUser(user: number | string): Failures {
    const failures = typeof user === 'number' ? this.#byUser.get(user) : this.#byName.get(user)
    return this.#within(DAY_MS, failures)
  }

  #setOfUser(user: number | string, failures: Failures): void {
    if (typeof user === 'number') this.#byUser.set(user, failures)
    else this.#byName.set(user, failures)
  }

  #recent(failures?: Failures): Failures {
    return this.#within(WINDOW_MS, failures).filter(({ isForgiven }) => !isForgiven)
  }

  #within(ms: number, failures: Failures = []): Failures {
    const now = this.ctx.clock.now()
    return failures.filter(({ at }) => at <= now && now - at < ms)
  }

  #isKnown({ user, address }: SignInAttempt): boolean {
    const { db, clock } = this.ctx
    return typeof user === 'number' && hasSignedInFrom(db, user, address, clock.now() - ADDRESS_KNOWN_MS)
  }

  #tooMany(failures: Failures): Refusal {
    return this.#refusal(failures, WINDOW_MS, TOO_MANY)
  }

  /** A refusal until the oldest failure no longer counts. */
  #refusal([oldest]: Failures, ms: number, sentence: string): Refusal {
    const now = this.ctx.clock.now()
    const endsAt = (oldest?.at ?? now) + ms
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
    return new Refusal('rate_limited', sentence, { retryAfterSeconds })
  }
}

const MAX_ADDRESSES = 1_000

const { user: ofUser, address: ofAddress, at: signedInAt } = signInAddresses

const putAddress = upsertInto(signInAddresses, [ofUser, ofAddress])
const deleteOldAddresses = runBy((user: number) =>
  orm.delete(signInAddresses).where(
    and(
      eq(ofUser, user),
      sql`address IN (SELECT address FROM sign_in_addresses WHERE user = ${user}
        ORDER BY at DESC LIMIT -1 OFFSET ${sql.raw(String(MAX_ADDRESSES))})`,
    ),
  ),
)

/** Records that a user signed in from an address. */
export function saveSignInAddress(tx: Tx, user: number, address: string): void {
  putAddress(tx, { user, address, at: tx.now })
  deleteOldAddresses(tx, user)
}

const findAddress = rowBy((user: number, address: string, after: number) =>
  from(signInAddresses, { at: signedInAt }).where(
    and(eq(ofUser, user), eq(ofAddress, address), gt(signedInAt, after)),
  ),
)

/** Whether a user has signed in from the address after an instant. */
const hasSignedInFrom = (reader: Reader, user: number, address: string, after: number): boolean =>
  findAddress(reader, user, address, after) !== undefined

const deleteAddressesBefore = runBy((at: number) => orm.delete(signInAddresses).where(lte(signedInAt, at)))

/** Removes addresses that no longer count. */
export const removeOldAddresses = (tx: Tx): void => void deleteAddressesBefore(tx, tx.now - ADDRESS_KNOWN_MS)
