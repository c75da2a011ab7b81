import { QueriesObserver } from '@tanstack/query-core'
import { useEffect, useState } from 'preact/hooks'
import { api } from '../../data/api.ts'
import type { components } from '../../data/api-types.d.ts'
import { cache } from '../../data/cache.ts'
import { useQuery } from '../../data/use-query.ts'
import type { List, Sort } from './route.ts'

export type Note = components['schemas']['Note']

/** A row of the list. A note in the trash has only its title and the time it was trashed. */
export interface Row {
  readonly id: string
  readonly title: string
  readonly alias: string | null
  readonly aliases?: readonly string[]
  /** The sort time, else the last edit. */
  readonly at: string
  /** Undefined in the trash. */
  readonly updatedAt: string | undefined
  readonly tags: readonly string[]
  /** HTML with marked hits, in a search. */
  readonly snippet: string | undefined
  readonly excerpt: string | undefined
}

export interface Page {
  readonly rows: readonly Row[]
  readonly total: number
}

export interface NoteQuery {
  readonly list: List
  readonly search: string
  readonly sort: Sort | undefined
}

export const useViewsQuery = () => useQuery(['view'], () => api.get('/v1/views'))

export const useViews = () => useViewsQuery().data?.views ?? []

export const PAGE_SIZE = 50

const EVERYTHING: components['schemas']['FilterTree'] = { type: 'group', match: 'all', children: [] }

type ListedNote = Pick<
  components['schemas']['ListedNote'],
  | 'id'
  | 'title'
  | 'alias'
  | 'aliases'
  | 'tags'
  | 'created_at'
  | 'updated_at'
  | 'edited_at'
  | 'snippet'
  | 'excerpt'
>

export const rowOf = (
  { id, title, alias, aliases, created_at, updated_at, edited_at, tags, snippet, excerpt }: ListedNote,
  sort: Sort | undefined,
): Row => ({
  id,
  title,
  alias,
  ...(aliases && { aliases }),
  at: sort === 'created_at' ? created_at : (edited_at ?? updated_at),
  updatedAt: updated_at,
  tags,
  snippet,
  excerpt,
})

const pageOf = ({ notes, total }: { notes: readonly ListedNote[]; total: number }, sort?: Sort): Page => ({
  rows: notes.map((note) => rowOf(note, sort)),
  total,
})

/** Makes the last word a prefix, unless it is a single letter or in an open phrase. */
export const withPrefix = (text: string): string =>
  text.split('"').length % 2 === 1 ? text.replace(/(?<![-\p{L}\p{N}])[\p{L}\p{N}]{2,}$/u, '$&*') : text

export interface Slice {
  readonly limit: number
  readonly offset: number
}

/** Fetches a part of a list. */
export async function readSlice(noteQuery: NoteQuery, slice: Slice, signal?: AbortSignal): Promise<Page> {
  const { list, search, sort } = noteQuery
  if (search === '' || sort !== undefined || list.kind === 'trash') return readPlain(noteQuery, slice, signal)
  return (await import('./ranked-hits.ts')).readRanked(noteQuery, slice, signal)
}

export async function readPlain(noteQuery: NoteQuery, slice: Slice, signal?: AbortSignal): Promise<Page> {
  const { list, sort } = noteQuery
  const search = withPrefix(noteQuery.search)
  const options = signal ? { signal } : {}
  if (list.kind === 'trash') {
    const { notes, total } = await api.get('/v1/notes/trash', { query: slice, ...options })
    return {
      rows: notes.map(({ id, title, deleted_at }) => ({
        id,
        title,
        alias: null,
        at: deleted_at,
        updatedAt: undefined,
        tags: [],
        snippet: undefined,
        excerpt: undefined,
      })),
      total,
    }
  }
  const part = { ...slice, content: false, excerpt: true }
  if (list.kind === 'view') {
    const params = { id: list.id }
    if (search === '')
      return pageOf(await api.get('/v1/views/{id}/notes', { params, query: part, ...options }))
    const { view } = await api.get('/v1/views/{id}', { params, ...options })
    const body = { filter: view.filter ?? EVERYTHING, search, ...part }
    return pageOf(await api.post('/v1/notes/query', { body, ...options }))
  }
  if (list.kind === 'tag' && list.isTree) {
    const { readTagTree } = await import('./tag-list.ts')
    return pageOf(await readTagTree(list.name, { search, sort, ...part }, signal), sort)
  }
  const query = {
    ...part,
    ...(search !== '' && { search }),
    ...(sort ? { sort } : search === '' && { sort: 'edited_at' as const }),
    ...(list.kind === 'tag' && { tag: list.name }),
  }
  return pageOf(await api.get('/v1/notes', { query, ...options }), sort)
}

const queryOf = (noteQuery: NoteQuery, index: number) => ({
  queryKey: ['note tag view', 'list', noteQuery, index],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    readSlice(noteQuery, { limit: PAGE_SIZE, offset: index * PAGE_SIZE }, signal),
})

/** The first page of a list, which the list on the screen requests as well. */
export const firstPage = (noteQuery: NoteQuery): Promise<Page> => cache.ensureQueryData(queryOf(noteQuery, 0))

export interface Pages {
  /** Undefined until the first page is loaded. */
  readonly total: number | undefined
  readonly error: Error | undefined
  readonly find: (index: number) => Row | undefined
}

/** Loads the visible pages of a list and keeps them current. */
export function usePages(noteQuery: NoteQuery, indices: readonly number[]): Pages {
  const [observer] = useState(() => new QueriesObserver(cache, []))
  const [, redraw] = useState<unknown>()
  useEffect(() => observer.subscribe(redraw), [observer])
  const text = JSON.stringify([noteQuery, indices])
  useEffect(() => {
    const [current, pages] = JSON.parse(text) as [NoteQuery, number[]]
    observer.setQueries(pages.map((index) => queryOf(current, index)))
  }, [observer, text])
  const pageAt = (index: number) => cache.getQueryData<Page>(queryOf(noteQuery, index).queryKey)
  const states = indices.map((index) => cache.getQueryState(queryOf(noteQuery, index).queryKey))
  return {
    total: indices.map(pageAt).find((page) => page !== undefined)?.total,
    error: states.find((state) => state?.status === 'error')?.error ?? undefined,
    find: (index) => pageAt(Math.floor(index / PAGE_SIZE))?.rows[index % PAGE_SIZE],
  }
}
