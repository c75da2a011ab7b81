import { Daybook, eventsAt, received } from "./connection.ts"
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
        for await (const { event, data } of received(open, { signal })) {
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
        for await (const { event, data } of received(open, { signal }))
          if (event === "change") yield withTextId(JSON.parse(data) as Change)
      }),
  }
}

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
