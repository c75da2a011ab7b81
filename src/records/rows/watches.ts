import { isDeepStrictEqual } from 'node:util'
import { type AppContext, type Caller, wholeWorkspace } from '../../context.ts'
import { tooManyUnread } from '../../http/responses.ts'
import { closedEvent, type StreamEvent, type StreamReader, type StreamSource } from '../../http/sse.ts'
import { type Credential, credentialNamed, streamCredential } from '../../kernel/call.ts'
import { callerKeyOf, grantOf, may } from '../../kernel/caller.ts'
import { BoundedCache, memoize } from '../../lib/bounded-cache.ts'
import { Refusal } from '../../lib/refusal.ts'
import { findPosition, hasAllAfter } from '../../log/cursors.ts'
import type { Streams } from '../../people/sessions/streams.ts'
import { asUnavailable } from '../../storage/errors.ts'
import { findStructure, getStructure, type StructureRow } from '../structures/store.ts'
import { getRowView, type RowViewRow } from '../views/service.ts'
import { type Versions, WatchedPage } from './present.ts'
import { linkedStructures, type WatchQuery, type WatchRequest, watchPage, watchQuery } from './watch-query.ts'

const MAX_PAGES = 200

/** All open watches of a server. Watches with the same query share a channel. */
export class Watches {
  /** Keyed by query. */
  readonly #channels = new Map<string, WatchChannel>()
  /** The latest pages by event id, for sending reconnecting readers only the changes. */
  readonly #history = new BoundedCache<string, Versions>(MAX_PAGES)

  constructor(
    private readonly ctx: AppContext,
    private readonly streams: Streams,
  ) {}

