import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { exchangeOf } from './exchange.ts'

/** Something to tell; `data` is JSON text, and so has no line breaks. */
export interface StreamEvent {
  readonly name: string
  readonly id?: string
  readonly data: string
}

/** The other end of a stream. */
export interface StreamReader {
  send(event: StreamEvent): void
  /** Tells one thing more, and ends the stream. */
  end(last: StreamEvent): void
}

/** Begins to tell a reader of something; answers how to stop, which is called once, however the stream ends. */
export type StreamSource = (reader: StreamReader) => () => void

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Proxies must pass on each event as it comes.
  'X-Accel-Buffering': 'no',
}
const ALIVE_EVERY_MS = 25_000
const MOST_WAITING_BYTES = 1_048_576
/** How long a connection may stand still once its stream is over. */
const LAST_SECONDS = 1

const encoder = new TextEncoder()
const RETRY = encoder.encode('retry: 2000\n\n')
const ALIVE = encoder.encode(': alive\n\n')

/** An event that goes to many readers is written out once. */
const written = new WeakMap<StreamEvent, Uint8Array>()

function bytesOf(event: StreamEvent): Uint8Array {
  const known = written.get(event)
  if (known) return known
  const id = event.id === undefined ? '' : `id: ${event.id}\n`
  const bytes = encoder.encode(`${id}event: ${event.name}\ndata: ${event.data}\n\n`)
  written.set(event, bytes)
  return bytes
}

type Controller = ReadableStreamDefaultController<Uint8Array>

/** One answer of Server-Sent Events that does not end by itself. */
class EventStream implements StreamReader {
  #controller: Controller | undefined
  #leave: (() => void) | undefined
  #stopAlive: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly begin: StreamSource,
    private readonly on: { over: () => void; cutOff: () => void },
  ) {}

  start(controller: Controller): void {
    this.#controller = controller
    controller.enqueue(RETRY)
    this.#aliveLater()
    const leave = this.begin(this)
    if (this.#controller) this.#leave = leave
    else leave()
  }

  /** The reader went away. */
  cancel(): void {
    this.#over()
  }

  send(event: StreamEvent): void {
    this.#write(bytesOf(event))
  }

  end(last: StreamEvent): void {
    const controller = this.#over()
    controller?.enqueue(bytesOf(last))
    controller?.close()
  }

  /** One that stands still must not fill the memory; one that is only slow finds room again. */
  #write(bytes: Uint8Array): void {
    if (!this.#controller) return
    if ((this.#controller.desiredSize ?? 0) > 0) this.#controller.enqueue(bytes)
    else this.#cutOff()
  }

  #cutOff(): void {
    this.#over()?.error(new Error('the reader of a stream stands still'))
    this.on.cutOff()
  }

  #aliveLater(): void {
    this.#stopAlive = this.clock.after(ALIVE_EVERY_MS, () => {
      this.#aliveLater()
      this.#write(ALIVE)
    })
  }

  /** From here on nothing is written but what the answered controller is still given. */
  #over(): Controller | undefined {
    const controller = this.#controller
    if (!controller) return undefined
    this.#controller = undefined
    this.#stopAlive?.()
    this.#leave?.()
    this.on.over()
    return controller
  }
}

/**
 * Answers with a stream of Server-Sent Events: first how soon to come back, then what the source tells, and a
 * sign of life every 25 seconds. A reader for whom 1 MiB is waiting is cut off. `HEAD` begins nothing.
 */
export function eventStream(
  { clock, log }: { clock: Clock; log: Log },
  request: Request,
  begin: StreamSource,
): Response {
  const { isHead, limitIdle, requestId } = exchangeOf(request)
  if (isHead) return new Response(null, { headers: HEADERS })
  limitIdle(0)
  const stream = new EventStream(clock, begin, {
    over: () => limitIdle(LAST_SECONDS),
    cutOff: () => log.warn('a reader of a stream stood still and was cut off', { request_id: requestId }),
  })
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES })
  return new Response(new ReadableStream(stream, strategy), { headers: HEADERS })
}
