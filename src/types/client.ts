/* eslint-disable */
/**
 * The structures of a daybook workspace, and a client for its API. Made by `daybook types --out <this file>`; with
 * `--check` the same command says whether the structures have changed since. Do not edit.
 */

// The structures. The rest, from `Name` on, is the same for every workspace.

export interface Structures {
  /** What the sample of this template holds; `daybook types` puts the structures of a workspace in its place. */
  "Samples": {
    title: string
    count?: number
    parent?: Id<"Samples">
  }
}

/** The type of each field, by which filters know their operators. */
interface Fields {
  "Samples": {
    title: "text"
    count: "number"
    parent: "record"
  }
}

/** Requests name a structure by its id, so that renaming it breaks no program. */
const IDS: ReadonlyMap<string, string> = new Map<string, string>([
  ["Samples", "01a1fc86-b28a-7000-b4e6-910f6f3991a9"],
])

// The same for every workspace.

/** The name of a structure. */
export type Name = keyof Structures & string

declare const brand: unique symbol

/** The id of a row. `"…" as Id<"Leads">` makes one of a text; `Id<Name>` is that of a row of any structure. */
export type Id<N extends Name> = string & { readonly [brand]: N }
export type NoteId = string & { readonly [brand]: "(note)" }
export type FileId = string & { readonly [brand]: "(file)" }

export interface Row<N extends Name> {
  id: Id<N>
  data: Structures[N]
  created_at: string
  updated_at: string
  deleted_at: string | null
}

type IsOptional<T, K extends keyof T> = Partial<Pick<T, K>> extends Pick<T, K> ? true : false
type InputOf<T> = { [K in keyof T]: IsOptional<T, K> extends true ? T[K] | null : T[K] }

/** The data of a new row; where a value is optional, null means none. */
export type Input<N extends Name> = InputOf<Structures[N]>

/** What changes of a row; null takes a value away that is not required. */
export type Patch<N extends Name> = Partial<InputOf<Structures[N]>>

type Ordered = "number" | "date" | "time" | "datetime"

type Test<Field, Type, Value> =
  | { field: Field; op: "eq" | "neq"; value: Value }
  | { field: Field; op: "is_empty" | "not_empty"; value?: never }
  | (Type extends "bool" ? never : { field: Field; op: "in" | "not_in"; value: readonly Value[] })
  | (Type extends Ordered ? { field: Field; op: "gt" | "gte" | "lt" | "lte"; value: Value } : never)
  | (Type extends "text" ? { field: Field; op: "contains"; value: string } : never)

type FieldKey<N extends Name> = keyof Structures[N] & keyof Fields[N] & string

/** One condition on a row; `neq` and `not_in` also match rows without a value. */
export type Condition<N extends Name> =
  | { [K in FieldKey<N>]: Test<K, Fields[N][K], NonNullable<Structures[N][K]>> }[FieldKey<N>]
  | { field: "id"; op: "eq" | "neq"; value: Id<N> }
  | { field: "id"; op: "in" | "not_in"; value: readonly Id<N>[] }
  | {
      field: "created_at" | "updated_at"
      op: "eq" | "neq" | "gt" | "gte" | "lt" | "lte"
      /** An instant, or a day such as `2026-11-21`. */
      value: string
    }
  /** Any value of the row holds the text, case ignored. */
  | { field: "*"; op: "contains"; value: string }

export type Sort<N extends Name> = (keyof Structures[N] & string) | "created_at" | "updated_at"

export interface Query<N extends Name> {
  /** All of them hold. */
  filter?: Condition<N>[]
  /** Any value of the row holds this text, case ignored. */
  search?: string
  /** `created_at` by default. */
  sort?: Sort<N>
  /** `desc` by default. */
  direction?: "asc" | "desc"
  /** 1 to 500; 50 by default. */
  limit?: number
  offset?: number
}

export type WatchQuery<N extends Name> = Omit<Query<N>, "offset"> & {
  /** Every answer after the first says what was created, updated and removed. */
  changes?: boolean
}

