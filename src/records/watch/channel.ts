import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import { asUnavailable } from '../../db/errors.ts'
import type { Requester } from '../../db/worker/client.ts'
import type { StreamEvent, StreamReader } from '../../http/sse.ts'
import { Refusal } from '../../refusal.ts'
import { getStructure } from '../../structures/service.ts'
import type { StructureRow } from '../../structures/store.ts'
import { type ListRequest, readPage } from '../query/list.ts'
import type { Parsed } from '../query/row-query.ts'
import {
  Broadcast,
  closedEvent,
  type KnownPage,
  problemEvent,
  type Versions,
  type WatchedPage,
  type WatchHistory,
  watchedPage,
} from './page.ts'

/** The query of a channel in canonical form; equivalent queries have the same key. */
export interface WatchQuery {
  readonly workspacePk: number
  readonly structureId: string
  /** Names the structure by its id, because its name may change. */
  readonly request: Parsed<ListRequest>
  readonly key: string
}

/** Lets the channels of a server work one after the other, with requests served in between. */
export class Scheduler {
  #last: Promise<void> = Promise.resolve()

  next(): Promise<void> {
    this.#last = this.#last.then(() => new Promise((resolve) => setImmediate(resolve)))
    return this.#last
  }
}

/** What the channels of a server share. */
export interface Shared {
  readonly ctx: AppContext
  readonly scheduler: Scheduler
  readonly history: WatchHistory
}

/** One reader of a channel, with the page that it knows. */
export class Subscriber {
  #known: KnownPage | undefined
  /** The data of the problem sent last, unless a page was sent after it. */
  #problem: string | undefined

  constructor(
    private readonly reader: StreamReader,
    readonly caller: Caller,
    readonly wantsChanges: boolean,
  ) {}

  /** For a reader that reconnects: sets the page that it received last. */
  resume(versions: Versions | undefined): void {
    if (versions) this.#known = { versions }
  }

