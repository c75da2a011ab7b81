import type { Clock } from '../lib/clock.ts'
import { streamedResponse } from '../lib/response-stream.ts'
import type { Exchange } from './exchange.ts'
import { closedSentence } from './sse.ts'

/** Bytes that are read or generated while they are sent. */
export interface ByteParts {
  /** The next part, requested once the client has received those before it; undefined after the last. */
  next(): Promise<Uint8Array | undefined>
  /**
   * Called once, however the response ends: with the reason if it is aborted, without one if the client disconnected.
   */
  close?(reason?: unknown): void
}

/** The time that a client may accept no data. */
export interface StallLimit {
  readonly clock: Clock
  readonly ms: number
}

/**
 * A response that is generated while it is sent. It is aborted, so that the client notices missing bytes, in three
 * cases. The reader's permission ends, a part cannot be read, or the client stalls beyond the limit.
 */
export const partsResponse = (
  exchange: Pick<Exchange, 'onRightEnd'>,
  parts: ByteParts,
  init: ResponseInit,
  stallLimit?: StallLimit,
): Response =>
  streamedResponse(
    new ReadableStream(new ByteSource(exchange, parts, stallLimit), { highWaterMark: 0 }),
    init,
  )

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
    const stalled = () => this.#breakOff(controller, new Error('the client stalled'))
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
