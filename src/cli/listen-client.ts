import type { Clock } from '../lib/clock.ts'
import { refused } from '../refusal.ts'
import { EventReader, type StreamEvent } from './listen-stream.ts'

/** A daybook somewhere, seen through a key. */
export interface RemoteDaybook {
  readonly url: string
  readonly key: string
}

const FIRST_RETRY_MS = 2_000
/** A stream says that it is alive every 25 seconds. */
const MOST_SILENCE_MS = 60_000
const ANSWER_MS = 30_000

/** It may answer in a moment. */
class Unavailable extends Error {}

async function sentenceOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const { error } = (body ?? {}) as { error?: unknown }
  return typeof error === 'string' ? error : `It answered ${response.status}, not as a daybook does.`
}

async function ask(
  { url, key }: RemoteDaybook,
  path: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const request = { headers: { ...headers, Authorization: `Bearer ${key}` }, signal }
  const response = await fetch(url + path, request).catch((error: unknown) => {
    signal.throwIfAborted()
    const { code = 'unknown' } = error as { code?: string }
    throw new Unavailable(`${url} does not answer (${code}).`)
  })
  if (response.ok) return response
  const sentence = await sentenceOf(response)
  if (response.status >= 500 || response.status === 429) throw new Unavailable(sentence)
  throw refused(sentence)
}

/** Reads one JSON answer; throws an Error with the service's own sentence when it refuses. */
export async function readJson<Answer>(
  daybook: RemoteDaybook,
  path: string,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await ask(daybook, path, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]))
  return (await response.json()) as Answer
}

export interface WatchOptions {
  readonly daybook: RemoteDaybook
  readonly path: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Told when the stream broke and will be opened again. */
  onBreak(sentence: string): void
}

/** Aborts what it is given when nothing has come for a minute. */
class Silence {
  readonly #controller = new AbortController()
  #callOff = () => {}

  constructor(private readonly clock: Clock) {}

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  restart(): void {
    this.end()
    this.#callOff = this.clock.after(MOST_SILENCE_MS, () => this.#controller.abort())
  }

  end(): void {
    this.#callOff()
  }
}

/** Waits, or less when the signal comes first. */
const pause = (clock: Clock, milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const callOff = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', end)
      resolve()
    })
    const end = () => {
      callOff()
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })

/**
 * The events of a watch, for as long as it lasts: a stream that breaks is opened again after what it was seen to
 * say last. Ends when the signal comes; throws when the service refuses to watch.
 */
export async function* watchEvents(options: WatchOptions): AsyncGenerator<StreamEvent> {
  const { clock, signal, onBreak } = options
  const progress = { lastId: '', retryMs: FIRST_RETRY_MS }
  while (!signal.aborted) {
    try {
      yield* oneStream(options, progress)
      onBreak('The stream ended.')
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Unavailable)) throw error
      onBreak(error.message)
    }
    await pause(clock, progress.retryMs, signal)
  }
}

async function* oneStream(
  { daybook, path, clock, signal }: WatchOptions,
  progress: { lastId: string; retryMs: number },
): AsyncGenerator<StreamEvent> {
  const silence = new Silence(clock)
  const either = AbortSignal.any([signal, silence.signal])
  const reader = new EventReader(progress.retryMs)
  const decoder = new TextDecoder()
  silence.restart()
  try {
    const headers = progress.lastId === '' ? undefined : { 'Last-Event-ID': progress.lastId }
    const response = await ask(daybook, path, either, headers)
    for await (const bytes of piecesOf(response)) {
      silence.restart()
      for (const event of reader.feed(decoder.decode(bytes, { stream: true }))) {
        progress.lastId = event.id
        yield event
      }
      progress.retryMs = reader.retryMs
    }
  } catch (error) {
    if (silence.signal.aborted) throw new Unavailable('The stream was silent for a minute.')
    throw error
  } finally {
    silence.end()
  }
}

async function* piecesOf(response: Response): AsyncGenerator<Uint8Array> {
  const body = response.body?.getReader()
  for (;;) {
    const piece = await body?.read().catch(() => {
      throw new Unavailable('The stream broke.')
    })
    if (!piece || piece.done) return
    yield piece.value
  }
}
