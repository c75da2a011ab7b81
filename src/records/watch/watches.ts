import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { requesterKey } from '../../db/worker/client.ts'
import type { RawCondition } from '../../filter/record/parse.ts'
import type { StreamReader, StreamSource } from '../../http/sse.ts'
import { unavailable } from '../../refusal.ts'
import { type ListRequest, listRead } from '../query/list.ts'
import { parsed } from '../query/row-query.ts'
import { Scheduler, type Shared, Subscriber, WatchChannel, type WatchQuery } from './channel.ts'
import { type KeyEnd, KeyExpiry } from './key-expiry.ts'
import { WatchLimit } from './limit.ts'
import { type ClosedCode, closedEvent, WatchHistory } from './page.ts'

/** A watch as a client requests it. */
export type WatchRequest = Omit<ListRequest, 'offset'> & { changes?: boolean }

const CLOSED_BY_KEY: Record<KeyEnd, ClosedCode> = { revoked: 'key_revoked', expired: 'key_expired' }

/** All open watches of a server. Those with the same query share a channel. */
export class Watches {
  readonly #shared: Shared
  readonly #keys: KeyExpiry
  /** By the key of their query. */
  readonly #channels = new Map<string, WatchChannel>()
  readonly #readers = new Set<StreamReader>()
  readonly #limit = new WatchLimit()
  #isClosed = false

  constructor(ctx: AppContext) {
    this.#shared = { ctx, scheduler: new Scheduler(), history: new WatchHistory(ctx.clock) }
    this.#keys = new KeyExpiry(ctx)
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
      const end = (why: KeyEnd) => reader.end(closedEvent(CLOSED_BY_KEY[why]))
      const releaseKey = caller.keyId === null ? undefined : this.#keys.onEnd(caller.keyId, end)
      return () => {
        this.#readers.delete(reader)
        uncount()
        releaseKey?.()
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

/** Parses and checks the request as the list does, and brings it into a canonical form. */
function watchQuery(
  reader: Reader,
  { workspacePk }: InWorkspace,
  { changes: _, ...sent }: WatchRequest,
): WatchQuery {
  const request = parsed(sent)
  const { query, direction, page } = listRead.plan(reader, { caller: { workspacePk }, request })
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
