import type { Static } from '@sinclair/typebox'
import { NOWHERE } from '../../kernel/caller.ts'
import { storeLongValue } from '../../kernel/long-values.ts'
import { read } from '../../kernel/operation.ts'
import { type Page, type PageRequest, pageRequest } from '../../lib/pagination.ts'
import { scanOf } from '../../lib/scan.ts'
import type { LongValue } from '../../storage/page-cursors.ts'
import type { Reader } from '../../storage/reader.ts'
import { type Direction, type SqlPart, sqlDirection } from '../../storage/sql.ts'
import type { ListQuery } from '../schema.ts'
import { findTagByName } from '../writing/tags.ts'
import { FIELD_INDEXES } from './conditions.ts'
import { evaluationOf } from './evaluate.ts'
import { pageByCursor } from './list-by-cursor.ts'
import { type MatchOrder, notePageJson } from './page.ts'
import { findPks } from './search.ts'
import { pageOfAny, phrasesIn } from './search-any.ts'
import { usualDirection } from './tree-query.ts'

export type ListRequest = Static<typeof ListQuery>

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
    const { tag: name, search, match, sort, content, excerpt, cursor } = request
    const shown = { content, excerpt }
    const isByEdit = sort === 'edited_at'
    const tag = name === undefined ? undefined : findTagByName(reader, workspace, name)?.id
    const isNowhere = workspace === NOWHERE || (name !== undefined && tag === undefined)
    if (cursor !== undefined) {
      const list = isNowhere ? undefined : noteList(reader, workspace, tag, request)
      return pageByCursor(reader, workspace, { ...request, cursor }, { list, shown, isByEdit })
    }
    const page = pageRequest(request)
    const phrases = phrasesIn(search, match)
    const find = (): Page<number> => {
      if (isNowhere) return { items: [], total: 0 }
      if (phrases && match === 'any')
        return pageOfAny(evaluationOf(reader, workspace), { tag }, phrases, orderOf(request), page)
      if (phrases) return findPks(evaluationOf(reader, workspace), { tag }, phrases, orderOf(request), page)
      return pageOf(reader, noteList(reader, workspace, tag, request), page)
    }
    return notePageJson(reader, { page, shown, isByEdit, phrases, find })
  },
  learn: (server, value) => storeLongValue(server, value as LongValue),
})

function pageOf({ sql }: Reader, { source, order, total }: NoteList, { limit, offset }: PageRequest) {
  const items = sql.column<number>(
    `${source.text} ORDER BY ${order} LIMIT ? OFFSET ?`,
    ...source.values,
    limit,
    offset,
  )
  return { items, total }
}

/** Active notes in an order: by a column, equal values by id in the same direction. */
export interface NoteList {
  /** `SELECT pk FROM … WHERE …` */
  readonly source: SqlPart
  readonly column: string
  readonly direction: Direction
  /** The terms of `ORDER BY`. */
  readonly order: string
  readonly total: number
}

function noteList(
  reader: Reader,
  workspace: number,
  tag: number | undefined,
  { sort = 'updated_at', direction = usualDirection(sort) }: ListRequest,
): NoteList {
  const { column } = FIELD_INDEXES[sort]
  const way = sqlDirection(direction)
  const rows = tag === undefined ? allNotes(reader, workspace) : notesWithTag(reader, workspace, tag)
  return { ...rows, column, direction, order: `${column} ${way}, id ${way}` }
}

const liveNotes = ({ sql }: Reader, workspace: number): number =>
  sql.scalar('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)

const allNotes = (reader: Reader, workspace: number) => ({
  source: {
    text: `SELECT pk FROM notes WHERE ${scanOf('pk').text} AND workspace = ? AND deleted_at IS NULL`,
    values: [workspace],
  },
  total: liveNotes(reader, workspace),
})

/**
 * Tags on more than this share of all notes are listed by scanning all notes in order. The notes of other tags are
 * sorted.
 */
const SCAN_ABOVE_SHARE = 0.02

function notesWithTag(reader: Reader, workspace: number, tag: number) {
  const total = reader.sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
  const stop = scanOf('n.pk').text
  const scan = `SELECT pk FROM notes AS n WHERE ${stop} AND workspace = ? AND deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM note_tags nt WHERE nt.tag = ? AND nt.note = n.pk)`
  const sort = `SELECT n.pk FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
    WHERE ${stop} AND n.workspace = ? AND nt.tag = ? AND n.deleted_at IS NULL`
  const isScan = total > liveNotes(reader, workspace) * SCAN_ABOVE_SHARE
  return { source: { text: isScan ? scan : sort, values: [workspace, tag] }, total }
}