  get open(): { channels: number; readers: number } {
    const sizes = [...this.#channels.values()].map(({ size }) => size)
    return { channels: sizes.length, readers: sizes.reduce((sum, size) => sum + size, 0) }
  }

  /**
   * Returns a source that sends the page now and after every change. Refuses immediately what the list would refuse,
   * and queries over the limit of one key. `lastEventId` is the last event that a reconnecting client received.
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
    const isTouched = (rights: Caller['rights']) =>
      !may(rights, query.structureId, 'read') ||
      (query.dependsOnAccess && !isDeepStrictEqual(rights, query.rights))
    return this.streams.open(caller, 'watches', query.key, begin, isTouched)
  }
}

/** Changes are collected for this long before they are sent. */
const MERGE_MS = 250
/** Delay before a failed query is retried. */
const RETRY_MS = 5_000

/** The state of a reconnecting reader: whether it is up to date, and its page if it reads changes. */
interface Resumption {
  readonly isKnown: boolean
  readonly versions: Versions | undefined
}

/**
 * Maximum number of cached events while a page is sent. All readers with the same known page share one, as long as the
 * page itself.
 */
const MAX_EVENTS = 10

/** One reader of a channel. */
class Watcher {
  /** The last page sent. */
  #page: WatchedPage | undefined
  /** The data of the last problem sent, unless a page was sent after it. */
  #problem: string | undefined

  constructor(
    readonly reader: StreamReader,
    readonly caller: Caller,
    readonly wantsChanges: boolean,
    /** The last event that it received before its connection broke. */
    readonly lastEventId: string | null,
  ) {}

  /** Whether the page differs from the last page sent, or a problem was sent after that page. */
  lacks(page: WatchedPage): boolean {
    return !page.isSameAs(this.#page) || this.#problem !== undefined
  }

  /** Sends the page. The first answer to a reconnecting reader says what it missed. */
  send(page: WatchedPage, since: WatchedPage['since'], resume: (of: this, id: string) => Resumption): void {
    const isFirst = this.#page === undefined
    const resumed = isFirst && this.lastEventId !== null ? resume(this, this.lastEventId) : undefined
    const before = this.wantsChanges ? (this.#page?.versions ?? resumed?.versions) : undefined
    const event = since(before)
    this.#page = page
    this.#problem = undefined
    this.reader.send(resumed ? withResumed(event, resumed.isKnown) : event)
  }

  /** Sends a problem, unless it equals the last one sent. */
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

/** A page that could not be read. Clients get no description of errors other than refusals. */
const problemEvent = (error: unknown): StreamEvent => ({
  name: 'problem',
  data: JSON.stringify(
    error instanceof Refusal
      ? { error: error.message, code: error.code }
      : { error: 'Something failed on the side of the service; the watch goes on.', code: 'internal' },
  ),
})

const READING = { needsOwner: false, needsWrite: false, covers: 'structures', isNamed: false } as const
/** A caller with permissions that never end. Streams end when their readers lose permission. */
const WHOLE = {
  keyId: null,
  keyName: null,
  scope: 'read',
  role: 'viewer',
  mayWrite: false,
} as const

/** Pages are unchanged while the version of the structure, its rows and the view is unchanged. */
const versionOf = (structure: StructureRow, view: RowViewRow | undefined): string =>
  `${structure.changes} ${structure.updatedAt} ${view?.updatedAt}`

/** The roll-ups now count rows of other structures, which readers may not be allowed to read: they must reconnect. */
class LinksChanged extends Error {}

/** All readers with the same query. It runs once for all of them, when a reader joins and when rows have changed. */
class WatchChannel {
  readonly #stopListening: readonly (() => void)[]
  readonly #watchers = new Set<Watcher>()
  /** Watchers that receive the next page read. */
  #due = new Set<Watcher>()
  /** Aborts a running query once all its readers have left. */
  readonly #abort = new AbortController()
  #latest: { readonly page: WatchedPage; readonly version: string } | undefined
  #timer: { readonly at: number; readonly stop: () => void } | undefined
  #isRunning = false

  constructor(
    private readonly ctx: AppContext,
    private readonly streams: Streams,
    private readonly history: BoundedCache<string, Versions>,
    private readonly query: WatchQuery,
  ) {
    this.#stopListening = query.structureIds.map((id) =>
      ctx.bus.onChange(id, () => this.#runWithin(MERGE_MS)),
    )
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
    for (const stop of this.#stopListening) stop()
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
   * Never runs twice at once. A reader that joins during a run gets the next page. The reader may have written after
   * the run began, and must see that write.
   */
  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    while (this.#due.size > 0) {
      await this.streams.untilFree()
      const due = [...this.#due]
      this.#due.clear()
      if (due.some(this.#isThere)) await this.#serve(due)
    }
    this.#isRunning = false
  }

  readonly #isThere = (watcher: Watcher) => this.#watchers.has(watcher)

  async #serve(due: readonly Watcher[]): Promise<void> {
    try {
      const known = this.#latest?.page
      // A page without recipients is not read.
      if (known && !due.some((one) => this.streams.hasRoom(known.length, one)))
        return this.#sendProblem(this.#lacking(due, known), tooManyUnread())
      const page = await this.#readPage()
      await this.#send(page, due).finally(() => page.release())
    } catch (thrown) {
      if (thrown instanceof LinksChanged) {
        for (const { reader } of [...this.#watchers]) reader.end(closedEvent('access_changed'))
        return
      }
      const error = asUnavailable(thrown)
      const { workspacePk, structureId } = this.query
      const isGone = () => findStructure(this.ctx.db, wholeWorkspace(workspacePk), structureId) === undefined
      // The missing object may be the view.
      if (error instanceof Refusal && error.code === 'not_found' && isGone()) {
        for (const { reader } of [...this.#watchers]) reader.end(closedEvent('structure_deleted'))
        return
      }
      if (!(error instanceof Refusal)) this.ctx.log.error('a watch failed', { error: String(error) })
      this.#sendProblem(due, error)
    }
  }

  /** Sends the problem to the readers that are still connected, and serves all of them again later. */
  #sendProblem(due: readonly Watcher[], error: unknown): void {
    for (const watcher of due.filter(this.#isThere)) watcher.sendProblem(problemEvent(error))
    if (this.size > 0) this.#runWithin(RETRY_MS)
  }

  #lacking(due: readonly Watcher[], page: WatchedPage): Watcher[] {
    return due.filter((one) => this.#isThere(one) && one.lacks(page))
  }

  async #send(page: WatchedPage, due: readonly Watcher[]): Promise<void> {
    const since = memoize((before: Versions | undefined) => page.since(before), MAX_EVENTS)
    const resume = (watcher: Watcher, id: string) => this.#resume(watcher, id, page)
    const lacking = this.#lacking(due, page)
    const refused = await this.streams.send(page.length, lacking, (one) => one.send(page, since, resume))
    if (refused.length > 0) this.#sendProblem(refused, tooManyUnread())
  }

  async #readPage(): Promise<WatchedPage> {
    const { structureId, request } = this.query
    const { db, kernel } = this.ctx
    const known = this.#latest
    const credential = this.#credential()
    const place = { ...credential.grant, rights: undefined }
    const view = request.view === undefined ? undefined : getRowView(db, place, request.view)
    const structure = getStructure(db, place, structureId, 'read')
    if (!isDeepStrictEqual(linkedStructures(structure), this.query.linked)) throw new LinksChanged()
    // The version does not cover other objects.
    const isUnchanged = !this.query.dependsOnAccess && known?.version === versionOf(structure, view)
    if (known?.page.isKept && isUnchanged) return known.page
    const found = await kernel.call(watchPage, credential, request)
    const read = new WatchedPage(db, this.query, found)
    const page = known?.page.isKept && read.isSameAs(known.page) ? known.page : read
    this.#latest = { page, version: versionOf(found.structure, view) }
    this.history.set(page.id, page.versions)
    return page
  }

  /**
   * A reader misses nothing if its event has this query and database state, and the log still has all later changes.
   * The page itself is known while it is in the history, or if it is unchanged.
   */
  #resume({ wantsChanges }: Watcher, id: string, page: WatchedPage): Resumption {
    const [{ db }, { workspacePk, digest }] = [this.ctx, this.query]
    const [epoch, number, query] = id.split('-')
    const position = query === digest ? findPosition(db, workspacePk, `${epoch}-${number}`) : undefined
    const isKnown = position !== undefined && hasAllAfter(db, workspacePk, position)
    if (!isKnown || !wantsChanges) return { isKnown, versions: undefined }
    const versions = this.history.get(id) ?? (page.isContentOf(id) ? page.versions : undefined)
    return { isKnown: versions !== undefined, versions }
  }

  /** The query is scheduled as one of the first reader. It sees all rows, because every reader may read them. */
  #credential(): Credential {
    const [first] = this.#watchers
    if (!first) throw new Error('a channel without readers runs no query')
    const { userId, surface } = first.caller
    const { signal } = this.#abort
    const caller = {
      ...WHOLE,
      rights: this.query.rights,
      workspacePk: this.query.workspacePk,
      workspaceId: first.caller.workspaceId,
      userId,
      surface,
    }
    return streamCredential(credentialNamed(callerKeyOf(first.caller), grantOf(caller, READING)), signal)
  }
}
