import { may } from '../access/rights.ts'
import { refuseExpired } from '../changes/cursors.ts'
import { lastChange } from '../changes/log.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Requester } from '../db/worker/client.ts'
import {
  type ClosedCode,
  closedEvent,
  closedSentence,
  type StreamEvent,
  type StreamReader,
  type StreamSource,
} from '../http/sse.ts'
import { Refusal, unavailable } from '../refusal.ts'
import type { IsTouched, Streams } from '../sessions/streams.ts'
import { type FeedPage, type FeedQuery, feedPageQuery } from './feed.ts'
import { visibleTo } from './visible.ts'

/** The time between two rounds in which subscribers are sent what is new; the first after a quiet time is at once. */
const ROUND_MS = 25
/** After a page that could not be read. */
const RETRY_MS = 1_000

interface SharedPage extends FeedPage {
  readonly events: readonly StreamEvent[]
}

interface Workspace {
  /** The number of its last change. */
  last: number
  readonly wakers: Set<() => void>
}

/**
 * All subscribers to the log of this server: streams, and requests that wait. Those with the same query at the same
 * place share one page, which is read and encoded once.
 */
export class ChangeSubscribers {
  readonly #workspaces = new Map<number, Workspace>()
  /** The pages of the current round, by the last change that was known, the query and the place. */
  readonly #pages = new Map<string, Promise<SharedPage>>()
  #stopListening: readonly (() => void)[] = []
  #isScheduled = false
  #roundAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly ctx: AppContext,
    private readonly streams: Streams,
  ) {}

  /** Reads one page, in the worker if it is large. */
  async read(query: FeedQuery, after: number, requester: Requester, isStream: boolean): Promise<FeedPage> {
    refuseExpired(this.ctx.db, query.workspacePk, after)
    return this.ctx.worker.run(feedPageQuery, { ...query, after, isStream }, requester)
  }

  /**
   * A page; an empty one waits for up to some seconds for a change that the query wants. Refuses when the key or the
   * session ends meanwhile.
   */
  async readWithin(query: FeedQuery, after: number, caller: Caller, seconds: number): Promise<FeedPage> {
    const page = await this.read(query, after, caller, false)
    if (seconds === 0 || page.count > 0 || page.hasMore) return page
    const ended = new AbortController()
    const end = (why: ClosedCode) =>
      ended.abort(
        why === 'access_changed'
          ? unavailable(closedSentence(why), { retryAfterSeconds: 0 })
          : new Refusal('unauthorized', closedSentence(why)),
      )
    const release = this.streams.credentials.onEnd(caller, end, isTouchedBy(query))
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
    let isOver = caller.signal?.aborted ?? false
    let wake = () => {}
    const end = () => {
      isOver = true
      wake()
    }
    const leave = this.#join(query.workspacePk, () => wake())
    const stopTimer = this.ctx.clock.after(seconds * 1_000, end)
    caller.signal?.addEventListener('abort', end)
    let page = empty
    try {
      while (page.count === 0 && !page.hasMore && !isOver && !this.streams.isClosed) {
        if (this.lastOf(query.workspacePk) > page.position)
          page = await this.sharedPage(query, page.position, caller, false)
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
      return page
    } finally {
      leave()
      stopTimer()
      caller.signal?.removeEventListener('abort', end)
    }
  }

  /** A source that sends every change after a place, as an event each. Refuses a query too many of one key. */
  stream(caller: Caller, query: FeedQuery, after: number): StreamSource {
    const begin = (reader: StreamReader) => {
      const subscriber = new Subscriber(this, reader, caller, query, after)
      const leave = this.#join(query.workspacePk, () => subscriber.wake())
      subscriber.wake()
      return () => {
        subscriber.stop()
        leave()
      }
    }
    return this.streams.open(caller, 'follows', JSON.stringify(query), begin, isTouchedBy(query))
  }

  lastOf(workspace: number): number {
    return this.#workspaces.get(workspace)?.last ?? 0
  }

  retryLater(action: () => void): void {
    this.ctx.clock.after(RETRY_MS, action)
  }

  /** Lets the requests that wait respond. */
  close(): void {
    for (const { wakers } of this.#workspaces.values()) for (const wake of [...wakers]) wake()
  }

  /** The page after a place, shared with all who ask for the same in this round. */
  sharedPage(query: FeedQuery, after: number, caller: Caller, isStream = true): Promise<SharedPage> {
    // A page that was read before the last known change would be read again and again for those who wait for that change.
    const key = `${this.lastOf(query.workspacePk)} ${after} ${isStream} ${JSON.stringify(query)}`
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
    const { db, bus } = this.ctx
    const workspace = this.#workspaces.get(workspacePk) ?? {
      last: lastChange(db, workspacePk),
      wakers: new Set<() => void>(),
    }
    if (this.#workspaces.size === 0)
      this.#stopListening = [db.onCommit(() => this.#schedule()), bus.onWakeAll(() => this.#schedule())]
    this.#workspaces.set(workspacePk, workspace)
    workspace.wakers.add(wake)
    return () => {
      workspace.wakers.delete(wake)
      if (workspace.wakers.size > 0 || this.#workspaces.get(workspacePk) !== workspace) return
      this.#workspaces.delete(workspacePk)
      if (this.#workspaces.size > 0) return
      for (const stop of this.#stopListening) stop()
      this.#pages.clear()
    }
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
        const last = lastChange(this.ctx.db, pk)
        if (last === workspace.last) continue
        workspace.last = last
        await this.streams.inTurns([...workspace.wakers], (wake) => wake())
      }
    } catch (error) {
      this.ctx.log.warn('the change log could not be read', { error: String(error) })
      this.retryLater(() => this.#schedule())
    }
    this.#roundAt = performance.now()
  }
}

/** Whether a change of access hides or shows changes that a query wants. */
function isTouchedBy({ rights: before, workspacePk, structureId }: FeedQuery): IsTouched {
  const seen = (rights: FeedQuery['rights']) =>
    structureId === undefined
      ? JSON.stringify(visibleTo({ workspacePk, rights }))
      : String([may(rights, structureId, 'see'), may(rights, structureId, 'read')])
  return (rights) => rights !== before && seen(rights) !== seen(before)
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

  wake(): void {
    if (!this.#isRunning && !this.#isStopped) void this.#sendAll()
  }

  /** Sends what is new, a page at a time, each when the client has taken those before it. */
  async #sendAll(): Promise<void> {
    this.#isRunning = true
    try {
      let hasMore = true
      while (!this.#isStopped && (hasMore || this.position < this.subscribers.lastOf(this.query.workspacePk)))
        hasMore = await this.#sendPage()
    } catch (error) {
      if (this.#isStopped) return
      if (error instanceof Refusal && error.code === 'cursor_expired')
        this.reader.end(closedEvent('cursor_expired'))
      else this.subscribers.retryLater(() => this.wake())
    } finally {
      this.#isRunning = false
    }
  }

  async #sendPage(): Promise<boolean> {
    const page = await this.subscribers.sharedPage(this.query, this.position, this.caller)
    if (this.#isStopped) return false
    if (page.events.length > 0) this.reader.sendAll(page.events)
    this.position = page.position
    await this.reader.whenTaken()
    return page.hasMore
  }
}
