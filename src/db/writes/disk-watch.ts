import type { Log } from '../../lib/log.ts'

const SYNC_WITHIN_MS = 10_000
/** What has ended while this thread did other things is seen to have ended within this time. */
const SEEN_WITHIN_MS = 10

/** Tells when the disk does not respond in time. */
export class DiskWatch {
  readonly #log: Log
  readonly #withinMs: number
  readonly #listeners = new Set<() => void>()
  #timer: Timer | undefined
  #isLate = false

  constructor(log: Log, withinMs = SYNC_WITHIN_MS) {
    this.#log = log
    this.#withinMs = withinMs
  }

  /** Whether the disk does not respond. */
  get isLate(): boolean {
    return this.#isLate
  }

  /** Calls the listener whenever the disk does not respond; returns a function that stops it. */
  onLate(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** To be called when the disk is asked; `onLate` is called, before the listeners, if it takes too long. */
  begin(onLate: () => void): void {
    const noteLate = () => {
      this.#isLate = true
      this.#log.error('the disk does not respond: writes are refused until it does')
      onLate()
      for (const listener of this.#listeners) listener()
    }
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(noteLate, SEEN_WITHIN_MS)
    }, this.#withinMs)
  }

  /** To be called once it has responded. */
  end(): void {
    clearTimeout(this.#timer)
    if (this.#isLate) this.#log.info('the disk responds again')
    this.#isLate = false
  }
}
