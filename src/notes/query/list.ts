import type { Static } from '@sinclair/typebox'
import { NOWHERE } from '../../kernel/caller.ts'
import { read } from '../../kernel/operation.ts'
import { type Page, type PageRequest, pageRequest } from '../../lib/pagination.ts'
import { scanOf } from '../../lib/scan.ts'
import { parseSearch } from '../../lib/words.ts'
import type { Reader } from '../../storage/reader.ts'
import { sqlDirection } from '../../storage/sql.ts'
import type { ListQuery } from '../schema.ts'
import { findTagByName } from '../writing/tags.ts'
import { FIELD_INDEXES } from './conditions.ts'
import { evaluationOf } from './evaluate.ts'
import { type MatchOrder, notePageJson } from './page.ts'
import { findPks } from './search.ts'
import { usualDirection } from './tree-query.ts'

export type ListRequest = Static<typeof ListQuery>

/** `ORDER BY` terms over `notes`: equal values are ordered by id in the same direction. */
function orderSql({ sort = 'updated_at', direction = usualDirection(sort) }: ListRequest): string {
  const way = sqlDirection(direction)
  return `${FIELD_INDEXES[sort].column} ${way}, id ${way}`
}

const orderOf = ({ sort, direction }: ListRequest): MatchOrder | undefined =>
  sort && { by: sort, direction: direction ?? usualDirection(sort) }

/**
 * One page of active notes: by rank for a search without `sort`, else newest edit first by default. A search finds only
 * indexed notes, so call `refreshSearch` first.
 */
export const listNotes = read({
  name: 'notes.list',
  covers: 'notes',
  run: (reader, { workspacePk: workspace }, request: ListRequest) => {
    const { tag: name, search, sort, content, excerpt } = request
    const page = pageRequest(request)
    const tag = name === undefined ? undefined : findTagByName(reader, workspace, name)?.id
    const phrases = search === undefined ? undefined : parseSearch(search)
    const find = (): Page<number> => {
      if (workspace === NOWHERE || (name !== undefined && tag === undefined)) return { items: [], total: 0 }
      if (phrases) return findPks(evaluationOf(reader, workspace), { tag }, phrases, orderOf(request), page)
      const order = orderSql(request)
      return tag === undefined
        ? pageOfAll(reader, workspace, order, page)
        : pageOfTag(reader, workspace, tag, order, page)
    }
    const shown = { content, excerpt }
    return notePageJson(reader, { page, shown, isByEdit: sort === 'edited_at', phrases, find })
  },
})

const liveNotes = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)

function pageOfAll(
  { sql }: Reader,
  workspace: number,
  order: string,
  { limit, offset }: PageRequest,
): Page<number> {
  const stop = scanOf('pk').text
  const text = `SELECT pk FROM notes WHERE ${stop} AND workspace = ? AND deleted_at IS NULL ORDER BY ${order} LIMIT ? OFFSET ?`
  return { items: sql.column(text, workspace, limit, offset), total: liveNotes({ sql }, workspace) }
}

/**
 * Tags on more than this share of all notes are listed by scanning all notes in order. The notes of other tags are
 * sorted.
 */
const SCAN_ABOVE_SHARE = 0.02

function pageOfTag(
  { sql }: Reader,
  workspace: number,
  tag: number,
  order: string,
  { limit, offset }: PageRequest,
): Page<number> {
  const total = sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
  const stop = scanOf('n.pk').text
  const scan = `SELECT pk FROM notes AS n WHERE ${stop} AND workspace = ?1 AND deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM note_tags nt WHERE nt.tag = ?2 AND nt.note = n.pk)`
  const sort = `SELECT n.pk FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
    WHERE ${stop} AND n.workspace = ?1 AND nt.tag = ?2 AND n.deleted_at IS NULL`
  const isScan = total > liveNotes({ sql }, workspace) * SCAN_ABOVE_SHARE
  const text = `${isScan ? scan : sort} ORDER BY ${order} LIMIT ?3 OFFSET ?4`
  return { items: sql.column(text, workspace, tag, limit, offset), total }
}
