import { monotonicMs } from '../lib/clock.ts'
import { FairQueue } from '../lib/fair-queue.ts'
import { inTurnOf } from './turns.ts'

/** The time that the server works on requests that arrived together before it checks for others. */
const SLICE_MS = 5
/** Work up to this duration cannot have delayed other requests. */
const SHORT_MS = 1
/** Requests further apart than this did not arrive together. */
const APART_MS = 0.1

/**
 * Schedules requests that arrive together, for example when a program opens 1,000 streams. Without this, the server
 * would serve all of them before it checks its connections again. After 5 ms of work, further requests wait for a turn
 * of the event loop. In each turn, requests are scheduled fairly by caller, one after the other.
 */
export class Bursts {
  readonly #waiting = new FairQueue<() => void>()
  /** The time spent on requests in this turn of the event loop; short work does not count. */
  #workedMs = 0
  #endedAt = 0
  #isEndAwaited = false

  /** Serves a request now, or when its caller is scheduled. `callerOf` is called only where requests must wait. */
  serve<Response>(
    callerOf: () => string,
    handle: () => Response | Promise<Response>,
  ): Response | Promise<Response> {
    const startedAt = monotonicMs()
    if (this.#workedMs < SLICE_MS && (this.#waiting.isEmpty || !this.#waiting.has(callerOf()))) {
      const response = handle()
      this.#count(startedAt)
      return response
    }
    if (this.#waiting.isEmpty) this.#scheduleSlice()
    return new Promise((resolve) => this.#waiting.add(callerOf(), () => resolve(Promise.try(handle))))
  }

  #count(startedAt: number): void {
    const now = monotonicMs()
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
    void inTurnOf('requests', () => this.#serveSlice())
  }

  #serveSlice(): void {
    const until = monotonicMs() + SLICE_MS
    while (!this.#waiting.isEmpty && monotonicMs() < until) this.#waiting.take()?.()
    if (!this.#waiting.isEmpty) this.#scheduleSlice()
  }
}
