/** Where every instant comes from, in milliseconds since 1970, and every wait; tests hand in one they can move. */
export interface Clock {
  now(): number
  /** Calls the action once, so many milliseconds from now; answers how to call it off. */
  after(delayMs: number, action: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs)
    return () => clearTimeout(timer)
  },
}
