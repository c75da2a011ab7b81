import type { Snapshot } from '../../kernel/operation.ts'
import { pageRequest } from '../../lib/pagination.ts'
import { atPlace, invalid } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import {
  cursorBetween,
  findMissing,
  type NextCursor,
  type PagePosition,
  positionOf,
  refuseOffset,
  requestDigest,
  type SortValue,
} from '../../storage/page-cursors.ts'
import type { Reader } from '../../storage/reader.ts'
import type { ListRequest, NoteList } from './list.ts'
import { presentedNotes, type ShownParts } from './page.ts'
import { usualDirection } from './tree-query.ts'

export interface ListedNotes {
  /** Undefined if no note can be listed. */
  readonly list: NoteList | undefined
  readonly shown: ShownParts
  readonly isByEdit: boolean
}

/** One page of active notes after a position, as JSON text. */
export function pageByCursor(
  snapshot: Snapshot,
  workspace: number,
  request: ListRequest & { readonly cursor: string },
  { list, shown, isByEdit }: ListedNotes,
): string {
  refuseOffset(request.offset)
  if (request.search !== undefined || request.match !== undefined)
    throw invalid(
      '"cursor" does not go with "search", whose hits are ranked. Page through them with "offset".',
      atPlace('cursor'),
    )
  const { limit } = pageRequest(request)
  const digest = digestOf(request, limit)
  const after = positionOf(snapshot, workspace, request.cursor, digest)
  const pks = list ? pksAfter(snapshot, list, after, limit + 1) : []
  const notes = presentedNotes(snapshot, pks.slice(0, limit), { shown, isByEdit })
  const [last, following] = [pks[notes.length - 1], pks[notes.length]]
  const next =
    list && last !== undefined && following !== undefined
      ? nextCursor(snapshot, list, digest, last, following)
      : undefined
  const missing = findMissing(snapshot, workspace, next)
  if (missing) snapshot.report?.(missing)
  return JSON.stringify({
    notes,
    has_more: next !== undefined,
    next_cursor: next?.cursor ?? null,
    ...(request.total && { total: list?.total ?? 0 }),
  })
}

function digestOf(request: ListRequest, limit: number): string {
  const { tag = '', sort = 'updated_at', direction = usualDirection(sort) } = request
  return requestDigest('notes', fold(tag.trim()), sort, direction, limit)
}

function pksAfter(
  { sql }: Reader,
  { source, column, direction, order }: NoteList,
  after: PagePosition | undefined,
  limit: number,
): number[] {
  const rest = after ? `AND (${column}, id) ${direction === 'asc' ? '>' : '<'} (?, ?)` : ''
  const values = after ? [after.value, after.id] : []
  return sql.column(`${source.text} ${rest} ORDER BY ${order} LIMIT ?`, ...source.values, ...values, limit)
}

function nextCursor(
  { sql }: Reader,
  { column, direction }: NoteList,
  digest: string,
  last: number,
  following: number,
): NextCursor {
  const at = (pk: number) =>
    sql.get<{ value: SortValue; id: string; pk: number }>(
      `SELECT ${column} AS value, id, 0 AS pk FROM notes WHERE pk = ?`,
      pk,
    )
  const [position, next] = [at(last), at(following)]
  if (!position || !next) throw new Error('a note of the page is gone from its own snapshot')
  return cursorBetween(digest, position, next.value, direction)
}
