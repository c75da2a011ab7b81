import type { AppContext, Caller } from '../context.ts'
import {
  closedEvent,
  closedSentence,
  type StreamEvent,
  type StreamReader,
  type StreamSource,
} from '../http/sse.ts'
import { type Credential, streamCredential } from '../kernel/call.ts'
import { may } from '../kernel/caller.ts'
import { Rounds } from '../kernel/fair-share.ts'
import { Refusal, unavailable } from '../lib/refusal.ts'
import { lastChange } from '../log/log.ts'
import type { IsTouched, Streams } from '../people/sessions/streams.ts'
import { type FeedPage, type FeedQuery, readNextChanges } from './feed.ts'
import { visibleTo } from './visible.ts'

/** Interval between two rounds of sending new changes; the first round after a quiet time runs immediately. */
const ROUND_MS = 25
/** Delay after a page that could not be read. */
const RETRY_MS = 1_000

interface SharedPage extends FeedPage {
  readonly events: readonly StreamEvent[]
}

/** A caller that follows the log; each page is read with its current permissions. */
type Follower = Caller & Credential

/** A follower, its query, and the key for shared pages. Only streams of one credential share pages. */
interface Following {
  readonly follower: Follower
  readonly query: FeedQuery
  readonly key: string
}

const followingOf = (follower: Follower, query: FeedQuery): Following => ({
  follower,
  query,
  key: JSON.stringify([follower.grant, query]),
})

interface Workspace {
  /** The number of its last change. */
  last: number
  readonly listeners: Set<() => void>
}

/**
 * All subscribers to the log of this server: streams, and waiting requests. Equal queries of one credential at the same
 * position share one page, which is read and encoded once.
 */
export class ChangeSubscribers {
  readonly #workspaces = new Map<number, Workspace>()
  /** The pages of the current round, by the last known change, the query and the position. */
  readonly #pages = new Map<string, Promise<SharedPage>>()
  #stopListening: readonly (() => void)[] = []
  readonly #rounds = new Rounds(ROUND_MS, () => this.#runRound())

  constructor(
    private readonly ctx: AppContext,
    private readonly streams: Streams,
  ) {}

  /**
   * Waits after an empty page, for up to some seconds, for a change that the query selects. Refuses if the key or the
   * session ends meanwhile.
   */
  async waitBehind(page: FeedPage, follower: Follower, query: FeedQuery, seconds: number): Promise<FeedPage> {
    if (seconds === 0 || page.count > 0 || page.hasMore) return page
    const following = followingOf(follower, query)
    const { workspacePk } = follower
    let last = page
    await this.streams.waitUntil(follower, seconds, {
      listen: (notify) => this.#join(workspacePk, notify),
      isMet: async () => {
        while (last.count === 0 && !last.hasMore && this.lastOf(workspacePk) > last.position)
          last = await this.sharedPage(following, last.position, false)
        return last.count > 0 || last.hasMore
      },
      refusalOf: (why) =>
        why === 'access_changed'
          ? unavailable(closedSentence(why), { retryAfterSeconds: 0 })
          : new Refusal('unauthorized', closedSentence(why)),
      isTouched: isTouchedBy(follower, query),
    })
    return last
  }

  /**
   * A source that sends every change after a position as a separate event. Refuses the 101st concurrent query of a key.
   */
  stream(follower: Follower, query: FeedQuery, after: number): StreamSource {
    const { workspacePk } = follower
    const following = followingOf(follower, query)
    const begin = (reader: StreamReader) => {
      const subscriber = new Subscriber(this, reader, following, after)
      const leave = this.#join(workspacePk, () => subscriber.notify())
      subscriber.notify()
      return () => {
        subscriber.stop()
        leave()
      }
    }
    const name = JSON.stringify([workspacePk, query])
    return this.streams.open(follower, 'follows', name, begin, isTouchedBy(follower, query))
  }

