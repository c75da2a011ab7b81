import type { Clock } from '../lib/clock.ts'
import type { Exchange } from './exchange.ts'
import { closedSentence } from './sse.ts'

/** Bytes that are read, or made, while they are sent. */
export interface ByteParts {
  /** The next part, when the client has taken those before it; undefined after the last. */
  next(): Promise<Uint8Array | undefined>
  /** Called once, however the response ends: with the reason if it is broken off, without one if the client went away. */
  close?(reason?: unknown): void
}

/** How long a client may take nothing. */
export interface StallLimit {
  readonly clock: Clock
  readonly ms: number
}

/**
 * A body that is written while it is sent. It is broken off, so that the client sees that bytes are missing, when the right
 * of its reader ends, when a part cannot be read, and when the client takes nothing for longer than it may.
 */
export const byteStream = (
  exchange: Pick<Exchange, 'onRightEnd'>,
  parts: ByteParts,
  stallLimit?: StallLimit,
): ReadableStream<Uint8Array> =>
  new ReadableStream(new ByteSource(exchange, parts, stallLimit), { highWaterMark: 0 })

class ByteSource {
  #isOver = false
  #stopListening = () => {}
  #stopTimer = () => {}

  constructor(
    private readonly exchange: Pick<Exchange, 'onRightEnd'>,
    private readonly parts: ByteParts,
    private readonly stallLimit: StallLimit | undefined,
  ) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#awaitTaking(controller)
    this.#stopListening = this.exchange.onRightEnd((why) =>
      this.#breakOff(controller, new Error(closedSentence(why))),
    )
    if (this.#isOver) this.#stopListening()
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#stopTimer()
    try {
      const part = await this.parts.next()
      if (this.#isOver) return
      if (part) {
        controller.enqueue(part)
        this.#awaitTaking(controller)
      } else {
        this.#finish()
        controller.close()
      }
    } catch (error) {
      this.#breakOff(controller, error)
    }
  }

  cancel(): void {
    this.#finish()
  }

  #awaitTaking(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { clock, ms = 0 } = this.stallLimit ?? {}
    const stalled = () => this.#breakOff(controller, new Error('the client took nothing'))
    if (clock) this.#stopTimer = clock.after(ms, stalled)
  }

  #breakOff(controller: ReadableStreamDefaultController<Uint8Array>, reason: unknown): void {
    if (this.#isOver) return
    this.#finish(reason)
    controller.error(reason)
  }

  #finish(reason?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopTimer()
    this.#stopListening()
    this.parts.close?.(reason)
  }
}
