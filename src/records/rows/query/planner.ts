import type { RowOperator } from '../../../filter/operators.ts'
import { valueTypeOf } from '../../../filter/record/field-types.ts'
import type { Condition } from '../../../filter/record/parse.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import type { PageRequest } from '../../../lib/pagination.ts'
import type { PagePosition } from '../../../storage/page-cursors.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type SqlPart, sqlDirection } from '../../../storage/sql.ts'
import type { ReadCosts } from '../../structures/storage/auto-index.ts'
import {
  type IndexedColumn,
  type IndexTarget,
  indexedColumn,
  indexName,
} from '../../structures/storage/auto-index.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { mayBeAbsent, partsAfter, rowsBehind } from './keyset.ts'
import {
  type AccessPath,
  ANY_PATH,
  decidingColumn,
  directionOf,
  FEW_ROWS,
  isAbsent,
  isPresent,
  isSortedByPk,
  needlesOf,
  type Order,
  orderBy,
  pkSource,
  type RowQuery,
  type SortTarget,
  scanSource,
  testedColumn,
  tieBreak,
} from './row-query.ts'
import { cachedNumber, totalKeyText } from './total-cache.ts'
import type { Indexes, UsableIndex } from './usable-indexes.ts'

/*
 * Chooses an index, and reports missing ones.
 *
 * - An access path (`row-query.ts`) defines how the row table is read.
 * - The index choice is the index that leads to the fewest rows of a filter. SQLite would choose by statistics that it
 *   rarely has; here the rows are counted, up to `FEW_ROWS`.
 * - The page plan is the access path of a page.
 * - The time that an index would have saved (below) is reported to the policy that builds indexes
 *   (`records/structures/storage/auto-index.ts`). If some conditions require one value, and another condition or the
 *   sort orders the rest, it is an index on the pair. Otherwise it is one on each column.
 */

/** The cost of looking up a row through an index. */
export const LOOKUP_COST = 4
/** The number of index entries skipped at the cost of 1. */
const SKIPS_PER_ROW = 2

export interface PageQuery {
  readonly query: RowQuery
  readonly sort: SortTarget
  readonly page: PageRequest
  readonly indexes: Indexes
  readonly choice: IndexChoice | undefined
}

/** The index in the requested order, if there is one. */
export const sortingIndex = ({ sort, indexes }: Pick<PageQuery, 'sort' | 'indexes'>) =>
  indexes.size === 0 ? undefined : indexes.get(indexName([sort]))

/** Reads all rows in the requested order, if an index has that order. */
export function sortedPath(page: PageQuery): AccessPath | undefined {
  if (isSortedByPk(page.query.structure, page.sort)) return { by: 'pk' }
  const index = sortingIndex(page)
  return index && { by: 'index', index }
}

const namesIds = ({ conditions }: RowQuery) =>
  conditions.some(({ target, op }) => target === 'id' && (op === 'eq' || op === 'in'))

/** Whether so few rows can match that reading all of them is cheap. */
export const isNarrow = ({ query, choice }: PageQuery): boolean =>
  choice?.few !== undefined || namesIds(query)

/** Whether an index yields the chosen rows in the requested order. */
export function choiceSorts(
  { query, sort }: Pick<PageQuery, 'query' | 'sort'>,
  { index, fixedColumns }: IndexChoice,
): boolean {
  const { columns } = index
  if (isSortedByPk(query.structure, sort)) return fixedColumns === columns.length
  const last = columns.at(-1)
  return !index.isUnique && fixedColumns >= columns.length - 1 && last?.column === indexedColumn(sort)
}

/**
 * The number of rows after the page, if the page is nearer to the end of the list and is read from there in reverse.
 */
export function rowsAfter({ offset, limit }: PageRequest, total: number | undefined): number | undefined {
  if (total === undefined) return undefined
  const after = Math.max(0, total - offset - limit)
  return after < offset ? after : undefined
}

/** The number of matching rows to read until the page is full. */
const matchesUntilFull = (page: PageRequest, total: number | undefined): number =>
  (rowsAfter(page, total) ?? page.offset) + page.limit

/** The number of rows to read in the requested order until this many match, if matches are spread evenly. */
const rowsUntil = (matches: number, { query }: PageQuery, total: number) =>
  (matches * query.structure.live) / Math.max(1, total)

