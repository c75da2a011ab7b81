import type { Static } from '@sinclair/typebox'
import type { InWorkspace } from '../../../context.ts'
import { read, type Snapshot } from '../../../kernel/operation.ts'
import { hasMore, type PageRequest, pageRequest } from '../../../lib/pagination.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { Direction } from '../../../storage/sql.ts'
import type { ReadCosts } from '../../structures/storage/auto-index.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { definitionOf, type StructureRow } from '../../structures/store.ts'
import { pageByCursorResponse, pageResponse } from '../present.ts'
import type { ListQuery } from '../schema.ts'
import { eachRecord, loadPage, type RecordRow } from '../store.ts'
import { deletedPage, deletedPageByCursor } from './deleted.ts'
import { expandedMembers } from './expand.ts'
import { pageByCursor } from './list-by-cursor.ts'
import {
  choiceSorts,
  chooseIndex,
  complementOf,
  isNarrow,
  LOOKUP_COST,
  missingForFilter,
  missingForSort,
  missingForText,
  type PageQuery,
  pageParts,
  pagePath,
  readCosts,
  rowsAfter,
  rowsOfPage,
  type SortedRows,
  scanPath,
  sortedPath,
  sortingIndex,
  sortsAllRows,
} from './planner.ts'
import { withRollups } from './rollups.ts'
import {
  type AccessPath,
  ANY_PATH,
  FEW_ROWS,
  indexesFor,
  isSortedByPk,
  needlesOf,
  type ParsedRequest,
  parseRequest,
  pkSource,
  type RowQuery,
  rowQuery,
  scanSource,
  sortTarget,
  textIndexPath,
  withView,
} from './row-query.ts'
import {
  type CountedBound,
  countNear,
  findCounted,
  learnOfRows,
  pksOfRange,
  reportRows,
  STEP,
  type TotalKey,
  totalKeyOf,
} from './total-cache.ts'

export type ListRequest = Omit<Static<typeof ListQuery>, 'deleted' | 'expand' | 'cursor' | 'total'>

export interface RecordPage {
  rows: RecordRow[]
  total: number
  hasMore: boolean
}

export interface ListInput {
  readonly caller: InWorkspace
  readonly request: ParsedRequest<ListRequest>
}

export interface ListPlan extends PageQuery {
  readonly direction: Direction
  /** Undefined without conditions: the structure knows its number of rows. */
  readonly key: TotalKey | undefined
  readonly total: number | undefined
}

export interface ListResult {
  readonly page: RecordPage
  readonly structure: StructureRow
}

/** One page of live rows, newest first by default; `learnOfRows` takes the reported findings. */
export function listPage(snapshot: Snapshot, input: ListInput): ListResult {
  const plan = planList(snapshot, input)
  const found = findWithTextIndex(snapshot, plan)
  const matches = found ?? matchesBeforePage(snapshot, plan)
  const pks = matches?.pks ? pageAmong(snapshot, plan, matches.pks) : pageOf(snapshot, plan, matches?.total)
  const { total, range } = matches ?? totalAfterPage(snapshot, plan, pks.length)
  const costs = costsOfList(snapshot, plan, found !== undefined)
  reportRows(snapshot, { costs, counted: plan.key && { key: plan.key, total }, range })
  const rows = loadRows(snapshot, input, plan, pks)
  const page = { rows, total, hasMore: hasMore(plan.page, { items: rows, total }) }
  return { page, structure: plan.query.structure }
}

/** The first page alone. Counting would read all rows of a structure, even if the newest ones match. */
export function firstRows(snapshot: Snapshot, input: ListInput): RecordRow[] {
  const plan = planList(snapshot, input)
  const found = findWithTextIndex(snapshot, plan)
  const pks = found?.pks
    ? pageAmong(snapshot, plan, found.pks)
    : selectPage(snapshot, plan, plan.query, sortedPath(plan) ?? ANY_PATH)
  reportRows(snapshot, { costs: costsOfList(snapshot, plan, found !== undefined) })
  return loadRows(snapshot, input, plan, pks)
}

function loadRows(
  snapshot: Snapshot,
  { caller }: ListInput,
  { query: { structure } }: ListPlan,
  pks: readonly number[],
): RecordRow[] {
  const loaded = loadPage(snapshot, pks)
  const hasRollups = definitionOf(structure).rollups.length > 0
  return hasRollups ? withRollups(snapshot, caller, structure, loaded) : loaded
}

