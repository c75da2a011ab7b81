import { may } from '../../access/rights.ts'
import { type AppContext, type Caller, type InWorkspace, wholeWorkspace } from '../../context.ts'
import { asUnavailable } from '../../db/errors.ts'
import type { Requester } from '../../db/worker/client.ts'
import { closedEvent, type StreamEvent, type StreamReader, type StreamSource } from '../../http/sse.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { Refusal } from '../../refusal.ts'
import { getRowView, type RowViewRow } from '../../row-views/service.ts'
import type { IsTouched, Streams } from '../../sessions/streams.ts'
import { findStructure, getStructure, type StructureRow } from '../../structures/store.ts'
import { readPage } from '../query/list.ts'
import {
  isKnownEvent,
  queryDigest,
  type Versions,
  WatchedPage,
  type WatchQuery,
  type WatchRequest,
  watchPageQuery,
  watchQuery,
} from './watched-page.ts'

/** How many pages are remembered for readers that come back. */
const MAX_PAGES = 200

/** All open watches of a server. Those with the same query share a channel. */
export class Watches {
  /** By the key of their query. */
  readonly #channels = new Map<string, WatchChannel>()
  readonly #history: WatchHistory = new BoundedCache(MAX_PAGES)

  constructor(
    private readonly ctx: AppContext,
    private readonly streams: Streams,
  ) {}

