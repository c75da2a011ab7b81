import type { Clock } from '../../lib/clock.ts'
import { refused } from '../../refusal.ts'
import { EventReader, type StreamEvent } from './stream.ts'

/** A daybook somewhere, seen through a key. */
export interface RemoteDaybook {
  readonly url: string
  readonly key: string
}

const FIRST_RETRY_MS = 2_000
/** Each failure in a row doubles the wait, up to this. */
const LONGEST_RETRY_MS = 30_000
/** A stream says that it is alive every 25 seconds. */
const MOST_SILENCE_MS = 60_000
const ANSWER_MS = 30_000

/** It may answer in a moment. */
class Unavailable extends Error {}

async function sentenceOf(response: Response): Promise<string> {
  const { status, headers } = response
  // A key does not go along to another host.
  if (headers.has('location')) return `It answered ${status}, a redirect; set --url to where it leads.`
  const body: unknown = await response.json().catch(() => undefined)
  const { error } = (body ?? {}) as { error?: unknown }
  return typeof error === 'string' ? error : `It answered ${status}, not as a daybook does.`
}

/** Turns whatever broke a call into a sentence, unless it was called off. */
const noAnswer =
  ({ url }: RemoteDaybook, signal: AbortSignal) =>
  (error: unknown): never => {
    const { name, code = 'unknown' } = error as { name?: string; code?: string }
    const isTooLate = name === 'TimeoutError'
    if (!isTooLate) signal.throwIfAborted()
    throw new Unavailable(`${url} does not answer (${isTooLate ? 'timeout' : code}).`)
  }

async function ask(
  daybook: RemoteDaybook,
  path: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(daybook.url + path, {
    headers: { ...headers, Authorization: `Bearer ${daybook.key}` },
    redirect: 'manual',
    signal,
  }).catch(noAnswer(daybook, signal))
  if (response.ok) return response
  const sentence = await sentenceOf(response)
  if (response.status >= 500 || response.status === 429) throw new Unavailable(sentence)
  throw refused(sentence)
}

async function readJson(daybook: RemoteDaybook, path: string, signal: AbortSignal): Promise<unknown> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  const response = await ask(daybook, path, inTime)
  const text = await response.text().catch(noAnswer(daybook, inTime))
  try {
    return JSON.parse(text)
  } catch {
    throw refused(`${daybook.url} does not answer as a daybook does.`)
  }
}

/** The workspace that the key opens; throws an Error with the service's own sentence when it refuses. */
export async function readWorkspaceId(daybook: RemoteDaybook, signal: AbortSignal): Promise<string> {
  const me = (await readJson(daybook, '/v1/me', signal)) as { workspace_id?: unknown } | null
  if (typeof me?.workspace_id !== 'string') throw refused(`${daybook.url} does not answer as a daybook does.`)
  return me.workspace_id
}

/** Whether a record is there; asks again for as long as the daybook does not answer. */
export async function recordExists(
  daybook: RemoteDaybook,
  { structureId, recordId }: { structureId: string; recordId: string },
  { clock, signal }: Pick<WatchOptions, 'clock' | 'signal'>,
): Promise<boolean> {
  const filter = JSON.stringify([{ field: 'id', op: 'eq', value: recordId }])
  const query = new URLSearchParams({ structure: structureId, filter, limit: '1' })
  for (let failures = 0; ; failures += 1) {
    try {
      const { total } = (await readJson(daybook, `/v1/records?${query}`, signal)) as { total: number }
      return total > 0
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
    }
    await pause(clock, waitAfter(failures, FIRST_RETRY_MS), signal)
  }
}

export interface WatchOptions {
  readonly daybook: RemoteDaybook
  /** Asked for anew whenever the stream is opened. */
  path(): string
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

const waitAfter = (failures: number, firstMs: number): number =>
  Math.max(firstMs, Math.min(firstMs * 2 ** failures, LONGEST_RETRY_MS))

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

interface Progress {
  lastId: string
  /** As the stream says. */
  retryMs: number
  /** Streams that ended without an answer since one brought some. */
  failures: number
}

/**
 * The events of a watch, for as long as it lasts: a stream that breaks, or ends because the server stops, is opened
 * again after what it was seen to say last. Ends when the signal comes; throws when the service refuses to watch.
 */
export async function* watchEvents(options: WatchOptions): AsyncGenerator<StreamEvent> {
  const { clock, signal, onBreak } = options
  const progress: Progress = { lastId: '', retryMs: FIRST_RETRY_MS, failures: 0 }
  while (!signal.aborted) {
    try {
      yield* oneStream(options, progress)
      onBreak('The stream ended.')
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Unavailable)) throw error
      onBreak(error.message)
    }
    await pause(clock, waitAfter(progress.failures, progress.retryMs), signal)
    progress.failures += 1
  }
}

/** A server that stops may be started again; whatever else closes a stream is final. */
function breakWhenStopping({ name, data }: StreamEvent): void {
  if (name !== 'closed') return
  const { error, code } = JSON.parse(data) as { error: string; code: string }
  if (code === 'shutting_down') throw new Unavailable(error)
}

async function* oneStream(
  { daybook, path, clock, signal }: WatchOptions,
  progress: Progress,
): AsyncGenerator<StreamEvent> {
  const silence = new Silence(clock)
  const either = AbortSignal.any([signal, silence.signal])
  const reader = new EventReader(progress.retryMs)
  const decoder = new TextDecoder()
  silence.restart()
  try {
    const headers = progress.lastId === '' ? undefined : { 'Last-Event-ID': progress.lastId }
    const response = await ask(daybook, path(), either, headers)
    for await (const bytes of piecesOf(response)) {
      silence.restart()
      for (const event of reader.feed(decoder.decode(bytes, { stream: true }))) {
        breakWhenStopping(event)
        progress.lastId = event.id
        if (event.name === 'answer') progress.failures = 0
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
  try {
    for (;;) {
      const piece = await body?.read().catch(() => {
        throw new Unavailable('The stream broke.')
      })
      if (!piece || piece.done) return
      yield piece.value
    }
  } finally {
    body?.cancel().catch(() => {})
  }
}