/** The report of a list to the policy that builds indexes. */
export function costsOfList(snapshot: Snapshot, plan: ListPlan, hasSearched: boolean): ReadCosts {
  const { query, indexes, choice } = plan
  const listMissing = () => (hasSearched ? [] : missingIndexes(plan))
  const textIndex = needlesOf(query.conditions).length > 0 ? TEXT_INDEX : undefined
  const used = [textIndex, choice?.index.name, sortingIndex(plan)?.name]
  return readCosts(snapshot, query, indexes, { listMissing, used })
}

/** One page of a list as JSON text. Deleted rows are sorted by deletion, most recent first. */
export const listRecords = read({
  name: 'records.list',
  covers: 'structures',
  run: (snapshot, caller, { deleted, expand, cursor, total, ...request }: Static<typeof ListQuery>) => {
    const membersOf = (structure: StructureRow, rows: readonly RecordRow[]) =>
      expand === undefined ? '' : expandedMembers(snapshot, caller, structure, rows, expand)
    if (cursor !== undefined) {
      const position = { cursor, isCounted: total === true }
      const { structure, page } = (deleted ? deletedPageByCursor : pageByCursor)(
        snapshot,
        caller,
        request,
        position,
      )
      return pageByCursorResponse(page, membersOf(structure, page.rows))
    }
    const { structure, page } = deleted
      ? deletedPage(snapshot, caller, request)
      : listPage(snapshot, { caller, request: parseRequest(request) })
    return pageResponse(page, membersOf(structure, page.rows))
  },
  learn: learnOfRows,
})

export function planList(reader: Reader, { caller, request: sent }: ListInput): ListPlan {
  const request = withView(reader, caller, sent)
  const query = rowQuery(reader, caller, request)
  const sort = sortTarget(query.definition, request.sort)
  const indexes = indexesFor(reader, query)
  const choice = chooseIndex(reader, query, indexes, (one) => choiceSorts({ query, sort }, one))
  const pageQuery: PageQuery = { query, sort, indexes, choice, page: pageRequest(request) }
  const key = query.conditions.length === 0 ? undefined : totalKeyOf(query)
  const total = key ? findCounted(reader, query, key) : query.structure.live
  return { ...pageQuery, direction: request.direction, key, total }
}

/** The number of matching rows, and their pks if they are few and counting found them. */
export interface Matches {
  readonly total: number
  readonly pks?: readonly number[]
  readonly range?: CountedBound
}

/** The matches found by the text index; undefined if it does not help, or if reading the page costs less. */
export function findWithTextIndex(reader: Reader, plan: ListPlan): Matches | undefined {
  const path = pathBySearch(reader, plan)
  if (!path) return undefined
  const { text, values } = scanSource(reader, plan.query, path)
  const pks = reader.sql.column<number>(`SELECT pk ${text}`, ...values)
  return { total: pks.length, pks }
}

function pathBySearch(reader: Reader, plan: ListPlan): AccessPath | undefined {
  const { query, indexes, total, choice } = plan
  const isCheaper =
    choice?.few !== undefined || (total !== undefined && rowsOfPage(plan, total) < total * LOOKUP_COST)
  return isCheaper ? undefined : textIndexPath(reader, query, indexes)
}

/** Undefined if reading the page gives the total, or makes counting it cheap. */
export function matchesBeforePage(reader: Reader, plan: ListPlan): Matches | undefined {
  if (plan.total !== undefined) return { total: plan.total }
  return isNarrow(plan) ? undefined : countMatches(reader, plan)
}

/** A partly filled page is the last one and gives the total. After a full page, the rows are counted. */
function totalAfterPage(reader: Reader, plan: ListPlan, found: number): Matches {
  const { limit, offset } = plan.page
  if (found < limit && (found > 0 || offset === 0)) return { total: offset + found }
  return countMatches(reader, plan)
}

/**
 * Counts the matching rows: through an index; as all rows except those that an index finds; or in a scan. A scan
 * returns the pks if they are few, so the page needs no second scan.
 */
export function countMatches(reader: Reader, { query, indexes, choice }: ListPlan): Matches {
  const [only, ...more] = query.conditions
  const complement = only && more.length === 0 ? complementOf(only) : undefined
  if (complement) {
    const others = { ...query, conditions: [complement] }
    const other = chooseIndex(reader, others, indexes)
    if (other) return { total: query.structure.live - (other.few ?? count(reader, others, other.path)) }
  }
  if (choice?.decidesAll) return countNear(reader, query, (one) => count(reader, one, choice.path))
  const path = scanPath(choice)
  const { text, values } = pkSource(reader, query, path)
  const pks = reader.sql.column<number>(`SELECT pk ${text} LIMIT ${FEW_ROWS}`, ...values)
  return pks.length < FEW_ROWS ? { total: pks.length, pks } : { total: count(reader, query, path) }
}

function count(reader: Reader, query: RowQuery, path: AccessPath): number {
  const { text, values } = pkSource(reader, query, path)
  return reader.sql.scalar(`SELECT count(*) ${text}`, ...values)
}

