/** What waits for one key, in two queues that are served alternately. */
interface KeyQueue<Item> {
  readonly requests: Item[]
  readonly background: Item[]
  /** Which queue the last item was taken from. */
  wasBackground: boolean
}

/** The queue of a key that is served next. */
const lineOf = <Item>({ requests, background, wasBackground }: KeyQueue<Item>): Item[] =>
  requests.length === 0 || (background.length > 0 && !wasBackground) ? background : requests

/** Items that wait, served round-robin between keys; those of one key in the order in which they came. */
export class FairQueue<Item> {
  /** Only keys with items that wait; the next one to be served is the first. */
  readonly #keys = new Map<string, KeyQueue<Item>>()

  get isEmpty(): boolean {
    return this.#keys.size === 0
  }

  get size(): number {
    return this.#keys
      .values()
      .reduce((sum, { requests, background }) => sum + requests.length + background.length, 0)
  }

  get items(): Item[] {
    return [...this.#keys.values()].flatMap(({ requests, background }) => [...requests, ...background])
  }

  /** Whether anything waits for this key. */
  has(key: string): boolean {
    return this.#keys.has(key)
  }

  /** How much waits for this key. */
  sizeOf(key: string): number {
    const { requests, background } = this.#keys.get(key) ?? { requests: [], background: [] }
    return requests.length + background.length
  }

  get nextKey(): string | undefined {
    return this.#keys.keys().next().value
  }

  get next(): Item | undefined {
    for (const queue of this.#keys.values()) return lineOf(queue)[0]
    return undefined
  }

  /** Background items of a key alternate with its other items, so that neither delay the other. */
  add(key: string, item: Item, isBackground = false): void {
    const queue = this.#keys.get(key) ?? { requests: [], background: [], wasBackground: true }
    this.#keys.set(key, queue)
    queue[isBackground ? 'background' : 'requests'].push(item)
  }

  /** Removes and returns the next item, passing over the keys whose next one may not be served now. */
  take(mayServe: (key: string, item: Item) => boolean = () => true): Item | undefined {
    for (const [key, queue] of this.#keys) {
      const { requests, background } = queue
      const line = lineOf(queue)
      const [item] = line
      if (item === undefined || !mayServe(key, item)) continue
      queue.wasBackground = line === background
      line.shift()
      this.#keys.delete(key)
      if (requests.length + background.length > 0) this.#keys.set(key, queue)
      return item
    }
    return undefined
  }

  remove(key: string, item: Item): void {
    const queue = this.#keys.get(key)
    if (!queue) return
    for (const line of [queue.requests, queue.background]) {
      const at = line.indexOf(item)
      if (at !== -1) line.splice(at, 1)
    }
    if (queue.requests.length + queue.background.length === 0) this.#keys.delete(key)
  }

  /** Removes and returns everything. */
  clear(): Item[] {
    const { items } = this
    this.#keys.clear()
    return items
  }
}

/** Resolves in the next turn of the event loop, after what else is due. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs work one at a time, in turn between keys. */
export class Turns {
  readonly #before: () => Promise<void>
  readonly #waiting = new FairQueue<PromiseWithResolvers<void>>()
  #running: Promise<unknown> | undefined

  /** `before` is awaited before each work: `nextTurn`, so that others are served in between. */
  constructor(before: () => Promise<void> = async () => {}) {
    this.#before = before
  }

  /** Settles when the work that runs has ended. */
  get running(): Promise<unknown> | undefined {
    return this.#running
  }

  async run<Result>(key: string, work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#running) {
      const turn = Promise.withResolvers<void>()
      this.#waiting.add(key, turn)
      await turn.promise
    }
    const running = this.#before().then(work)
    this.#running = running.then(
      () => {},
      () => {},
    )
    return running.finally(() => this.#handOver())
  }

  refuse(error: unknown): void {
    for (const { reject } of this.#waiting.clear()) reject(error)
  }

  #handOver(): void {
    const next = this.#waiting.take()
    if (next) next.resolve()
    else this.#running = undefined
  }
}

/** Each step of long work in this thread has a turn of its own: what else is due waits for no more than one. */
export const stepsOfThread = new Turns(nextTurn)
