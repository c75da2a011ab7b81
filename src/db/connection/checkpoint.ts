const IDLE_MS = 1_000

/** Moves the write-ahead log into the file once nothing was committed for a second. */
export class IdleCheckpoint {
  readonly #checkpoint: () => void
  #lastCommit = 0
  #timer: Timer | undefined

  constructor(checkpoint: () => void) {
    this.#checkpoint = checkpoint
  }

  noteCommit(): void {
    this.#lastCommit = performance.now()
    this.#timer ??= setTimeout(() => this.#look(), IDLE_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    const remaining = this.#lastCommit + IDLE_MS - performance.now()
    this.#timer = remaining > 1 ? setTimeout(() => this.#look(), remaining) : undefined
    if (this.#timer === undefined) this.#checkpoint()
  }
}
