import { type Direction, sqlWay } from '../../db/direction.ts'
import type { PageRequest } from '../../http/page.ts'
import { isIn } from './bitset.ts'
import { FIELD_INDEXES } from './condition-sql.ts'
import type { Evaluation, Matching } from './evaluate.ts'
import { candidatesOf, walk } from './filtered-scan.ts'
import { type PropertyOrder, pageByProperty } from './property-pages.ts'

export interface FieldOrder {
  readonly by: keyof typeof FIELD_INDEXES
  readonly direction: Direction
}

/** What matching notes are ordered by; equal ones stand by id in the same direction. */
export type MatchOrder = FieldOrder | PropertyOrder

/** The pks of one page of the notes that match. */
export function pageOf(
  evaluation: Evaluation,
  matching: Matching,
  order: MatchOrder,
  page: PageRequest,
): number[] {
  if (page.offset >= matching.total) return []
  return order.by === 'property'
    ? pageByProperty(evaluation, matching, order, page)
    : pageByField(evaluation, matching, order, page)
}

/** Few are fetched and sorted; many are met while walking the index of the order. */
function pageByField(
  evaluation: Evaluation,
  matching: Matching,
  { by, direction }: FieldOrder,
  page: PageRequest,
): number[] {
  const { sql } = evaluation.reader
  const { column, index } = FIELD_INDEXES[by]
  const way = sqlWay(direction)
  const order = `ORDER BY ${column} ${way}, id ${way} LIMIT ? OFFSET ?`
  const candidates = candidatesOf(evaluation, matching)
  if (candidates !== undefined)
    return sql.column(
      `SELECT pk FROM notes NOT INDEXED WHERE pk IN (SELECT value FROM json_each(?)) ${order}`,
      candidates,
      page.limit,
      page.offset,
    )
  const active = `SELECT pk FROM notes INDEXED BY ${index} WHERE workspace = ? AND deleted_at IS NULL ${order}`
  const fetch = (limit: number, offset: number) =>
    sql.column<number>(active, evaluation.workspace, limit, offset)
  if (matching.total === evaluation.live) return fetch(page.limit, page.offset)
  return walk(fetch, (pk) => isIn(matching.set, pk), page, evaluation.live / matching.total).found
}
