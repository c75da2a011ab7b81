import { memoizeByObject } from '../lib/bounded-cache.ts'
import type { Clock } from '../lib/clock.ts'
import { escapeLineBoundaries } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import { ByteStream, streamedResponse } from '../lib/response-stream.ts'
import type { Exchange } from './exchange.ts'

/** One event; `data` is JSON text. */
export interface StreamEvent {
  readonly name: string
  readonly id?: string
  readonly data: string
}

/** The reasons for which the server ends a stream, with the sentence for the client. */
const CLOSED = {
  key_revoked: 'This API key was revoked, or its user may no longer read this workspace.',
  key_expired: 'This API key has expired.',
  session_ended: 'The session has ended; sign in again.',
  access_changed: 'The access of this key or member was changed; reconnect.',
  structure_deleted: 'The structure was deleted.',
  cursor_expired:
    'The changes after the last event are no longer stored; start again with GET /v1/changes/snapshot.',
  shutting_down: 'The server is shutting down; reconnect in a moment.',
} as const

export type ClosedCode = keyof typeof CLOSED

export const closedSentence = (code: ClosedCode): string => CLOSED[code]

/** The last event of a stream. */
export const closedEvent = (code: ClosedCode): StreamEvent => ({
  name: 'closed',
  data: JSON.stringify({ error: closedSentence(code), code }),
})

/** The client of a stream. */
export interface StreamReader {
  send(event: StreamEvent): void
  /** Sends several events as one; a list for many readers is encoded once. */
  sendAll(events: readonly StreamEvent[]): void
  /**
   * Resolves when the client has received everything sent; a client that takes longer than a minute is disconnected.
   */
  whenSent(withinMs?: number): Promise<void>
  /** Sends one more event, and ends the stream. */
  end(last: StreamEvent): void
}

/** Starts sending events to a reader. Returns a cleanup function, which is called once, however the stream ends. */
export type StreamSource = (reader: StreamReader) => () => void

/** With the charset, because some clients read text without one as Latin-1. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8'

const HEADERS = {
  'Content-Type': EVENT_STREAM,
  'Cache-Control': 'no-store',
  // Proxies must forward each event at once.
  'X-Accel-Buffering': 'no',
}
const KEEP_ALIVE_MS = 25_000
const MAX_QUEUED_BYTES = 1_048_576
/** Queued events go to the connection in parts of this size, because only the queue is discarded for a stalled reader. */
const PART_BYTES = 65_536
const EMPTY = new Uint8Array()
/** The time that a connection may stall after its stream has ended, before it is closed. */
const CLOSE_WITHIN_MS = 1_000
const CLOSE_WITHIN_SECONDS = 1
/** The time that a client may stall. */
const STALLED_MS = 60_000

const NOT_READ = new Error('the reader of a stream has stalled')

const encoder = new TextEncoder()
/*
 * The first block begins when the stream opens, and the first event completes it: many clients return a block without
 * data as an event. For the same reason, a comment before that event must not end the block.
 */
const RETRY = encoder.encode('retry: 2000\n')
const KEEP_ALIVE_IN_BLOCK = encoder.encode(': alive\n')
const KEEP_ALIVE = encoder.encode(': alive\n\n')

function textOf({ id, name, data }: StreamEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `${idLine}event: ${name}\ndata: ${escapeLineBoundaries(data)}\n\n`
}

/** Encodes events for many readers once. */
const bytesOf = memoizeByObject((sent: StreamEvent | readonly StreamEvent[]) =>
  encoder.encode('name' in sent ? textOf(sent) : sent.map(textOf).join('')),
)

/**
 * One response of Server-Sent Events, open until either side ends it. Events are queued here and not in the response, so
 * that a stalled reader can be disconnected without sending the rest first.
 */
class EventStream implements StreamReader {
  readonly stream = new ByteStream(this, { isDirect: true })
  /** Once it is ending, only queued bytes are sent. */
  #state: 'new' | 'open' | 'ending' | 'over' = 'new'
  /** Whether an event was sent. */
  #hasBegun = false
  #queue: Uint8Array[] = []
  #queuedBytes = 0
  /** Whether the client has received everything sent. */
  #isRequested = false
  /** Resolved when the client has received everything, or the stream is over. */
  #idle: PromiseWithResolvers<void> | undefined
  #stopSource: (() => void) | undefined
  #stopTimer = () => {}

  constructor(
    private readonly clock: Clock,
    private readonly source: StreamSource,
    private readonly on: { open: () => void; over: () => void; cutOff: () => void },
  ) {}

