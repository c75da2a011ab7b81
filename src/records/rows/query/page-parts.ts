import type { PagePosition } from '../../../storage/page-cursors.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type SqlPart, sqlDirection } from '../../../storage/sql.ts'
import { type IndexedColumn, indexedColumn, sortExpression } from '../../structures/storage/auto-index.ts'
import type { StructureRow } from '../../structures/store.ts'
import {
  type AccessPath,
  directionOf,
  isAbsent,
  isPresent,
  isSortedByPk,
  type Order,
  orderBy,
  pkSource,
  type RowQuery,
  type SortTarget,
  scanSource,
  testedColumn,
  tieBreak,
  tieExpression,
  type UsableIndex,
} from './row-query.ts'

/*
 * The statements that read a page. An index has the order of a list, except that rows without a value come first and
 * that a position within equal values lies between two ranges. A page is therefore read from several ranges, one after
 * the other, each with one seek.
 */

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
  const rest = after ? [rowsAfter(structure, sort, order, after)] : []
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

/** The tests of the entries after a position: those of equal value, those of later values, those without a value. */
function partsAfter(
  query: RowQuery,
  column: IndexedColumn,
  { direction }: Order,
  after: PagePosition,
): SqlPart[][] {
  const { structure } = query
  const tie = tieAfter(structure, direction, after)
  if (after.value === null) return [[isAbsent(column), tie]]
  const equal = { text: `${column.key} = ?`, values: [after.value] }
  const later = { text: `${column.key} ${BEYOND[direction]} ?`, values: [after.value] }
  return [[equal, tie], [later], ...(mayBeAbsent(query, column) ? [[isAbsent(column)]] : [])]
}

const BEYOND = { asc: '>', desc: '<' } as const

const tieAfter = (structure: StructureRow, direction: Order['direction'], { id, pk }: PagePosition) => ({
  text: `${tieExpression(structure)} ${BEYOND[direction]} ?`,
  values: [structure.inOrder === 1 ? pk : id],
})

/** Tests for the rows after a position. */
function rowsAfter(
  structure: StructureRow,
  sort: SortTarget,
  { direction }: Order,
  after: PagePosition,
): SqlPart {
  const tie = tieAfter(structure, direction, after)
  if (isSortedByPk(structure, sort)) return tie
  const key = sortExpression(sort)
  if (after.value === null) return { text: `(${key} IS NULL AND ${tie.text})`, values: tie.values }
  return {
    text: `(${key} ${BEYOND[direction]} ? OR (${key} = ? AND ${tie.text}) OR ${key} IS NULL)`,
    values: [after.value, after.value, ...tie.values],
  }
}

/** The index's last column, if it orders by the target. Text as written has another order. */
const sortedColumn = (index: UsableIndex, sort: SortTarget): IndexedColumn | undefined => {
  const last = index.isUnique ? undefined : index.columns.at(-1)
  return last?.column === indexedColumn(sort) ? last : undefined
}

/** Whether the conditions allow both rows with a value in the column and rows without one. */
const mayBeAbsent = ({ conditions }: RowQuery, { column }: IndexedColumn): boolean =>
  column !== 'created_at' &&
  column !== 'updated_at' &&
  conditions.every(
    (condition) =>
      testedColumn(condition) !== column ||
      condition.op === 'neq' ||
      condition.op === 'not_in' ||
      condition.op === 'has_none' ||
      condition.op === 'contains',
  )
