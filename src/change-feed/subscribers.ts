import { refuseExpired } from '../changes/cursors.ts'
import { lastChange } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import { type Requester, requesterKey } from '../db/worker/client.ts'
import {
  closedEvent,
  closedSentence,
  type StreamEvent,
  StreamLimit,
  type StreamReader,
  type StreamSource,
} from '../http/sse.ts'
import { Refusal, unavailable } from '../refusal.ts'
import { CredentialMonitor } from '../sessions/credential-monitor.ts'
import { type FeedPage, type FeedQuery, feedPageQuery } from './feed.ts'

/** The time between two rounds in which subscribers are sent what is new; the first after a quiet time is at once. */
const ROUND_MS = 25
/** How many subscribers are woken before other requests are served. */
const SUBSCRIBERS_PER_TURN = 200
/** After a page that could not be read. */
const RETRY_MS = 1_000

const queryKey = (query: FeedQuery): string => JSON.stringify(query)

interface SharedPage extends FeedPage {
  readonly events: readonly StreamEvent[]
}

/** Who waits for changes of one workspace. */
interface Workspace {
  last: number
  readonly wakers: Set<() => void>
}

/**
 * All subscribers to the log of this server: streams, and requests that wait. Those with the same query at the same
 * place share one page, which is read and encoded once.
 */
