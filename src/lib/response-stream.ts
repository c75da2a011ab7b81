import type { Clock } from './clock.ts'

/** Request headers for responses that `streamOf` can read. */
export const ACCEPTED = { 'Accept-Encoding': 'zstd, gzip' }

/**
 * The bytes of a response that was fetched with `decompress: false`. The runtime would decompress everything that has
 * arrived, however slowly it is read.
 */
export function streamOf({ headers, body }: Response): ReadableStream<Uint8Array> | null {
  const coding = headers.get('content-encoding')
  if (coding !== 'gzip' && coding !== 'zstd') return body
  // Types of browsers, which tests use, do not know zstd.
  return body?.pipeThrough(new DecompressionStream(coding as 'gzip')) ?? null
}

const STREAMED = Symbol('streamed')

/** A response whose body is generated while it is sent. */
export const streamedResponse = (body: ReadableStream, init: ResponseInit): Response =>
  Object.assign(new Response(body, init), { [STREAMED]: true })

/** Whether the body of a response is generated while it is sent, so that its length is not known in advance. */
export const isStreamed = (response: Response): boolean => STREAMED in response

/** Bytes that are read or generated while they are sent. */
export interface ByteParts {
  /** The next part, requested once the client has received those before it; undefined after the last. */
  next(): Promise<Uint8Array | undefined>
  /**
   * Called once, however the response ends: with the reason if it is aborted, without one if the client disconnected.
   */
  close?(reason?: unknown): void
}

/** The time that a client may accept no data. */
export interface StallLimit {
  readonly clock: Clock
  readonly ms: number
}

/** The owner of a `ByteStream`. */
interface ByteSource {
  /** Called when the client has received everything sent; `send` or `end` must follow, now or later. */
  request(): void
  /** Called once, with the reason if the response was aborted. */
  close(reason?: unknown): void
}

interface ByteStreamOptions {
  readonly stallLimit?: StallLimit | undefined
  /**
   * Whether the parts go to the connection without a queue between, which takes a sixth of the time from small parts.
   * Such a response cannot be compressed: only a connection slows it down.
   */
  readonly isDirect?: boolean
}

type Sink = Pick<ReadableStreamDirectController, 'write' | 'flush' | 'close'>

/** A response body that is sent part by part, as fast as the client accepts it. */
export class ByteStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #stallLimit: StallLimit | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #sink: Sink | undefined
  readonly #over = Promise.withResolvers<void>()
  #isRequested = false
  #isOver = false
  #stopTimer = () => {}

  constructor(
    private readonly source: ByteSource,
    { stallLimit, isDirect = false }: ByteStreamOptions = {},
  ) {
    this.#stallLimit = stallLimit
    this.body = isDirect ? this.#direct() : this.#queued()
  }

  #direct(): ReadableStream<Uint8Array> {
    const pull = (sink: Sink) => {
      this.#sink = sink
      this.#request()
      return this.#over.promise
    }
    // Types of browsers, which tests use, have no such kind.
    const source: object = { type: 'direct', pull, cancel: () => this.#finish() }
    return new ReadableStream(source)
  }

  #queued(): ReadableStream<Uint8Array> {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      this.#controller = controller
      this.#limitStall()
    }
    const pull = () => this.#request()
    return new ReadableStream({ start, pull, cancel: () => this.#finish() }, { highWaterMark: 0 })
  }

  /** Sends the requested part. */
  send(part: Uint8Array): void {
    if (this.#isOver) return
    this.#isRequested = false
    this.#limitStall()
    this.#controller?.enqueue(part)
    const written: unknown = this.#sink?.write(part)
    this.#sink?.flush()
    if (written instanceof Promise) written.then(() => this.#request()).catch(() => {})
    else if (this.#sink) this.#request()
  }

  end(): void {
    if (this.#isOver) return
    this.#finish()
    this.#controller?.close()
    this.#sink?.close()
  }

  /** Aborts the response, so that the client notices missing bytes. */
  abort(reason: Error): void {
    if (this.#isOver) return
    this.#finish(reason)
    this.#controller?.error(reason)
    this.#sink?.close(reason)
  }

  #request(): void {
    if (this.#isRequested || this.#isOver) return
    this.#isRequested = true
    this.#stopTimer()
    this.source.request()
  }

  #limitStall(): void {
    const { clock, ms = 0 } = this.#stallLimit ?? {}
    if (clock) this.#stopTimer = clock.after(ms, () => this.abort(new Error('the client stalled')))
  }

  #finish(reason?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stopTimer()
    this.source.close(reason)
    this.#over.resolve()
  }
}
