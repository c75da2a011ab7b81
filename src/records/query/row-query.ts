import { type Direction, sqlWay } from '../../db/direction.ts'
import { rowTable } from '../../db/row-tables.ts'
import { allOf, type SqlPart } from '../../db/sql-part.ts'
import type { RowPart, TypedField } from '../../filter/record/operators.ts'
import type { Condition } from '../../filter/record/parse.ts'
import { filterSql } from '../../filter/record/sql.ts'
import { refused } from '../../refusal.ts'
import type { Definition } from '../../structures/definition.ts'
import { sortExpression } from '../../structures/storage/auto-index.ts'
import type { StructureRow } from '../../structures/store.ts'

/** What is asked of a structure's rows. */
export interface RowQuery {
  readonly structure: StructureRow
  readonly definition: Definition
  readonly conditions: readonly Condition[]
}

/** How a table is entered: through an index, by its pks or some of them alone, or as SQLite sees fit. */
export type Entry =
  | { readonly by: 'index'; readonly name: string; readonly seeks?: readonly SqlPart[] }
  | { readonly by: 'pk'; readonly pks?: readonly number[] }
  | { readonly by: 'any' }

export const ANY_ENTRY: Entry = { by: 'any' }

/** `FROM … WHERE …` over the structure's own table, with its values. */
export function rowSource({ structure, definition, conditions }: RowQuery, entry: Entry): SqlPart {
  const filter = filterSql(conditions, definition.fields)
  const parts = [...seeksOf(entry), ...(filter ? [filter] : [])]
  const table = `FROM ${rowTable(structure.pk)} AS live${hint(entry)}`
  if (parts.length === 0) return { text: table, values: [] }
  const { text, values } = allOf(parts)
  return { text: `${table} WHERE ${text}`, values }
}

function seeksOf(entry: Entry): readonly SqlPart[] {
  if (entry.by === 'index') return entry.seeks ?? []
  if (entry.by === 'any' || !entry.pks) return []
  return [{ text: 'pk IN (SELECT value FROM json_each(?))', values: [JSON.stringify(entry.pks)] }]
}

function hint(entry: Entry): string {
  if (entry.by === 'index') return ` INDEXED BY ${entry.name}`
  return entry.by === 'pk' ? ' NOT INDEXED' : ''
}

/** What a list can be sorted by: a field, `created_at` or `updated_at`. */
export type SortTarget = TypedField | Extract<RowPart, 'created_at' | 'updated_at'>

/** What `sort` names; refuses what is no field. */
export function sortTarget({ byKey }: Definition, sort: string): SortTarget {
  if (sort === 'created_at' || sort === 'updated_at') return sort
  const field = byKey.get(sort)
  if (field) return field
  throw refused(`"sort" names "${sort}", and the structure has no such field.`)
}

/** Whether the pks alone give the order: while rows came in order, they stand for `created_at` and the id. */
export const isByPk = ({ inOrder }: StructureRow, target: SortTarget): boolean =>
  inOrder === 1 && target === 'created_at'

/**
 * `ORDER BY` of a list: rows without a value last in both directions, ties by id in the same direction. Text
 * stands by the code points of its folded form, everything else as its column compares.
 */
export function orderBy(structure: StructureRow, target: SortTarget, direction: Direction): string {
  const way = sqlWay(direction)
  if (isByPk(structure, target)) return `ORDER BY pk ${way}`
  const nulls = typeof target === 'string' || direction === 'desc' ? '' : ' NULLS LAST'
  const first = `${sortExpression(target)} ${way}${nulls}`
  if (structure.inOrder === 1) return `ORDER BY ${first}, pk ${way}`
  return `ORDER BY ${first}, (SELECT id FROM records r WHERE r.pk = live.pk) ${way}`
}
