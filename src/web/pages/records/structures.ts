import { api } from '../../data/api.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Structure } from './model.ts'

/** All tables, with their counts of rows. */
export const useStructures = () =>
  useQuery<readonly Structure[]>(['structure record', 'structures'], async ({ signal }) => {
    const { structures } = await api.get('/v1/records/structures', { signal })
    return structures
  })