  request(): void {
    this.#isRequested = true
    if (this.#state === 'new') this.#open()
    else if (this.#queue.length > 0) this.#send(this.#takePart())
    else {
      this.#resolveIdle()
      if (this.#state === 'ending') this.stream.end()
    }
  }

  close(): void {
    this.#stop()
    this.#stopTimer()
    this.#state = 'over'
    this.#queue = []
    this.#resolveIdle()
  }

  send(event: StreamEvent): void {
    this.#hasBegun = true
    this.#write(bytesOf(event))
  }

  sendAll(events: readonly StreamEvent[]): void {
    if (events.length === 0) return
    this.#hasBegun = true
    this.#write(bytesOf(events))
  }

  async whenSent(withinMs = STALLED_MS): Promise<void> {
    if (this.#isRequested || this.#state !== 'open') return
    const cancel = this.clock.after(withinMs, () => this.#cutOff())
    this.#idle ??= Promise.withResolvers<void>()
    await this.#idle.promise
    cancel()
  }

  end(last: StreamEvent): void {
    if (this.#state !== 'open') return
    this.#stop()
    this.#state = 'ending'
    this.#stopTimer = this.clock.after(CLOSE_WITHIN_MS, () => this.stream.abort(NOT_READ))
    this.#enqueue(bytesOf(last))
  }

  /** The connection is ready. */
  #open(): void {
    this.#state = 'open'
    this.on.open()
    this.#write(RETRY)
    this.#scheduleKeepAlive()
    const stopSource = this.source(this)
    if (this.#state === 'open') this.#stopSource = stopSource
    else stopSource()
  }

  /** A stalled reader must not fill the memory; a slow one catches up. */
  #write(bytes: Uint8Array): void {
    if (this.#state !== 'open') return
    if (this.#queuedBytes < MAX_QUEUED_BYTES) this.#enqueue(bytes)
    else this.#cutOff()
  }

  /** Ends at once and discards the queue. */
  #cutOff(): void {
    if (this.#state !== 'open') return
    this.stream.abort(NOT_READ)
    this.on.cutOff()
  }

  #scheduleKeepAlive(): void {
    this.#stopTimer = this.clock.after(KEEP_ALIVE_MS, () => {
      this.#scheduleKeepAlive()
      this.#write(this.#hasBegun ? KEEP_ALIVE : KEEP_ALIVE_IN_BLOCK)
    })
  }

  /** Stops the source. */
  #stop(): void {
    if (this.#state !== 'open') return
    this.#stopTimer()
    this.#stopSource?.()
    this.on.over()
  }

  #enqueue(bytes: Uint8Array): void {
    if (this.#isRequested) this.#send(bytes)
    else {
      this.#queue.push(bytes)
      this.#queuedBytes += bytes.byteLength
    }
  }

  #send(bytes: Uint8Array): void {
    this.#isRequested = false
    this.stream.send(bytes)
  }

  /** Takes events from the queue, and at least one: a long event is sent alone, without a copy for each reader. */
  #takePart(): Uint8Array {
    let count = 0
    let bytes = 0
    for (const { byteLength } of this.#queue) {
      if (count > 0 && bytes + byteLength > PART_BYTES) break
      count += 1
      bytes += byteLength
    }
    const events = this.#queue.splice(0, count)
    this.#queuedBytes -= bytes
    const [first = EMPTY] = events
    return count === 1 ? first : Buffer.concat(events)
  }

  #resolveIdle(): void {
    this.#idle?.resolve()
    this.#idle = undefined
  }
}

/** The id of the last event that this client received before its connection broke, as browsers send it. */
export const lastEventId = ({ request }: Exchange): string | null => request.headers.get('last-event-id')

/**
 * A response of Server-Sent Events: the delay before reconnecting, the events of the source, and a comment every 25
 * seconds, which lets both sides notice a broken connection. A reader with 1 MiB queued is disconnected. `HEAD`
 * starts nothing.
 */
export function eventStream(
  { clock, log }: { clock: Clock; log: Log },
  { request, server, requestId }: Exchange,
  source: StreamSource,
): Response {
  if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
  const stream = new EventStream(clock, source, {
    open: () => server.timeout(request, 0),
    over: () => server.timeout(request, CLOSE_WITHIN_SECONDS),
    cutOff: () => log.warn('a stream was closed because its client stalled', { request_id: requestId }),
  })
  return streamedResponse(stream.stream.body, { headers: HEADERS })
}
