import { api } from '../../data/api.ts'
import { cache } from '../../data/cache.ts'
import { isBelow } from './tag-tree.ts'

/** Ids in a condition are limited. */
const MAX_TAGS = 500

interface TagPart {
  readonly search: string
  readonly sort: 'edited_at' | 'created_at' | 'title' | undefined
  readonly limit: number
  readonly offset: number
  readonly content: boolean
  readonly excerpt: boolean
}

/** The notes with a tag or one below it. */
export async function readTagTree(name: string, { search, sort, ...part }: TagPart, signal?: AbortSignal) {
  const { tags } = await cache.fetchQuery({ queryKey: ['tag note'], queryFn: () => api.get('/v1/tags') })
  const ids = tags.filter((tag) => isBelow(tag.name, name)).map(({ id }) => id)
  if (ids.length === 0) return { notes: [], total: 0 }
  const order = sort ?? (search === '' ? ('edited_at' as const) : undefined)
  const body = {
    filter: { type: 'tags' as const, op: 'has_any' as const, tag_ids: ids.slice(0, MAX_TAGS) },
    ...(search !== '' && { search }),
    ...(order && { sort: order }),
    ...part,
  }
  return api.post('/v1/notes/query', { body, ...(signal && { signal }) })
}
