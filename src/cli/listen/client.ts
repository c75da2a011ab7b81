import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type Clock, sleep } from '../../lib/clock.ts'
import { trusting, untrustedSentence } from '../../lib/trust.ts'
import { refused } from '../../refusal.ts'

/** The address of a daybook server, and the key for it. */
export interface RemoteDaybook {
  readonly url: string
  readonly key: string
  /** Additional trusted certificates, in PEM. */
  readonly ca?: string | undefined
}

const FIRST_RETRY_MS = 2_000
/** The maximum retry delay, which each failure in a row doubles. */
const MAX_RETRY_MS = 30_000
/** The longest retry delay that a stream may request with `retry:`. */
const MAX_REQUESTED_RETRY_MS = 600_000
/** The server sends a comment every 25 seconds on an idle stream. */
const SILENCE_TIMEOUT_MS = 60_000
const RESPONSE_TIMEOUT_MS = 30_000

/** A failure that may be temporary. */
class Unavailable extends Error {}

async function errorSentence(response: Response): Promise<string> {
  const { status, headers } = response
  // Redirects are not followed: the key must not be sent to another host.
  if (headers.has('location')) return `It responded with ${status}, a redirect; set --url to its target.`
  const body: unknown = await response.json().catch(() => undefined)
  const { error } = (body ?? {}) as { error?: unknown }
  return typeof error === 'string' ? error : `It responded with ${status}, but not as a daybook server.`
}

/** Throws a failed request as Unavailable, or the signal's reason if the signal ended it. */
const throwUnavailable =
  ({ url }: RemoteDaybook, signal: AbortSignal) =>
  (error: unknown): never => {
    const { name, code = 'unknown' } = error as { name?: string; code?: string }
    const isTimeout = name === 'TimeoutError'
    if (!isTimeout) signal.throwIfAborted()
    const untrusted = untrustedSentence(url, code)
    if (untrusted !== undefined) throw refused(untrusted)
    throw new Unavailable(`${url} does not answer (${isTimeout ? 'timeout' : code}).`)
  }

async function request(
  daybook: RemoteDaybook,
  path: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(daybook.url + path, {
    headers: { ...headers, Authorization: `Bearer ${daybook.key}` },
    redirect: 'manual',
    signal,
    ...trusting(daybook.ca),
  }).catch(throwUnavailable(daybook, signal))
  if (response.ok) return response
  const sentence = await errorSentence(response)
  if (response.status >= 500 || response.status === 429) throw new Unavailable(sentence)
  throw refused(sentence)
}

const notADaybook = ({ url }: RemoteDaybook) =>
  refused(`${url} does not respond as a daybook server; check the address.`)

async function requestJson(daybook: RemoteDaybook, path: string, signal: AbortSignal): Promise<unknown> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)])
  const response = await request(daybook, path, either)
  const text = await response.text().catch(throwUnavailable(daybook, either))
  try {
    return JSON.parse(text)
  } catch {
    throw notADaybook(daybook)
  }
}

/** The id of the key's workspace. Throws an Error with the service's own sentence if the service refuses the key. */
export async function fetchWorkspaceId(daybook: RemoteDaybook, signal: AbortSignal): Promise<string> {
  const me = (await requestJson(daybook, '/v1/me', signal)) as { workspace_id?: unknown } | null
  if (typeof me?.workspace_id !== 'string') throw notADaybook(daybook)
  return me.workspace_id
}

/** The JSON of a response. Retries for as long as the server is unavailable. */
export async function requestUntilAnswered(
  daybook: RemoteDaybook,
  path: string,
  { clock, signal }: Pick<WatchOptions, 'clock' | 'signal'>,
): Promise<unknown> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await requestJson(daybook, path, signal)
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
    }
    await sleep(clock, retryDelay(failures, FIRST_RETRY_MS), signal)
  }
}

