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
 * Refetches the queries on the screen, and the others once they are shown. A query in its first fetch is fetched again
 * afterwards, because the pending response may be older than the change.
 */
export function refetch(filters: QueryFilters = {}): Promise<void> {
  for (const query of cache.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    if (query.state.data !== undefined) continue
    const { queryKey } = query
    // The first of several changes refetches for all of them.
    const again = () => {
      if (query.state.fetchStatus === 'idle') return cache.invalidateQueries({ queryKey, exact: true })
    }
    query.fetch().then(again, () => {})
  }
  return cache.invalidateQueries(filters)
}

/** Refetches the queries that depend on these kinds. */
export const invalidate = (kinds: ReadonlySet<string>): Promise<void> =>
  refetch({
    predicate: ({ queryKey: [first] }) =>
      String(first)
        .split(' ')
        .some((kind) => kinds.has(kind)),
  })
