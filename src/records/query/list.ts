import type { AppContext, Caller, InWorkspace } from '../../context.ts'
import type { Direction } from '../../db/direction.ts'
import type { Reader } from '../../db/reader.ts'
import type { QueryPlan, Requester, WorkerQuery } from '../../db/worker/client.ts'
import { hasMore, pageRequest } from '../../http/page.ts'
import { type ReadCosts, recordReadCosts } from '../../structures/storage/index-policy.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import type { StructureRow } from '../../structures/store.ts'
import { loadRecords, type RecordRow } from '../store.ts'
import { FEW_ROWS, readCost } from './costs.ts'
import { chooseIndex, complementOf, scanPath, textIndexPath } from './index-choice.ts'
import { usableIndexes } from './indexes.ts'
import {
  choiceSorts,
  isNarrow,
  type PageQuery,
  pageCost,
  pagePath,
  pageStatement,
  sortingIndex,
  sortsAllRows,
} from './page-plan.ts'
import {
  type AccessPath,
  type Parsed,
  parsed,
  pkSource,
  type RowQuery,
  rowQuery,
  scanSource,
  sortTarget,
} from './row-query.ts'
import { filterScanCosts, readCosts, sortScanCosts, textScanCosts } from './scan-costs.ts'
import { findCounted, saveCounted, type TotalKey, totalKeyOf } from './total-cache.ts'

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
  /** All matching rows, counted exactly. */
  total: number
  hasMore: boolean
}

/** One page of live rows, newest first unless requested otherwise. */
export const listRecords = async (
  ctx: AppContext,
  caller: Caller,
  request: ListRequest,
): Promise<RecordPage> => (await readPage(ctx, caller, parsed(request))).page

/** A page together with its structure, both of the same moment. */
export async function readPage(
  ctx: AppContext,
  caller: InWorkspace & Requester,
  request: Parsed<ListRequest>,
): Promise<{ page: RecordPage; structure: StructureRow }> {
  const input = { caller: { workspacePk: caller.workspacePk }, request }
  const { page, structure, key, costs } = await ctx.worker.run(listRead, input, caller)
  saveCounted(ctx.db, key, page.total)
  recordReadCosts(ctx, costs)
  return { page, structure }
}

interface ListInput {
  caller: InWorkspace
  request: Parsed<ListRequest>
}

interface ListPlan extends QueryPlan, PageQuery {
  readonly direction: Direction
  /** The estimated number of rows read, without the row cost. */
  readonly rowsRead: number
  /** The key of the total in its cache. */
  readonly key: TotalKey
  /** Undefined if it has to be counted. */
  readonly total: number | undefined
}

interface ListResult {
  readonly page: RecordPage
  readonly structure: StructureRow
  readonly key: TotalKey
  readonly costs: ReadCosts
}

export const listRead: WorkerQuery<ListInput, ListPlan, ListResult> = {
  name: 'records.list',
  plan: planList,
  run: (reader, plan) => {
    const started = performance.now()
    const found = findWithTextIndex(reader, plan)
    const matches = found ?? matchesBeforePage(reader, plan)
    const counted = performance.now()
    const pks = matches?.pks ? pageAmong(reader, plan, matches.pks) : pageOf(reader, plan, matches?.total)
    const paged = performance.now()
    const total = matches?.total ?? totalAfterPage(reader, plan, pks.length)
    saveCounted(reader, plan.key, total)
    const rows = pks.length === 0 ? [] : loadRecords(reader, pks)
    const page = { rows, total, hasMore: hasMore(plan.page, { items: pks, total }) }
    return {
      page,
      structure: plan.query.structure,
      key: plan.key,
      costs: found
        ? readCosts(plan.query, plan.indexes, [], [TEXT_INDEX])
        : pageReadCosts(plan, total, counted - started, paged - counted),
    }
  },
}

function planList(reader: Reader, { caller, request }: ListInput): ListPlan {
  const query = rowQuery(reader, caller, request)
  const sort = sortTarget(query.definition, request.sort ?? 'created_at')
  const indexes = usableIndexes(reader, query)
  const choice = chooseIndex(reader, query, indexes, (one) => choiceSorts({ query, sort }, one))
  const pageQuery: PageQuery = { query, sort, indexes, choice, page: pageRequest(request) }
  const key = totalKeyOf(query)
  const total = query.conditions.length === 0 ? query.structure.live : findCounted(reader, query, key)
  const direction = request.direction ?? 'desc'
  const rowsRead = pageCost(pageQuery, total)
  return { ...pageQuery, direction, key, total, rowsRead, cost: readCost(reader, query, rowsRead) }
}

/** How many rows match, and which, if these are few and became known while counting. */
interface Matches {
  readonly total: number
  readonly pks?: readonly number[]
}

/** The matches that the text index finds; undefined where it does not help, or the page reads fewer rows than a scan. */
function findWithTextIndex(reader: Reader, plan: ListPlan): Matches | undefined {
  if (plan.rowsRead < plan.query.structure.live) return undefined
  const path = textIndexPath(reader, plan.query, plan.indexes)
  if (!path) return undefined
  const { text, values } = scanSource(reader, plan.query, path)
  const pks = reader.sql.column<number>(`SELECT pk ${text}`, ...values)
  return { total: pks.length, pks }
}

/** Undefined where reading the page gives the total, or makes counting it cheap. */
function matchesBeforePage(reader: Reader, plan: ListPlan): Matches | undefined {
  if (plan.total !== undefined) return { total: plan.total }
  return isNarrow(plan) ? undefined : countMatches(reader, plan)
}

/** A page that is not full is the last one, and so gives the total; otherwise it is counted. */
function totalAfterPage(reader: Reader, plan: ListPlan, found: number): number {
  const { limit, offset } = plan.page
  if (found < limit && (found > 0 || offset === 0)) return offset + found
  return countMatches(reader, plan).total
}

/**
 * Counts the matching rows: through an index; as all rows except those that an index finds; or in a scan, which
 * returns the pks if they are few, so that the page needs no second scan.
 */
function countMatches(reader: Reader, { query, indexes, choice }: ListPlan): Matches {
  const [only, ...more] = query.conditions
  const complement = only && more.length === 0 ? complementOf(only) : undefined
  if (complement) {
    const others = { ...query, conditions: [complement] }
    const other = chooseIndex(reader, others, indexes)
    if (other) return { total: query.structure.live - (other.few ?? count(reader, others, other.path)) }
  }
  if (choice?.decidesAll) return { total: count(reader, query, choice.path) }
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
  return selectPage(reader, plan, plan.query, pagePath(plan, total))
}

/** The page of matches that are already known. */
const pageAmong = (reader: Reader, plan: ListPlan, pks: readonly number[]): number[] =>
  selectPage(reader, plan, { ...plan.query, conditions: [] }, { by: 'pk', pks })

function selectPage(reader: Reader, plan: ListPlan, query: RowQuery, path: AccessPath): number[] {
  const { text, values } = pageStatement(reader, query, path, plan)
  return reader.sql.column(text, ...values, plan.page.limit, plan.page.offset)
}

function pageReadCosts(plan: ListPlan, total: number, countMs: number, pageMs: number): ReadCosts {
  const { query, sort, indexes, choice } = plan
  const scans = [
    ...filterScanCosts(query, choice, countMs, sort),
    ...(choice?.few === undefined ? textScanCosts(query, total, countMs) : []),
    ...(sortsAllRows(plan) ? sortScanCosts(query, sort, pageMs) : []),
  ]
  return readCosts(query, indexes, scans, [choice?.index.name, sortingIndex(plan)?.name])
}
