import type { InWorkspace } from '../../context.ts'
import type { Direction } from '../../db/direction.ts'
import type { Reader } from '../../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../../db/worker/client.ts'
import { checkFilter, parseFilter } from '../../filter/record/parse.ts'
import { hasMore, pageRequest } from '../../http/page.ts'
import { definitionOf } from '../../structures/definition.ts'
import { getStructure } from '../../structures/service.ts'
import { indexedColumn } from '../../structures/storage/auto-index.ts'
import type { ReadCosts } from '../../structures/storage/index-policy.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import type { StructureRow } from '../../structures/store.ts'
import { loadRecords, type RecordRow } from '../store.ts'
import { chooseDriver, usableIndexes } from './index-choice.ts'
import { isNarrow, type PageQuestion, pageEntry, rowsForPage, sortsAll } from './page-plan.ts'
import { weighRow } from './row-cost.ts'
import { orderBy, type RowQuery, rowSource, sortTarget } from './row-query.ts'
import { filterScans, lessonOf, sortScan } from './scan-costs.ts'
import { searchEntry, searchScan } from './text-search.ts'
import { findTotal, keepTotal, totalKey } from './total-cache.ts'
import { countRows, type Matches } from './totals.ts'

export interface ListRequest {
  structure: string
  filter?: string
  sort?: string
  direction?: Direction
  limit?: number
  offset?: number
}

export interface RecordPage {
  rows: RecordRow[]
  total: number
  hasMore: boolean
}

/** Who asks, and for which page. */
export interface ListInput {
  caller: InWorkspace
  request: ListRequest
}

interface ListPlan extends QueryPlan, PageQuestion {
  readonly direction: Direction
  /** About how many rows are looked at, however long that takes. */
  readonly scanned: number
  /** Under which the total is kept. */
  readonly key: string
  /** As far as it is known without counting. */
  readonly total: number | undefined
}

export interface ListOutcome {
  readonly page: RecordPage
  /** As it was when the page was read. */
  readonly structure: StructureRow
  readonly key: string
  readonly lesson: ReadCosts
}

/** One page of live rows, newest first unless asked otherwise, with the exact total. */
export const listRead: WorkerQuery<ListInput, ListPlan, ListOutcome> = {
  name: 'records.list',
  plan: planList,
  run: (reader, plan) => {
    const started = performance.now()
    const searched = searchedRows(reader, plan)
    const matches = searched ?? matchesOf(reader, plan)
    const counted = performance.now()
    const pks = matches?.pks ? pageAmong(reader, plan, matches.pks) : pageOf(reader, plan, matches?.total)
    const paged = performance.now()
    const exact = matches?.total ?? totalBehind(reader, plan, pks.length)
    keepTotal(reader, plan.key, exact)
    const rows = pks.length === 0 ? [] : loadRecords(reader, pks)
    const page = { rows, total: exact, hasMore: hasMore(plan.page, { items: pks, total: exact }) }
    return {
      page,
      structure: plan.query.structure,
      key: plan.key,
      lesson: searched
        ? lessonOf(plan.query, plan.indexes, [], [TEXT_INDEX])
        : lessonOfPage(plan, exact, counted - started, paged - counted),
    }
  },
}

function planList(reader: Reader, { caller, request }: ListInput): ListPlan {
  const query = rowQuery(reader, caller, request)
  const sort = sortTarget(query.definition, request.sort ?? 'created_at')
  const indexes = usableIndexes(reader, query)
  const driver = chooseDriver(reader, query, indexes)
  const question: PageQuestion = { query, sort, indexes, driver, page: pageRequest(request) }
  const key = totalKey(query)
  const total = query.conditions.length === 0 ? query.structure.live : findTotal(reader, key)
  const direction = request.direction ?? 'desc'
  const scanned = rowsForPage(question, total)
  return { ...question, direction, key, total, scanned, rows: scanned * weighRow(reader, query) }
}

/** Which rows of which structure a query is about. */
export function rowQuery(
  reader: Reader,
  caller: InWorkspace,
  request: { structure: string; filter?: string },
): RowQuery {
  const filter = request.filter === undefined ? [] : parseFilter(request.filter)
  const structure = getStructure(reader, caller, request.structure)
  const definition = definitionOf(structure)
  return { structure, definition, conditions: checkFilter(filter, definition.byKey) }
}

/** What a search table tells, where the page takes a look at every row otherwise. */
function searchedRows(reader: Reader, plan: ListPlan): Matches | undefined {
  if (plan.scanned < plan.query.structure.live) return undefined
  const entry = searchEntry(reader, plan.query, plan.indexes)
  if (!entry) return undefined
  const { text, values } = rowSource(plan.query, entry)
  const pks = reader.sql.column<number>(`SELECT pk ${text}`, ...values)
  return { total: pks.length, pks }
}

/** Undefined where the page itself will tell, or nearly. */
function matchesOf(reader: Reader, plan: ListPlan): Matches | undefined {
  if (plan.total !== undefined) return { total: plan.total }
  return isNarrow(plan) ? undefined : countRows(reader, plan.query, plan.indexes, plan.driver)
}

/** The page of rows that are known already. */
function pageAmong(
  { sql }: Reader,
  { query, page, sort, direction }: ListPlan,
  pks: readonly number[],
): number[] {
  const { text, values } = rowSource({ ...query, conditions: [] }, { by: 'pk', pks })
  const order = orderBy(query.structure, sort, direction)
  return sql.column(`SELECT pk ${text} ${order} LIMIT ? OFFSET ?`, ...values, page.limit, page.offset)
}

function pageOf({ sql }: Reader, plan: ListPlan, total: number | undefined): number[] {
  const { query, page, sort, direction } = plan
  if (total !== undefined && page.offset >= total) return []
  const { text, values } = rowSource(query, pageEntry(plan, total))
  const order = orderBy(query.structure, sort, direction)
  return sql.column(`SELECT pk ${text} ${order} LIMIT ? OFFSET ?`, ...values, page.limit, page.offset)
}

/** A page that is not full ends the list, and so tells the total; else it is counted. */
function totalBehind(reader: Reader, { query, page, indexes, driver }: ListPlan, found: number): number {
  if (found < page.limit && (found > 0 || page.offset === 0)) return page.offset + found
  return countRows(reader, query, indexes, driver).total
}

function lessonOfPage(plan: ListPlan, total: number, countMs: number, pageMs: number): ReadCosts {
  const { query, sort, indexes, driver } = plan
  const scans = [
    ...filterScans(query.conditions, driver, countMs),
    ...(driver?.few === undefined ? searchScan(query, total, countMs) : []),
    ...(sortsAll(plan) ? sortScan(sort, pageMs) : []),
  ]
  return lessonOf(query, indexes, scans, [driver?.index.column, indexedColumn(sort)])
}