/** The cost of a row on the path. An entry that decides all conditions costs less than a row lookup. */
function pathRowCost({ query }: PageQuery, path: AccessPath): number {
  if (path.by !== 'index') return 1
  const decides = query.conditions.every((condition) => decidingColumn(path.index, condition) !== undefined)
  return decides ? 1 / SKIPS_PER_ROW : LOOKUP_COST
}

/**
 * The access path of a page. It is the chosen index if that leads to few rows, and the requested order if that soon
 * fills the page. Otherwise all matching rows are read. `total` is the number of matching rows, if known.
 */
export function pagePath(page: PageQuery, total: number | undefined): AccessPath {
  const { query, choice } = page
  const sorted = sortedPath(page)
  if (query.conditions.length === 0) return sorted ?? ANY_PATH
  if (namesIds(query)) return { by: 'pk' }
  if (choice && (choice.few !== undefined || choiceSorts(page, choice))) return choice.path
  if (total === undefined) return choice?.path ?? ANY_PATH
  const rowsOtherwise = choice?.isEquality ? total : query.structure.live
  const rows = rowsUntil(matchesUntilFull(page.page, total), page, total)
  if (sorted && rows * pathRowCost(page, sorted) < rowsOtherwise) return sorted
  return choice?.isEquality ? choice.path : { by: 'pk' }
}

/** The approximate number of rows that a page reads, if the matching rows are spread evenly. */
export function rowsOfPage(page: PageQuery, total: number | undefined): number {
  const { query, choice } = page
  const { live } = query.structure
  const end = matchesUntilFull(page.page, total)
  if (isNarrow(page)) return FEW_ROWS
  if (total === undefined) return live
  const path = pagePath(page, total)
  if (choice && path === choice.path) {
    if (!choiceSorts(page, choice)) return total * LOOKUP_COST
    if (choice.decidesAll) return end / SKIPS_PER_ROW
  }
  const perRow = pathRowCost(page, path)
  // The rows at the end may be the ones that do not match. A page near the end counts as far away, unless entries
  // decide.
  const matches = perRow < 1 ? end : page.page.offset + page.page.limit
  return Math.min(live, rowsUntil(matches, page, total) * perRow)
}

/** Whether all matching rows must be read and sorted to find the page. */
export function sortsAllRows(page: PageQuery): boolean {
  const isSorted = page.choice !== undefined && choiceSorts(page, page.choice)
  return !isSorted && sortedPath(page) === undefined && !isNarrow(page)
}

/** One range of a list, in its order. */
export interface SortedRows {
  readonly source: SqlPart
  readonly orderBy: string
}

/** The parts that a page is read from: all rows of the first part in this order, then those of the next. */
export function pageParts(
  reader: Reader,
  query: RowQuery,
  path: AccessPath,
  sort: SortTarget,
  order: Order,
  after?: PagePosition,
): SortedRows[] {
  const { structure } = query
  const byPk = isSortedByPk(structure, sort)
  const ordered = orderBy(structure, sort, order)
  const rest = after ? [rowsBehind(structure, sort, order, after)] : []
  if (path.by !== 'index') return [{ source: scanSource(reader, query, path, byPk, rest), orderBy: ordered }]
  if (byPk) return [{ source: pkSource(reader, query, path, rest), orderBy: ordered }]
  const column = sortedColumn(path.index, sort)
  if (!column) return [{ source: scanSource(reader, query, path, false, rest), orderBy: ordered }]
  const parts = after ? partsAfter(query, column, order, after) : partsOfAll(query, column, order)
  const way = directionOf(order)
  return (order.isReversed ? parts.reverse() : parts).map((tests) => ({
    source: pkSource(reader, query, path, tests),
    orderBy: `ORDER BY ${column.key} ${sqlDirection(way)}, ${tieBreak(structure, way)}`,
  }))
}

/** The tests of the parts of all entries. Rows without a value come first in the index. */
function partsOfAll(query: RowQuery, column: IndexedColumn, { direction }: Order): SqlPart[][] {
  const splits = direction === 'asc' && mayBeAbsent(query, column)
  return splits ? [[isPresent(column)], [isAbsent(column)]] : [[]]
}

/** The index's last column, if it orders by the target. Text as written has another order. */
const sortedColumn = (index: UsableIndex, sort: SortTarget): IndexedColumn | undefined => {
  const last = index.isUnique ? undefined : index.columns.at(-1)
  return last?.column === indexedColumn(sort) ? last : undefined
}

