import { api } from '../api.ts'
import { useQuery } from '../use-query.ts'
import type { Structure } from './model.ts'

/** All structures, with their row counts. */
export const useStructures = () =>
  useQuery<readonly Structure[]>(['structure record', 'structures'], async ({ signal }) => {
    const { structures } = await api.get('/v1/records/structures', { signal })
    return structures
  })