export interface SummaryQuery<N extends Name> {
  /** A number field. */
  field?: string
  by?: keyof Structures[N] & string
  period?: "day" | "week" | "month" | "year"
  /** A date or datetime field, or one of these two; `created_at` by default. */
  date?: string | "created_at" | "updated_at"
  /** Such as `Europe/Berlin`; `UTC` by default. */
  tz?: string
  filter?: Condition<N>[]
}

export interface Bucket {
  /** The first day of the period. */
  period: string | null
  /** Of the field in `by`. */
  value: unknown
  count: number
  sum: number | null
  average: number | null
  min: number | null
  max: number | null
}

export interface Page<N extends Name> {
  records: Row<N>[]
  /** How many rows there are on all pages. */
  total: number
  has_more: boolean
}

export interface Answer<N extends Name> extends Page<N> {
  changes?: { created: Row<N>[]; updated: Row<N>[]; removed: Id<N>[] }
}

export interface Make {
  /** `update` changes the row that has the same unique values; `refuse` by default. */
  on_conflict?: "refuse" | "update"
  /** The same call with the same key creates nothing twice within 24 hours. */
  idempotency_key?: string
}

/** The rows of one structure. */
export interface Records<N extends Name> {
  list(query?: Query<N>): Promise<Page<N>>
  get(id: Id<N>): Promise<Row<N>>
  create(data: Input<N>, options?: Make): Promise<Row<N>>
  /** Up to 500 rows, all of them or none. */
  createMany(rows: Input<N>[], options?: Make): Promise<Row<N>[]>
  /** With `if_unchanged`, the `updated_at` that was read, a row that has changed since is refused (`stale`). */
  update(id: Id<N>, data: Patch<N>, options?: { if_unchanged?: string }): Promise<Row<N>>
  delete(id: Id<N>): Promise<void>
  /** Count, sum, average, least and greatest over all rows, or by period or value. */
  summary(query?: SummaryQuery<N>): Promise<Bucket[]>
  /**
   * The page as it is now, and again after every change. It reconnects by itself; `break` or the signal ends it, and a
   * refusal, such as of a revoked key, is thrown.
   */
  watch(query?: WatchQuery<N>, options?: { signal?: AbortSignal }): AsyncIterable<Answer<N>>
}

export interface Note {
  id: NoteId
  title: string
  content: string
  tags: string[]
  alias: string | null
  pinned: boolean
  pin_label: string | null
  cover_url: string | null
  created_at: string
  updated_at: string
}

export interface NoteInput {
  title: string
  /** Markdown. */
  content?: string
  /** Created if there are none of that name; an update adds them. */
  tags?: string[]
  alias?: string | null
  properties?: Record<string, unknown>
}

export interface Notes {
  list(query?: {
    search?: string
    tag?: string
    sort?: string
    direction?: "asc" | "desc"
    limit?: number
    offset?: number
  }): Promise<{ notes: Note[]; total: number; has_more: boolean }>
  get(id: NoteId): Promise<Note>
  /** Properties that are refused are thrown with status 201: the note was created without them. */
  create(note: NoteInput): Promise<Note>
  /** Properties are written after everything else, by a request of their own. */
  update(id: NoteId, patch: Partial<NoteInput>, options?: { if_unchanged?: string }): Promise<Note>
  append(id: NoteId, addition: { text: string; heading?: string }): Promise<Note>
  /** Moves it to the trash. */
  delete(id: NoteId): Promise<void>
}

/** A kind of the feed, such as `note` or `record`. */
export type Kind = string

export interface Change {
  cursor: string
  transaction: string
  at: string
  kind: Kind
  /** `created`, `updated`, `deleted`, `restored` or `purged`. */
  op: string
  id: string
  structure_id: string | null
  /** The attributes or fields that an update changed, and their old values. */
  changed: string[]
  previous: Record<string, unknown>
  /** What it is now, with `include: "objects"`; null when it is gone. */
  object?: unknown
  actor: { surface: string; user_id: string | null; key_id: string | null; name: string | null }
}

