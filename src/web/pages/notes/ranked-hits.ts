import { cache } from '../../data/cache.ts'
import { type FoundNote, findNotes } from '../../data/find-notes.ts'
import { type NoteQuery, type Page, readPlain, rowOf, type Slice, withPrefix } from './list-data.ts'
import type { List } from './route.ts'
import { textHits } from './text-hits.ts'

/** The first hits, which are re-ranked by name. */
const RERANKED = 200
/** The most notes that are found by name. */
const MAX_NAMED = 50

/** Fetches a part of a search, best match first. */
export async function readRanked(noteQuery: NoteQuery, slice: Slice, signal?: AbortSignal): Promise<Page> {
  const { rows, total, added } = await cache.fetchQuery({
    queryKey: ['note tag view', 'best', noteQuery.list, noteQuery.search],
    queryFn: () => readReranked(noteQuery),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { limit, offset } = slice
  if (offset < RERANKED) return { rows: rows.slice(offset, offset + limit), total }
  const further = await readPlain(noteQuery, { limit, offset: offset - added }, signal)
  return { ...further, total }
}

/** The first hits of a search: those that are found by name first, then the others by text. */
async function readReranked(noteQuery: NoteQuery): Promise<Page & { readonly added: number }> {
  const { list, search } = noteQuery
  const [hits, found] = await Promise.all([
    readPlain(noteQuery, { limit: RERANKED, offset: 0 }),
    // Hits by text are sufficient where names cannot be searched.
    findNotes(search, MAX_NAMED).catch(() => []),
  ])
  const byId = new Map(hits.rows.map((row) => [row.id, row]))
  const byName = found
    .filter(({ match }) => match === 'title')
    .flatMap((note) => byId.get(note.id) ?? (isInList(list, note) ? rowOf(note, undefined) : []))
  const others = byName.filter(({ id }) => !byId.has(id))
  // A note whose text matches as well is a further hit already.
  const further =
    others.length > 0 && hits.total > RERANKED
      ? await textHits(others, { search: withPrefix(search) })
      : undefined
  const named = byName.filter(({ id }) => !further?.has(id))
  const first = new Set(named.map(({ id }) => id))
  const rest = hits.rows.filter(({ id }) => !first.has(id))
  const added = named.filter(({ id }) => !byId.has(id)).length
  return { rows: [...named, ...rest].slice(0, RERANKED), total: hits.total + added, added }
}

/** Whether a note that only its alias matches belongs to the list, too. */
const isInList = (list: List, { matched_alias, tags }: FoundNote): boolean =>
  matched_alias !== undefined && list.kind !== 'view' && hasListTag(list, tags)

/** True for notes with the tag of the list, and in a list without one. */
export const hasListTag = (list: List, tags: readonly string[]): boolean =>
  list.kind !== 'tag' ||
  tags.some((tag) => tag === list.name || (list.isTree && tag.startsWith(`${list.name}/`)))
