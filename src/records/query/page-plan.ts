import type { PageRequest } from '../../http/page.ts'
import { indexedColumn } from '../../structures/storage/auto-index.ts'
import { FEW_ROWS, LOOKUP_COST, SKIPS_PER_ROW } from './costs.ts'
import type { IndexChoice, Indexes } from './index-choice.ts'
import { type AccessPath, ANY_PATH, isSortedByPk, type RowQuery, type SortTarget } from './row-query.ts'

/** Everything on which the plan of a page depends. */
export interface PageQuery {
  readonly query: RowQuery
  readonly sort: SortTarget
  readonly page: PageRequest
  readonly indexes: Indexes
  readonly choice: IndexChoice | undefined
}

/** Reads all rows in the requested order, if there is an index of that order. */
function sortedPath({ query, sort, indexes }: PageQuery): AccessPath | undefined {
  if (isSortedByPk(query.structure, sort)) return { by: 'pk' }
  const index = indexes.get(indexedColumn(sort))
  return index?.sorts ? { by: 'index', name: index.name } : undefined
}

const namesIds = ({ conditions }: RowQuery) =>
  conditions.some(({ target, op }) => target === 'id' && (op === 'eq' || op === 'in'))

/** Whether so few rows can match that all of them are read. */
export const isNarrow = ({ query, choice }: PageQuery): boolean =>
  choice?.few !== undefined || namesIds(query)

/** Whether the chosen index yields its rows in the requested order. */
function choiceSorts({ query, sort }: PageQuery, { index, isOneValue }: IndexChoice): boolean {
  if (isSortedByPk(query.structure, sort)) return isOneValue
  return index.sorts && index.column === indexedColumn(sort)
}

/** How many rows are read in the requested order until the page is full, if the matching rows are spread evenly. */
const rowsUntilFull = ({ query, page }: PageQuery, total: number) =>
  ((page.offset + page.limit) * query.structure.live) / Math.max(1, total)

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
  const rowCost = sorted?.by === 'index' ? LOOKUP_COST : 1
  const rowsOtherwise = choice?.isEquality ? total : query.structure.live
  if (sorted && rowsUntilFull(page, total) * rowCost < rowsOtherwise) return sorted
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
  const rowCost = path.by === 'index' ? LOOKUP_COST : 1
  if (choice && path === choice.path) {
    if (!choiceSorts(page, choice)) return total * rowCost
    if (choice.conditions.length === query.conditions.length) return end / SKIPS_PER_ROW
  }
  return Math.min(live, rowsUntilFull(page, total) * rowCost)
}

/** Whether all matching rows must be read and sorted to find the page. */
export const sortsAllRows = (page: PageQuery): boolean => sortedPath(page) === undefined && !isNarrow(page)
