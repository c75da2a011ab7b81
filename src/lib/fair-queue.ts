/** Items of one key, in two queues that are served alternately. */
interface KeyQueue<Item> {
  readonly requests: Item[]
  readonly background: Item[]
  /** The queue that served the last item. */
  wasBackground: boolean
}

/** The queue of a key that is served next. */
const lineOf = <Item>({ requests, background, wasBackground }: KeyQueue<Item>): Item[] =>
  requests.length === 0 || (background.length > 0 && !wasBackground) ? background : requests

/** A queue that serves keys round-robin, and the items of one key in order of arrival. */
export class FairQueue<Item> {
  /** Only keys with items; the first is served next. */
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

  has(key: string): boolean {
    return this.#keys.has(key)
  }

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

  /** Removes and returns the next item, skipping keys whose first item may not be served now. */
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

  clear(): Item[] {
    const { items } = this
    this.#keys.clear()
    return items
  }
}
