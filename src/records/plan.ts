import { foldedText, rowTable, valueColumn } from '../db/row-tables.ts'
import type { SqlValue } from '../db/sql.ts'
import type { RowPart, TypedField } from '../filter/kinds.ts'
import type { Condition } from '../filter/record-filter.ts'
import { filterSql } from '../filter/record-filter-sql.ts'
import { refused } from '../refusal.ts'
import type { Definition } from '../structures/definition.ts'
import type { StructureRow } from '../structures/store.ts'

export type Direction = 'asc' | 'desc'

/** What is asked of a structure's rows. */
export interface RowQuery {
  readonly structure: StructureRow
  readonly definition: Definition
  readonly conditions: readonly Condition[]
}

/** How a read of a structure's table is made: `FROM … WHERE …` with its values, and the order of a page. */
export interface ReadPlan {
  readonly source: string
  readonly values: readonly SqlValue[]
  /** Whether every live row is meant, so that the kept count is the total. */
  readonly isWhole: boolean
}

/** The one place that decides how rows are found. */
export function planRead({ structure, definition, conditions }: RowQuery): ReadPlan {
  const filter = filterSql(conditions, definition.fields)
  const table = `FROM ${rowTable(structure.pk)} AS live`
  if (!filter) return { source: table, values: [], isWhole: true }
  return { source: `${table} WHERE ${filter.text}`, values: filter.values, isWhole: false }
}

/** What a list can be sorted by: a field, `created_at` or `updated_at`. */
export type SortTarget = TypedField | Extract<RowPart, 'created_at' | 'updated_at'>

export function sortTarget({ byKey }: Definition, sort: string): SortTarget {
  if (sort === 'created_at' || sort === 'updated_at') return sort
  const field = byKey.get(sort)
  if (field) return field
  throw refused(`"sort" names "${sort}", and the structure has no such field.`)
}

/** Text stands by the code points of its folded form, everything else as its column compares. */
function sortExpression(target: SortTarget): string {
  if (typeof target === 'string') return target
  const isFolded = target.type === 'text' || target.type === 'select'
  return isFolded ? foldedText(target.column) : valueColumn(target.column)
}

/**
 * `ORDER BY` of a list: rows without a value last in both directions, ties by id in the same direction. While
 * the structure's rows came in order, their pks stand for both `created_at` and the id.
 */
export function orderBy({ inOrder }: StructureRow, target: SortTarget, direction: Direction): string {
  const way = direction === 'asc' ? 'ASC' : 'DESC'
  const nulls = typeof target === 'string' || direction === 'desc' ? '' : ' NULLS LAST'
  const first = `${sortExpression(target)} ${way}${nulls}`
  if (inOrder === 1) return target === 'created_at' ? `ORDER BY pk ${way}` : `ORDER BY ${first}, pk ${way}`
  return `ORDER BY ${first}, (SELECT id FROM records r WHERE r.pk = live.pk) ${way}`
}
