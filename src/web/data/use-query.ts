import { QueryObserver, type QueryObserverOptions, type QueryObserverResult } from '@tanstack/query-core'
import { useLayoutEffect, useState } from 'preact/hooks'
import { cache } from './cache.ts'

/** The kinds of objects whose changes the feed reports. */
export type Kind =
  | 'note'
  | 'record'
  | 'tag'
  | 'property'
  | 'structure'
  | 'preset'
  | 'view'
  | 'lens'
  | 'quick_access_item'
  | 'file'
  | 'webhook'
  | 'source'
  | 'row_view'
  | 'comment'

/**
 * Query keys start with the kinds of objects that the response depends on, separated by spaces. A change of such an object
 * refetches the query.
 */
export type Key = readonly [kinds: string, ...rest: unknown[]]

/** Queries through the cache, and refetches after changes of the objects that the response depends on. */
export function useQuery<Data>(
  key: Key,
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>,
  options: Omit<QueryObserverOptions<Data, Error, Data, Data, Key>, 'queryKey' | 'queryFn'> = {},
): QueryObserverResult<Data, Error> {
  const all = { ...options, queryKey: key, queryFn }
  const [observer] = useState(() => new QueryObserver<Data, Error, Data, Data, Key>(cache, all))
  const [, setCount] = useState(0)
  // Layout effects send the request at once; other effects wait for the next frame.
  useLayoutEffect(() => observer.subscribe(() => setCount((count) => count + 1)), [observer])
  useLayoutEffect(() => observer.setOptions(all))
  return observer.getOptimisticResult(cache.defaultQueryOptions(all))
}
