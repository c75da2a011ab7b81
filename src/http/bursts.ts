import { addressGroup } from '../lib/address-group.ts'
import { FairQueue } from '../lib/fair-queue.ts'
import { stepsOfThread } from '../lib/thread-steps.ts'

/** How long the server works for requests that arrived together before it looks for others. */
const SLICE_MS = 5
/** Work that was this short cannot have kept anybody waiting. */
const SHORT_MS = 1
/** Requests that come further apart did not arrive together. */
const APART_MS = 0.1

/** A request, and how to find the address of its client, which costs more than finding a key. */
interface Arrival {
  readonly request: Request
  readonly address: () => string
}

/** By the key or the session, without either by the address. */
const callerOf = ({ request, address }: Arrival): string =>
  request.headers.get('authorization') ?? request.headers.get('cookie') ?? addressGroup(address())

/**
 * Requests that arrive together, as when a program opens 1,000 streams: they would all be served before the server looks at
 * its connections again, however much work that is. Here those that come after 5 ms of it wait for a turn of the event
 * loop, and each caller among them has one after the other.
 */
export class Bursts {
  readonly #waiting = new FairQueue<() => void>()
  /** The work for requests in this turn of the event loop, as far as it was not short. */
  #workedMs = 0
  #endedAt = 0
  #isEndAwaited = false

  /** Serves the request now, or in its turn. */
  serve(arrival: Arrival, handle: () => Response | Promise<Response>): Response | Promise<Response> {
    const startedAt = performance.now()
    if (this.#workedMs < SLICE_MS && (this.#waiting.isEmpty || !this.#waiting.has(callerOf(arrival)))) {
      const response = handle()
      this.#count(startedAt)
      return response
    }
    if (this.#waiting.isEmpty) this.#scheduleSlice()
    return new Promise((resolve) => this.#waiting.add(callerOf(arrival), () => resolve(Promise.try(handle))))
  }

  #count(startedAt: number): void {
    const now = performance.now()
    if (startedAt - this.#endedAt > APART_MS) this.#workedMs = 0
    this.#workedMs += now - startedAt
    this.#endedAt = now
    if (this.#workedMs > SHORT_MS) this.#awaitEndOfTurn()
  }

  #awaitEndOfTurn(): void {
    if (this.#isEndAwaited) return
    this.#isEndAwaited = true
    setImmediate(() => {
      this.#isEndAwaited = false
      this.#workedMs = 0
    })
  }

  #scheduleSlice(): void {
    void stepsOfThread.run('requests', () => this.#serveSlice())
  }

  #serveSlice(): void {
    const until = performance.now() + SLICE_MS
    while (!this.#waiting.isEmpty && performance.now() < until) this.#waiting.take()?.()
    if (!this.#waiting.isEmpty) this.#scheduleSlice()
  }
}
