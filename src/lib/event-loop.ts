import { FairQueue } from './fair-queue.ts'

/** Resolves in the next turn of the event loop, after what else is due. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Lets pieces of work run one after the other, with other requests served in between. */
export class TurnQueue {
  #last: Promise<void> = Promise.resolve()

  next(): Promise<void> {
    this.#last = this.#last.then(nextTurn)
    return this.#last
  }
}

/** For how long work that arrives in a burst goes on in one turn. */
const TURN_MS = 5
/** Work after a longer pause does not belong to the burst before it. */
const PAUSE_MS = 1

/**
 * Lets work that may arrive all at once run in portions of a few milliseconds, with other work served in between: in turn
 * between those for whom it is, and in order for each of them. Work that does not arrive in a burst runs at once.
 */
export class BurstQueue {
  readonly #now: () => number
  readonly #waiting = new FairQueue<() => void>()
  /** When the burst began, and when its last work ended. */
  #began = Number.NEGATIVE_INFINITY
  #ended = Number.NEGATIVE_INFINITY

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Returns, or throws, what the work does if it runs at once. `findOwner`, for whom it is, is only called if it has to wait. */
  run<T>(findOwner: () => string, work: () => T | Promise<T>): T | Promise<T> {
    const mayRun = this.#waiting.isEmpty && this.#isInTime()
    return mayRun ? this.#timed(work) : this.#wait(findOwner(), work)
  }

  #isInTime(): boolean {
    const now = this.#now()
    if (now - this.#ended > PAUSE_MS) this.#began = now
    return now - this.#began < TURN_MS
  }

  #timed<T>(work: () => T): T {
    try {
      return work()
    } finally {
      this.#ended = this.#now()
    }
  }

  #wait<T>(owner: string, work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    if (this.#waiting.isEmpty) setImmediate(() => this.#runSome())
    this.#waiting.add(owner, () => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    return promise
  }

  #runSome(): void {
    this.#began = this.#now()
    do {
      const work = this.#waiting.take()
      if (!work) return
      this.#timed(work)
    } while (this.#ended - this.#began < TURN_MS)
    if (!this.#waiting.isEmpty) setImmediate(() => this.#runSome())
  }
}