/** Whether a record exists and is not deleted. */
export async function recordExists(
  daybook: RemoteDaybook,
  { structureId, recordId }: { structureId: string; recordId: string },
  options: Pick<WatchOptions, 'clock' | 'signal'>,
): Promise<boolean> {
  const filter = JSON.stringify([{ field: 'id', op: 'eq', value: recordId }])
  const query = new URLSearchParams({ structure: structureId, filter, limit: '1' })
  const { total } = (await requestUntilAnswered(daybook, `/v1/records?${query}`, options)) as {
    total: number
  }
  return total > 0
}

export interface WatchOptions {
  readonly daybook: RemoteDaybook
  /** The path to watch, evaluated whenever the stream is opened. */
  path(): string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called after the stream has broken, before it is reopened. */
  onBreak(sentence: string): void
}

const retryDelay = (failures: number, firstMs: number): number =>
  Math.max(firstMs, Math.min(firstMs * 2 ** failures, MAX_RETRY_MS))

/** The state that is needed to reopen the stream. */
interface Progress {
  lastEventId: string
  /** The retry delay that the stream requested. */
  retryMs: number
  /** Failed attempts since the last `answer` event. */
  failures: number
}

/**
 * The events of a watch. A stream that breaks, or ends because the server stops, is reopened after the last event
 * received. Returns when the signal aborts; throws when the service refuses the watch.
 */
export async function* watchEvents(options: WatchOptions): AsyncGenerator<EventSourceMessage> {
  const { clock, signal, onBreak } = options
  const progress: Progress = { lastEventId: '', retryMs: FIRST_RETRY_MS, failures: 0 }
  while (!signal.aborted) {
    try {
      yield* streamEvents(options, progress)
      onBreak('The stream ended.')
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof Unavailable)) throw error
      onBreak(error.message)
    }
    await sleep(clock, retryDelay(progress.failures, progress.retryMs), signal)
    progress.failures += 1
  }
}

/** A server that shuts down may restart; any other reason for closing a stream is final. */
function throwIfShuttingDown({ event, data }: EventSourceMessage): void {
  if (event !== 'closed') return
  const { error, code } = JSON.parse(data) as { error: string; code: string }
  if (code === 'shutting_down') throw new Unavailable(error)
}

async function* streamEvents(
  { daybook, path, clock, signal }: WatchOptions,
  progress: Progress,
): AsyncGenerator<EventSourceMessage> {
  const silence = new AbortController()
  const either = AbortSignal.any([signal, silence.signal])
  let stopTimer = () => {}
  const restartTimer = () => {
    stopTimer()
    stopTimer = clock.after(SILENCE_TIMEOUT_MS, () => silence.abort())
  }
  const received: EventSourceMessage[] = []
  const parser = createParser({
    onEvent: (event) => void received.push(event),
    onRetry: (retryMs) => {
      progress.retryMs = Math.min(retryMs, MAX_REQUESTED_RETRY_MS)
    },
  })
  const decoder = new TextDecoder()
  restartTimer()
  try {
    const headers = progress.lastEventId === '' ? undefined : { 'Last-Event-ID': progress.lastEventId }
    const response = await request(daybook, path(), either, headers)
    for await (const bytes of chunksOf(response)) {
      restartTimer()
      parser.feed(decoder.decode(bytes, { stream: true }))
      for (const event of received.splice(0)) {
        throwIfShuttingDown(event)
        progress.lastEventId = event.id ?? progress.lastEventId
        if (event.event === 'answer') progress.failures = 0
        yield event
      }
    }
  } catch (error) {
    if (silence.signal.aborted) throw new Unavailable('The stream was silent for a minute.')
    throw error
  } finally {
    stopTimer()
  }
}

async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const body = response.body?.getReader()
  try {
    for (;;) {
      const chunk = await body?.read().catch(() => {
        throw new Unavailable('The stream broke.')
      })
      if (!chunk || chunk.done) return
      yield chunk.value
    }
  } finally {
    body?.cancel().catch(() => {})
  }
}
