import { Refusal } from '../../refusal.ts'

const MAX_QUERIES = 100
const RETRY_AFTER_SECONDS = 5

/** Limits on how many different queries one key has open streams. Readers of the same query count once. */
export class StreamLimit {
  /** How many readers each query has, by key. */
  readonly #readers = new Map<string, Map<string, number>>()

  /** `verb` says in refusals what the key does: "watches". */
  constructor(private readonly verb: string) {}

  /** Refuses one query too many. */
  check(key: string, query: string): void {
    const queries = this.#readers.get(key)
    if (!queries || queries.size < MAX_QUERIES || queries.has(query)) return
    throw new Refusal(
      'rate_limited',
      `This key ${this.verb} ${MAX_QUERIES} different queries already; close one first.`,
      RETRY_AFTER_SECONDS,
    )
  }

  /** Counts a reader; returns the function that ends the count, to be called once. */
  add(key: string, query: string): () => void {
    const queries = this.#readers.get(key) ?? new Map<string, number>()
    this.#readers.set(key, queries.set(query, (queries.get(query) ?? 0) + 1))
    return () => {
      const left = (queries.get(query) ?? 1) - 1
      if (left > 0) queries.set(query, left)
      else queries.delete(query)
      if (queries.size === 0 && this.#readers.get(key) === queries) this.#readers.delete(key)
    }
  }
}
