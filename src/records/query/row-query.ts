import type { InWorkspace } from '../../context.ts'
import { type Direction, sqlWay } from '../../db/direction.ts'
import type { Reader } from '../../db/reader.ts'
import { rowTable } from '../../db/row-tables.ts'
import { allOf, type SqlPart } from '../../db/sql-part.ts'
import type { RowPart, TypedField } from '../../filter/record/operators.ts'
import { type Condition, checkFilter, parseFilter, type RawCondition } from '../../filter/record/parse.ts'
import { filterSql } from '../../filter/record/sql.ts'
import { refused } from '../../refusal.ts'
import { getStructure } from '../../structures/service.ts'
import { sortExpression } from '../../structures/storage/auto-index.ts'
import type { StructureRow } from '../../structures/store.ts'
import { type Definition, definitionOf } from '../../structures/store.ts'

/** A request whose filter is parsed, but not yet checked against the structure. */
export type Parsed<Request extends { filter?: string }> = Omit<Request, 'filter'> & {
  readonly filter: readonly RawCondition[]
}

export const parsed = <Request extends { filter?: string }>({
  filter,
  ...request
}: Request): Parsed<Request> => ({ ...request, filter: filter === undefined ? [] : parseFilter(filter) })

/** The rows of a structure that meet all of the conditions. */
export interface RowQuery {
  readonly structure: StructureRow
  readonly definition: Definition
  readonly conditions: readonly Condition[]
}

export function rowQuery(
  reader: Reader,
  caller: InWorkspace,
  request: { readonly structure: string; readonly filter: readonly RawCondition[] },
): RowQuery {
  const structure = getStructure(reader, caller, request.structure)
  const definition = definitionOf(structure)
  return { structure, definition, conditions: checkFilter(request.filter, definition.byKey) }
}

/**
 * How SQLite is told to read a row table: through an index, narrowed by further conditions; by pk, all rows or some;
 * or as SQLite decides.
 */
export type AccessPath =
  | { readonly by: 'index'; readonly name: string; readonly seeks?: readonly SqlPart[] }
  | { readonly by: 'pk'; readonly pks?: readonly number[] }
  | { readonly by: 'any' }

export const ANY_PATH: AccessPath = { by: 'any' }

/** `FROM … WHERE …` over the row table, with its values. */
export const rowSource = (query: RowQuery, path: AccessPath): SqlPart => sourceOf(query, path, [])

/** The same for a statement that may read many rows. */
export const scanSource = ({ sql }: Reader, query: RowQuery, path: AccessPath): SqlPart =>
  sourceOf(query, path, [sql.stopCondition('pk')])

function sourceOf(
  { structure, definition, conditions }: RowQuery,
  path: AccessPath,
  first: readonly SqlPart[],
): SqlPart {
  const filter = filterSql(conditions, definition.fields)
  const parts = [...first, ...seeksOf(path), ...(filter ? [filter] : [])]
  const table = `FROM ${rowTable(structure.pk)} AS live${hint(path)}`
  if (parts.length === 0) return { text: table, values: [] }
  const { text, values } = allOf(parts)
  return { text: `${table} WHERE ${text}`, values }
}

function seeksOf(path: AccessPath): readonly SqlPart[] {
  if (path.by === 'index') return path.seeks ?? []
  if (path.by === 'any' || !path.pks) return []
  return [{ text: 'pk IN (SELECT value FROM json_each(?))', values: [JSON.stringify(path.pks)] }]
}

function hint(path: AccessPath): string {
  if (path.by === 'index') return ` INDEXED BY ${path.name}`
  return path.by === 'pk' ? ' NOT INDEXED' : ''
}

/** What a list can be sorted by: a field, `created_at` or `updated_at`. */
export type SortTarget = TypedField | Extract<RowPart, 'created_at' | 'updated_at'>

export function sortTarget({ byKey }: Definition, sort: string): SortTarget {
  if (sort === 'created_at' || sort === 'updated_at') return sort
  const field = byKey.get(sort)
  if (field) return field
  throw refused(`"sort" names "${sort}", and the structure has no such field.`)
}

/** Whether the order of pks is the order asked for: while rows were created in order, it equals `created_at`, id. */
export const isSortedByPk = ({ inOrder }: StructureRow, target: SortTarget): boolean =>
  inOrder === 1 && target === 'created_at'

/**
 * `ORDER BY` of a list: rows without a value last in both directions, ties by id in the same direction. Text is
 * compared by the code points of its folded form, everything else as its column compares.
 */
export function orderBy(structure: StructureRow, target: SortTarget, direction: Direction): string {
  const way = sqlWay(direction)
  if (isSortedByPk(structure, target)) return `ORDER BY pk ${way}`
  const nulls = typeof target === 'string' || direction === 'desc' ? '' : ' NULLS LAST'
  const first = `${sortExpression(target)} ${way}${nulls}`
  if (structure.inOrder === 1) return `ORDER BY ${first}, pk ${way}`
  return `ORDER BY ${first}, (SELECT id FROM records r WHERE r.pk = live.pk) ${way}`
}
