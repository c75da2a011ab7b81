import { Admission } from '../lib/admission.ts'
import { systemClock } from '../lib/clock.ts'
import { FairQueue } from '../lib/fair-queue.ts'
import { forSomeMilliseconds } from '../storage/writes/chunks.ts'

/* The only ways in which long work of the main thread lets other requests run. */

const shares = new Admission({ most: 1 })

/** Resolves after everything else that is due in this thread, so that other requests run first. */
export const othersHaveRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs a part of long work in this thread, round-robin between keys. Other work waits for at most one part. */
export const runFairly = <Result>(key: string, work: () => Result | Promise<Result>): Promise<Result> =>
  shares.run({ key }, () => othersHaveRun().then(work))

/** Parsing a longer text takes milliseconds. In characters. */
export const LONG_TEXT = 500_000

/** Runs work whose duration depends on the length of its input: long work round-robin between keys. */
export const runByLength = async <Result>(
  key: string,
  length: number,
  work: () => Result,
): Promise<Result> => (length > LONG_TEXT ? runFairly(key, work) : work())

/** Reads a part of a long response after all other work that is due. */
export const readFairly = <Part>(read: () => Part): Promise<Part> => othersHaveRun().then(read)

/** The time to serve items before other requests are served. */
const SLICE_MS = 5

/** Serves many items, a few milliseconds at a time, interleaved with other requests. */
export async function serveFairly<Item>(
  key: string,
  items: readonly Item[],
  serve: (item: Item) => void,
): Promise<void> {
  let until = systemClock.monotonicMs() + SLICE_MS
  for (const item of items) {
    if (systemClock.monotonicMs() > until) {
      await runFairly(key, () => {})
      until = systemClock.monotonicMs() + SLICE_MS
    }
    serve(item)
  }
}

/**
 * Repeats a small step until it returns false, a few milliseconds at a time, interleaved with other requests. It begins
 * after the work that is already due.
 */
export class Loop {
  #isScheduled = false

  constructor(private readonly step: () => boolean) {}

  /** Begins, or goes on after a step that returned false. */
  start(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (forSomeMilliseconds(this.step)) this.start()
    })
  }
}

/** Runs an action soon after a request for it, with at least an interval between two runs. */
export class Rounds {
  #isScheduled = false
  #endedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly intervalMs: number,
    private readonly run: () => Promise<void>,
  ) {}

  /** A request during a run leads to another run. */
  request(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const waitMs = this.#endedAt + this.intervalMs - systemClock.monotonicMs()
    if (waitMs > 0) setTimeout(() => this.#begin(), waitMs)
    else setImmediate(() => this.#begin())
  }

  async #begin(): Promise<void> {
    this.#isScheduled = false
    await this.run()
    this.#endedAt = systemClock.monotonicMs()
  }
}

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
  readonly #queue = new FairQueue<() => void>()
  /** The time spent on requests in this turn of the event loop; short work does not count. */
  #workedMs = 0
  #endedAt = 0
  #isEndAwaited = false

  /** Serves a request now, or when its caller is scheduled. `callerOf` is called only where requests must wait. */
  serve<Response>(
    callerOf: () => string,
    handle: () => Response | Promise<Response>,
  ): Response | Promise<Response> {
    const startedAt = systemClock.monotonicMs()
    if (this.#workedMs < SLICE_MS && (this.#queue.isEmpty || !this.#queue.has(callerOf()))) {
      const response = handle()
      this.#count(startedAt)
      return response
    }
    if (this.#queue.isEmpty) this.#scheduleSlice()
    return new Promise((resolve) => this.#queue.add(callerOf(), () => resolve(Promise.try(handle))))
  }

  #count(startedAt: number): void {
    const now = systemClock.monotonicMs()
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
    void runFairly('requests', () => this.#serveSlice())
  }

  #serveSlice(): void {
    const until = systemClock.monotonicMs() + SLICE_MS
    while (!this.#queue.isEmpty && systemClock.monotonicMs() < until) this.#queue.take()?.()
    if (!this.#queue.isEmpty) this.#scheduleSlice()
  }
}
