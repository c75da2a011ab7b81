import { QueryClient, type QueryFilters } from '@tanstack/query-core'
import { isRetryable, retryDelayOf } from './request.ts'

export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 5 * 60_000,
      networkMode: 'always',
      retry: (_, error) => isRetryable(error),
      retryDelay: (_, error) => retryDelayOf(error),
      refetchOnWindowFocus: false,
    },
  },
})

/**
 * Reads again what is on the screen, and the rest once it is shown. What is being read for the first time is read once
 * more after that: the response that is under way may be older than what changed.
 */
export function refetch(filters: QueryFilters = {}): Promise<void> {
  for (const query of cache.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    if (query.state.data !== undefined) continue
    const { queryKey } = query
    // Of several changes the first has it read again for all.
    const again = () => {
      if (query.state.fetchStatus === 'idle') return cache.invalidateQueries({ queryKey, exact: true })
    }
    query.fetch().then(again, () => {})
  }
  return cache.invalidateQueries(filters)
}

/** Reads again what depends on these kinds. */
export const invalidate = (kinds: ReadonlySet<string>): Promise<void> =>
  refetch({
    predicate: ({ queryKey: [first] }) =>
      String(first)
        .split(' ')
        .some((kind) => kinds.has(kind)),
  })
