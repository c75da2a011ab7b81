import type { Clock } from '../lib/clock.ts'
import { FairQueue, stepsOfThread } from '../lib/fair-queue.ts'
import { Refusal } from '../refusal.ts'

const MEBIBYTE = 1_048_576

/** A body of up to this size is read at once and counts nowhere. */
export const SMALL_BODY_BYTES = 65_536

/** How much the bodies of requests that are not finished may take together, and those of one key. */
const MAX_BYTES = 192 * MEBIBYTE
const MAX_BYTES_PER_KEY = 64 * MEBIBYTE

/** How long a request waits for memory before it is refused. */
const MAX_WAIT_MS = 30_000
/** How long a body may take to arrive while others wait for memory. */
const MAX_ARRIVAL_MS = 10_000

const RETRY_AFTER_SECONDS = 5

const noRoom = () =>
  new Refusal(
    'unavailable',
    'Too many large bodies are sent at once; nothing was written. Try again, or send them one after another.',
    RETRY_AFTER_SECONDS,
  )

const tooSlow = () =>
  new Refusal(
    'unavailable',
    `The body did not arrive within ${MAX_ARRIVAL_MS / 1_000} seconds while others waited; nothing was written. Try again.`,
    RETRY_AFTER_SECONDS,
  )

interface Waiting {
  readonly key: string
  readonly bytes: number
  readonly admit: (reservation: BodyReservation) => void
  /** Ends the timer for its refusal. */
  readonly cancelTimer: () => void
}

/** The memory reserved for one body, until its request is finished. */
export class BodyReservation {
  /** Undefined when the body has arrived. */
  #reject: ((refusal: Refusal) => void) | undefined

  constructor(
    readonly key: string,
    readonly bytes: number,
    readonly since: number,
    private readonly end: (reservation: BodyReservation) => void,
  ) {}

  /**
   * The body, once it has arrived and may be parsed: bodies that arrive together are parsed one at a time, with other
   * requests served in between. Rejects when it is too slow while others wait.
   */
  async arrived<Body>(body: Promise<Body>): Promise<Body> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#reject = reject
    try {
      await Promise.race([body, promise])
    } finally {
      this.#reject = undefined
    }
    await stepsOfThread.run(this.key, () => {})
    return body
  }

  /** Refuses a body that is still arriving; returns whether it was. */
  giveUp(): boolean {
    this.#reject?.(tooSlow())
    return this.#reject !== undefined
  }

  release(): void {
    this.end(this)
  }
}

/**
 * Bounds the memory that bodies take. A body for which none is left waits, unread, so that its sender waits too. While
 * one waits, bodies that have been arriving for long are refused, so that no client holds memory by sending nothing.
 */
export class BodyBudget {
  readonly #held = new Set<BodyReservation>()
  readonly #waiting = new FairQueue<Waiting>()
  #cancelCheck: (() => void) | undefined

  constructor(private readonly clock: Clock) {}

  reserve(key: string, bytes: number): Promise<BodyReservation> {
    const { promise, resolve, reject } = Promise.withResolvers<BodyReservation>()
    const refuse = () => {
      this.#waiting.remove(key, waiting)
      reject(noRoom())
    }
    const waiting = { key, bytes, admit: resolve, cancelTimer: this.clock.after(MAX_WAIT_MS, refuse) }
    this.#waiting.add(key, waiting)
    this.#admitWaiting()
    return promise
  }

  #heldBytes(key?: string): number {
    let bytes = 0
    for (const held of this.#held) if (key === undefined || held.key === key) bytes += held.bytes
    return bytes
  }

  /** In turn between keys; one whose key has used up its share lets others go first. */
  #admitWaiting(): void {
    const hasRoom = (key: string, { bytes }: Waiting) =>
      this.#heldBytes() + bytes <= MAX_BYTES && this.#heldBytes(key) + bytes <= MAX_BYTES_PER_KEY
    for (let next = this.#waiting.take(hasRoom); next; next = this.#waiting.take(hasRoom)) this.#admit(next)
    if (!this.#waiting.isEmpty) this.#cancelCheck ??= this.clock.after(this.#untilNextCheck(), this.#check)
  }

  #admit({ key, bytes, admit, cancelTimer }: Waiting): void {
    cancelTimer()
    const reservation = new BodyReservation(key, bytes, this.clock.now(), (ended) => {
      this.#held.delete(ended)
      this.#admitWaiting()
    })
    this.#held.add(reservation)
    admit(reservation)
  }

  /** The earliest instant at which the oldest body may be refused. */
  #untilNextCheck(): number {
    const oldest = Math.min(...[...this.#held].map(({ since }) => since))
    return Math.max(1_000, oldest + MAX_ARRIVAL_MS - this.clock.now())
  }

  readonly #check = (): void => {
    this.#cancelCheck = undefined
    if (this.#waiting.isEmpty) return
    const waiting = this.#waiting.items
    const keys = new Set(waiting.map(({ key }) => key))
    const isFull = waiting.some(({ key, bytes }) => this.#heldBytes(key) + bytes <= MAX_BYTES_PER_KEY)
    for (const held of [...this.#held]) {
      const isInTheWay = isFull || keys.has(held.key)
      if (isInTheWay && this.clock.now() - held.since >= MAX_ARRIVAL_MS) held.giveUp()
    }
    this.#cancelCheck ??= this.clock.after(1_000, this.#check)
  }
}
