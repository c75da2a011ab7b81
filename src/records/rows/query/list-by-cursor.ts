import type { InWorkspace } from '../../../context.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import { pageRequest } from '../../../lib/pagination.ts'
import {
  cursorBetween,
  findMissing,
  type PagePosition,
  positionOf,
  refuseOffset,
  requestDigest,
  type SortValue,
} from '../../../storage/page-cursors.ts'
import type { Reader } from '../../../storage/reader.ts'
import { liveRowsByPk } from '../../../storage/row-table-names.ts'
import { sortExpression } from '../../structures/storage/auto-index.ts'
import type { StructureRow } from '../../structures/store.ts'
import { loadPage, type RecordRow } from '../store.ts'
import {
  costsOfList,
  countMatches,
  findWithTextIndex,
  type ListPlan,
  type ListRequest,
  type Matches,
  matchesBeforePage,
  planList,
} from './list.ts'
import { pageParts, pagePath } from './planner.ts'
import { withRollups } from './rollups.ts'
import { parseRequest } from './row-query.ts'
import { reportRows } from './total-cache.ts'

/*
 * Pages of a list by cursor. Each is the first page of the rows after a position, planned like the first page of the
 * whole list.
 */

export interface CursorRequest {
  readonly cursor: string
  readonly isCounted: boolean
}

export interface CursorPage {
  readonly rows: readonly RecordRow[]
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null
  /** The number of matching rows, if requested. */
  readonly total: number | undefined
}

export interface CursorResult {
  readonly page: CursorPage
  readonly structure: StructureRow
}

export function pageByCursor(
  snapshot: Snapshot,
  caller: InWorkspace,
  request: ListRequest,
  { cursor, isCounted }: CursorRequest,
): CursorResult {
  refuseOffset(request.offset)
  const { limit } = pageRequest(request)
  // One more row tells whether a page follows.
  const oneMore: ListRequest = { ...request, limit: limit + 1 }
  const plan = planList(snapshot, { caller, request: parseRequest(oneMore) })
  const digest = digestOf(plan)
  const after = positionOf(snapshot, caller.workspacePk, cursor, digest)
  const found = findWithTextIndex(snapshot, plan)
  const matches = found ?? matchesBeforePage(snapshot, plan)
  const pks = pksAfter(snapshot, plan, matches, after)
  const total = matches?.total ?? (isCounted ? countMatches(snapshot, plan).total : undefined)
  const rows = loadPage(snapshot, pks.slice(0, limit))
  const next = nextCursor(snapshot, plan, digest, rows.at(-1), pks[rows.length])
  reportRows(snapshot, {
    costs: costsOfList(snapshot, plan, found !== undefined),
    counted: plan.key && total !== undefined ? { key: plan.key, total } : undefined,
    longValue: findMissing(snapshot, caller.workspacePk, next),
  })
  const { structure } = plan.query
  const page = {
    rows: withRollups(snapshot, caller, structure, rows),
    next: next?.cursor ?? null,
    total: isCounted ? total : undefined,
  }
  return { structure, page }
}

/** Conditions by column, so that a changed label or name of a field leaves cursors valid. */
function digestOf({ query, sort, direction, page }: ListPlan): string {
  const conditions = query.conditions.map(({ target, op, operands }) => [
    typeof target === 'string' ? target : target.column,
    op,
    operands,
  ])
  return requestDigest('rows', query.structure.id, conditions, sortExpression(sort), direction, page.limit)
}

/** The pks of the page, and of the row after it. */
function pksAfter(
  reader: Reader,
  plan: ListPlan,
  matches: Matches | undefined,
  after: PagePosition | undefined,
): number[] {
  const { query, sort, direction, page } = plan
  const order = { direction, isReversed: false }
  const parts = matches?.pks
    ? pageParts(reader, { ...query, conditions: [] }, { by: 'pk', pks: matches.pks }, sort, order, after)
    : pageParts(reader, query, pagePath(plan, matches?.total), sort, order, after)
  const pks: number[] = []
  for (const { source, orderBy } of parts) {
    const statement = `SELECT pk ${source.text} ${orderBy} LIMIT ?`
    pks.push(...reader.sql.column<number>(statement, ...source.values, page.limit - pks.length))
    if (pks.length === page.limit) break
  }
  return pks
}

function nextCursor(
  reader: Reader,
  { query, sort, direction }: ListPlan,
  digest: string,
  last: RecordRow | undefined,
  next: number | undefined,
) {
  if (!last || next === undefined) return undefined
  const text = `SELECT ${sortExpression(sort)} FROM ${liveRowsByPk(query.structure)} WHERE pk = ?`
  const sortValue = (pk: number) => reader.sql.scalar<SortValue>(text, pk)
  const position = { value: sortValue(last.pk), id: last.id, pk: last.pk }
  return cursorBetween(digest, position, sortValue(next), direction)
}
