import type { Static } from '@sinclair/typebox'
import { NOWHERE } from '../../access/rights.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { type Direction, sqlWay } from '../../db/sql-part.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import { type Page, type PageRequest, pageRequest } from '../../http/pagination.ts'
import type { JsonBody } from '../../http/responses.ts'
import { parseSearch } from '../../search/words.ts'
import type { ListQuery } from '../schema.ts'
import { findPks, type NoteOrder } from '../search/find.ts'
import { refreshSearch } from '../search/indexing.ts'
import { findTagByName } from '../writing/tags.ts'
import { FIELD_INDEXES } from './conditions.ts'
import { notePageJson } from './page.ts'
import { usualDirection } from './tree-query.ts'

export type ListRequest = Static<typeof ListQuery>

/** Equal values are ordered by id in the same direction. */
function orderOf(sort: NonNullable<ListRequest['sort']>, direction?: Direction): NoteOrder {
  const way = sqlWay(direction ?? usualDirection(sort))
  return `${FIELD_INDEXES[sort].column} ${way}, id ${way}`
}

/** One page of active notes: by rank for a search without `sort`, else newest edit first unless asked otherwise. */
export async function listNotes(ctx: AppContext, caller: Caller, request: ListRequest): Promise<JsonBody> {
  const { workspacePk: workspace } = caller
  if (request.search !== undefined) await refreshSearch(ctx, workspace)
  return ctx.worker.run(listQuery, { ...request, workspace }, caller)
}

/** All of a list is read from one state of the database. */
export const listQuery: WorkerQuery<ListRequest & { workspace: number }, JsonBody> = {
  name: 'notes.list',
  run: (reader, { workspace, tag: name, search, sort, direction, content, excerpt, ...sent }) => {
    const page = pageRequest(sent)
    const tag = name === undefined ? undefined : findTagByName(reader, workspace, name)?.id
    const order = orderOf(sort ?? 'updated_at', direction)
    const phrases = search === undefined ? undefined : parseSearch(search)
    const find = (): Page<number> => {
      if (workspace === NOWHERE || (name !== undefined && tag === undefined)) return { items: [], total: 0 }
      if (phrases) return findPks(reader, { workspace, tag }, phrases, sort && order, page)
      return tag === undefined
        ? pageOfAll(reader, workspace, order, page)
        : pageOfTag(reader, workspace, tag, order, page)
    }
    const shown = { content, excerpt }
    return notePageJson(reader, { page, shown, isByEdit: sort === 'edited_at', phrases, find })
  },
}

const liveNotes = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)

function pageOfAll(
  { sql }: Reader,
  workspace: number,
  order: NoteOrder,
  { limit, offset }: PageRequest,
): Page<number> {
  const stop = sql.stopCondition('pk').text
  const text = `SELECT pk FROM notes WHERE ${stop} AND workspace = ? AND deleted_at IS NULL ORDER BY ${order} LIMIT ? OFFSET ?`
  return { items: sql.column(text, workspace, limit, offset), total: liveNotes({ sql }, workspace) }
}

/** The notes of a tag on more than this share of all notes are found by scanning all in order; fewer are sorted. */
const SCAN_ABOVE_SHARE = 0.02

function pageOfTag(
  { sql }: Reader,
  workspace: number,
  tag: number,
  order: NoteOrder,
  { limit, offset }: PageRequest,
): Page<number> {
  const total = sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
  const stop = sql.stopCondition('n.pk').text
  const scan = `SELECT pk FROM notes AS n WHERE ${stop} AND workspace = ?1 AND deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM note_tags nt WHERE nt.tag = ?2 AND nt.note = n.pk)`
  const sort = `SELECT n.pk FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
    WHERE ${stop} AND n.workspace = ?1 AND nt.tag = ?2 AND n.deleted_at IS NULL`
  const isScan = total > liveNotes({ sql }, workspace) * SCAN_ABOVE_SHARE
  const text = `${isScan ? scan : sort} ORDER BY ${order} LIMIT ?3 OFFSET ?4`
  return { items: sql.column(text, workspace, tag, limit, offset), total }
}
