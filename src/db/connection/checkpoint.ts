import type { Clock } from '../../lib/clock.ts'

const INTERVAL_MS = 1_000

/** Moves the write-ahead log into the file once nothing was committed for a second. */
export class IdleCheckpoint {
  readonly #clock: Clock
  readonly #checkpoint: () => void
  /** Whether anything was committed since the last check. */
  #hasCommitted = false
  #stopChecking: (() => void) | undefined

  constructor(clock: Clock, checkpoint: () => void) {
    this.#clock = clock
    this.#checkpoint = checkpoint
  }

  noteCommit(): void {
    this.#hasCommitted = this.#stopChecking !== undefined
    this.#stopChecking ??= this.#clock.every(INTERVAL_MS, () => this.#check())
  }

  stop(): void {
    this.#stopChecking?.()
    this.#stopChecking = undefined
  }

  #check(): void {
    if (this.#hasCommitted) {
      this.#hasCommitted = false
      return
    }
    this.stop()
    this.#checkpoint()
  }
}