export interface IndexChoice {
  readonly index: UsableIndex
  readonly path: AccessPath
  /** The number of its leading columns that have one value in all entries of the range. */
  readonly fixedColumns: number
  /** Whether it leads to single values of its first column instead of a range. */
  readonly isEquality: boolean
  /** Whether its entries decide all conditions. */
  readonly decidesAll: boolean
  readonly narrowing: number
  /** The number of rows it leads to, if below `FEW_ROWS`. */
  readonly few: number | undefined
}

const SINGLE: ReadonlySet<RowOperator> = new Set(['eq', 'in', 'is_empty'])
const SEEKABLE: ReadonlySet<RowOperator> = new Set([...SINGLE, 'gt', 'gte', 'lt', 'lte'])

/** Whether an index on the condition's target leads to the matching rows. */
const isSeekable = (condition: Condition): boolean =>
  SEEKABLE.has(condition.op) &&
  !(typeof condition.target === 'object' && condition.target.multiple) &&
  testedColumn(condition) !== undefined &&
  !(condition.op === 'in' && condition.operands.some(({ low, high }) => low !== high))

/** Whether all matching rows have the same value, ignoring case. */
const isOneValue = ({ op, operands }: Condition): boolean =>
  op === 'is_empty' || (op === 'eq' && operands[0]?.low === operands[0]?.high)

/** The negated condition; undefined if no index would find its rows. */
export function complementOf(condition: Condition): Condition | undefined {
  const { op } = condition
  const opposite = op === 'neq' ? 'eq' : op === 'not_in' ? 'in' : op === 'not_empty' ? 'is_empty' : undefined
  return opposite && { ...condition, op: opposite }
}

/**
 * Chooses the index that leads to the fewest rows, if any index serves a condition. `prefer` decides between indexes
 * that lead to many rows.
 */
export function chooseIndex(
  reader: Reader,
  query: RowQuery,
  indexes: Indexes,
  prefer: (choice: IndexChoice) => boolean = () => false,
): IndexChoice | undefined {
  if (indexes.size === 0) return undefined
  const served = [...indexes.values()]
    .map((index): Served => ({ index, seeks: seeksOf(query.conditions, index) }))
    .filter(({ seeks }) => seeks.length > 0)
  // An index that seeks all conditions of another index and more leads to no more rows than that one.
  const isSurpassed = ({ seeks }: Served) =>
    served.some(
      (other) => other.seeks.length > seeks.length && seeks.every((one) => other.seeks.includes(one)),
    )
  const choices = served.filter((one) => !isSurpassed(one)).map((one) => choiceOf(reader, query, one))
  const rank = (one: IndexChoice, other: IndexChoice) =>
    (one.few ?? FEW_ROWS) - (other.few ?? FEW_ROWS) ||
    Number(other.isEquality) - Number(one.isEquality) ||
    other.narrowing - one.narrowing ||
    Number(prefer(other)) - Number(prefer(one)) ||
    Number(other.decidesAll) - Number(one.decidesAll) ||
    one.index.columns.length - other.index.columns.length
  return choices.sort(rank)[0]
}

/** An index, and the conditions that lead to a range of its entries. */
interface Served {
  readonly index: UsableIndex
  readonly seeks: readonly Condition[]
}

function choiceOf(reader: Reader, query: RowQuery, { index, seeks }: Served): IndexChoice {
  const path: AccessPath = { by: 'index', index }
  const byColumn = index.columns.map(({ column }) =>
    seeks.filter((condition) => testedColumn(condition) === column),
  )
  const firstVarying = byColumn.findIndex((conditions) => !conditions.some(isOneValue))
  return {
    index,
    path,
    fixedColumns: firstVarying === -1 ? index.columns.length : firstVarying,
    isEquality: byColumn[0]?.some(({ op }) => SINGLE.has(op)) ?? false,
    decidesAll: query.conditions.every((condition) => decidingColumn(index, condition) !== undefined),
    narrowing: seeks.length,
    few: countFew(reader, { ...query, conditions: seeks }, path),
  }
}

/**
 * The conditions that lead to a range of entries: on the first column, and on each next column while values are single.
 */
function seeksOf(conditions: readonly Condition[], index: UsableIndex): Condition[] {
  const seeks: Condition[] = []
  for (const { column } of index.columns) {
    const found = conditions.filter(
      (condition) => testedColumn(condition) === column && isSeekable(condition),
    )
    seeks.push(...found)
    if (!found.some(({ op }) => SINGLE.has(op))) return seeks
  }
  return seeks
}

