import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import { asUnavailable } from '../../db/errors.ts'
import type { Reader } from '../../db/reader.ts'
import { type Requester, requesterKey } from '../../db/worker/client.ts'
import type { RawCondition } from '../../filter/record/parse.ts'
import {
  closedEvent,
  type StreamEvent,
  StreamLimit,
  type StreamReader,
  type StreamSource,
} from '../../http/sse.ts'
import { nextTurn, Turns } from '../../lib/fair-queue.ts'
import { Refusal, unavailable } from '../../refusal.ts'
import { CredentialMonitor } from '../../sessions/credential-monitor.ts'
import { getStructure, type StructureRow } from '../../structures/store.ts'
import { type ListRequest, planList, readPage } from '../query/list.ts'
import { type ParsedRequest, parseRequest } from '../query/row-query.ts'
import {
  eventId,
  findEventPosition,
  pastPageQuery,
  queryDigest,
  type Versions,
  type WatchedPage,
  WatchHistory,
  watchedPage,
  watchPageQuery,
} from './pages.ts'
import { Broadcast, problemEvent, Subscriber } from './subscriber.ts'

/** A watch as a client requests it. */
type WatchRequest = Omit<ListRequest, 'offset'> & { changes?: boolean }

/** All open watches of a server. Those with the same query share a channel. */
export class Watches {
  readonly #shared: Shared
  readonly #credentials: CredentialMonitor
  /** By the key of their query. */
  readonly #channels = new Map<string, WatchChannel>()
  readonly #readers = new Set<StreamReader>()
  readonly #limit = new StreamLimit('watches')
  #isClosed = false

  constructor(ctx: AppContext) {
    this.#shared = { ctx, turns: new Turns(nextTurn), history: new WatchHistory(ctx.clock) }
    this.#credentials = new CredentialMonitor(ctx)
  }

  get open(): { channels: number; readers: number } {
    return { channels: this.#channels.size, readers: this.#readers.size }
  }

  /**
   * Returns a source that sends the page now and after every change. Refuses at once what the list would refuse, and
   * a query too many of one key.
   * `lastEventId` names the last event that a reconnecting client received.
   */
  watch(caller: Caller, request: WatchRequest, lastEventId: string | null): StreamSource {
    if (this.#isClosed) throw unavailable('The server is shutting down; connect again in a moment.')
    const query = watchQuery(this.#shared.ctx.db, caller, request)
    const key = requesterKey(caller)
    this.#limit.check(key, query.key)
    return (reader) => {
      const uncount = this.#limit.add(key, query.key)
      const subscriber = new Subscriber(reader, caller, request.changes === true)
      const leaveChannel = this.#join(query, subscriber, lastEventId ?? undefined)
      this.#readers.add(reader)
      const release = this.#credentials.onEnd(caller, (why) => reader.end(closedEvent(why)))
      return () => {
        this.#readers.delete(reader)
        uncount()
        release()
        leaveChannel()
      }
    }
  }

  /** Sends every reader that the server is shutting down, and ends the streams. */
  close(): void {
    this.#isClosed = true
    const last = closedEvent('shutting_down')
    for (const reader of [...this.#readers]) reader.end(last)
  }

  #join(query: WatchQuery, subscriber: Subscriber, lastEventId: string | undefined): () => void {
    const channel = this.#channels.get(query.key) ?? new WatchChannel(this.#shared, query)
    this.#channels.set(query.key, channel)
    channel.join(subscriber, lastEventId)
    return () => {
      channel.leave(subscriber)
      if (channel.size > 0 || this.#channels.get(query.key) !== channel) return
      this.#channels.delete(query.key)
      channel.close()
    }
  }
}

/** Parses and checks the request as the list does, and brings it into a canonical form. Memoized, because many equal ones may arrive at once. */
const watchQuery = (
  reader: Reader,
  { workspacePk }: InWorkspace,
  { changes: _, ...sent }: WatchRequest,
): WatchQuery =>
  reader.sql.memoize(`watch ${workspacePk} ${JSON.stringify(sent)}`, () =>
    checkedQuery(reader, workspacePk, sent),
  )

function checkedQuery(reader: Reader, workspacePk: number, sent: Omit<WatchRequest, 'changes'>): WatchQuery {
  const request = parseRequest(sent)
  const { query, direction, page } = planList(reader, { caller: { workspacePk }, request })
  const structureId = query.structure.id
  const canonical = {
    structure: structureId,
    filter: canonicalFilter(request.filter),
    sort: request.sort ?? 'created_at',
    direction,
    limit: page.limit,
  }
  return { workspacePk, structureId, request: canonical, key: JSON.stringify([workspacePk, canonical]) }
}

/** All conditions must hold, so neither their order nor a repetition matters; the same goes for lists of values. */
const canonicalFilter = (filter: readonly RawCondition[]): RawCondition[] =>
  canonicalList(
    filter.map(({ field, op, value }) => ({
      field,
      op,
      value: Array.isArray(value) ? canonicalList(value) : (value ?? undefined),
    })),
  )

const canonicalList = <Item>(items: readonly Item[]): Item[] =>
  [...new Set(items.map((item) => JSON.stringify(item)))].sort().map((text) => JSON.parse(text) as Item)

/** The query of a channel in canonical form; equivalent queries have the same key. */
interface WatchQuery {
  readonly workspacePk: number
  readonly structureId: string
  /** Names the structure by its id, because its name may change. */
  readonly request: ParsedRequest<ListRequest>
  readonly key: string
}

/** What the channels of a server share. */
interface Shared {
  readonly ctx: AppContext
  /** Channels work one after the other. */
  readonly turns: Turns
  readonly history: WatchHistory
}

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
class WatchChannel {
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
      await this.#shared.turns.run(this.#query.key, () => {})
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
          await this.#shared.turns.run(this.#query.key, () => {})
          until = performance.now() + TURN_MS
        }
        subscriber.send(broadcast)
      }
    }
  }
}
