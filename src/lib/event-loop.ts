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

/**
 * Lets work that may arrive all at once run in portions of a few milliseconds, in order, with other requests served in
 * between. Work that arrives alone runs at once.
 */
export class BurstQueue {
  readonly #waiting: (() => void)[] = []
  /** When the first work of this turn began. */
  #turnBegan: number | undefined

  run<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push(() => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    if (this.#turnBegan === undefined) this.#beginTurn()
    else if (this.#waiting.length === 1) this.#runSome()
    return promise
  }

  #beginTurn(): void {
    this.#turnBegan = performance.now()
    setImmediate(() => {
      this.#turnBegan = undefined
      if (this.#waiting.length > 0) this.#beginTurn()
    })
    this.#runSome()
  }

  #runSome(): void {
    const until = (this.#turnBegan ?? 0) + TURN_MS
    while (performance.now() < until) {
      const work = this.#waiting.shift()
      if (!work) return
      work()
    }
  }
}
