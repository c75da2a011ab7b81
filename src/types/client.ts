import {
  type Answer,
  type Bucket,
  type Change,
  type Changes,
  type Client,
  DaybookError,
  IDS,
  type Id,
  type Input,
  type Kind,
  type Make,
  type Name,
  type Note,
  type NoteId,
  type Notes,
  type Query,
  type Records,
  type Row,
} from "./surface.ts"

/** A client of the daybook at `url`, with an API key of the workspace. */
export function createClient(options: { url: string; key: string; fetch?: typeof globalThis.fetch }): Client {
  const daybook = new Daybook(options)
  return {
    records: (name) => recordsOf(daybook, name),
    notes: notesOf(daybook),
    changes: changesOf(daybook),
  }
}

interface Sent {
  query?: object
  body?: object
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends requests and throws unsuccessful responses. */
class Daybook {
  readonly #url: string
  readonly #headers: Headers
  readonly #fetch: typeof globalThis.fetch

  constructor({ url, key, fetch = globalThis.fetch }: Parameters<typeof createClient>[0]) {
    this.#url = new URL(url).href.replace(/\/$/, "")
    this.#headers = new Headers({ Authorization: `Bearer ${key}` })
    this.#fetch = fetch
  }

  async open(method: string, path: string, { query, body, headers, signal }: Sent = {}): Promise<Response> {
    const sent = new Headers(this.#headers)
    for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value)
    if (body) sent.set("Content-Type", "application/json")
    // Browsers refuse to call it as a method of another object.
    const fetch = this.#fetch
    const response = await fetch(`${this.#url}${path}${queryText(query)}`, {
      method,
      headers: sent,
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
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
  new DaybookError(status, "unexpected_response", `${url} answered ${status}, but not as a daybook server.`)

async function errorIn(response: Response): Promise<DaybookError> {
  const body = (await response.json().catch(() => null)) as { error?: unknown; code?: unknown } | null
  if (typeof body?.error !== "string" || typeof body.code !== "string") return unexpected(response)
  return new DaybookError(response.status, body.code, body.error)
}

function recordsOf<N extends Name>(daybook: Daybook, name: N): Records<N> {
  const structure = IDS.get(name)
  if (structure === undefined)
    throw new DaybookError(
      404,
      "not_found",
      `There was no structure "${name}" when the types were generated.`,
    )
  const pathOf = (id: Id<N>) => `/v1/records/${encodeURIComponent(id)}`
  const queryOf = ({ search, filter = [], ...query }: Query<N> & { changes?: boolean }) => ({
    structure,
    ...query,
    filter: search === undefined ? filter : [...filter, { field: "*", op: "contains", value: search }],
  })
  const createMany = async (rows: Input<N>[], { on_conflict, idempotency_key }: Make = {}) => {
    const { records } = await daybook.json<{ records: Row<N>[] }>("POST", "/v1/records", {
      body: { structure, rows: rows.map((data) => ({ data })), ...(on_conflict && { on_conflict }) },
      headers: idempotency_key === undefined ? {} : { "Idempotency-Key": idempotency_key },
    })
    return records
  }
  return {
    list: (query = {}) => daybook.json("GET", "/v1/records", { query: queryOf(query) }),
    get: async (id) => {
      type Found = { record: Row<N>; structure_id: string }
      const { record, structure_id } = await daybook.json<Found>("GET", pathOf(id))
      if (structure_id === structure) return record
      throw new DaybookError(404, "not_found", `This record does not belong to "${name}".`)
    },
    create: async (data, options) => {
      const [row] = await createMany([data], options)
      return row as Row<N>
    },
    createMany,
    update: async (id, data, options) =>
      (await daybook.json<{ record: Row<N> }>("PATCH", pathOf(id), { body: { data, ...options } })).record,
    delete: async (id) => {
      await daybook.json("DELETE", pathOf(id))
    },
    summary: async (query) => {
      const sent = { query: { structure, ...query } }
      return (await daybook.json<{ buckets: Bucket[] }>("GET", "/v1/records/summary", sent)).buckets
    },
    watch: (query = {}, options = {}) =>
      stream(options.signal, async function* (signal): AsyncGenerator<Answer<N>, void> {
        const open = eventsAt(daybook, "/v1/records/watch", () => queryOf(query))
        for await (const { event, data } of received(open, signal)) {
          if (event !== "answer") continue
          const { records, total, has_more, changes } = JSON.parse(data) as Answer<N>
          yield { records, total, has_more, ...(changes && { changes }) }
        }
      }),
  }
}

function notesOf(daybook: Daybook): Notes {
  type Found = { note: Note }
  const pathOf = (id: NoteId) => `/v1/notes/${encodeURIComponent(id)}`
  const get = async (id: NoteId) => (await daybook.json<Found>("GET", pathOf(id))).note
  return {
    list: (query = {}) => daybook.json("GET", "/v1/notes", { query }),
    get,
    create: async (body) => {
      type Created = Found & { properties_error: { error: string; code: string } | null }
      const { note, properties_error: refusal } = await daybook.json<Created>("POST", "/v1/notes", { body })
      if (refusal) throw new DaybookError(201, refusal.code, refusal.error)
      return note
    },
    update: async (id, { properties, ...patch }, options) => {
      const { note } = await daybook.json<Found>("PATCH", pathOf(id), { body: { ...patch, ...options } })
      if (!properties) return note
      await daybook.json("PATCH", `${pathOf(id)}/properties`, { body: properties })
      return get(id)
    },
    append: async (id, body) => (await daybook.json<Found>("POST", `${pathOf(id)}/append`, { body })).note,
    delete: async (id) => {
      await daybook.json("DELETE", pathOf(id))
    },
  }
}

/** The API represents the ids of tags as numbers. */
const withTextId = (change: Change): Change => ({ ...change, id: String(change.id) })

function changesOf(daybook: Daybook): Changes {
  type Listed = Awaited<ReturnType<Changes["list"]>>
  const path = "/v1/changes"
  const queryOf = <Q extends { kinds?: Kind[] }>({ kinds, ...query }: Q) => ({
    ...query,
    ...(kinds && { kinds: kinds.join(",") }),
  })
  return {
    list: async (query = {}) => {
      const page = await daybook.json<Listed>("GET", path, { query: queryOf(query) })
      return { ...page, changes: page.changes.map(withTextId) }
    },
    follow: ({ signal: ending, ...query } = {}) =>
      stream(ending, async function* (signal): AsyncGenerator<Change, void> {
        let after = query.after
        const open = eventsAt(daybook, path, async () => {
          // A stream that breaks before its first event must not restart at a later "now".
          if (after === "now") {
            const now = { query: { after, limit: 1 }, signal }
            after = (await daybook.json<Listed>("GET", path, now)).cursor
          }
          return { ...queryOf(query), ...(after !== undefined && { after }) }
        })
        for await (const { event, data } of received(open, signal))
          if (event === "change") yield withTextId(JSON.parse(data) as Change)
      }),
  }
}

/** The retry delay of a stream unless the server sets it; each failure in a row doubles it. */
const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000
/** The server sends something every 25 seconds, so a connection that is silent for longer is dead. */
const SILENCE_MS = 60_000
const CLOSED_STATUS: Record<string, number> = {
  access_changed: 403,
  structure_deleted: 404,
  cursor_expired: 410,
}

interface ServerEvent {
  id: string
  event: string
  data: string
}

type OpenEvents = (lastId: string, signal: AbortSignal) => Promise<Response>

/** An iterable with a separate stream for each iteration, which ends with the signal or with the iteration. */
const stream = <T>(
  ending: AbortSignal | undefined,
  open: (signal: AbortSignal) => AsyncGenerator<T, void>,
): AsyncIterable<T> => ({
  [Symbol.asyncIterator]() {
    const ended = new AbortController()
    const end = () => ended.abort()
    if (ending?.aborted) end()
    else ending?.addEventListener("abort", end, { signal: ended.signal })
    const items = open(ended.signal)
    return {
      next: () => items.next(),
      return: () => {
        end()
        return items.return()
      },
    }
  },
})

const eventsAt =
  (daybook: Daybook, path: string, queryOf: () => object | Promise<object>): OpenEvents =>
  async (lastId, signal) => {
    const headers = { Accept: "text/event-stream", ...(lastId !== "" && { "Last-Event-ID": lastId }) }
    const response = await daybook.open("GET", path, { query: await queryOf(), headers, signal })
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) return response
    throw unexpected(response)
  }

/** The events of a stream that is reopened after the last one whenever it breaks, until the signal aborts. */
async function* received(open: OpenEvents, signal: AbortSignal): AsyncGenerator<ServerEvent, void> {
  let lastId = ""
  let retryMs = RETRY_MS
  for (let failures = 0; !signal.aborted; failures += 1) {
    const connection = new AbortController()
    const disconnect = () => connection.abort()
    signal.addEventListener("abort", disconnect)
    let silence = setTimeout(disconnect, SILENCE_MS)
    const onBytes = () => {
      clearTimeout(silence)
      silence = setTimeout(disconnect, SILENCE_MS)
    }
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
      // Anything else is a network failure or an unavailable server.
      if (error instanceof DaybookError && error.status < 500 && error.status !== 429) throw error
    } finally {
      clearTimeout(silence)
      signal.removeEventListener("abort", disconnect)
      disconnect()
    }
    await pause(Math.min(retryMs * 2 ** failures, Math.max(retryMs, LONGEST_RETRY_MS)), signal)
  }
}

/** A server that shuts down may restart; any other end is final. */
function throwIfOver({ error, code }: { error: string; code: string }): void {
  if (code !== "shutting_down") throw new DaybookError(CLOSED_STATUS[code] ?? 401, code, error)
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      done()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener("abort", end)
  })

/** Server-Sent Events, as they arrive. */
async function* eventsIn(
  response: Response,
  onBytes: () => void,
  onRetry: (ms: number) => void,
): AsyncGenerator<ServerEvent, void> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  let event: ServerEvent = { id: "", event: "", data: "" }
  for (;;) {
    const chunk = await reader?.read()
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
      if (name === "retry" && /^\d+$/.test(value)) onRetry(Number(value))
      else if (name === "data") event.data += event.data === "" ? value : `\n${value}`
      else if (name === "id" || name === "event") event[name] = value
      else if (line === "" || line === "\r") {
        if (event.data !== "") yield event
        event = { id: "", event: "", data: "" }
      }
    }
  }
}
