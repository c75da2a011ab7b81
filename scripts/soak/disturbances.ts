/** So long after a fault its traces are still excused. */
const GRACE_MS = 2_000

/** Knows when something was wrong on purpose: what was asked then may go unanswered, late or with 503. */
export class Disturbances {
  #active = 0
  #lastEnd = Number.NEGATIVE_INFINITY

  /** Answers how to end it. */
  begin(): () => void {
    this.#active += 1
    return () => {
      this.#active -= 1
      this.#lastEnd = performance.now()
    }
  }

  /** Whether any lasted into the time since then. */
  since(instant: number): boolean {
    return this.#active > 0 || this.#lastEnd + GRACE_MS >= instant
  }
}