  get open(): { channels: number; readers: number } {
    const sizes = [...this.#channels.values()].map(({ size }) => size)
    return { channels: sizes.length, readers: sizes.reduce((sum, size) => sum + size, 0) }
  }

  /**
   * Returns a source that sends the page now and after every change. Refuses at once what the list would refuse, and
   * a query too many of one key.
   * `lastEventId` names the last event that a reconnecting client received.
   */
  watch(caller: Caller, request: WatchRequest, lastEventId: string | null): StreamSource {
    const query = watchQuery(this.ctx.db, caller, request)
    const begin = (reader: StreamReader) => {
      const channel =
        this.#channels.get(query.key) ?? new WatchChannel(this.ctx, this.streams, this.#history, query)
      this.#channels.set(query.key, channel)
      const watcher = new Watcher(reader, caller, request.changes === true, lastEventId)
      channel.join(watcher)
      return () => {
        channel.leave(watcher)
        if (channel.size > 0 || this.#channels.get(query.key) !== channel) return
        this.#channels.delete(query.key)
        channel.close()
      }
    }
    const isTouched: IsTouched = (rights) => !may(rights, query.structureId, 'read')
    return this.streams.open(caller, 'watches', query.key, begin, isTouched)
  }
}

/** The latest pages by the ids of their events, so that a reader that comes back is sent what changed since. */
type WatchHistory = BoundedCache<string, Versions>

/** Changes are collected for this long before they are sent. */
const MERGE_MS = 250
/** A query that failed is run again after this time. */
const RETRY_MS = 5_000

/** What a reader that comes back has received: whether it misses nothing, and for changes which page it knows. */
interface Resumption {
  readonly isKnown: boolean
  readonly versions: Versions | undefined
}

/** One reader of a channel. */
class Watcher {
  /** The page that was sent last. */
  #page: WatchedPage | undefined
  /** The data of the problem sent last, unless a page was sent after it. */
  #problem: string | undefined

  constructor(
    readonly reader: StreamReader,
    readonly caller: Caller,
    readonly wantsChanges: boolean,
    /** Names the event that it received last, before its connection broke. */
    readonly lastEventId: string | null,
  ) {}

  /** Sends the page, unless it is the one sent last; the first answer to a reader that comes back says what that misses. */
  send(page: WatchedPage, resume: (watcher: this, id: string) => Resumption): void {
    if (page === this.#page && this.#problem === undefined) return
    const isFirst = this.#page === undefined
    const resumed = isFirst && this.lastEventId !== null ? resume(this, this.lastEventId) : undefined
    const before = this.wantsChanges ? (this.#page?.versions ?? resumed?.versions) : undefined
    const event = page.since(before)
    this.#page = page
    this.#problem = undefined
    this.reader.send(resumed ? withResumed(event, resumed.isKnown) : event)
  }

  /** Sends a problem, unless it equals the one sent last. */
  sendProblem(problem: StreamEvent): void {
    if (this.#problem === problem.data) return
    this.#problem = problem.data
    this.reader.send(problem)
  }
}

const withResumed = (event: StreamEvent, isResumed: boolean): StreamEvent => ({
  ...event,
  data: event.data.replace('{', `{"resumed":${isResumed},`),
})

/** A page could not be read. Errors other than refusals are not described to clients. */
const problemEvent = (error: unknown): StreamEvent => ({
  name: 'problem',
  data: JSON.stringify(
    error instanceof Refusal
      ? { error: error.message, code: error.code }
      : { error: 'Something failed on the side of the service; the watch goes on.', code: 'internal' },
  ),
})

/** While the version of the structure, its rows and the view is the same, so is every page. */
const versionOf = (structure: StructureRow, view: RowViewRow | undefined): string =>
  `${structure.changes} ${structure.updatedAt} ${view?.updatedAt}`

/** All readers with the same query: it runs once for all of them, when one joins and when rows have changed. */
class WatchChannel {
  readonly #digest: string
  readonly #stopListening: () => void
  readonly #watchers = new Set<Watcher>()
  /** Those who are sent the page that is read next. */
  #due = new Set<Watcher>()
  /** Aborts a query that runs for readers who have all left. */
  readonly #abort = new AbortController()
  #latest: { readonly page: WatchedPage; readonly version: string } | undefined
  #timer: { readonly at: number; readonly stop: () => void } | undefined
  #isRunning = false

  constructor(
    private readonly ctx: AppContext,
    private readonly streams: Streams,
    private readonly history: WatchHistory,
    private readonly query: WatchQuery,
  ) {
    this.#digest = queryDigest(query.key)
    this.#stopListening = ctx.bus.onWake(query.structureId, () => this.#runWithin(MERGE_MS))
  }

  get size(): number {
    return this.#watchers.size
  }

  /** Adds a reader and sends it the page at once. */
  join(watcher: Watcher): void {
    this.#watchers.add(watcher)
    this.#due.add(watcher)
    void this.#run()
  }

  leave(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    this.#due.delete(watcher)
  }

  /** Must be called when the last reader has left. */
  close(): void {
    this.#stopListening()
    this.#abort.abort()
    this.#timer?.stop()
  }

  #runWithin(delayMs: number): void {
    const { clock } = this.ctx
    const at = clock.now() + delayMs
    if (this.#timer && this.#timer.at <= at) return
    this.#timer?.stop()
    const stop = clock.after(delayMs, () => {
      this.#timer = undefined
      this.#due = new Set(this.#watchers)
      void this.#run()
    })
    this.#timer = { at, stop }
  }

  /**
   * Never runs twice at once. A reader that joins while the page is read gets the next one: it may have written something
   * after the reading began, and must see that.
   */
  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    while (this.#due.size > 0) {
      await this.streams.turn()
      const due = [...this.#due]
      this.#due.clear()
      const isThere = (watcher: Watcher) => this.#watchers.has(watcher)
      if (due.some(isThere)) await this.#serve(due, isThere)
    }
    this.#isRunning = false
  }

  async #serve(due: readonly Watcher[], isThere: (watcher: Watcher) => boolean): Promise<void> {
    try {
      const page = await this.#readPage()
      await this.streams.inTurns(due.filter(isThere), (watcher) =>
        watcher.send(page, (from, id) => this.#resume(from, id, page)),
      )
    } catch (thrown) {
      const error = asUnavailable(thrown)
      if (error instanceof Refusal && error.code === 'not_found' && !this.#hasStructure) {
        for (const { reader } of [...this.#watchers]) reader.end(closedEvent('structure_deleted'))
        return
      }
      if (!(error instanceof Refusal)) this.ctx.log.error('a watch failed', { error: String(error) })
      for (const watcher of due.filter(isThere)) watcher.sendProblem(problemEvent(error))
      if (this.size > 0) this.#runWithin(RETRY_MS)
    }
  }

  /** Whether what is not found is the view. */
  get #hasStructure(): boolean {
    return (
      findStructure(this.ctx.db, wholeWorkspace(this.query.workspacePk), this.query.structureId) !== undefined
    )
  }

  async #readPage(): Promise<WatchedPage> {
    const { workspacePk, structureId, request } = this.query
    const { db } = this.ctx
    const known = this.#latest
    const requester = this.#requester()
    const view = request.view === undefined ? undefined : getRowView(db, requester, request.view)
    if (
      known &&
      known.version === versionOf(getStructure(db, wholeWorkspace(workspacePk), structureId, 'read'), view)
    )
      return known.page
    const found = await readPage(this.ctx, watchPageQuery, requester, request)
    const read = new WatchedPage(db, { workspacePk, digest: this.#digest, found })
    const page = read.text === known?.page.text ? known.page : read
    this.#latest = { page, version: versionOf(found.structure, view) }
    this.history.set(page.id, page.versions)
    return page
  }

  /** The change log tells whether anything is missed; the page itself is known for a while, or because it is the same still. */
  #resume({ wantsChanges }: Watcher, id: string, page: WatchedPage): Resumption {
    const isKnown = isKnownEvent(this.ctx.db, this.query.workspacePk, id, this.#digest)
    if (!isKnown || !wantsChanges) return { isKnown, versions: undefined }
    const versions = this.history.get(id) ?? (page.isContentOf(id) ? page.versions : undefined)
    return { isKnown: versions !== undefined, versions }
  }

  /** The query runs for the key of its first reader; each of its readers may read all rows. */
  #requester(): InWorkspace & Requester {
    const [first] = this.#watchers
    if (!first) throw new Error('a channel without readers runs no query')
    const { workspacePk, userId, keyId, surface } = first.caller
    return {
      ...wholeWorkspace(workspacePk),
      userId,
      keyId,
      surface,
      signal: this.#abort.signal,
      isBackground: true,
    }
  }
}
