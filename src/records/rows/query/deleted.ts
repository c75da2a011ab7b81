import type { InWorkspace } from '../../../context.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import { hasMore, pageRequest } from '../../../lib/pagination.ts'
import { atPlace, invalid } from '../../../lib/refusal.ts'
import { scanOf } from '../../../lib/scan.ts'
import { cursorBetween, positionOf, refuseOffset, requestDigest } from '../../../storage/page-cursors.ts'
import type { Reader } from '../../../storage/reader.ts'
import { getStructure } from '../../structures/store.ts'
import { loadPage } from '../store.ts'
import type { ListRequest, ListResult } from './list.ts'
import type { CursorRequest, CursorResult } from './list-by-cursor.ts'
import { withRollups } from './rollups.ts'
import { parseRequest } from './row-query.ts'

/*
 * The list of deleted rows, most recently deleted first. They are in no table that supports filters or sorting.
 */

const DELETED = `FROM records WHERE ${scanOf('pk').text} AND structure = ? AND deleted_at IS NOT NULL`
const NEWEST_FIRST = 'ORDER BY deleted_at DESC, pk DESC'

function structureOf(reader: Reader, caller: InWorkspace, request: ListRequest) {
  const other = (['view', 'filter', 'search', 'sort', 'direction'] as const).find(
    (name) => request[name] !== undefined,
  )
  if (other)
    throw invalid(
      `"${other}" does not go with "deleted": deleted rows come most recently deleted first, all of them. Leave it out.`,
      atPlace(other),
    )
  parseRequest(request)
  return getStructure(reader, caller, request.structure ?? '', 'read')
}

const countDeleted = ({ sql }: Reader, structurePk: number): number =>
  sql.scalar(`SELECT count(*) ${DELETED}`, structurePk)

export function deletedPage(reader: Snapshot, caller: InWorkspace, request: ListRequest): ListResult {
  const structure = structureOf(reader, caller, request)
  const { pk } = structure
  const page = pageRequest(request)
  const total = countDeleted(reader, pk)
  const text = `SELECT pk ${DELETED} ${NEWEST_FIRST} LIMIT ? OFFSET ?`
  const found = loadPage(reader, reader.sql.column(text, pk, page.limit, page.offset))
  const rows = withRollups(reader, caller, structure, found)
  return { structure, page: { rows, total, hasMore: hasMore(page, { items: rows, total }) } }
}

export function deletedPageByCursor(
  reader: Snapshot,
  caller: InWorkspace,
  request: ListRequest,
  { cursor, isCounted }: CursorRequest,
): CursorResult {
  refuseOffset(request.offset)
  const structure = structureOf(reader, caller, request)
  const { pk, id } = structure
  const { limit } = pageRequest(request)
  const digest = requestDigest('deleted', id, limit)
  const after = positionOf(reader, caller.workspacePk, cursor, digest)
  const text = `SELECT pk ${DELETED} ${after ? 'AND (deleted_at, pk) < (?, ?)' : ''} ${NEWEST_FIRST} LIMIT ?`
  const values = after ? [after.value, after.pk] : []
  const pks = reader.sql.column<number>(text, pk, ...values, limit + 1)
  const rows = loadPage(reader, pks.slice(0, limit))
  const last = rows.length < pks.length ? rows.at(-1) : undefined
  const position = last && { value: last.deletedAt, id: last.id, pk: last.pk }
  const next = position && cursorBetween(digest, position, position.value, 'desc')
  const total = isCounted ? countDeleted(reader, pk) : undefined
  const shown = withRollups(reader, caller, structure, rows)
  return { structure, page: { rows: shown, next: next?.cursor ?? null, total } }
}
