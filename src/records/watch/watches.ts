import type { AppContext, Caller } from '../../context.ts'
import type { StreamReader, StreamSource } from '../../http/sse.ts'
import { unavailable } from '../../refusal.ts'
import { type RoomSharing, WatchRoom } from './channel.ts'
import { type ClosedCode, closedEvent } from './ending.ts'
import { WatchHistory } from './history.ts'
import { type KeyEnd, KeyWatch } from './key-expiry.ts'
import { type Question, questionOf, type WatchRequest } from './query.ts'
import { Turns } from './scheduler.ts'
import { Follower } from './subscriber.ts'

const CLOSED_BY_KEY: Record<KeyEnd, ClosedCode> = { revoked: 'key_revoked', expired: 'key_expired' }

/** Every watch that is open on a server (`service.md`, Watch stream; contract, section 6). */
export class Watches {
  readonly #sharing: RoomSharing
  readonly #keys: KeyWatch
  /** By the key of their question. */
  readonly #rooms = new Map<string, WatchRoom>()
  readonly #readers = new Set<StreamReader>()
  #isClosed = false

  constructor(ctx: AppContext) {
    this.#sharing = { ctx, turns: new Turns(), history: new WatchHistory(ctx.clock) }
    this.#keys = new KeyWatch(ctx)
  }

  get open(): { rooms: number; readers: number } {
    return { rooms: this.#rooms.size, readers: this.#readers.size }
  }

  /**
   * Judges the question at once, as the list would refuse it, and answers what tells a reader: the answer now
   * and after every change. `lastEventId` names the answer that the client saw last, if it comes back.
   */
  watch(caller: Caller, request: WatchRequest, lastEventId: string | null): StreamSource {
    if (this.#isClosed) throw unavailable('The server is shutting down; connect again in a moment.')
    const question = questionOf(this.#sharing.ctx.db, caller, request)
    return (reader) => {
      const follower = new Follower(reader, request.changes === true)
      const leaveRoom = this.#enter(question, follower, lastEventId ?? undefined)
      this.#readers.add(reader)
      const end = (why: KeyEnd) => reader.end(closedEvent(CLOSED_BY_KEY[why]))
      const letGoOfKey = caller.keyId === null ? undefined : this.#keys.onEnd(caller.keyId, end)
      return () => {
        this.#readers.delete(reader)
        letGoOfKey?.()
        leaveRoom()
      }
    }
  }

  /** Tells every reader that the server stops, and ends the streams. */
  close(): void {
    this.#isClosed = true
    const last = closedEvent('shutting_down')
    for (const reader of [...this.#readers]) reader.end(last)
  }

  #enter(question: Question, follower: Follower, lastEventId: string | undefined): () => void {
    const room = this.#rooms.get(question.key) ?? new WatchRoom(this.#sharing, question)
    this.#rooms.set(question.key, room)
    room.join(follower, lastEventId)
    return () => {
      room.leave(follower)
      if (room.size > 0 || this.#rooms.get(question.key) !== room) return
      this.#rooms.delete(question.key)
      room.close()
    }
  }
}