  /** Sends the page, unless it equals the one sent last. */
  send(broadcast: Broadcast): void {
    const isAfterProblem = this.#problem !== undefined
    const event = broadcast.eventFor(this.#known, this.wantsChanges, isAfterProblem)
    this.#known = broadcast.page
    this.#problem = undefined
    if (event) this.reader.send(event)
  }

  /** Sends a problem, unless it equals the one sent last. */
  sendProblem(problem: StreamEvent): void {
    if (this.#problem === problem.data) return
    this.#problem = problem.data
    this.reader.send(problem)
  }

  end(closed: StreamEvent): void {
    this.reader.end(closed)
  }
}

/** Changes are collected for this long before they are sent. */
const MERGE_MS = 250
/** A query that failed is run again after this time. */
const RETRY_MS = 5_000
/** How many readers are sent to before other requests are served: a few milliseconds. */
const READERS_PER_TURN = 500

type Outcome =
  | { readonly page: WatchedPage }
  | { readonly problem: StreamEvent }
  | { readonly closed: StreamEvent }

/** While the version of the structure and its rows is the same, so is every page. */
const structureVersion = ({ changes, updatedAt }: StructureRow): string => `${changes} ${updatedAt}`

/** All subscribers with the same query: it runs once for all of them, and each event is serialised once. */
export class WatchChannel {
  readonly #shared: Shared
  readonly #query: WatchQuery
  readonly #stopListening: () => void
  readonly #subscribers = new Set<Subscriber>()
  /** Subscribers that were sent nothing yet. */
  readonly #pending = new Set<Subscriber>()
  /** Aborts a query that runs for subscribers that have all left. */
  readonly #abort = new AbortController()
  #latest: WatchedPage | undefined
  /** The version of the structure that `#latest` was read at. */
  #version: string | undefined
  #timer: { readonly at: number; readonly stop: () => void } | undefined
  #isDue = false
  #isRunning = false
  /** Whether pages are saved in the history, for subscribers that reconnect. */
  #savesPages = false

  constructor(shared: Shared, query: WatchQuery) {
    this.#shared = shared
    this.#query = query
    this.#stopListening = shared.ctx.bus.onWake(query.structureId, () => this.#runWithin(MERGE_MS))
  }

  get size(): number {
    return this.#subscribers.size + this.#pending.size
  }

  /** Adds a subscriber and sends it the page at once. `lastEventId` names the page that it received last, if any. */
  join(subscriber: Subscriber, lastEventId: string | undefined): void {
    this.#savesPages ||= subscriber.wantsChanges
    if (lastEventId !== undefined && subscriber.wantsChanges)
      subscriber.resume(this.#findVersions(lastEventId))
    this.#pending.add(subscriber)
    void this.#run()
  }

  leave(subscriber: Subscriber): void {
    this.#pending.delete(subscriber)
    this.#subscribers.delete(subscriber)
  }

  /** Must be called when the last subscriber has left. */
  close(): void {
    this.#stopListening()
    this.#abort.abort()
    this.#timer?.stop()
    this.#timer = undefined
    this.#saveLatest()
  }

  #findVersions(pageId: string): Versions | undefined {
    if (pageId === this.#latest?.id) return this.#latest.versions
    return this.#shared.history.find(this.#query.key, pageId)
  }

  #saveLatest(): void {
    if (this.#latest && this.#savesPages) this.#shared.history.save(this.#query.key, this.#latest)
  }

  #runWithin(delayMs: number): void {
    const { clock } = this.#shared.ctx
    const at = clock.now() + delayMs
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.stop()
    const stop = clock.after(delayMs, () => {
      this.#timer = undefined
      this.#isDue = true
      void this.#run()
    })
    this.#timer = { at, stop }
  }

  /** Never runs twice at once; what becomes due and who joins during a pass causes another. */
  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    while (this.#isDue || this.#pending.size > 0) {
      await this.#shared.scheduler.next()
      if (this.size === 0) break
      const isForAll = this.#isDue
      this.#isDue = false
      const pending = [...this.#pending]
      const outcome = await this.#readOutcome()
      // A subscriber that joined during the read may have written something after it began, and must see that.
      const joined = pending.filter((subscriber) => this.#pending.delete(subscriber))
      for (const subscriber of joined) this.#subscribers.add(subscriber)
      await this.#send(outcome, isForAll ? [...this.#subscribers] : joined)
    }
    this.#isRunning = false
  }

  async #readOutcome(): Promise<Outcome> {
    try {
      return { page: await this.#readPage() }
    } catch (thrown) {
      const error = asUnavailable(thrown)
      if (error instanceof Refusal && error.code === 'not_found')
        return { closed: closedEvent('structure_deleted') }
      if (!(error instanceof Refusal)) this.#shared.ctx.log.error('a watch failed', { error: String(error) })
      return { problem: problemEvent(error) }
    }
  }

  async #readPage(): Promise<WatchedPage> {
    const { ctx } = this.#shared
    const { structureId, request } = this.#query
    if (this.#latest && this.#version === structureVersion(getStructure(ctx.db, this.#query, structureId)))
      return this.#latest
    const { structure, page } = await readPage(ctx, this.#requester(), request)
    this.#version = structureVersion(structure)
    const next = watchedPage(structure, page)
    if (next.text === this.#latest?.text) return this.#latest
    this.#saveLatest()
    this.#latest = next
    return next
  }

  /** The query runs for the key of its first subscriber. */
  #requester(): InWorkspace & Requester {
    const [first] = this.#subscribers.size > 0 ? this.#subscribers : this.#pending
    if (!first) throw new Error('a channel without subscribers runs no query')
    const { workspacePk, userId, keyId, surface } = first.caller
    return { workspacePk, userId, keyId, surface, signal: this.#abort.signal, isBackground: true }
  }

  async #send(outcome: Outcome, subscribers: readonly Subscriber[]): Promise<void> {
    if ('closed' in outcome) {
      for (const subscriber of [...this.#subscribers, ...this.#pending]) subscriber.end(outcome.closed)
    } else if ('problem' in outcome) {
      for (const subscriber of subscribers) subscriber.sendProblem(outcome.problem)
      if (this.size > 0) this.#runWithin(RETRY_MS)
    } else {
      const broadcast = new Broadcast(outcome.page)
      for (let sent = 0; sent < subscribers.length; sent += READERS_PER_TURN) {
        if (sent > 0) await this.#shared.scheduler.next()
        for (const subscriber of subscribers.slice(sent, sent + READERS_PER_TURN)) subscriber.send(broadcast)
      }
    }
  }
}
