import { isNegated } from '../../../filter/operators.ts'
import type { PagePosition } from '../../../storage/page-cursors.ts'
import type { SqlPart } from '../../../storage/sql.ts'
import { type IndexedColumn, sortExpression } from '../../structures/storage/auto-index.ts'
import type { StructureRow } from '../../structures/store.ts'
import {
  isAbsent,
  isSortedByPk,
  type Order,
  type RowQuery,
  type SortTarget,
  testedColumn,
  tieExpression,
} from './row-query.ts'

/*
 * Tests for the rows after a position. In an index, a position lies within equal values, before two further ranges: the
 * page is read from each with one seek.
 */

/** The tests of the entries after a position: those of equal value, those of later values, those without a value. */
export function partsAfter(
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
export function rowsBehind(
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

/** Whether the conditions allow both rows with a value in the column and rows without one. */
export const mayBeAbsent = ({ conditions }: RowQuery, { column }: IndexedColumn): boolean =>
  column !== 'created_at' &&
  column !== 'updated_at' &&
  conditions.every(
    (condition) =>
      testedColumn(condition) !== column ||
      (isNegated(condition.op) && condition.op !== 'is_empty') ||
      condition.op === 'contains',
  )