/** Undefined from `FEW_ROWS` upwards. */
function countFew(reader: Reader, query: RowQuery, path: AccessPath): number | undefined {
  const { text, values } = pkSource(reader, query, path)
  const counting = `SELECT count(*) FROM (SELECT pk ${text} LIMIT ${FEW_ROWS})`
  const key = `${FEW_ROWS} of ${totalKeyText(query)}`
  const count = cachedNumber(reader, key, () => reader.sql.scalar(counting, ...values))
  return count < FEW_ROWS ? count : undefined
}

/**
 * The access path for reading every matching row. The rows of a large range are scattered over the table, so a scan
 * reads them faster than the index.
 */
export function scanPath(choice: IndexChoice | undefined): AccessPath {
  if (!choice) return ANY_PATH
  return choice.few !== undefined || choice.isEquality ? choice.path : { by: 'pk' }
}

const isBoolean = (target: IndexTarget): boolean =>
  typeof target !== 'string' && valueTypeOf(target) === 'bool'

const targetOf = ({ target }: Condition): IndexTarget | undefined =>
  target === '*' || target === 'id' ? undefined : target

const seekedTargets = (conditions: readonly Condition[]): IndexTarget[] =>
  conditions.filter(isSeekable).flatMap((condition) => targetOf(condition) ?? [])

/** The name of the pair index that would serve the conditions and the sort, if given; undefined if no pair would. */
function pairFor(conditions: readonly Condition[], sort: SortTarget | undefined): string | undefined {
  const fixed = seekedTargets(conditions.filter(isOneValue))
  const [first] = fixed.sort((one, other) => (indexedColumn(one) < indexedColumn(other) ? -1 : 1))
  if (first === undefined) return undefined
  const isFixed = (target: IndexTarget) =>
    fixed.some((other) => indexedColumn(other) === indexedColumn(target))
  const ranges = seekedTargets(conditions).filter((target) => !isFixed(target) && !isBoolean(target))
  const sorted = sort === undefined || isFixed(sort) || isBoolean(sort) ? undefined : sort
  const isSorted = (target: IndexTarget) => sorted && indexedColumn(target) === indexedColumn(sorted)
  const second = ranges.find(isSorted) ?? ranges[0] ?? sorted
  return second && indexName([first, second])
}

const singleNames = (targets: readonly IndexTarget[]): string[] => [
  ...new Set(targets.filter((target) => !isBoolean(target)).map((target) => indexName([target]))),
]

/** Indexes that would have served a filter better than the chosen one. */
export function missingForFilter(
  { structure, conditions }: RowQuery,
  choice: IndexChoice | undefined,
  sort?: SortTarget,
): string[] {
  if (choice?.few !== undefined || choice?.decidesAll) return []
  const sorted = sort !== undefined && !isSortedByPk(structure, sort) ? sort : undefined
  const pair = pairFor(conditions, sorted)
  if (pair !== undefined) return [pair]
  if (choice) return []
  const [only, ...more] = conditions
  const emptiness = only?.op === 'not_empty' && more.length === 0 ? complementOf(only) : undefined
  return singleNames(seekedTargets(emptiness ? [emptiness] : conditions))
}

/** The index that would have saved sorting all matching rows. */
export const missingForSort = ({ conditions }: RowQuery, target: SortTarget): string[] =>
  [pairFor(conditions, target) ?? singleNames([target])].flat()

/** The text index, if it can find the text. */
export const missingForText = ({ conditions }: RowQuery): string[] =>
  needlesOf(conditions).length === 0 ? [] : [TEXT_INDEX]

interface IndexUse {
  /** The indexes that the read lacked. */
  listMissing(): readonly string[]
  readonly used: readonly (string | undefined)[]
}

/** The report of a read to the policy of automatic indexes. Only a slow one lacks an index. */
export function readCosts(
  { isSlow = false }: Pick<Snapshot, 'isSlow'>,
  { structure }: RowQuery,
  indexes: Indexes,
  { listMissing, used }: IndexUse,
): ReadCosts {
  const missing = isSlow ? listMissing() : []
  return {
    structurePk: structure.pk,
    rows: structure.live,
    missing: [...new Set(missing)].filter((name) => !indexes.has(name)),
    used: used.filter((name) => name !== undefined && indexes.get(name)?.isUnique === false) as string[],
  }
}
