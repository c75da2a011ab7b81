import { Admission } from '../lib/admission.ts'
import { monotonicMs } from '../lib/clock.ts'
import { forSomeMilliseconds } from '../storage/writes/chunks.ts'

/* The only ways in which long work of the main thread lets other requests run. */

const turns = new Admission({ most: 1 })

/** Resolves after everything else that is due in this thread, so that other requests run first. */
export const othersHaveRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs a part of long work in this thread, round-robin between keys. Other work waits for at most one part. */
export const inTurnOf = <Result>(key: string, work: () => Result | Promise<Result>): Promise<Result> =>
  turns.run({ key }, () => othersHaveRun().then(work))

/** The time to serve items before other requests are served. */
const SLICE_MS = 5

/** Serves many items, a few milliseconds at a time, interleaved with other requests. */
export async function serveInTurns<Item>(
  key: string,
  items: readonly Item[],
  serve: (item: Item) => void,
): Promise<void> {
  let until = monotonicMs() + SLICE_MS
  for (const item of items) {
    if (monotonicMs() > until) {
      await inTurnOf(key, () => {})
      until = monotonicMs() + SLICE_MS
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
    const waitMs = this.#endedAt + this.intervalMs - monotonicMs()
    if (waitMs > 0) setTimeout(() => this.#begin(), waitMs)
    else setImmediate(() => this.#begin())
  }

  async #begin(): Promise<void> {
    this.#isScheduled = false
    await this.run()
    this.#endedAt = monotonicMs()
  }
}
