/** A map of at most `limit` entries: adding one more evicts the oldest. */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  constructor(
    private readonly limit: number,
    /** Called with every evicted value. */
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

/** Returns a pure function that caches up to `limit` results; undefined results are not cached. */
export function memoize<Key, Result>(compute: (key: Key) => Result, limit = 1_000): (key: Key) => Result {
  const results = new Map<Key, Result>()
  let lastKey: Key | undefined
  let last: Result | undefined
  return (key) => {
    // Comparing two texts takes less time than finding one in a map.
    if (last !== undefined && key === lastKey) return last
    const known = results.get(key)
    const result = known ?? compute(key)
    if (known === undefined && result !== undefined) {
      // Removing one result for each new one would take longer than computing many of them.
      if (results.size >= limit) results.clear()
      results.set(key, result)
    }
    lastKey = key
    last = result
    return result
  }
}

/** Returns a pure function of an immutable object that caches results for the lifetime of the object. */
export function memoizeByObject<Key extends object, Result>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>()
  return (key) => {
    const known = results.get(key) ?? { result: compute(key) }
    results.set(key, known)
    return known.result
  }
}

const UNKNOWN = 255

/** Returns a pure function that classifies a character by a small number, cached by code point. */
export function memoizeByCodePoint<Result extends number>(
  compute: (character: string) => Result,
): (codePoint: number) => Result {
  const basicPlane = new Uint8Array(0x10000).fill(UNKNOWN)
  const ofOthers = memoize((codePoint: number) => compute(String.fromCodePoint(codePoint)))
  return (codePoint) => {
    if (codePoint >= basicPlane.length) return ofOthers(codePoint)
    const known = basicPlane[codePoint] as Result
    if (known !== UNKNOWN) return known
    const result = compute(String.fromCodePoint(codePoint))
    basicPlane[codePoint] = result
    return result
  }
}

/** Returns a function that creates its result on the first call. */
export function once<Result>(make: () => Result): () => Result {
  let created: { readonly result: Result } | undefined
  return () => {
    created ??= { result: make() }
    return created.result
  }
}
