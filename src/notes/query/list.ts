import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { type Direction, sqlWay } from '../../db/sql-part.ts'
import type { WorkerQuery } from '../../db/worker/client.ts'
import { type PageRequest, pageRequest } from '../../http/page.ts'
import type { JsonBody } from '../../http/responses.ts'
import { parseSearch } from '../../search/query.ts'
import { estimateSearch } from '../search/cost.ts'
import { findPks, type NoteOrder } from '../search/find.ts'
import { refreshSearch } from '../search/indexing.ts'
import { findTagByName } from '../writing/tags.ts'
import { type NotePagePlan, notePageJson, planNotePage } from './note-page.ts'

export interface ListRequest {
  search?: string
  tag?: string
  sort?: keyof typeof SORT_COLUMNS
  direction?: Direction
  /** Whether the notes are given with their bodies; they are unless this is false. */
  content?: boolean
  limit?: number
  offset?: number
}

const SORT_COLUMNS = { created_at: 'created_at', updated_at: 'updated_at', title: 'title_fold' }

/** Equal values are ordered by id in the same direction. */
function orderOf(sort: keyof typeof SORT_COLUMNS, direction?: Direction): string {
  const way = sqlWay(direction ?? (sort === 'title' ? 'asc' : 'desc'))
  return `${SORT_COLUMNS[sort]} ${way}, id ${way}`
}

/** All of a list is read from one state of the database. */
interface ListInput {
  readonly workspace: number
  readonly search?: string
  /** The name of a tag that every note must have. */
  readonly tag?: string
  /** By rank if undefined, which needs a search. */
  readonly order?: NoteOrder
  readonly page: PageRequest
  readonly withContent?: boolean
}

/** One page of active notes: by rank for a search without `sort`, else newest edit first unless asked otherwise. */
export async function listNotes(ctx: AppContext, caller: Caller, request: ListRequest): Promise<JsonBody> {
  const { workspacePk: workspace } = caller
  const { search, tag, sort, direction, content: withContent } = request
  const page = { page: pageRequest(request), withContent }
  if (search === undefined) {
    const order = orderOf(sort ?? 'updated_at', direction)
    return ctx.worker.run(listQuery, { workspace, tag, order, ...page }, caller)
  }
  await refreshSearch(ctx, workspace)
  const order = sort && orderOf(sort, direction)
  return ctx.worker.run(listQuery, { workspace, search, tag, order, ...page }, caller)
}

export const listQuery: WorkerQuery<ListInput, NotePagePlan, JsonBody> = {
  name: 'notes.list',
  plan: (reader, input) => {
    const { tag: name, page, withContent, search } = input
    const tag = name === undefined ? undefined : findTagByName(reader, input.workspace, name)
    if (name !== undefined && !tag)
      return planNotePage(reader, { cost: 0, page, withContent, find: () => ({ items: [], total: 0 }) })
    return search === undefined
      ? planNotePage(reader, {
          page,
          withContent,
          ...(tag ? ofTag(reader, input, tag.id) : ofAll(reader, input)),
        })
      : planSearch(reader, input, search, tag?.id)
  },
  run: notePageJson,
}

function planSearch(
  reader: Reader,
  { workspace, order, page, withContent }: ListInput,
  search: string,
  tag: number | undefined,
): NotePagePlan {
  const phrases = parseSearch(search)
  return planNotePage(reader, {
    cost: estimateSearch(reader, workspace, phrases),
    page,
    withContent,
    phrases,
    find: () => findPks(reader, { workspace, tag }, phrases, order, page),
  })
}

/** How to find a page, and what that costs. */
type Finding = Pick<NotePagePlan, 'cost' | 'find'>

const liveNotes = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)

function ofAll(reader: Reader, { workspace, order, page: { limit, offset } }: ListInput): Finding {
  const stop = reader.sql.stopCondition('pk').text
  const text = `SELECT pk FROM notes WHERE ${stop} AND workspace = ? AND deleted_at IS NULL ORDER BY ${order} LIMIT ? OFFSET ?`
  return {
    cost: Math.min(limit + offset, liveNotes(reader, workspace)),
    find: () => ({
      items: reader.sql.column<number>(text, workspace, limit, offset),
      total: liveNotes(reader, workspace),
    }),
  }
}

/** The notes of a tag on more than this share of all notes are found by scanning all in order; fewer are sorted. */
const SCAN_ABOVE_SHARE = 0.02

function ofTag(
  reader: Reader,
  { workspace, order, page: { limit, offset } }: ListInput,
  tag: number,
): Finding {
  const { sql } = reader
  const total = sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
  const live = liveNotes(reader, workspace)
  const isScan = total > live * SCAN_ABOVE_SHARE
  const stop = sql.stopCondition('n.pk').text
  const scan = `SELECT pk FROM notes AS n WHERE ${stop} AND workspace = ?1 AND deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM note_tags nt WHERE nt.tag = ?2 AND nt.note = n.pk)`
  const sort = `SELECT n.pk FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
    WHERE ${stop} AND n.workspace = ?1 AND nt.tag = ?2 AND n.deleted_at IS NULL`
  const text = `${isScan ? scan : sort} ORDER BY ${order} LIMIT ?3 OFFSET ?4`
  return {
    cost: isScan ? Math.min(live, ((limit + offset) * live) / total) : total,
    find: () => ({ items: sql.column<number>(text, workspace, tag, limit, offset), total }),
  }
}
