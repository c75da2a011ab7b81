const CHECK_EVERY_MS = 30_000
/** With fewer reads in that time, background work and a few requests, the connections are idle. */
const MIN_USES = 3_000
/** A commit counts for the reads and writes of its transaction. */
const USES_PER_COMMIT = 50

/** Returns the memory of page caches to the system once a busy time is over. */
export class IdleMemory {
  readonly #release: () => void
  #uses = 0
  #wasBusy = false
  #timer: Timer | undefined

  constructor(release: () => void) {
    this.#release = release
  }

  start(): void {
    this.#timer = setInterval(() => this.check(), CHECK_EVERY_MS)
    this.#timer.unref()
  }

  noteRead(): void {
    this.#uses += 1
  }

  noteCommit(): void {
    this.#uses += USES_PER_COMMIT
  }

  /** To be called at intervals. */
  check(): void {
    const isBusy = this.#uses >= MIN_USES
    this.#uses = 0
    if (!isBusy && this.#wasBusy) this.#release()
    this.#wasBusy = isBusy
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
