import type { StreamEvent } from '../../http/sse.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { escapeLineBoundaries } from '../../lib/json.ts'
import { refused } from '../../lib/refusal.ts'
import { cursorFormatter } from '../../log/cursors.ts'
import type { Reader } from '../../storage/reader.ts'
import { definitionOf, presentField } from '../structures/store.ts'
import type { Board } from './query/board.ts'
import type { RecordPage } from './query/list.ts'
import type { CursorPage } from './query/list-by-cursor.ts'
import type { Summary } from './query/summary.ts'
import type { FoundRecord, RecordRow } from './store.ts'
import type { WatchQuery, WatchResult } from './watch-query.ts'
import type { Written } from './writing/write-records.ts'

const instant = (value: number | null) => (value === null ? 'null' : `"${isoTimestamp(value)}"`)

/**
 * A record as JSON text: exactly `{id, data, created_at, updated_at, deleted_at}`. The stored `data` is already JSON
 * text, so a page of rows is joined without parsing.
 */
export const recordJson = ({ id, data, createdAt, updatedAt, deletedAt }: RecordRow): string =>
  `{"id":"${id}","data":${data},"created_at":${instant(createdAt)},"updated_at":${instant(updatedAt)},"deleted_at":${instant(deletedAt)}}`

/** The record as one line of a file. */
export const recordLine = (row: RecordRow): string => escapeLineBoundaries(recordJson(row))

export const recordResponse = (row: RecordRow): string => `{"record":${recordJson(row)}}`

/** `expanded` are further members, after a comma (`query/expand.ts`). */
export const foundResponse = (row: FoundRecord, expanded = ''): string =>
  `{"record":${recordJson(row)},"structure_id":"${row.structureId}"${expanded}}`

/** The members of a page's JSON object, without the braces. */
export const pageMembers = ({ rows, total, hasMore }: RecordPage): string =>
  `"records":[${rows.map(recordJson).join(',')}],"total":${total},"has_more":${hasMore}`

export const pageResponse = (page: RecordPage, expanded = ''): string => `{${pageMembers(page)}${expanded}}`

export function pageByCursorResponse({ rows, next, total }: CursorPage, expanded: string): string {
  const cursor = next === null ? 'null' : `"${next}"`
  const counted = total === undefined ? '' : `,"total":${total}`
  return `{"records":[${rows.map(recordJson).join(',')}],"has_more":${next !== null},"next_cursor":${cursor}${counted}${expanded}}`
}

export const boardResponse = ({ columns, total }: Board): string => {
  const texts = columns.map(
    ({ value, total, rows }) =>
      `{"value":${JSON.stringify(value)},"total":${total},"records":[${rows.map(recordJson).join(',')}],"has_more":${rows.length < total}}`,
  )
  return `{"columns":[${texts.join(',')}],"total":${total}}`
}

export const writtenResponse = ({ rows, inserted, updated }: Written): string =>
  `{"written":${rows.length},"inserted":${inserted},"updated":${updated},"records":[${rows.map(recordJson).join(',')}]}`

export const presentBuckets = ({ buckets, hasField }: Summary) =>
  buckets.map(({ period, value, count, valued, sum, min, max }) => ({
    period,
    value,
    count,
    sum: hasField ? finite(sum) : null,
    average: valued === 0 ? null : finite(sum) / valued,
    min: valued === 0 ? null : min,
    max: valued === 0 ? null : max,
  }))

function finite(sum: number): number {
  if (Number.isFinite(sum)) return sum
  throw refused('The sum is beyond the range of a number; narrow it with a filter.')
}

/* The events of watches. */

const contentDigest = (text: string): string => Bun.hash(text).toString(36)

/** The version of each record of a page by its id: `updated_at`, unless more than that may change. */
export type Versions = ReadonlyMap<string, number | string>

/** In characters. The content of a longer page is released once it is sent. */
const MAX_KEPT = 262_144

interface Content {
  /** The members of the event's data as JSON text, without the braces. */
  readonly text: string
  readonly rows: readonly RecordRow[]
}

/** The page of a watch at one moment. */
export class WatchedPage {
  /** The id of its events: the change log position of the read, the query, and the content. */
  readonly id: string
  readonly versions: Versions
  /** In characters. */
  readonly length: number
  readonly #digest: string
  /** Roll-ups change without `updated_at`. */
  readonly #versionOf: (row: RecordRow) => number | string
  #content: Content | undefined

  constructor(
    reader: Reader,
    { workspacePk, digest }: WatchQuery,
    { structure, page, expanded, position }: WatchResult,
  ) {
    const { id, name } = structure
    const fields = definitionOf(structure).fields.map(presentField)
    const text = `"structure":${JSON.stringify({ id, name, fields })},${pageMembers(page)}${expanded}`
    const cursor = cursorFormatter(reader, workspacePk)(position)
    this.#digest = contentDigest(text)
    this.#content = { text, rows: page.rows }
    this.length = text.length
    this.id = `${cursor}-${digest}-${this.#digest}`
    const hasRollups = definitionOf(structure).rollups.length > 0
    this.#versionOf = ({ updatedAt, data }) =>
      hasRollups ? `${updatedAt} ${contentDigest(data)}` : updatedAt
    this.versions = new Map(page.rows.map((row) => [row.id, this.#versionOf(row)]))
  }

  /** Whether it can be sent to other readers. */
  get isKept(): boolean {
    return this.#content !== undefined
  }

  /** Must be called after sending. */
  release(): void {
    if (this.length > MAX_KEPT) this.#content = undefined
  }

  isSameAs(other: WatchedPage | undefined): boolean {
    return other === this || (other?.length === this.length && other.#digest === this.#digest)
  }

  /** Whether an event, perhaps of another server, carried the same content. */
  isContentOf(id: string): boolean {
    return id.endsWith(`-${this.#digest}`)
  }

  /** The event that carries the page, with the changes since an earlier page if that is given. */
  since(before: Versions | undefined): StreamEvent {
    if (!this.#content) throw new Error('what was sent is not kept')
    const { text, rows } = this.#content
    const changes = before ? `,"changes":${this.#changesSince(before, rows)}` : ''
    return { name: 'answer', id: this.id, data: `{${text}${changes}}` }
  }

  #changesSince(before: Versions, rows: readonly RecordRow[]): string {
    const created = rows.filter((row) => !before.has(row.id))
    const updated = rows.filter((row) => before.has(row.id) && before.get(row.id) !== this.#versionOf(row))
    const removed = [...before.keys()].filter((id) => !this.versions.has(id))
    return `{"created":${listJson(created)},"updated":${listJson(updated)},"removed":${JSON.stringify(removed)}}`
  }
}

const listJson = (rows: readonly RecordRow[]): string => `[${rows.map(recordJson).join(',')}]`
