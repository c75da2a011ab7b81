/** The effects of a fault are expected for this long after it. */
const GRACE_MS = 2_000

/** The periods with an injected fault, in which a request may get a late response, 503 or none at all. */
export class FaultWindows {
  #active = 0
  #lastEnd = Number.NEGATIVE_INFINITY

  /** Returns a function that ends the period. */
  begin(): () => void {
    this.#active += 1
    return () => {
      this.#active -= 1
      this.#lastEnd = performance.now()
    }
  }

  /** Whether there was a fault at or after this instant. */
  overlaps(instant: number): boolean {
    return this.#active > 0 || this.#lastEnd + GRACE_MS >= instant
  }
}

/** The pauses of the workload. A burst has none, so that a fault hits requests in progress. */
export class Pacing {
  #bursts = 0

  /** Returns a function that ends the burst. */
  burst(): () => void {
    this.#bursts += 1
    return () => {
      this.#bursts -= 1
    }
  }

  async rest(pauseMs: number): Promise<void> {
    await Bun.sleep(this.#bursts > 0 ? 0 : pauseMs)
  }
}