export class ChangeSubscribers {
  /** Notifies when the keys and sessions of subscribers and readers of snapshots end. */
  readonly credentials: CredentialMonitor
  readonly #ctx: AppContext
  readonly #limit = new StreamLimit('follows')
  readonly #workspaces = new Map<number, Workspace>()
  readonly #readers = new Set<StreamReader>()
  /** The pages of the current round, by the last change that was known, the query and the place. */
  readonly #pages = new Map<string, Promise<SharedPage>>()
  #stopListening: readonly (() => void)[] = []
  #isScheduled = false
  #roundAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(ctx: AppContext) {
    this.#ctx = ctx
    this.credentials = new CredentialMonitor(ctx)
  }

  /** Reads one page, in the worker if it is large. */
  async read(query: FeedQuery, after: number, requester: Requester, isStream: boolean): Promise<FeedPage> {
    refuseExpired(this.#ctx.db, query.workspacePk, after)
    return this.#ctx.worker.run(feedPageQuery, { ...query, after, isStream }, requester)
  }

  /**
   * A page; an empty one waits for up to some seconds for a change that the query wants. Refuses when the key or the
   * session ends meanwhile.
   */
  async readWithin(query: FeedQuery, after: number, caller: Caller, seconds: number): Promise<FeedPage> {
    const page = await this.read(query, after, caller, false)
    if (seconds === 0 || page.count > 0 || page.hasMore) return page
    const ended = new AbortController()
    const release = this.credentials.onEnd(caller, (why) =>
      ended.abort(new Refusal('unauthorized', closedSentence(why))),
    )
    const signal = AbortSignal.any([ended.signal, ...(caller.signal ? [caller.signal] : [])])
    try {
      const later = await this.#waitBehind(page, query, { ...caller, signal }, seconds)
      ended.signal.throwIfAborted()
      return later
    } finally {
      release()
    }
  }

  /** The first page after an empty one that has a change; an empty one after the time, or when the signal aborts. */
  async #waitBehind(empty: FeedPage, query: FeedQuery, caller: Caller, seconds: number): Promise<FeedPage> {
    const until = performance.now() + seconds * 1_000
    const { signal } = caller
    let page = empty
    while (page.count === 0 && !page.hasMore && !this.#isClosed && !signal?.aborted) {
      const left = until - performance.now()
      if (left <= 0 || !(await this.#changeAfter(query.workspacePk, page.position, left, signal))) break
      page = await this.#share(query, page.position, caller, false)
    }
    return page
  }

  /** Resolves to true once the workspace has a change after this one, to false when the time is over before. */
  #changeAfter(workspace: number, position: number, ms: number, signal?: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const check = () => {
      if (this.#isClosed || signal?.aborted) resolve(false)
      else if ((this.#workspaces.get(workspace)?.last ?? 0) > position) resolve(true)
    }
    const leave = this.#join(workspace, check)
    const stopTimer = this.#ctx.clock.after(ms, () => resolve(false))
    signal?.addEventListener('abort', check)
    check()
    return promise.finally(() => {
      leave()
      stopTimer()
      signal?.removeEventListener('abort', check)
    })
  }

  /** A source that sends every change after a place, as an event each. Refuses a query too many of one key. */
  stream(caller: Caller, query: FeedQuery, after: number): StreamSource {
    if (this.#isClosed) throw unavailable('The server is shutting down; connect again in a moment.')
    const key = requesterKey(caller)
    const queryText = queryKey(query)
    this.#limit.check(key, queryText)
    return (reader) => {
      const uncount = this.#limit.add(key, queryText)
      const subscriber = new Subscriber(this, reader, caller, query, after)
      this.#readers.add(reader)
      const leave = this.#join(query.workspacePk, () => subscriber.wake())
      const release = this.credentials.onEnd(caller, (why) => reader.end(closedEvent(why)))
      subscriber.wake()
      return () => {
        subscriber.stop()
        this.#readers.delete(reader)
        uncount()
        leave()
        release()
      }
    }
  }

  /** The page after a place, shared with all who ask for the same in this round. */
  async sharedPage(query: FeedQuery, after: number, caller: Caller): Promise<SharedPage> {
    return this.#share(query, after, caller, true)
  }

  lastOf(workspace: number): number {
    return this.#workspaces.get(workspace)?.last ?? 0
  }

  retryLater(action: () => void): void {
    this.#ctx.clock.after(RETRY_MS, action)
  }

  /** Ends the streams, and lets requests that wait respond. */
  close(): void {
    this.#isClosed = true
    const last = closedEvent('shutting_down')
    for (const reader of [...this.#readers]) reader.end(last)
    for (const { wakers } of this.#workspaces.values()) for (const wake of [...wakers]) wake()
  }

  #share(query: FeedQuery, after: number, caller: Caller, isStream: boolean): Promise<SharedPage> {
    // A page that was read before the last known change would be read again and again for those who wait for that change.
    const key = `${this.lastOf(query.workspacePk)} ${after} ${isStream} ${queryKey(query)}`
    const known = this.#pages.get(key)
    if (known) return known
    const { workspacePk, userId, keyId, surface } = caller
    const requester = { workspacePk, userId, keyId, surface, isBackground: true }
    const page = this.read(query, after, requester, isStream).then(withEvents)
    this.#pages.set(key, page)
    page.catch(() => this.#pages.delete(key))
    return page
  }

  #join(workspacePk: number, wake: () => void): () => void {
    const workspace = this.#workspaces.get(workspacePk) ?? {
      last: lastChange(this.#ctx.db, workspacePk),
      wakers: new Set<() => void>(),
    }
    this.#workspaces.set(workspacePk, workspace)
    workspace.wakers.add(wake)
    this.#listen()
    return () => {
      workspace.wakers.delete(wake)
      if (workspace.wakers.size > 0 || this.#workspaces.get(workspacePk) !== workspace) return
      this.#workspaces.delete(workspacePk)
      if (this.#workspaces.size > 0) return
      for (const stop of this.#stopListening) stop()
      this.#stopListening = []
      this.#pages.clear()
    }
  }

  #listen(): void {
    if (this.#stopListening.length > 0) return
    const { db, bus } = this.#ctx
    this.#stopListening = [db.onCommit(() => this.#schedule()), bus.onWakeAll(() => this.#schedule())]
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const wait = this.#roundAt + ROUND_MS - performance.now()
    if (wait > 0) setTimeout(() => this.#runRound(), wait)
    else setImmediate(() => this.#runRound())
  }

  async #runRound(): Promise<void> {
    this.#isScheduled = false
    this.#pages.clear()
    try {
      for (const [pk, workspace] of [...this.#workspaces]) {
        const last = lastChange(this.#ctx.db, pk)
        if (last === workspace.last) continue
        workspace.last = last
        await wakeAll([...workspace.wakers])
      }
    } catch (error) {
      this.#ctx.log.warn('the change log could not be read', { error: String(error) })
      this.retryLater(() => this.#schedule())
    }
    this.#roundAt = performance.now()
  }
}

async function wakeAll(wakers: readonly (() => void)[]): Promise<void> {
  for (let woken = 0; woken < wakers.length; woken += SUBSCRIBERS_PER_TURN) {
    if (woken > 0) await new Promise((resolve) => setImmediate(resolve))
    for (const wake of wakers.slice(woken, woken + SUBSCRIBERS_PER_TURN)) wake()
  }
}

const withEvents = (page: FeedPage): SharedPage => ({
  ...page,
  events: Array.isArray(page.changes)
    ? page.changes.map(({ cursor, json }) => ({ name: 'change', id: cursor, data: json }))
    : [],
})

/** One stream and the place it has reached. */
class Subscriber {
  #isRunning = false
  #isStopped = false

  constructor(
    private readonly subscribers: ChangeSubscribers,
    private readonly reader: StreamReader,
    private readonly caller: Caller,
    private readonly query: FeedQuery,
    private position: number,
  ) {}

  stop(): void {
    this.#isStopped = true
  }

  /** Sends what is new, a page at a time, each when the client has taken those before it. */
  wake(): void {
    if (this.#isRunning || this.#isStopped) return
    this.#isRunning = true
    this.#sendAll().then(
      () => {
        this.#isRunning = false
      },
      (error) => {
        this.#isRunning = false
        if (this.#isStopped) return
        if (error instanceof Refusal && error.code === 'cursor_expired')
          this.reader.end(closedEvent('cursor_expired'))
        else this.subscribers.retryLater(() => this.wake())
      },
    )
  }

  async #sendAll(): Promise<void> {
    let hasMore = true
    while (!this.#isStopped && (hasMore || this.position < this.subscribers.lastOf(this.query.workspacePk))) {
      const page = await this.subscribers.sharedPage(this.query, this.position, this.caller)
      if (this.#isStopped) return
      if (page.events.length > 0) this.reader.sendAll(page.events)
      this.position = page.position
      hasMore = page.hasMore
      await this.reader.whenTaken()
    }
  }
}
