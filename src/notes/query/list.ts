import type { AppContext, Caller } from '../../context.ts'
import { type Direction, sqlWay } from '../../db/direction.ts'
import type { Reader } from '../../db/reader.ts'
import type { QueryPlan, WorkerQuery } from '../../db/worker/client.ts'
import { type Page, type PageRequest, pageRequest } from '../../http/page.ts'
import { snippetOf } from '../../search/highlighter.ts'
import { type Phrase, parseSearch } from '../../search/query.ts'
import { estimateSearch } from '../search/cost.ts'
import { findPks, type NoteOrder, type SearchScope } from '../search/find.ts'
import { refreshSearch } from '../search/indexing.ts'
import { loadNotes, type NoteRow, tagNamesOf } from '../store.ts'
import { findTagByName } from '../writing/tags.ts'

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
  /** Only with a search. */
  snippet: string | undefined
}

const SORT_COLUMNS = { created_at: 'created_at', updated_at: 'updated_at', title: 'title_fold' }

/** Equal values are ordered by id in the same direction. */
function orderOf(sort: keyof typeof SORT_COLUMNS, direction?: Direction): string {
  const way = sqlWay(direction ?? (sort === 'title' ? 'asc' : 'desc'))
  return `${SORT_COLUMNS[sort]} ${way}, id ${way}`
}

/** All of a search is read from one state of the database. */
interface SearchInput {
  readonly workspace: number
  readonly search: string
  /** The name of a tag that every note must have. */
  readonly tag?: string
  /** By rank if undefined. */
  readonly order?: NoteOrder
  readonly page: PageRequest
}

interface SearchPlan extends QueryPlan {
  readonly scope: SearchScope
  /** Empty when nothing can match. */
  readonly phrases: readonly Phrase[]
  readonly order: NoteOrder | undefined
  readonly page: PageRequest
}

/** One page of active notes: by rank for a search without `sort`, else newest edit first unless asked otherwise. */
export async function listNotes(
  ctx: AppContext,
  caller: Caller,
  request: ListRequest,
): Promise<Page<FoundNote>> {
  const { workspacePk: workspace } = caller
  const { search, tag, sort, direction } = request
  const page = pageRequest(request)
  if (search === undefined)
    return listAll(ctx.db, workspace, tag, orderOf(sort ?? 'updated_at', direction), page)
  await refreshSearch(ctx, workspace)
  const order = sort && orderOf(sort, direction)
  return ctx.worker.run(searchRead, { workspace, search, tag, order, page }, caller)
}

export const searchRead: WorkerQuery<SearchInput, SearchPlan, Page<FoundNote>> = {
  name: 'notes.search',
  plan: (reader, { workspace, search, tag: name, order, page }) => {
    const tag = name === undefined ? undefined : findTagByName(reader, workspace, name)
    const scope = { workspace, tag: tag?.id }
    const phrases = name !== undefined && !tag ? [] : parseSearch(search)
    return { scope, phrases, order, page, cost: estimateSearch(reader, workspace, phrases) }
  },
  run: (reader, { scope, phrases, order, page }) =>
    withNotes(reader, findPks(reader, scope, phrases, order, page), phrases),
}

function listAll(
  reader: Reader,
  workspace: number,
  tagName: string | undefined,
  order: string,
  page: PageRequest,
): Page<FoundNote> {
  if (tagName === undefined) return withNotes(reader, pageOfAll(reader, workspace, order, page), undefined)
  const tag = findTagByName(reader, workspace, tagName)
  if (!tag) return { items: [], total: 0 }
  return withNotes(reader, pageOfTag(reader, workspace, tag.id, order, page), undefined)
}

/** The notes of a page of pks; each with a snippet if there are phrases. */
export function withNotes(
  reader: Reader,
  { items, total }: Page<number>,
  phrases: readonly Phrase[] | undefined,
): Page<FoundNote> {
  const rows = items.length === 0 ? [] : loadNotes(reader, items)
  return { items: rows.map((row) => ({ row, snippet: phrases && noteSnippet(row, phrases) })), total }
}

const noteSnippet = (row: NoteRow, phrases: readonly Phrase[]): string =>
  snippetOf([row.content, row.title, ...tagNamesOf(row)], phrases)

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

/** The notes of a tag on more than this share of all notes are found by scanning all in order; fewer are sorted. */
const SCAN_ABOVE_SHARE = 0.02

function pageOfTag(
  { sql }: Reader,
  workspace: number,
  tag: number,
  order: string,
  page: PageRequest,
): Page<number> {
  const total = sql.scalar<number>('SELECT note_count FROM tags WHERE id = ?', tag)
  const live = sql.scalar<number>('SELECT live_notes FROM workspaces WHERE pk = ?', workspace)
  const scan = `SELECT pk FROM notes AS n WHERE workspace = ?1 AND deleted_at IS NULL
    AND EXISTS (SELECT 1 FROM note_tags nt WHERE nt.tag = ?2 AND nt.note = n.pk)`
  const sort = `SELECT n.pk FROM note_tags nt CROSS JOIN notes n ON n.pk = nt.note
    WHERE n.workspace = ?1 AND nt.tag = ?2 AND n.deleted_at IS NULL`
  const items = sql.column<number>(
    `${total > live * SCAN_ABOVE_SHARE ? scan : sort} ORDER BY ${order} LIMIT ?3 OFFSET ?4`,
    workspace,
    tag,
    page.limit,
    page.offset,
  )
  return { items, total }
}