  lastOf(workspace: number): number {
    return this.#workspaces.get(workspace)?.last ?? 0
  }

  retryLater(action: () => void): void {
    this.ctx.clock.after(RETRY_MS, action)
  }

  /** The page after a position, shared by equal followers of this round. */
  sharedPage(
    { follower, query, key: ofAll }: Following,
    after: number,
    isStream = true,
  ): Promise<SharedPage> {
    // The key contains the last known change. Followers that wait for it would otherwise reread an older page
    // repeatedly.
    const key = `${this.lastOf(follower.workspacePk)} ${after} ${isStream} ${ofAll}`
    const known = this.#pages.get(key)
    if (known) return known
    const reader = streamCredential(follower)
    const input = { query, after, isStream }
    const page = Promise.try(() => this.ctx.kernel.call(readNextChanges, reader, input)).then(withEvents)
    this.#pages.set(key, page)
    page.catch(() => this.#pages.delete(key))
    return page
  }

  #join(workspacePk: number, wake: () => void): () => void {
    const { db, bus } = this.ctx
    const workspace = this.#workspaces.get(workspacePk) ?? {
      last: lastChange(db, workspacePk),
      listeners: new Set<() => void>(),
    }
    if (this.#workspaces.size === 0)
      this.#stopListening = [
        db.onCommit(() => this.#rounds.request()),
        bus.onAnyChange(() => this.#rounds.request()),
      ]
    this.#workspaces.set(workspacePk, workspace)
    workspace.listeners.add(wake)
    return () => {
      workspace.listeners.delete(wake)
      if (workspace.listeners.size > 0 || this.#workspaces.get(workspacePk) !== workspace) return
      this.#workspaces.delete(workspacePk)
      if (this.#workspaces.size > 0) return
      for (const stop of this.#stopListening) stop()
      this.#pages.clear()
    }
  }

  async #runRound(): Promise<void> {
    this.#pages.clear()
    try {
      for (const [pk, workspace] of [...this.#workspaces]) {
        const last = lastChange(this.ctx.db, pk)
        if (last === workspace.last) continue
        workspace.last = last
        await this.streams.serveAll([...workspace.listeners], (notify) => notify())
      }
    } catch (error) {
      this.ctx.log.warn('the change log could not be read', { error: String(error) })
      this.retryLater(() => this.#rounds.request())
    }
  }
}

/** Whether a change of access hides or shows changes that a query selects. */
function isTouchedBy({ rights: before, workspacePk }: Caller, { structureId }: FeedQuery): IsTouched {
  const seen = (rights: Caller['rights']) =>
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

/** One stream and its current position. */
class Subscriber {
  #isRunning = false
  #isStopped = false

  constructor(
    private readonly subscribers: ChangeSubscribers,
    private readonly reader: StreamReader,
    private readonly following: Following,
    private position: number,
  ) {}

  stop(): void {
    this.#isStopped = true
  }

  notify(): void {
    if (!this.#isRunning && !this.#isStopped) void this.#sendAll()
  }

  /** Sends new changes page by page, each after the client has received the earlier pages. */
  async #sendAll(): Promise<void> {
    this.#isRunning = true
    try {
      let hasMore = true
      while (
        !this.#isStopped &&
        (hasMore || this.position < this.subscribers.lastOf(this.following.follower.workspacePk))
      )
        hasMore = await this.#sendPage()
    } catch (error) {
      if (this.#isStopped) return
      if (error instanceof Refusal && error.code === 'cursor_expired')
        this.reader.end(closedEvent('cursor_expired'))
      else this.subscribers.retryLater(() => this.notify())
    } finally {
      this.#isRunning = false
    }
  }

  async #sendPage(): Promise<boolean> {
    const page = await this.subscribers.sharedPage(this.following, this.position)
    if (this.#isStopped) return false
    if (page.events.length > 0) this.reader.sendAll(page.events)
    this.position = page.position
    await this.reader.whenSent()
    return page.hasMore
  }
}
