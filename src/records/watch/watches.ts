import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { requesterKey } from '../../db/worker/client.ts'
import type { RawCondition } from '../../filter/record/parse.ts'
import { closedEvent, type StreamReader, type StreamSource, StreamLimit } from '../../http/sse.ts'
import { BurstQueue, TurnQueue } from '../../lib/event-loop.ts'
import { unavailable } from '../../refusal.ts'
import { CredentialMonitor } from '../../sessions/credential-monitor.ts'
import { type ListRequest, listQuery } from '../query/list.ts'
import { parsed } from '../query/row-query.ts'
import { type Shared, Subscriber, WatchChannel, type WatchQuery } from './channel.ts'
import { WatchHistory } from './page.ts'

/** A watch as a client requests it. */
export type WatchRequest = Omit<ListRequest, 'offset'> & { changes?: boolean }

/** All open watches of a server. Those with the same query share a channel. */
export class Watches {
  readonly #shared: Shared
  readonly #credentials: CredentialMonitor
  /** By the key of their query. */
  readonly #channels = new Map<string, WatchChannel>()
  readonly #readers = new Set<StreamReader>()
  readonly #limit = new StreamLimit('watches')
  readonly #arrivals = new BurstQueue()
  #isClosed = false

  constructor(ctx: AppContext) {
    this.#shared = { ctx, turns: new TurnQueue(), history: new WatchHistory(ctx.clock) }
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
  watch(caller: Caller, request: WatchRequest, lastEventId: string | null): Promise<StreamSource> {
    return this.#arrivals.run(() => this.#source(caller, request, lastEventId))
  }

  #source(caller: Caller, request: WatchRequest, lastEventId: string | null): StreamSource {
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
  const request = parsed(sent)
  const { query, direction, page } = listQuery.plan(reader, { caller: { workspacePk }, request })
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
