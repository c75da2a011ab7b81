import { type Direction, sqlWay } from '../../db/direction.ts'
import type { Reader } from '../../db/reader.ts'
import type { SqlPart } from '../../db/sql-part.ts'
import type { PageRequest } from '../../http/page.ts'
import { indexedColumn, indexName } from '../../structures/storage/auto-index.ts'
import { FEW_ROWS, LOOKUP_COST, SKIPS_PER_ROW } from './costs.ts'
import type { IndexChoice } from './index-choice.ts'
import {
  decidingColumn,
  type IndexedColumn,
  type Indexes,
  isAbsent,
  isPresent,
  testedColumn,
  type UsableIndex,
} from './indexes.ts'
import {
  type AccessPath,
  ANY_PATH,
  isSortedByPk,
  orderBy,
  pkSource,
  type RowQuery,
  type SortTarget,
  scanSource,
  tieBreak,
} from './row-query.ts'

/** Everything on which the plan of a page depends. */
export interface PageQuery {
  readonly query: RowQuery
  readonly sort: SortTarget
  readonly page: PageRequest
  readonly indexes: Indexes
  readonly choice: IndexChoice | undefined
}

/** The index whose order is the requested one, if there is one. */
export const sortingIndex = ({ sort, indexes }: Pick<PageQuery, 'sort' | 'indexes'>) =>
  indexes.get(indexName([sort]))

/** Reads all rows in the requested order, if there is an index of that order. */
function sortedPath(page: PageQuery): AccessPath | undefined {
  if (isSortedByPk(page.query.structure, page.sort)) return { by: 'pk' }
  const index = sortingIndex(page)
  return index && { by: 'index', index }
}

const namesIds = ({ conditions }: RowQuery) =>
  conditions.some(({ target, op }) => target === 'id' && (op === 'eq' || op === 'in'))

/** Whether so few rows can match that all of them are read. */
export const isNarrow = ({ query, choice }: PageQuery): boolean =>
  choice?.few !== undefined || namesIds(query)

/** Whether an index yields the rows that the choice leads to in the requested order. */
export function choiceSorts(
  { query, sort }: Pick<PageQuery, 'query' | 'sort'>,
  { index, fixedColumns }: IndexChoice,
): boolean {
  const { columns } = index
  if (isSortedByPk(query.structure, sort)) return fixedColumns === columns.length
  const last = columns.at(-1)
  return index.isComplete && fixedColumns >= columns.length - 1 && last?.column === indexedColumn(sort)
}

/** How many rows are read in the requested order until the page is full, if the matching rows are spread evenly. */
const rowsUntilFull = ({ query, page }: PageQuery, total: number) =>
  ((page.offset + page.limit) * query.structure.live) / Math.max(1, total)

/** The cost of a row on the path: an entry that decides all conditions costs less than one whose row is looked up. */
function pathRowCost({ query }: PageQuery, path: AccessPath): number {
  if (path.by !== 'index') return 1
  const decides = query.conditions.every((condition) => decidingColumn(path.index, condition) !== undefined)
  return decides ? 1 / SKIPS_PER_ROW : LOOKUP_COST
}

/**
 * The access path of a page: the chosen index where it leads to few rows; the requested order where that soon fills
 * the page; otherwise all matching rows. `total` is the number of matching rows, as far as it is known.
 */
export function pagePath(page: PageQuery, total: number | undefined): AccessPath {
  const { query, choice } = page
  const sorted = sortedPath(page)
  if (query.conditions.length === 0) return sorted ?? ANY_PATH
  if (namesIds(query)) return ANY_PATH
  if (choice && (choice.few !== undefined || choiceSorts(page, choice))) return choice.path
  if (total === undefined) return choice?.path ?? ANY_PATH
  const rowsOtherwise = choice?.isEquality ? total : query.structure.live
  if (sorted && rowsUntilFull(page, total) * pathRowCost(page, sorted) < rowsOtherwise) return sorted
  return choice?.isEquality ? choice.path : { by: 'pk' }
}

/** The cost of a page in rows of a scan. With an undefined total, counting it is part of the cost. */
export function pageCost(page: PageQuery, total: number | undefined): number {
  const { query, choice } = page
  const { live } = query.structure
  const end = page.page.offset + page.page.limit
  if (query.conditions.length === 0) {
    const sorted = sortedPath(page)
    if (!sorted) return live
    return end / (sorted.by === 'index' ? SKIPS_PER_ROW : 1)
  }
  if (isNarrow(page)) return FEW_ROWS
  if (total === undefined) return live
  const path = pagePath(page, total)
  if (choice && path === choice.path) {
    if (!choiceSorts(page, choice)) return total * LOOKUP_COST
    if (choice.decidesAll) return end / SKIPS_PER_ROW
  }
  return Math.min(live, rowsUntilFull(page, total) * pathRowCost(page, path))
}

/** Whether all matching rows must be read and sorted to find the page. */
export function sortsAllRows(page: PageQuery): boolean {
  const isSorted = page.choice !== undefined && choiceSorts(page, page.choice)
  return !isSorted && sortedPath(page) === undefined && !isNarrow(page)
}

/** The statement that selects the pks of a page. Its last two values are the limit and the offset. */
export function pageStatement(
  reader: Reader,
  query: RowQuery,
  path: AccessPath,
  { sort, direction }: { sort: SortTarget; direction: Direction },
): SqlPart {
  const { structure } = query
  const plain = ({ text, values }: SqlPart, order: string) => ({
    text: `SELECT pk ${text} ${order} LIMIT ? OFFSET ?`,
    values,
  })
  if (path.by !== 'index') return plain(scanSource(reader, query, path), orderBy(structure, sort, direction))
  if (isSortedByPk(structure, sort))
    return plain(pkSource(reader, query, path), orderBy(structure, sort, direction))
  const column = sortedColumn(path.index, sort)
  if (!column) return plain(scanSource(reader, query, path), orderBy(structure, sort, direction))
  const order = `ORDER BY ${column.key} ${sqlWay(direction)}, ${tieBreak(structure, direction)}`
  if (direction === 'desc' || !mayBeAbsent(query, column)) return plain(pkSource(reader, query, path), order)
  // Rows without a value come first in the index.
  const parts = [isPresent(column), isAbsent(column)].map((test) => pkSource(reader, query, path, [test]))
  const statements = parts.map(({ text }) => `SELECT pk FROM (SELECT pk ${text} ${order} LIMIT -1)`)
  return {
    text: `${statements.join(' UNION ALL ')} LIMIT ? OFFSET ?`,
    values: parts.flatMap(({ values }) => values),
  }
}

/** The column of the index that orders by the target; a key of texts as written does not. */
const sortedColumn = (index: UsableIndex, sort: SortTarget): IndexedColumn | undefined =>
  index.isComplete ? index.columns.find(({ column }) => column === indexedColumn(sort)) : undefined

/** Whether the conditions allow both rows with a value in the column and rows without one. */
const mayBeAbsent = ({ conditions }: RowQuery, { column, hasAbsent }: IndexedColumn): boolean =>
  hasAbsent &&
  conditions.every(
    (condition) =>
      testedColumn(condition) !== column ||
      condition.op === 'neq' ||
      condition.op === 'not_in' ||
      condition.op === 'contains',
  )
