import type { AppContext, Caller } from '../context.ts'
import { requesterKey } from '../db/worker/client.ts'
import { closedEvent, type StreamReader, type StreamSource } from '../http/sse.ts'
import { stepsOfThread } from '../lib/fair-queue.ts'
import { Refusal, unavailable } from '../refusal.ts'
import { CredentialMonitor, type IsTouched } from './credentials.ts'

const MAX_QUERIES = 100
const RETRY_AFTER_SECONDS = 5
/** For how long readers are served before other requests are. */
const TURN_MS = 5

/**
 * The open streams of a server. A stream ends with the key or the session that opened it, and when the server stops. A key
 * has streams of at most 100 different queries of each kind; readers of the same query count once.
 */
export class Streams {
  readonly credentials: CredentialMonitor
  readonly #readers = new Set<StreamReader>()
  /** How many readers each query has, by who asks. */
  readonly #queries = new Map<string, Map<string, number>>()
  #isClosed = false

  constructor(ctx: AppContext) {
    this.credentials = new CredentialMonitor(ctx)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * A source that `begin` serves; it returns how to stop. Refuses a query too many of one key; `verb` says in the refusal
   * what the key does: "watches". `isTouched` says what change of access ends it.
   */
  open(
    caller: Caller,
    verb: string,
    query: string,
    begin: (reader: StreamReader) => () => void,
    isTouched: IsTouched,
  ): StreamSource {
    if (this.#isClosed) throw unavailable('The server is shutting down; connect again in a moment.')
    const who = `${verb} ${requesterKey(caller)}`
    const asked = this.#queries.get(who)
    if (asked && asked.size >= MAX_QUERIES && !asked.has(query)) throw tooManyQueries(verb)
    return (reader) => {
      const uncount = this.#count(who, query)
      this.#readers.add(reader)
      const stop = begin(reader)
      const release = this.credentials.onEnd(caller, (why) => reader.end(closedEvent(why)), isTouched)
      return () => {
        this.#readers.delete(reader)
        uncount()
        release()
        stop()
      }
    }
  }

  /** Resolves when it is the turn of one stream: its work holds up no request. */
  turn(): Promise<void> {
    return stepsOfThread.run('streams', () => {})
  }

  /** Serves many readers, with other requests in between. */
  async inTurns<Item>(items: readonly Item[], serve: (item: Item) => void): Promise<void> {
    let until = performance.now() + TURN_MS
    for (const item of items) {
      if (performance.now() > until) {
        await this.turn()
        until = performance.now() + TURN_MS
      }
      serve(item)
    }
  }

  /** Tells every reader that the server is shutting down, and ends the streams. */
  close(): void {
    this.#isClosed = true
    const last = closedEvent('shutting_down')
    for (const reader of [...this.#readers]) reader.end(last)
  }

  #count(who: string, query: string): () => void {
    const queries = this.#queries.get(who) ?? new Map<string, number>()
    this.#queries.set(who, queries.set(query, (queries.get(query) ?? 0) + 1))
    return () => {
      const left = (queries.get(query) ?? 1) - 1
      if (left > 0) queries.set(query, left)
      else queries.delete(query)
      if (queries.size === 0 && this.#queries.get(who) === queries) this.#queries.delete(who)
    }
  }
}

const tooManyQueries = (verb: string) =>
  new Refusal(
    'rate_limited',
    `This key ${verb} ${MAX_QUERIES} different queries already; close one first.`,
    RETRY_AFTER_SECONDS,
  )
