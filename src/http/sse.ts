import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { RequestContext } from './request-context.ts'

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
/** How long a connection may stand still once its stream is over; afterwards it may carry another request. */
const LAST_MS = 1_000
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

/**
 * Writes to a connection, in order, as fast as it takes things. It is written to directly: a reader that stands
 * still can then be let go at once, while a queue would first have to be read to its end.
 */
class Outflow {
  readonly #controller: ReadableStreamDirectController
  /** Whether the connection has yet to take what it was given last. */
  #isBusy = false
  readonly #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #isEnding = false
  #isOver = false
  readonly #over = Promise.withResolvers<void>()

  constructor(controller: ReadableStreamDirectController) {
    this.#controller = controller
  }

  /** How much waits behind what the connection was given last. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Settles when the connection is needed no more. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  write(bytes: Uint8Array): void {
    if (!this.#isBusy) this.#give(bytes)
    else {
      this.#waiting.push(bytes)
      this.#waitingBytes += bytes.byteLength
    }
  }

  /** Ends once everything is written. */
  end(): void {
    this.#isEnding = true
    if (!this.#isBusy) this.#close()
  }

  /** Ends at once; what waits is lost. */
  breakOff(): void {
    this.#close(new Error('the reader of a stream stands still'))
  }

  /** The connection is gone. */
  abandon(): void {
    this.#isOver = true
    this.#over.resolve()
  }

  #close(error?: Error): void {
    if (this.#isOver) return
    this.#controller.close(error)
    this.abandon()
  }

  #give(bytes: Uint8Array): void {
    const written: unknown = this.#controller.write(bytes)
    this.#controller.flush()
    if (!(written instanceof Promise)) return
    this.#isBusy = true
    written.then(
      () => this.#goOn(),
      () => {},
    )
  }

  #goOn(): void {
    if (this.#isOver) return
    this.#isBusy = false
    while (this.#waiting[0] && !this.#isBusy) {
      this.#waitingBytes -= this.#waiting[0].byteLength
      this.#give(this.#waiting[0])
      this.#waiting.shift()
    }
    if (this.#isEnding && !this.#isBusy) this.#close()
  }
}

/** One answer of Server-Sent Events that does not end by itself. */
class EventStream implements StreamReader {
  readonly type = 'direct'
  #outflow: Outflow | undefined
  #leave: (() => void) | undefined
  #stopAlive: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly begin: StreamSource,
    private readonly on: { over: () => void; cutOff: () => void },
  ) {}

  /** The connection is there; it is kept until this settles. */
  pull(controller: ReadableStreamDirectController): Promise<void> {
    const outflow = new Outflow(controller)
    this.#outflow = outflow
    this.#write(RETRY)
    this.#aliveLater()
    const leave = this.begin(this)
    if (this.#outflow) this.#leave = leave
    else leave()
    return outflow.over
  }

  /** The reader went away. */
  cancel(): void {
    this.#over()?.abandon()
  }

  send(event: StreamEvent): void {
    this.#write(bytesOf(event))
  }

  end(last: StreamEvent): void {
    const outflow = this.#over()
    outflow?.write(bytesOf(last))
    outflow?.end()
    if (outflow?.isBusy) this.clock.after(LAST_MS, () => outflow.breakOff())
  }

  /** One that stands still must not fill the memory; one that is only slow finds room again. */
  #write(bytes: Uint8Array): void {
    if (!this.#outflow) return
    if (this.#outflow.waitingBytes < MOST_WAITING_BYTES) this.#outflow.write(bytes)
    else this.#cutOff()
  }

  #cutOff(): void {
    this.#over()?.breakOff()
    this.on.cutOff()
  }

  #aliveLater(): void {
    this.#stopAlive = this.clock.after(ALIVE_EVERY_MS, () => {
      this.#aliveLater()
      this.#write(ALIVE)
    })
  }

  /** From here on nothing is written but what the answered outflow is still given. */
  #over(): Outflow | undefined {
    const outflow = this.#outflow
    if (!outflow) return undefined
    this.#outflow = undefined
    this.#stopAlive?.()
    this.#leave?.()
    this.on.over()
    return outflow
  }
}

/** The id of the last event that this client saw before its connection broke, as a browser sends it. */
export const lastEventId = ({ request }: RequestContext): string | null =>
  request.headers.get('last-event-id')

/**
 * Answers with a stream of Server-Sent Events: first how soon to come back, then what the source tells, and a
 * sign of life every 25 seconds. A reader for whom 1 MiB is waiting is cut off. `HEAD` begins nothing.
 */
export function eventStream(
  { clock, log }: { clock: Clock; log: Log },
  { request, server, requestId }: RequestContext,
  begin: StreamSource,
): Response {
  if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
  server.timeout(request, 0)
  const stream = new EventStream(clock, begin, {
    over: () => server.timeout(request, LAST_SECONDS),
    cutOff: () => log.warn('a reader of a stream stood still and was cut off', { request_id: requestId }),
  })
  return new Response(new ReadableStream(stream), { headers: HEADERS })
}
