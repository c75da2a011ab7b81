/** What waits for one key, in two queues that are served alternately. */
interface KeyQueue<Item> {
  readonly requests: Item[]
  readonly background: Item[]
  /** Which queue the last item was taken from. */
  wasBackground: boolean
}

/** Items that wait, served round-robin between keys; those of one key in the order in which they came. */
export class FairQueue<Item> {
  /** Only keys with items that wait; the next one to be served is the first. */
  readonly #keys = new Map<string, KeyQueue<Item>>()

  get isEmpty(): boolean {
    return this.#keys.size === 0
  }

  /** Background items of a key alternate with its other items, so that neither delay the other. */
  add(key: string, item: Item, isBackground = false): void {
    const queue = this.#keys.get(key) ?? { requests: [], background: [], wasBackground: true }
    this.#keys.set(key, queue)
    queue[isBackground ? 'background' : 'requests'].push(item)
  }

  /** Removes and returns the next item, passing over the keys that may not be served now. */
  take(mayServe: (key: string) => boolean = () => true): Item | undefined {
    for (const [key, queue] of this.#keys) {
      if (!mayServe(key)) continue
      const { requests, background } = queue
      const isBackground = requests.length === 0 || (background.length > 0 && !queue.wasBackground)
      queue.wasBackground = isBackground
      const item = (isBackground ? background : requests).shift()
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

  /** Removes and returns the items for which `isRemoved` is true. */
  removeAll(isRemoved: (item: Item) => boolean): Item[] {
    const removed: Item[] = []
    const isKept = (item: Item): boolean => {
      if (!isRemoved(item)) return true
      removed.push(item)
      return false
    }
    for (const [key, queue] of this.#keys) {
      const requests = queue.requests.filter(isKept)
      const background = queue.background.filter(isKept)
      if (requests.length + background.length > 0) this.#keys.set(key, { ...queue, requests, background })
      else this.#keys.delete(key)
    }
    return removed
  }

  /** Removes and returns everything. */
  clear(): Item[] {
    const items = [...this.#keys.values()].flatMap(({ requests, background }) => [...requests, ...background])
    this.#keys.clear()
    return items
  }
}
