import type { AppContext, Caller } from '../context.ts'
import { type Direction, sqlWay } from '../db/direction.ts'
import type { Reader } from '../db/reader.ts'
import { type Page, type PageRequest, pageRequest } from '../http/page.ts'
import { fail, notFound } from '../refusal.ts'
import { type Phrase, parseSearch } from '../search/query.ts'
import { snippetOf } from '../search/snippet.ts'
import { readProperties } from './property-values.ts'
import { findPks } from './search/find.ts'
import { refreshSearch } from './search/pending.ts'
import { findHead, findNote, loadNotes, type NoteRow } from './store.ts'
import { findTagByName } from './tagging.ts'

export interface ListRequest {
  search?: string
  tag?: string
  sort?: keyof typeof SORT_COLUMNS
  direction?: Direction
  limit?: number
  offset?: number
}

export interface FoundNote {
  row: NoteRow
  /** Only for a search. */
  snippet: string | undefined
}

const SORT_COLUMNS = { created_at: 'created_at', updated_at: 'updated_at', title: 'title_fold' }

/** Equal values stand by id in the same direction. */
function orderOf(sort: keyof typeof SORT_COLUMNS, direction?: Direction): string {
  const way = sqlWay(direction ?? (sort === 'title' ? 'asc' : 'desc'))
  return `${SORT_COLUMNS[sort]} ${way}, id ${way}`
}

export const getNote = (reader: Reader, { workspacePk }: Caller, id: string): NoteRow =>
  findNote(reader, workspacePk, id) ?? fail(notFound('note'))

export function getProperties(reader: Reader, { workspacePk }: Caller, id: string) {
  const { pk } = findHead(reader, workspacePk, id) ?? fail(notFound('note'))
  return readProperties(reader, pk)
}

/** One page of active notes: by rank for a search without `sort`, else newest edit first unless asked otherwise. */
export async function listNotes(
  ctx: AppContext,
  caller: Caller,
  request: ListRequest,
): Promise<Page<FoundNote>> {
  const { workspacePk } = caller
  const page = pageRequest(request)
  const tag = request.tag === undefined ? undefined : findTagByName(ctx.db, workspacePk, request.tag)
  if (request.tag !== undefined && !tag) return { items: [], total: 0 }
  if (request.search === undefined) {
    const order = orderOf(request.sort ?? 'updated_at', request.direction)
    const found = tag
      ? pageOfTag(ctx.db, workspacePk, tag.id, order, page)
      : pageOfAll(ctx.db, workspacePk, order, page)
    return withNotes(ctx.db, found, undefined)
  }
  const phrases = parseSearch(request.search)
  if (phrases.length === 0) return { items: [], total: 0 }
  await refreshSearch(ctx, workspacePk)
  const order = request.sort === undefined ? undefined : orderOf(request.sort, request.direction)
  return withNotes(
    ctx.db,
    findPks(ctx.db, { workspace: workspacePk, tag: tag?.id }, phrases, order, page),
    phrases,
  )
}

/** The notes of a page of pks, each with a snippet when it was searched for. */
export function withNotes(
  reader: Reader,
  { items, total }: Page<number>,
  phrases: readonly Phrase[] | undefined,
): Page<FoundNote> {
  const rows = items.length === 0 ? [] : loadNotes(reader, items)
  return { items: rows.map((row) => ({ row, snippet: phrases && noteSnippet(row, phrases) })), total }
}

const noteSnippet = (row: NoteRow, phrases: readonly Phrase[]): string =>
  snippetOf([row.content, row.title, ...(JSON.parse(row.tags) as string[])], phrases)

function pageOfAll(
  { sql }: Reader,
  workspace: number,
  order: string,
  { limit, offset }: PageRequest,
): Page<number> {
  const total = sql.scalar<number>('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)
  const items = sql.column<number>(
    `SELECT pk FROM notes WHERE workspace = ? AND deleted_at IS NULL ORDER BY ${order} LIMIT ? OFFSET ?`,
    workspace,
    limit,
    offset,
  )
  return { items, total }
}

/** A tag on more than this share of the notes is listed by walking the notes in order, a rarer one by sorting its own. */
const WALK_ABOVE_SHARE = 0.02

function pageOfTag(
  { sql }: Reader,
  workspace: number,
  tag: number,
  order: string,
  page: PageRequest,
): Page<number> {
  const total = sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
  const live = sql.scalar<number>('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)
  const walk = `SELECT pk FROM notes AS n WHERE workspace = ?1 AND deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM note_tags nt WHERE nt.tag = ?2 AND nt.note = n.pk)`
  const sort = `SELECT n.pk FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
    WHERE n.workspace = ?1 AND nt.tag = ?2 AND n.deleted_at IS NULL`
  const items = sql.column<number>(
    `${total > live * WALK_ABOVE_SHARE ? walk : sort} ORDER BY ${order} LIMIT ?3 OFFSET ?4`,
    workspace,
    tag,
    page.limit,
    page.offset,
  )
  return { items, total }
}
