/* eslint-disable */
/**
 * The structures of a daybook workspace, and a client for its API. Made by `daybook types --out <this file>`; with
 * `--check` the same command says whether the structures have changed since. Do not edit.
 */

// The structures. The rest, from `Name` on, is the same for every workspace.

/** The data of the rows of each structure; what no row needs to have is optional. */
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
export const IDS: ReadonlyMap<string, string> = new Map<string, string>([
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

type FieldOf<N extends Name, Type> = {
  [K in FieldKey<N>]: Fields[N][K] extends Type ? K : never
}[FieldKey<N>]

export type NumberField<N extends Name> = FieldOf<N, "number">
export type DateField<N extends Name> = FieldOf<N, "date" | "datetime">

export interface SummaryQuery<N extends Name> {
  field?: NumberField<N>
  by?: keyof Structures[N] & string
  period?: "day" | "week" | "month" | "year"
  /** `created_at` by default. */
  date?: DateField<N> | "created_at" | "updated_at"
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
  /** Of the response. */
  readonly status: number
  /** Such as `refused`, `stale` or `not_found`. */
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = "DaybookError"
    this.status = status
    this.code = code
  }
}

export interface Client {
  records<N extends Name>(name: N): Records<N>
  notes: Notes
  changes: Changes
}
