import { cursorFormatter, findPosition, hasAllAfter } from '../../changes/cursors.ts'
import { parseDifference } from '../../changes/entries.ts'
import { lastChange } from '../../changes/log.ts'
import { type Change, eachChange, selectAfter } from '../../changes/read.ts'
import { type RecordData, type RecordState, valueIn } from '../../changes/record-data.ts'
import type { Reader } from '../../db/reader.ts'
import type { Direction } from '../../db/sql-part.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import { matchesFilter } from '../../filter/record/match.ts'
import { columnValue } from '../../filter/record/values.ts'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/sha256.ts'
import { compareCodePoints, fold } from '../../lib/text.ts'
import { presentField } from '../../structures/present.ts'
import { isFolded } from '../../structures/storage/auto-index.ts'
import { definitionOf, type StructureRow } from '../../structures/store.ts'
import { pageMembers } from '../present.ts'
import {
  firstRowsWithout,
  type ListInput,
  type ListResult,
  listQuery,
  planList,
  type RecordPage,
} from '../query/list.ts'
import type { SortTarget } from '../query/row-query.ts'
import { dataOf, findRecords, type RecordRow, stateOf } from '../store.ts'

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

/*
 * The id of a watch event says which page it carries: the position in the change log at which the page was read, and the
 * query. So a page that was sent before a restart of the server is known after it.
 */

const DIGITS = 12

/** Identifies the pages of a query. */
export const queryDigest = (queryKey: string): string => sha256(queryKey).slice(0, DIGITS)

export const eventId = (reader: Reader, workspacePk: number, position: number, digest: string): string =>
  `${cursorFormatter(reader, workspacePk)(position)}-${digest}`

/**
 * The position in the log at which the page of an event was read. Undefined if the id is of another query or database, or
 * retention removed changes since then.
 */
export function findEventPosition(
  reader: Reader,
  workspacePk: number,
  id: string,
  digest: string,
): number | undefined {
  if (!id.endsWith(`-${digest}`)) return undefined
  const position = findPosition(reader, workspacePk, id.slice(0, -digest.length - 1))
  return position !== undefined && hasAllAfter(reader, workspacePk, position) ? position : undefined
}

/** `updated_at` of each record of a page by its id: enough to find what changed since. */
export type Versions = ReadonlyMap<string, number>

/** The page of a watch query at one moment. */
export interface WatchedPage {
  /** The id of its events. */
  readonly id: string
  /** The members of the event's data as JSON text, without the braces. */
  readonly text: string
  readonly rows: readonly RecordRow[]
  readonly versions: Versions
}

export function watchedPage(id: string, structure: StructureRow, page: RecordPage): WatchedPage {
  return {
    id,
    text: `"structure":${structureJson(structure)},${pageMembers(page)}`,
    rows: page.rows,
    versions: new Map(page.rows.map(({ id, updatedAt }) => [id, updatedAt])),
  }
}

const structureJson = (row: StructureRow): string =>
  JSON.stringify({ id: row.id, name: row.name, fields: definitionOf(row).fields.map(presentField) })

interface SavedPage {
  readonly queryKey: string
  readonly versions: Versions
  readonly savedAt: number
}

const MAX_AGE_MS = 300_000
const MAX_SIZE = 100_000
/** Added to the number of records, so that empty pages are bounded too. */
const PAGE_OVERHEAD = 5

const sizeOf = ({ versions }: Pick<SavedPage, 'versions'>): number => versions.size + PAGE_OVERHEAD

/** Recent pages, limited by age and size, so that a reader that reconnects is sent what changed since. */
export class WatchHistory {
  /** By page id, oldest first. */
  readonly #pages = new Map<string, SavedPage>()
  #size = 0

  constructor(private readonly clock: Clock) {}

  save(queryKey: string, { id, versions }: Pick<WatchedPage, 'id' | 'versions'>): void {
    this.#remove(id)
    const page = { queryKey, versions, savedAt: this.clock.now() }
    this.#pages.set(id, page)
    this.#size += sizeOf(page)
    this.#removeOld()
  }

  /** Undefined if the page was removed, or belongs to another query. */
  find(queryKey: string, id: string): Versions | undefined {
    this.#removeOld()
    const page = this.#pages.get(id)
    return page?.queryKey === queryKey ? page.versions : undefined
  }

  #removeOld(): void {
    const oldest = this.clock.now() - MAX_AGE_MS
    for (const [id, { savedAt }] of this.#pages) {
      if (savedAt >= oldest && this.#size <= MAX_SIZE) return
      this.#remove(id)
    }
  }

  #remove(id: string): void {
    const page = this.#pages.get(id)
    if (!page) return
    this.#pages.delete(id)
    this.#size -= sizeOf(page)
  }
}

/*
 * A page as it was at an earlier position in the change log. The rows that have not changed since are read as they are;
 * the others are reverted to what they were, with the old values in the log.
 */

interface PastInput extends ListInput {
  /** The number of the last change before the page was read. */
  readonly position: number
}

/** Each may be very long. */
const RECORDS_AT_ONCE = 50

/** The versions of an earlier page; undefined if the log does not have them. */
export const pastPageQuery: WorkerQuery<PastInput, Versions | undefined> = {
  name: 'records.past',
  run: readPastPage,
}

