import { cursorFormatter, findPosition, hasAllAfter } from '../../changes/cursors.ts'
import { lastChange } from '../../changes/log.ts'
import { type InWorkspace, placeOf } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import type { RawCondition } from '../../filter/record/parse.ts'
import type { StreamEvent } from '../../http/sse.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { sha256 } from '../../lib/sha256.ts'
import { presentField } from '../../structures/present.ts'
import { definitionOf, type StructureRow } from '../../structures/store.ts'
import { pageMembers, recordJson } from '../present.ts'
import { type ListInput, type ListRequest, type ListResult, listQuery, planList } from '../query/list.ts'
import { type ParsedRequest, parseRequest } from '../query/row-query.ts'
import type { RecordRow } from '../store.ts'

export type WatchRequest = Omit<ListRequest, 'offset'> & { changes?: boolean }

/**
 * Parses and checks the request as the list does, and brings it into a canonical form. Memoized, because many equal
 * ones may arrive at once.
 */
export const watchQuery = (
  reader: Reader,
  caller: InWorkspace,
  { changes: _, ...sent }: WatchRequest,
): WatchQuery => {
  const { workspacePk, userId, rights } = caller
  // A view may be one that the user alone sees.
  const of = sent.view === undefined ? [workspacePk] : [workspacePk, userId]
  return reader.sql.memoize(`watch ${of} ${JSON.stringify([rights, sent])}`, () =>
    checkedQuery(reader, placeOf(caller), of, sent),
  )
}

function checkedQuery(
  reader: Reader,
  caller: InWorkspace,
  of: readonly unknown[],
  sent: Omit<WatchRequest, 'changes'>,
): WatchQuery {
  const request = parseRequest(sent)
  const { query, direction, page } = planList(reader, { caller, request })
  const structureId = query.structure.id
  const { view, search } = sent
  const order =
    view === undefined
      ? { sort: request.sort ?? 'created_at', direction }
      : { view, sort: request.sort, direction: request.direction }
  const canonical = {
    structure: structureId,
    filter: canonicalFilter(request.filter),
    ...(search !== undefined && { search }),
    ...order,
    limit: page.limit,
  }
  return {
    workspacePk: caller.workspacePk,
    structureId,
    request: canonical,
    key: JSON.stringify([...of, canonical]),
  }
}

/** All conditions must hold, so neither their order nor a repetition matters; the same goes for lists of values. */
const canonicalFilter = (filter: readonly RawCondition[]): RawCondition[] =>
  canonicalList(
    filter.map(({ field, op, value }) => ({
      field,
      op,
      value: Array.isArray(value) ? canonicalList(value) : (value ?? undefined),
    })),
  )

const canonicalList = <Item>(items: readonly Item[]): Item[] =>
  [...new Set(items.map((item) => JSON.stringify(item)))].sort().map((text) => JSON.parse(text) as Item)

/** The query of a channel in canonical form; equivalent queries have the same key. */
export interface WatchQuery {
  readonly workspacePk: number
  readonly structureId: string
  /** Names the structure by its id, because its name may change. */
  readonly request: ParsedRequest<ListRequest>
  readonly key: string
}

interface WatchResult extends ListResult {
  /** The number of the last change of the workspace. */
  readonly position: number
}

/** A page of the list, and the position in the change log that it was read at. */
export const watchPageQuery: WorkerQuery<ListInput, WatchResult> = {
  name: 'records.watch',
  run: (reader, input) => ({
    position: lastChange(reader, input.caller.workspacePk),
    ...listQuery.run(reader, input),
  }),
}

const DIGITS = 12

/** The query of a watch, as the ids of its events name it. */
export const queryDigest = (queryKey: string): string => sha256(queryKey).slice(0, DIGITS)

/*
 * The id of an event says which page it carries: the position in the change log at which the page was read, its query, and its
 * content.
 */

function eventId(
  reader: Reader,
  workspacePk: number,
  position: number,
  digest: string,
  text: string,
): string {
  return `${cursorFormatter(reader, workspacePk)(position)}-${digest}-${contentDigest(text)}`
}

const contentDigest = (text: string): string => Bun.hash(text).toString(36)

/** Whether an event is of this query and of this state of the database, and all changes since then are kept. */
export function isKnownEvent(reader: Reader, workspacePk: number, id: string, digest: string): boolean {
  const [epoch, number, query] = id.split('-')
  const position = query === digest ? findPosition(reader, workspacePk, `${epoch}-${number}`) : undefined
  return position !== undefined && hasAllAfter(reader, workspacePk, position)
}

/** `updated_at` of each record of a page by its id: enough to find what changed since. */
export type Versions = ReadonlyMap<string, number>

/** What a page is made of. */
interface Read {
  readonly workspacePk: number
  readonly digest: string
  readonly found: Pick<WatchResult, 'structure' | 'page' | 'position'>
}

/** How many of the events that carry a page are kept at once. */
const MAX_EVENTS = 10

/** The page of a watch at one moment, and the events that carry it: one for all who know the same page. */
export class WatchedPage {
  /** That of the events. */
  readonly id: string
  readonly versions: Versions
  /** The members of the event's data as JSON text, without the braces. */
  readonly text: string
  readonly #rows: readonly RecordRow[]

  constructor(reader: Reader, { workspacePk, digest, found: { structure, page, position } }: Read) {
    this.text = `"structure":${structureJson(structure)},${pageMembers(page)}`
    this.id = eventId(reader, workspacePk, position, digest, this.text)
    this.versions = new Map(page.rows.map(({ id, updatedAt }) => [id, updatedAt]))
    this.#rows = page.rows
  }

  /** Whether an event carried the same content, if another server sent it. */
  isContentOf(id: string): boolean {
    return id.endsWith(`-${contentDigest(this.text)}`)
  }

  /** The event that carries the page, with what changed since an earlier one if that is given. */
  readonly since = memoize((before: Versions | undefined): StreamEvent => {
    const changes = before ? `,"changes":${this.#changesSince(before)}` : ''
    return { name: 'answer', id: this.id, data: `{${this.text}${changes}}` }
  }, MAX_EVENTS)

  #changesSince(before: Versions): string {
    const created = this.#rows.filter((row) => !before.has(row.id))
    const updated = this.#rows.filter((row) => before.has(row.id) && before.get(row.id) !== row.updatedAt)
    const removed = [...before.keys()].filter((id) => !this.versions.has(id))
    return `{"created":${listJson(created)},"updated":${listJson(updated)},"removed":${JSON.stringify(removed)}}`
  }
}

const structureJson = (row: StructureRow): string =>
  JSON.stringify({ id: row.id, name: row.name, fields: definitionOf(row).fields.map(presentField) })

const listJson = (rows: readonly RecordRow[]): string => `[${rows.map(recordJson).join(',')}]`
