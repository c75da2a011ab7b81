/**
 * The source of every instant, in milliseconds since 1970, and of every delay. Tests pass a clock that they advance
 * themselves.
 */
export interface Clock {
  now(): number
  /** A time in milliseconds that never goes back, for durations: the difference between two of its values. */
  monotonicMs(): number
  /** Calls the action once, after the delay; returns a function that cancels it. */
  after(delayMs: number, action: () => void): () => void
  /** Calls the action at regular intervals without keeping the process alive; returns a function that stops it. */
  every(intervalMs: number, action: () => void): () => void
}

/** Resolves after the delay, or as soon as the signal aborts. */
export const sleep = (clock: Clock, delayMs: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', end)
      resolve()
    })
    const end = () => {
      cancel()
      resolve()
    }
    signal?.addEventListener('abort', end, { once: true })
  })

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs)
    return () => clearTimeout(timer)
  },
  every: (intervalMs, action) => {
    const timer = setInterval(action, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
