import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import { asUnavailable } from '../../db/errors.ts'
import type { Requester } from '../../db/worker/client.ts'
import { closedEvent, type StreamEvent, type StreamReader } from '../../http/sse.ts'
import type { TurnQueue } from '../../lib/event-loop.ts'
import { Refusal } from '../../refusal.ts'
import type { StructureRow } from '../../structures/store.ts'
import { getStructure } from '../../structures/store.ts'
import { type ListRequest, readPage } from '../query/list.ts'
import type { Parsed } from '../query/row-query.ts'
import {
  Broadcast,
  eventId,
  findEventPosition,
  type KnownPage,
  problemEvent,
  queryDigest,
  type Versions,
  type WatchedPage,
  type WatchHistory,
  watchedPage,
  watchPageQuery,
} from './page.ts'
import { pastPageQuery } from './resume.ts'

/** The query of a channel in canonical form; equivalent queries have the same key. */
export interface WatchQuery {
  readonly workspacePk: number
  readonly structureId: string
  /** Names the structure by its id, because its name may change. */
  readonly request: Parsed<ListRequest>
  readonly key: string
}

/** What the channels of a server share. */
export interface Shared {
  readonly ctx: AppContext
  /** Channels work one after the other. */
  readonly turns: TurnQueue
  readonly history: WatchHistory
}

/** One reader of a channel, with the page that it knows. */
export class Subscriber {
  #known: KnownPage | undefined
  /** Whether the page that it received last was found; undefined if it named none, and once `resumed` was sent. */
  #isResumed: boolean | undefined
  /** The data of the problem sent last, unless a page was sent after it. */
  #problem: string | undefined

  constructor(
    private readonly reader: StreamReader,
    readonly caller: Caller,
    readonly wantsChanges: boolean,
  ) {}

  /** For a reader that reconnects: whether the page that it received last is known, and for changes which it was. */
  resume(isKnown: boolean, versions?: Versions): void {
    this.#isResumed = isKnown
    if (versions) this.#known = { versions }
  }