function readPastPage(reader: Reader, input: PastInput): Versions | undefined {
  const { caller, position } = input
  const list = planList(reader, input)
  const { query, sort, direction, page } = list
  if (!hasAllAfter(reader, caller.workspacePk, position)) return undefined
  const replaced = replacedAfter(reader, caller.workspacePk, query.structure.id, position)
  if (!replaced) return undefined
  const forSort = (state: RecordState) => withValueOf(state, sort)
  const compare = compareStates(sort, direction)
  let states = firstRowsWithout(reader, list, [...replaced.keys()]).map((row) =>
    forSort(stateOf(row, dataOf(row))),
  )
  for (const some of statesBefore(reader, replaced)) {
    const matching = some.filter((state) => matchesFilter(state, query.conditions)).map(forSort)
    states = [...states, ...matching].sort(compare).slice(0, page.limit)
  }
  return new Map(states.map(({ id, updatedAt }) => [id, updatedAt]))
}

/** The state with no other value than the one it is sorted by. */
function withValueOf(state: RecordState, sort: SortTarget): RecordState {
  const value = typeof sort === 'string' ? undefined : valueIn(state.data, sort.key)
  return { ...state, data: typeof sort === 'string' || value === undefined ? {} : { [sort.key]: value } }
}

/** The records that were live, as they were, some at a time. */
function* statesBefore(
  reader: Reader,
  replaced: ReadonlyMap<string, Replaced | undefined>,
): Generator<RecordState[]> {
  const ids = [...replaced.keys()].filter((id) => replaced.get(id) !== undefined)
  for (let start = 0; start < ids.length; start += RECORDS_AT_ONCE) {
    const rows = findRecords(reader, ids.slice(start, start + RECORDS_AT_ONCE))
    yield rows.flatMap((row) => stateBefore(row, replaced.get(row.id)) ?? [])
  }
}

const stateBefore = (row: RecordRow, before: Replaced | undefined): RecordState | undefined =>
  before && { ...stateOf(row, dataBefore(dataOf(row), before)), updatedAt: before.updatedAt }

function dataBefore(data: RecordData, { values }: Replaced): RecordData {
  const merged = { ...data, ...values }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as RecordData
}

type Value = string | number | undefined

function sortValue(state: RecordState, target: SortTarget): Value {
  if (target === 'created_at') return state.createdAt
  if (target === 'updated_at') return state.updatedAt
  const value = valueIn(state.data, target.key)
  if (value === undefined) return undefined
  return isFolded(target.type) ? fold(String(value)) : columnValue(value)
}

const compareValues = (left: string | number, right: string | number): number =>
  typeof left === 'number' || typeof right === 'number'
    ? Number(left) - Number(right)
    : compareCodePoints(left, right)

/** Orders records as the list does: those without a value last in both directions, ties by id in the same direction. */
function compareStates(
  target: SortTarget,
  direction: Direction,
): (left: RecordState, right: RecordState) => number {
  const way = direction === 'asc' ? 1 : -1
  return (left, right) => {
    const [one, other] = [sortValue(left, target), sortValue(right, target)]
    if (one === undefined || other === undefined) {
      if (one !== other) return one === undefined ? 1 : -1
      return way * compareCodePoints(left.id, right.id)
    }
    return way * (compareValues(one, other) || compareCodePoints(left.id, right.id))
  }
}

/** What later changes replaced of a record that was live at a position in the log. */
interface Replaced {
  /** The old values of its fields, null where there was none. */
  readonly values: Record<string, unknown>
  readonly updatedAt: number
}

/** More changes or old values than this are not collected. */
const MAX_CHANGES = 100_000
const MAX_LENGTH = 67_108_864

/**
 * The records of a structure that have changes after a number of the log, by id, with what those replaced; undefined
 * for a record that was not live there. Returns undefined if there are too many.
 */
function replacedAfter(
  reader: Reader,
  workspace: number,
  structureId: string,
  after: number,
): Map<string, Replaced | undefined> | undefined {
  const found = new Map<string, Replaced | undefined>()
  const range = { after, upTo: lastChange(reader, workspace), limit: MAX_CHANGES + 1 }
  const selected = selectAfter(reader, workspace, range, { kinds: ['record'], structureId })
  let count = 0
  let length = 0
  for (const change of eachChange(reader, selected)) {
    if (!addReplaced(found, change)) return undefined
    count += 1
    length += change.detail?.length ?? 0
    if (count > MAX_CHANGES || length > MAX_LENGTH) return undefined
  }
  return found
}

/** Adds a change; of several, the first one names what the record had. False if the log does not say. */
function addReplaced(found: Map<string, Replaced | undefined>, change: Change): boolean {
  const { operation, replaced, detail } = change
  const id = String(change.id)
  if (!found.has(id)) {
    const wasLive = operation === 'updated' || operation === 'deleted'
    if (wasLive && replaced === null) return false
    found.set(id, wasLive && replaced !== null ? { values: {}, updatedAt: replaced } : undefined)
  }
  const values = found.get(id)?.values
  if (!values || operation !== 'updated' || detail === null) return true
  const { previous } = parseDifference(detail)
  for (const key of Object.keys(previous)) if (!Object.hasOwn(values, key)) values[key] = previous[key]
  return true
}
