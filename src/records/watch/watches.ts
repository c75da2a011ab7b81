import { may } from '../../access/rights.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { StreamReader, StreamSource } from '../../http/sse.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { IsTouched } from '../../sessions/credentials.ts'
import type { Streams } from '../../sessions/streams.ts'
import { WatchChannel, Watcher, type WatchHistory } from './channel.ts'
import { type WatchRequest, watchQuery } from './watched-page.ts'

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
