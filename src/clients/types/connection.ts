import { DaybookError } from "./surface.ts"

interface Sent {
  query?: object
  /** Sent as JSON; a string is JSON already. */
  body?: object | string
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends requests to the daybook at `url`, with an API key. */
export class Daybook {
  readonly #url: string
  readonly #headers: Headers
  readonly #fetch: typeof globalThis.fetch

  constructor({
    url,
    key,
    fetch = globalThis.fetch,
  }: {
    url: string
    key: string
    fetch?: typeof globalThis.fetch
  }) {
    this.#url = new URL(url).href.replace(/\/$/, "")
    this.#headers = new Headers({ Authorization: `Bearer ${key}` })
    this.#fetch = fetch
  }

  /** Returns the response, whatever its status is. */
  send(method: string, path: string, { query, body, headers, signal }: Sent = {}): Promise<Response> {
    const sent = new Headers(this.#headers)
    for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value)
    if (body) sent.set("Content-Type", "application/json")
    // Browsers refuse to call it as a method of another object.
    const fetch = this.#fetch
    return fetch(`${this.#url}${path}${queryText(query)}`, {
      method,
      headers: sent,
      ...(body && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }

  /** Returns the response of a success; throws a `DaybookError` for any other. */
  async open(method: string, path: string, sent?: Sent): Promise<Response> {
    const response = await this.send(method, path, sent)
    if (!response.ok) throw await errorIn(response)
    return response
  }

  async json<T>(method: string, path: string, sent?: Sent): Promise<T> {
    const response = await this.open(method, path, sent)
    const text = await response.text()
    try {
      return JSON.parse(text) as T
    } catch {
      throw unexpected(response)
    }
  }
}

function queryText(query: object = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined)
      parameters.set(name, typeof value === "object" ? JSON.stringify(value) : String(value))
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

const unexpected = ({ status, url }: Response) =>
  new DaybookError(
    status,
    "unexpected_response",
    `${url} responded with ${status}, but not as a daybook server.`,
  )

/** The error of a response that is no success. */
async function errorIn(response: Response): Promise<DaybookError> {
  const body = (await response.json().catch(() => null)) as { error?: unknown; code?: unknown } | null
  if (typeof body?.error !== "string" || typeof body.code !== "string") return unexpected(response)
  return new DaybookError(response.status, body.code, body.error)
}

/** The retry delay of a stream unless the server sets it; each failure in a row doubles it. */
const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000
/** The longest delay that a server can set. */
const LONGEST_SET_RETRY_MS = 600_000
/** The server sends something every 25 seconds, so a connection that is silent for longer is dead. */
const SILENCE_MS = 60_000
const CLOSED_STATUS: Record<string, number> = {
  access_changed: 403,
  structure_deleted: 404,
  cursor_expired: 410,
}

export interface ServerEvent {
  id: string
  event: string
  data: string
}

type OpenEvents = (lastId: string, signal: AbortSignal) => Promise<Response>

interface StreamOptions {
  /** Ends the stream. */
  signal: AbortSignal
  /** Called with the reason when a stream breaks, before it is opened again. */
  onBreak?: (sentence: string) => void
  /** Calls an action after a delay, and returns the function that cancels it. */
  after?: (delayMs: number, action: () => void) => () => void
}

function afterDelay(delayMs: number, action: () => void): () => void {
  const timer = setTimeout(action, delayMs)
  return () => clearTimeout(timer)
}

/** Opens the stream at a path after the last event that was received. `queryOf` is called each time. */
export const eventsAt =
  (daybook: Daybook, path: string, queryOf: () => object | Promise<object>): OpenEvents =>
  async (lastId, signal) => {
    const headers = { Accept: "text/event-stream", ...(lastId !== "" && { "Last-Event-ID": lastId }) }
    const response = await daybook.open("GET", path, { query: await queryOf(), headers, signal })
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) return response
    throw unexpected(response)
  }

/**
 * The events of a stream that is opened again after the last one whenever it breaks, until the signal aborts. Throws a
 * `DaybookError` when the server refuses the stream, or closes it for good.
 */
export async function* received(
  open: OpenEvents,
  { signal, onBreak, after = afterDelay }: StreamOptions,
): AsyncGenerator<ServerEvent, void> {
  let lastId = ""
  let retryMs = RETRY_MS
  for (let failures = 0; !signal.aborted; failures += 1) {
    const connection = new AbortController()
    const disconnect = () => connection.abort()
    const onSilence = () => connection.abort(new Error("The stream was silent for a minute."))
    signal.addEventListener("abort", disconnect)
    let stopTimer = after(SILENCE_MS, onSilence)
    const onBytes = () => {
      stopTimer()
      stopTimer = after(SILENCE_MS, onSilence)
    }
    let reason = "The stream ended."
    try {
      const response = await open(lastId, connection.signal)
      for await (const event of eventsIn(response, onBytes, (ms) => (retryMs = ms))) {
        if (signal.aborted) return
        if (event.event === "closed") throwIfOver(JSON.parse(event.data) as { error: string; code: string })
        lastId = event.id || lastId
        failures = 0
        yield event
      }
    } catch (error) {
      if (signal.aborted) return
      // Anything else is the network, or a server that is away.
      if (error instanceof DaybookError && error.status < 500 && error.status !== 429) throw error
      reason = ((connection.signal.reason ?? error) as Error).message
    } finally {
      stopTimer()
      signal.removeEventListener("abort", disconnect)
      disconnect()
    }
    onBreak?.(reason)
    await pause(Math.min(retryMs * 2 ** failures, Math.max(retryMs, LONGEST_RETRY_MS)), signal, after)
  }
}

/** A server that shuts down may come back; any other end is final. */
function throwIfOver({ error, code }: { error: string; code: string }): void {
  throw new DaybookError(code === "shutting_down" ? 503 : (CLOSED_STATUS[code] ?? 401), code, error)
}

const pause = (ms: number, signal: AbortSignal, after: typeof afterDelay) =>
  new Promise<void>((done) => {
    const end = () => {
      cancel()
      signal.removeEventListener("abort", end)
      done()
    }
    const cancel = after(ms, end)
    signal.addEventListener("abort", end)
  })

/** The Server-Sent Events of a response, as they arrive. */
export async function* eventsIn(
  response: Response,
  onBytes = () => {},
  onRetry: (ms: number) => void = () => {},
): AsyncGenerator<ServerEvent, void> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let event: ServerEvent = { id: "", event: "", data: "" }
  for (;;) {
    const chunk = await reader?.read().catch(() => {
      throw new Error("The stream broke.")
    })
    if (!chunk || chunk.done) return
    onBytes()
    const text = decoder.decode(chunk.value, { stream: true })
    const end = text.lastIndexOf("\n")
    if (end === -1) {
      rest += text
      continue
    }
    const lines = (rest + text.slice(0, end)).split("\n")
    rest = text.slice(end + 1)
    for (const line of lines) {
      const [, name, value = ""] = /^(id|event|data|retry): ?(.*?)\r?$/.exec(line) ?? []
      if (name === "retry" && /^\d+$/.test(value)) onRetry(Math.min(Number(value), LONGEST_SET_RETRY_MS))
      else if (name === "data") event.data += event.data === "" ? value : `\n${value}`
      else if (name === "id" || name === "event") event[name] = value
      else if (line === "" || line === "\r") {
        if (event.data !== "") yield event
        event = { id: "", event: "", data: "" }
      }
    }
  }
}
