import type { Static } from '@sinclair/typebox'
import { read } from '../kernel/operation.ts'
import { pageRequest, presentPage } from '../lib/pagination.ts'
import { atPlace, invalid } from '../lib/refusal.ts'
import { cursorBetween, positionOf, refuseOffset, requestDigest } from '../storage/page-cursors.ts'
import type { Reader } from '../storage/reader.ts'
import type { CommentsQuery } from './schema.ts'
import { getCommented } from './service.ts'
import { type CommentedObject, commentKind, countOf, pageOf } from './store.ts'

type ListRequest = Static<typeof CommentsQuery>

const START = { at: 0, id: '' }

/** The comments of a note or row, oldest first. */
export const listComments = read({
  name: 'comments.list',
  covers: 'several',
  run: (snapshot, caller, request: ListRequest) => {
    const { note_id, record_id, cursor } = request
    if ((note_id === undefined) === (record_id === undefined))
      throw invalid('Give exactly one of "note_id" and "record_id".', atPlace('note_id'))
    const object = getCommented(snapshot, caller, request)
    if (cursor !== undefined)
      return pageByCursor(snapshot, caller.workspacePk, object, { ...request, cursor })
    const { limit, offset } = pageRequest(request)
    const items = pageOf(snapshot, object, { after: START, limit, offset })
    const comments = items.map((row) => commentKind.present(row, snapshot))
    return { comments, ...presentPage(request, { items, total: countOf(snapshot, object) }) }
  },
})

function pageByCursor(
  reader: Reader,
  workspace: number,
  object: CommentedObject,
  { cursor, ...request }: ListRequest & { readonly cursor: string },
) {
  refuseOffset(request.offset)
  const { limit } = pageRequest(request)
  const digest = requestDigest('comments', request.note_id ?? '', request.record_id ?? '', limit)
  const position = positionOf(reader, workspace, cursor, digest)
  const after = position ? { at: Number(position.value), id: position.id } : START
  const rows = pageOf(reader, object, { after, limit: limit + 1, offset: 0 })
  const items = rows.slice(0, limit)
  const [last, following] = [items.at(-1), rows[limit]]
  const next =
    last && following
      ? cursorBetween(digest, { value: last.createdAt, id: last.id, pk: 0 }, following.createdAt, 'asc')
      : undefined
  return {
    comments: items.map((row) => commentKind.present(row, reader)),
    has_more: next !== undefined,
    next_cursor: next?.cursor ?? null,
    // Generated clients have one type for both pages (`page` in http/schema/types.ts).
    ...((request.total ? { total: countOf(reader, object) } : {}) as { total: number }),
  }
}
