import type { AppContext, Caller } from '../../context.ts'
import { LARGE_BYTES, newResponseBudget } from '../../http/responses.ts'
import { closedEvent, type StreamReader, type StreamSource } from '../../http/sse.ts'
import type { CredentialEnd, CredentialState, Rights } from '../../kernel/caller.ts'
import { callerKeyOf } from '../../kernel/caller.ts'
import { runFairly, serveFairly } from '../../kernel/fair-share.ts'
import type { Admission } from '../../lib/admission.ts'
import { Refusal, unavailable } from '../../lib/refusal.ts'
import { findAppState } from '../accounts/apps.ts'
import { findKeyState } from '../accounts/keys.ts'
import { findSessionState } from './sessions.ts'

const MAX_QUERIES = 100
const RETRY_AFTER_SECONDS = 5
/** The time limit for sending a large event. */
const TAKEN_WITHIN_MS = 600_000

/** A reader, and the caller that opened its stream. */
interface Subscriber {
  readonly reader: StreamReader
  readonly caller: Caller
}

/** The condition of a request that waits. */
export interface Wait {
  /** Calls the function whenever the condition may be met; returns a function that stops this. */
  readonly listen: (notify: () => void) => () => void
  readonly isMet: () => boolean | Promise<boolean>
  /** The refusal of the request when the caller's permission ends. */
  readonly refusalOf: (why: CredentialEnd) => Refusal
  readonly isTouched?: IsTouched
}

/**
 * The open streams and the waiting requests of a server. A stream ends with the key or session that opened it, and when the server stops. A key
 * has streams of at most 100 different queries of each kind; readers of the same query count once.
 */
export class Streams {
  readonly credentials: CredentialMonitor
  readonly #readers = new Set<StreamReader>()
  /** The number of readers of each query, by caller. */
  readonly #queries = new Map<string, Map<string, number>>()
  /** Functions that end the wait of a request. */
  readonly #pendingRequests = new Set<() => void>()
  readonly #untaken: Admission
  #isClosed = false

  /** `untaken` bounds the memory that large events take. */
  constructor(
    private readonly ctx: AppContext,
    untaken = newResponseBudget().callers,
  ) {
    this.#untaken = untaken
    this.credentials = new CredentialMonitor(ctx)
  }

