import type { Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import { checkFilter, parseFilter } from '../filter/record-filter.ts'
import { hasMore, type PageRequest, pageRequest } from '../http/page.ts'
import { definitionOf } from '../structures/definition.ts'
import { getStructure } from '../structures/service.ts'
import { type Direction, orderBy, planRead, type ReadPlan, type RowQuery, sortTarget } from './plan.ts'
import { loadRecords, type RecordRow } from './store.ts'

export interface ListRequest {
  structure: string
  filter?: string
  sort?: string
  direction?: Direction
  limit?: number
  offset?: number
}

export interface RecordPage {
  rows: RecordRow[]
  total: number
  hasMore: boolean
}

/** One page of live rows, newest first unless asked otherwise, with the exact total. */
export function listRecords(reader: Reader, caller: Caller, request: ListRequest): RecordPage {
  const query = rowQuery(reader, caller, request)
  const { structure, definition } = query
  const target = sortTarget(definition, request.sort ?? 'created_at')
  const page = pageRequest(request)
  const plan = planRead(query)
  const order = orderBy(structure, target, request.direction ?? 'desc')
  const pks = pageOf(reader, plan, order, page)
  const total = totalOf(reader, plan, structure.live, page, pks.length)
  const rows = pks.length === 0 ? [] : loadRecords(reader, pks)
  return { rows, total, hasMore: hasMore(page, { items: pks, total }) }
}

/** Which rows of which structure a query is about. */
export function rowQuery(
  reader: Reader,
  caller: Caller,
  request: { structure: string; filter?: string },
): RowQuery {
  const filter = request.filter === undefined ? [] : parseFilter(request.filter)
  const structure = getStructure(reader, caller, request.structure)
  const definition = definitionOf(structure)
  return { structure, definition, conditions: checkFilter(filter, definition.byKey) }
}

const pageOf = (
  { sql }: Reader,
  { source, values }: ReadPlan,
  order: string,
  { limit, offset }: PageRequest,
): number[] => sql.column(`SELECT pk ${source} ${order} LIMIT ? OFFSET ?`, ...values, limit, offset)

/** A page that is not full ends the list, and so tells the total; else the kept count or a count. */
function totalOf(
  { sql }: Reader,
  { source, values, isWhole }: ReadPlan,
  live: number,
  { limit, offset }: PageRequest,
  found: number,
): number {
  if (isWhole) return live
  if (found < limit && (found > 0 || offset === 0)) return offset + found
  return sql.scalar(`SELECT count(*) ${source}`, ...values)
}