  /** Sends the page, unless it equals the one sent last. */
  send(broadcast: Broadcast): void {
    const isAfterProblem = this.#problem !== undefined
    const event = broadcast.eventFor(this.#known, this.wantsChanges, isAfterProblem)
    this.#known = broadcast.page
    this.#problem = undefined
    if (event) this.reader.send(this.#isResumed === undefined ? event : withResumed(event, this.#isResumed))
    this.#isResumed = undefined
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

/** The answer, saying first whether the reader missed nothing. */
const withResumed = (event: StreamEvent, isResumed: boolean): StreamEvent => ({
  ...event,
  data: event.data.replace('{', `{"resumed":${isResumed},`),
})

/** Changes are collected for this long before they are sent. */
const MERGE_MS = 250
/** A query that failed is run again after this time. */
const RETRY_MS = 5_000
/** For how long readers are sent to before other requests are served. */
const TURN_MS = 5

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
  readonly #digest: string
  readonly #stopListening: () => void
  readonly #subscribers = new Set<Subscriber>()
  /** Subscribers that were sent nothing yet. */
  readonly #pending = new Set<Subscriber>()
  /** Those of them whose last page is being read from the change log. */
  readonly #resuming = new Set<Subscriber>()
  /** The pages that are being read from the change log, by the id of their event. */
  readonly #pastPages = new Map<string, Promise<Versions | undefined>>()
  /** Aborts a query that runs for subscribers that have all left. */
  readonly #abort = new AbortController()
  #latest: WatchedPage | undefined
  /** The version of the structure that `#latest` was read at. */
  #version: string | undefined
  #timer: { readonly at: number; readonly stop: () => void } | undefined
  #isDue = false
  #isRunning = false

  constructor(shared: Shared, query: WatchQuery) {
    this.#shared = shared
    this.#query = query
    this.#digest = queryDigest(query.key)
    this.#stopListening = shared.ctx.bus.onWake(query.structureId, () => this.#runWithin(MERGE_MS))
  }

  get size(): number {
    return this.#subscribers.size + this.#pending.size + this.#resuming.size
  }

  /** Adds a subscriber and sends it the page at once. `lastEventId` names the page that it received last, if any. */
  join(subscriber: Subscriber, lastEventId: string | undefined): void {
    if (lastEventId !== undefined && !this.#resume(subscriber, lastEventId)) return
    this.#pending.add(subscriber)
    void this.#run()
  }

  leave(subscriber: Subscriber): void {
    this.#resuming.delete(subscriber)
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

  /** Sets what a subscriber received last; false if that must first be read, after which the subscriber joins. */
  #resume(subscriber: Subscriber, pageId: string): boolean {
    const { key } = this.#query
    const isLatest = pageId === this.#latest?.id
    const versions = isLatest ? this.#latest?.versions : this.#shared.history.find(key, pageId)
    const position = versions ? undefined : this.#findPosition(pageId)
    const isKnown = versions !== undefined || position !== undefined
    if (!subscriber.wantsChanges || position === undefined) {
      subscriber.resume(isKnown, subscriber.wantsChanges ? versions : undefined)
      return true
    }
    this.#resuming.add(subscriber)
    void this.#pastPage(pageId, position).then((past) => {
      if (!this.#resuming.delete(subscriber)) return
      subscriber.resume(past !== undefined, past)
      this.join(subscriber, undefined)
    })
    return false
  }

  #findPosition(pageId: string): number | undefined {
    const { ctx } = this.#shared
    try {
      return findEventPosition(ctx.db, this.#query.workspacePk, pageId, this.#digest)
    } catch (error) {
      ctx.log.warn('a watch could not be resumed', { error: String(error) })
      return undefined
    }
  }

  /** The page of an event, read from the change log once for all who ask; undefined if that fails. */
  #pastPage(id: string, position: number): Promise<Versions | undefined> {
    const { ctx, history } = this.#shared
    const known = this.#pastPages.get(id)
    if (known) return known
    const { request, workspacePk, key } = this.#query
    const input = { caller: { workspacePk }, request, position }
    const read = async () => {
      try {
        const versions = await ctx.worker.run(pastPageQuery, input, this.#requester())
        if (versions) history.save(key, { id, versions })
        return versions
      } catch (error) {
        if (!(error instanceof Refusal))
          ctx.log.warn('a watch could not be resumed', { error: String(error) })
        return undefined
      }
    }
    const page = read().finally(() => this.#pastPages.delete(id))
    this.#pastPages.set(id, page)
    return page
  }

  #saveLatest(): void {
    if (this.#latest) this.#shared.history.save(this.#query.key, this.#latest)
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
      await this.#shared.turns.next()
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
    const { structure, page, position } = await readPage(ctx, watchPageQuery, this.#requester(), request)
    this.#version = structureVersion(structure)
    const id = eventId(ctx.db, this.#query.workspacePk, position, this.#digest)
    const next = watchedPage(id, structure, page)
    if (next.text === this.#latest?.text) return this.#latest
    this.#saveLatest()
    this.#latest = next
    return next
  }

  /** The query runs for the key of its first subscriber. */
  #requester(): InWorkspace & Requester {
    const [first] = [this.#subscribers, this.#pending, this.#resuming].find(({ size }) => size > 0) ?? []
    if (!first) throw new Error('a channel without subscribers runs no query')
    const { workspacePk, userId, keyId, surface } = first.caller
    return { workspacePk, userId, keyId, surface, signal: this.#abort.signal, isBackground: true }
  }

  async #send(outcome: Outcome, subscribers: readonly Subscriber[]): Promise<void> {
    if ('closed' in outcome) {
      for (const subscriber of [...this.#subscribers, ...this.#pending, ...this.#resuming])
        subscriber.end(outcome.closed)
    } else if ('problem' in outcome) {
      for (const subscriber of subscribers) subscriber.sendProblem(outcome.problem)
      if (this.size > 0) this.#runWithin(RETRY_MS)
    } else {
      const broadcast = new Broadcast(outcome.page)
      let until = performance.now() + TURN_MS
      for (const subscriber of subscribers) {
        if (performance.now() > until) {
          await this.#shared.turns.next()
          until = performance.now() + TURN_MS
        }
        subscriber.send(broadcast)
      }
    }
  }
}