function pageOf(reader: Reader, plan: ListPlan, total: number | undefined): number[] {
  if (total !== undefined && plan.page.offset >= total) return []
  return selectPage(reader, plan, plan.query, pagePath(plan, total), total)
}

/** The page, taken from matches that are already known. */
function pageAmong(reader: Reader, plan: ListPlan, pks: readonly number[]): number[] {
  const { query, sort, direction, page } = plan
  if (!isSortedByPk(query.structure, sort))
    return selectPage(reader, plan, { ...query, conditions: [] }, { by: 'pk', pks })
  const ordered = pks.toSorted((one, other) => (direction === 'asc' ? one - other : other - one))
  return ordered.slice(page.offset, page.offset + page.limit)
}

/** `total` is the number of matching rows, if known. A page near the end of the list is then read from the end. */
function selectPage(
  reader: Reader,
  { sort, direction, page }: ListPlan,
  query: RowQuery,
  path: AccessPath,
  total?: number,
): number[] {
  const after = rowsAfter(page, total)
  if (total !== undefined && path.by === 'pk' && !path.pks && isSortedByPk(query.structure, sort)) {
    if ((after ?? page.offset) > STEP) return selectFarInside(reader, query, direction, { ...page, total })
  }
  const isReversed = total !== undefined && after !== undefined
  const parts = pageParts(reader, query, path, sort, { direction, isReversed })
  if (!isReversed) return selectRows(reader, parts, page)
  const limit = Math.min(page.limit, total - page.offset)
  return selectRows(reader, parts, { limit, offset: after }).reverse()
}

/** A full page of a list in pk order, far from both ends. */
function selectFarInside(
  reader: Reader,
  query: RowQuery,
  direction: Direction,
  { offset, limit, total }: PageRequest & { readonly total: number },
): number[] {
  if (direction === 'asc') return pksOfRange(reader, query, { from: offset, to: offset + limit, total })
  const from = total - offset - limit
  return pksOfRange(reader, query, { from, to: from + limit, total }).reverse()
}

/**
 * Counts the rows of a part only if the page begins after them. Skipping takes longer in one statement over all parts.
 */
function selectRows(reader: Reader, parts: readonly SortedRows[], page: PageRequest): number[] {
  const { limit } = page
  let { offset } = page
  const pks: number[] = []
  for (const [at, { source, orderBy }] of parts.entries()) {
    const { text, values } = source
    const rest = { limit: limit - pks.length, offset }
    const found = reader.sql.columnPage<number>(`SELECT pk ${text} ${orderBy}`, values, rest)
    pks.push(...found)
    if (pks.length === limit || at === parts.length - 1) break
    offset = found.length > 0 ? 0 : offset - reader.sql.scalar<number>(`SELECT count(*) ${text}`, ...values)
  }
  return pks
}

/** Indexes that would have saved most of the read. */
function missingIndexes(plan: ListPlan): string[] {
  const { query, sort, choice } = plan
  return [
    ...missingForFilter(query, choice, sort),
    ...(choice?.few === undefined ? missingForText(query) : []),
    ...(sortsAllRows(plan) ? missingForSort(query, sort) : []),
  ]
}

/*
 * All rows of a list in its order, read in chunks. Their pks are found at once, so concurrent writes and deletions do
 * not shift other rows.
 */

/** The pks of all rows of a list, in its order. */
export function pksInOrder(reader: Reader, input: ListInput): Float64Array {
  const plan = planList(reader, input)
  const { query, choice, indexes, sort, direction } = plan
  const few = choice?.few === undefined ? undefined : choice.path
  const sorted = query.conditions.length === 0 ? sortedPath(plan) : undefined
  const path = few ?? textIndexPath(reader, query, indexes) ?? sorted ?? scanPath(choice)
  const parts = pageParts(reader, query, path, sort, { direction, isReversed: false })
  const pks = parts.flatMap(({ source, orderBy }) =>
    reader.sql.column<number>(`SELECT pk ${source.text} ${orderBy}`, ...source.values),
  )
  return Float64Array.from(pks)
}

/** The given rows that are still in the list after concurrent changes. */
export function* rowsInList(
  reader: Reader,
  { caller, request }: ListInput,
  pks: readonly number[],
): Generator<RecordRow> {
  const query = rowQuery(reader, caller, withView(reader, caller, request))
  const { text, values } = scanSource(reader, query, { by: 'pk', pks })
  const matching = new Set(reader.sql.column<number>(`SELECT pk ${text}`, ...values))
  yield* eachRecord(
    reader,
    pks.filter((pk) => matching.has(pk)),
  )
}
