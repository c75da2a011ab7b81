import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { Clock } from '../../lib/clock.ts'
import { nodeCrypto } from '../../lib/node-modules.ts'

const CIPHER = 'aes-256-gcm'
const [ID_BYTES, TAG_BYTES] = [12, 16]
/**
 * The maximum number of used tickets on record. Using a ticket costs a client a request that is rate-limited or
 * useless.
 */
const MAX_TAKEN = 100_000

interface Sealed<Step> {
  readonly step: Step
  readonly until: number
}

/**
 * The steps of sign-ins in progress: each can be used once, within a time limit. The ticket itself contains the step,
 * encrypted with a key that lasts as long as the process. Therefore no number of new sign-ins evicts another one.
 */
export class Tickets<Step> {
  readonly #key = crypto.getRandomValues(new Uint8Array(32))
  readonly #taken = new BoundedCache<string, true>(MAX_TAKEN)

  constructor(
    private readonly clock: Clock,
    private readonly validMs: number,
  ) {}

  /** A new ticket, in URL-safe base64. */
  issue(step: Step): string {
    const sealed: Sealed<Step> = { step, until: this.clock.now() + this.validMs }
    const id = nodeCrypto().randomBytes(ID_BYTES)
    const cipher = nodeCrypto().createCipheriv(CIPHER, this.#key, id)
    const parts = [id, cipher.update(JSON.stringify(sealed)), cipher.final(), cipher.getAuthTag()]
    return Buffer.concat(parts).toString('base64url')
  }

  /** Undefined for a ticket that is unknown, used or expired. */
  take(ticket: string): Step | undefined {
    const bytes = Buffer.from(ticket, 'base64url')
    const sealed = this.#open(bytes)
    if (!sealed || this.clock.now() >= sealed.until) return undefined
    // The id is compared, not the text, because different texts may decode to the same bytes.
    const id = bytes.toString('hex', 0, ID_BYTES)
    if (this.#taken.get(id)) return undefined
    this.#taken.set(id, true)
    return sealed.step
  }

  #open(bytes: Buffer): Sealed<Step> | undefined {
    if (bytes.length <= ID_BYTES + TAG_BYTES) return undefined
    const decipher = nodeCrypto().createDecipheriv(CIPHER, this.#key, bytes.subarray(0, ID_BYTES))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      const text = [decipher.update(bytes.subarray(ID_BYTES, -TAG_BYTES)), decipher.final()]
      return JSON.parse(Buffer.concat(text).toString())
    } catch {
      return undefined
    }
  }
}
