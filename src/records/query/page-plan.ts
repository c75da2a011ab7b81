import type { PageRequest } from '../../http/page.ts'
import { indexedColumn } from '../../structures/storage/auto-index.ts'
import { type Driver, FEW, type Indexes } from './index-choice.ts'
import { ANY_ENTRY, type Entry, isByPk, type RowQuery, type SortTarget } from './row-query.ts'

/** Everything that decides how a page is found. */
export interface PageQuestion {
  readonly query: RowQuery
  readonly sort: SortTarget
  readonly page: PageRequest
  readonly indexes: Indexes
  readonly driver: Driver | undefined
}

/** A row that is looked up through an index costs as much as this many that are met in a scan. */
const LOOKUP_COST = 4
/** So many entries of an index are skipped in the time of one row of a scan. */
const SKIPS_A_ROW = 2

/** Goes through the rows in the order that is asked for, if there is an index of that order. */
function walkEntry({ query, sort, indexes }: PageQuestion): Entry | undefined {
  if (isByPk(query.structure, sort)) return { by: 'pk' }
  const index = indexes.get(indexedColumn(sort))
  return index?.sorts ? { by: 'index', name: index.name } : undefined
}

const namesIds = ({ conditions }: RowQuery) =>
  conditions.some(({ target, op }) => target === 'id' && (op === 'eq' || op === 'in'))

/** Whether so few rows come into question that they are all looked at. */
export const isNarrow = ({ query, driver }: PageQuestion): boolean =>
  driver?.few !== undefined || namesIds(query)

/** Whether the rows that the driver leads to stand in the order that is asked for. */
function drivesInOrder({ query, sort }: PageQuestion, { index, isOneValue }: Driver): boolean {
  if (isByPk(query.structure, sort)) return isOneValue
  return index.sorts && index.column === indexedColumn(sort)
}

/** How many rows a walk in order meets until the page is full, if those that match stand anywhere. */
const walkedRows = ({ query, page }: PageQuestion, total: number) =>
  ((page.offset + page.limit) * query.structure.live) / Math.max(1, total)

/**
 * The way in to a page: by the few rows that an index leads to, in the order that is asked for where that
 * soon fills the page, else through all that match. `total` is how many do, as far as it is known.
 */
export function pageEntry(question: PageQuestion, total: number | undefined): Entry {
  const { query, driver } = question
  const walk = walkEntry(question)
  if (query.conditions.length === 0) return walk ?? ANY_ENTRY
  if (namesIds(query)) return ANY_ENTRY
  if (driver && (driver.few !== undefined || drivesInOrder(question, driver))) return driver.entry
  if (total === undefined) return driver?.entry ?? ANY_ENTRY
  const lookups = walk?.by === 'index' ? LOOKUP_COST : 1
  const allMatching = driver?.isEqual ? total : query.structure.live
  if (walk && walkedRows(question, total) * lookups < allMatching) return walk
  return driver?.isEqual ? driver.entry : { by: 'pk' }
}

/**
 * How many rows of a scan the page costs as much as; its total is known or, undefined, must be counted first.
 */
export function rowsForPage(question: PageQuestion, total: number | undefined): number {
  const { query, page, driver } = question
  const { live } = query.structure
  if (query.conditions.length === 0) {
    const walk = walkEntry(question)
    if (!walk) return live
    return (page.offset + page.limit) / (walk.by === 'index' ? SKIPS_A_ROW : 1)
  }
  if (isNarrow(question)) return FEW
  if (total === undefined) return live
  const entry = pageEntry(question, total)
  const each = entry.by === 'index' ? LOOKUP_COST : 1
  if (driver && entry === driver.entry) {
    if (!drivesInOrder(question, driver)) return total * each
    if (driver.conditions.length === query.conditions.length) return (page.offset + page.limit) / SKIPS_A_ROW
  }
  return Math.min(live, walkedRows(question, total) * each)
}

/** Whether nothing but a look at every row puts the page in order. */
export const sortsAll = (question: PageQuestion): boolean =>
  walkEntry(question) === undefined && !isNarrow(question)