  /**
   * A source served by `begin`, which returns a function that stops it. Refuses the 101st query of a key; `verb` names
   * the key's action in the refusal: "watches". `isTouched` decides which changes of access end it.
   */
  open(
    caller: Caller,
    verb: string,
    query: string,
    begin: (reader: StreamReader) => () => void,
    isTouched: IsTouched,
  ): StreamSource {
    if (this.#isClosed) throw unavailable('The server is shutting down; reconnect in a moment.')
    const who = `${verb} ${callerKeyOf(caller)}`
    const queries = this.#queries.get(who)
    if (queries && queries.size >= MAX_QUERIES && !queries.has(query)) throw tooManyQueries(verb)
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

  /**
   * Waits for up to some seconds until a condition is met. Ends early when the client disconnects or the server stops,
   * and refuses when the caller's permission ends.
   */
  async waitUntil(
    caller: Caller,
    seconds: number,
    { listen, isMet, refusalOf, isTouched }: Wait,
  ): Promise<void> {
    const { signal } = caller
    const wait: { isOver: boolean; refusal?: Refusal } = {
      isOver: this.#isClosed || signal?.aborted === true,
    }
    let isNotified = true
    let resume = () => {}
    const notify = () => {
      isNotified = true
      resume()
    }
    const end = () => {
      wait.isOver = true
      resume()
    }
    this.#pendingRequests.add(end)
    signal?.addEventListener('abort', end)
    const onRightEnd = (why: CredentialEnd) => {
      wait.refusal ??= refusalOf(why)
      end()
    }
    const stops: (() => unknown)[] = [
      () => this.#pendingRequests.delete(end),
      () => signal?.removeEventListener('abort', end),
      this.ctx.clock.after(seconds * 1_000, end),
    ]
    try {
      stops.push(listen(notify), this.credentials.onEnd(caller, onRightEnd, isTouched))
      while (!wait.isOver) {
        if (!isNotified)
          await new Promise<void>((resolve) => {
            resume = resolve
          })
        else {
          isNotified = false
          if (await isMet()) break
        }
      }
    } finally {
      for (const stop of stops) stop()
    }
    if (wait.refusal) throw wait.refusal
  }

  /** Resolves when one stream may work, so that streams do not delay requests. */
  untilFree(): Promise<void> {
    return runFairly('streams', () => {})
  }

  /** Serves many readers, interleaved with other requests. */
  serveAll<Item>(items: readonly Item[], serve: (item: Item) => void): Promise<void> {
    return serveFairly('streams', items, serve)
  }

  /**
   * Sends the same event to many readers, interleaved with other requests. Returns the readers that did not get a large
   * event because too much is still unsent. Readers that receive too slowly are disconnected. Each reader counts
   * separately, because each connection buffers its own unsent data. `length` is in characters.
   */
  async send<To extends Subscriber>(
    length: number,
    all: readonly To[],
    send: (to: To) => void,
  ): Promise<To[]> {
    const refused: To[] = []
    await this.serveAll(all, (one) => {
      if (length <= LARGE_BYTES) send(one)
      else if (this.hasRoom(length, one)) this.#sendLarge(length, one, send)
      else refused.push(one)
    })
    return refused
  }

  /** Whether `send` would send an event of this length to this reader. */
  hasRoom(length: number, { caller }: Subscriber): boolean {
    return length <= LARGE_BYTES || this.#untaken.hasRoom(callerKeyOf(caller), length)
  }

  #sendLarge<To extends Subscriber>(length: number, one: To, send: (to: To) => void): void {
    const release = this.#untaken.hold(callerKeyOf(one.caller), length)
    try {
      send(one)
    } finally {
      void one.reader.whenSent(TAKEN_WITHIN_MS).then(release)
    }
  }

  /** Notifies every reader that the server is shutting down, ends the streams, and lets waiting requests respond. */
  close(): void {
    this.#isClosed = true
    const last = closedEvent('shutting_down')
    for (const reader of [...this.#readers]) reader.end(last)
    for (const end of [...this.#pendingRequests]) end()
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
  new Refusal('rate_limited', `This key ${verb} ${MAX_QUERIES} different queries already; close one first.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

/** Whether the caller's current access affects the content of a stream. */
export type IsTouched = (rights: Rights | undefined) => boolean

interface Listener {
  readonly end: (why: CredentialEnd) => void
  readonly isTouched: IsTouched
}

interface Watched {
  /** Undefined while the database cannot be read; the credential then counts as valid. */
  readonly state: () => CredentialState | undefined
  readonly listeners: Set<Listener>
  stopTimer: (() => void) | undefined
}

/** The maximum time between checks of expiry, because the clock may be set or the machine suspended. */
const CHECK_EVERY_MS = 60_000
const RETRY_MS = 1_000

/**
 * Notifies open streams when the key or session that opened them is no longer valid, or can no longer access their
 * content.
 */
class CredentialMonitor {
  /** Keyed by the id of the key or connected app, or by the ids of the session and the workspace. */
  readonly #watched = new Map<string, Watched>()
  #stopListening: (() => void) | undefined

  constructor(private readonly ctx: AppContext) {}

  /** Returns a function that stops the notifications. The listener may be called before this returns. */
  onEnd(
    { keyId, appId, sessionId, workspacePk }: Caller,
    end: (why: CredentialEnd) => void,
    isTouched: IsTouched = () => false,
  ): () => void {
    const { db, clock } = this.ctx
    const listener = { end, isTouched }
    if (keyId !== null) return this.#watch(keyId, () => findKeyState(db, keyId, clock.now()), listener)
    if (appId !== undefined) return this.#watch(appId, () => findAppState(db, appId), listener)
    if (sessionId === undefined) return () => {}
    const state = () => findSessionState(db, sessionId, workspacePk, clock.now())
    return this.#watch(`${sessionId} ${workspacePk}`, state, listener)
  }

  #watch(id: string, state: () => CredentialState, listener: Listener): () => void {
    const watched = this.#watched.get(id) ?? { state, listeners: new Set(), stopTimer: undefined }
    this.#watched.set(id, watched)
    watched.listeners.add(listener)
    this.#stopListening ??= this.ctx.bus.onAnyChange(() => this.#checkAll())
    this.#check(watched, [listener])
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size === 0 && this.#watched.get(id) === watched) this.#release(id, watched)
    }
  }

  #checkAll(): void {
    for (const watched of [...this.#watched.values()]) this.#check(watched)
  }

  /** Notifies all listeners when the credential ends; for a change of access, only `affected`. */
  #check(watched: Watched, affected: Iterable<Listener> = watched.listeners): void {
    const state = this.#stateOf(watched)
    watched.stopTimer?.()
    if (state === undefined) this.#checkLater(watched, this.ctx.clock.now() + RETRY_MS)
    else if (state.isValid) {
      this.#checkLater(watched, state.expiresAt)
      for (const { end, isTouched } of [...affected])
        if (isTouched(state.permissions.rights)) end('access_changed')
    } else for (const { end } of [...watched.listeners]) end(state.end)
  }

  #stateOf({ state }: Watched): CredentialState | undefined {
    try {
      return state()
    } catch (error) {
      this.ctx.log.warn('a key or session could not be checked', { error: String(error) })
      return undefined
    }
  }

  #checkLater(watched: Watched, expiresAt: number | null): void {
    if (expiresAt === null) return
    const { clock } = this.ctx
    const delayMs = Math.min(expiresAt - clock.now(), CHECK_EVERY_MS)
    watched.stopTimer = clock.after(delayMs, () => this.#check(watched))
  }

  #release(id: string, watched: Watched): void {
    watched.stopTimer?.()
    this.#watched.delete(id)
    if (this.#watched.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }
}
