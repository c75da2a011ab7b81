import { api } from '../../data/api.ts'
import type { components } from '../../data/api-types.d.ts'

type FilterTree = components['schemas']['FilterTree']

/** Conditions in a filter are limited, and so are the values of one. */
const MAX_TITLES = 50

/** The ids of those notes whose texts match a search, and the filter if there is one. */
export async function textHits(
  notes: readonly { readonly id: string; readonly title: string }[],
  { search, filter, signal }: { search: string; filter?: FilterTree | null; signal?: AbortSignal },
): Promise<ReadonlySet<string>> {
  const value = notes.slice(0, MAX_TITLES).map(({ title }) => title)
  const titles = { type: 'field' as const, field: 'title' as const, op: 'in' as const, value }
  const children = filter ? [titles, filter] : [titles]
  const body = {
    filter: { type: 'group' as const, match: 'all' as const, children },
    ...(search !== '' && { search }),
    limit: 200,
    content: false,
  }
  const found = await api.post('/v1/notes/query', { body, ...(signal && { signal }) })
  return new Set(found.notes.map(({ id }) => id))
}