/** Every change of the workspace, in order. */
export interface Changes {
  /** Without `after` from the oldest that is kept; `now` gives the cursor of now; `wait` up to 60 seconds for one. */
  list(query?: {
    after?: string
    limit?: number
    kinds?: Kind[]
    include?: "objects"
    wait?: number
  }): Promise<{ changes: Change[]; cursor: string; has_more: boolean }>
  /** Each change as it happens, none left out and none twice; it reconnects and ends as `watch` does. */
  follow(query?: {
    after?: string
    kinds?: Kind[]
    include?: "objects"
    signal?: AbortSignal
  }): AsyncIterable<Change>
}

/** A refusal; the message is the sentence of the API. */
export class DaybookError extends Error {
  override readonly name: string = "DaybookError"
  /** Of the response. */
  readonly status: number
  /** Such as `refused`, `stale` or `not_found`. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface Client {
  records<N extends Name>(name: N): Records<N>
  notes: Notes
  changes: Changes
}

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

/** Sends requests; a response that is no success is thrown. */
class Daybook {
  readonly #url: string
  readonly #headers: Headers
  readonly #fetch: typeof globalThis.fetch

  constructor({ url, key, fetch = globalThis.fetch }: Parameters<typeof createClient>[0]) {
    this.#url = new URL(url).href.replace(/\/+$/, "")
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
  new DaybookError(status, "unexpected_response", `${url} answered ${status}, not as a daybook does.`)

async function errorIn(response: Response): Promise<DaybookError> {
  const body = (await response.json().catch(() => null)) as { error?: unknown; code?: unknown } | null
  if (typeof body?.error !== "string" || typeof body.code !== "string") return unexpected(response)
  return new DaybookError(response.status, body.code, body.error)
}

function recordsOf<N extends Name>(daybook: Daybook, name: N): Records<N> {
  const structure = IDS.get(name)
  if (structure === undefined)
    throw new DaybookError(404, "not_found", `There was no structure "${name}" when the types were made.`)
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
      throw new DaybookError(404, "not_found", `This record is none of "${name}".`)
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

function changesOf(daybook: Daybook): Changes {
  type Listed = Awaited<ReturnType<Changes["list"]>>
  const path = "/v1/changes"
  const queryOf = <Q extends { kinds?: Kind[] }>({ kinds, ...query }: Q) => ({
    ...query,
    ...(kinds && { kinds: kinds.join(",") }),
  })
  return {
    list: (query = {}) => daybook.json("GET", path, { query: queryOf(query) }),
    follow: ({ signal: ending, ...query } = {}) =>
      stream(ending, async function* (signal): AsyncGenerator<Change, void> {
        let after = query.after
        const open = eventsAt(daybook, path, async () => {
          // A stream that breaks before its first event would begin at another now.
          if (after === "now") {
            const now = { query: { after, limit: 1 }, signal }
            after = (await daybook.json<Listed>("GET", path, now)).cursor
          }
          return { ...queryOf(query), ...(after !== undefined && { after }) }
        })
        for await (const { event, data } of received(open, signal))
          if (event === "change") yield JSON.parse(data) as Change
      }),
  }
}

/** How long to wait before a stream is opened again, unless the server says; each failure in a row doubles it. */
const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 30_000
/** The server sends something every 25 seconds: a connection that is silent for longer is dead. */
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

/** An iterable of which every iteration is a stream of its own, that ends with the signal or with the iteration. */
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

/** The events of a stream that is opened again after the last one whenever it breaks, until the signal aborts. */
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
      // Anything else is the network, or a server that is away.
      if (error instanceof DaybookError && error.status < 500 && error.status !== 429) throw error
    } finally {
      clearTimeout(silence)
      signal.removeEventListener("abort", disconnect)
      disconnect()
    }
    await pause(Math.min(retryMs * 2 ** failures, Math.max(retryMs, LONGEST_RETRY_MS)), signal)
  }
}

/** A server that shuts down may come back; any other end is final. */
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
