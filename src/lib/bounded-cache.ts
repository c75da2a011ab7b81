/** A map of at most `limit` entries: adding one more removes the oldest. */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  constructor(
    private readonly limit: number,
    /** Called with every value that is removed. */
    private readonly release: (value: Value) => void = () => {},
  ) {}

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    if (!this.#entries.has(key) && this.#entries.size >= this.limit) this.#removeOldest()
    this.#entries.set(key, value)
  }

  clear(): void {
    for (const value of this.#entries.values()) this.release(value)
    this.#entries.clear()
  }

  #removeOldest(): void {
    for (const [key, value] of this.#entries) {
      this.#entries.delete(key)
      this.release(value)
      return
    }
  }
}

/** Returns a pure function with its last `limit` results cached; undefined is computed again. */
export function memoize<Key, Result>(compute: (key: Key) => Result, limit = 1_000): (key: Key) => Result {
  const results = new BoundedCache<Key, Result>(limit)
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known
    const result = compute(key)
    results.set(key, result)
    return result
  }
}
