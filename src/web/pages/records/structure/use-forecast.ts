import { useEffect, useState } from 'preact/hooks'
import { api } from '../../../data/api.ts'
import { useQuery } from '../../../data/cache.ts'
import { useWebhooks, type Webhook } from '../../../data/webhooks.ts'
import type { Structure } from '../model.ts'
import { useStructures } from '../structures.ts'
import type { Surroundings } from './definition-refusals.ts'
import type { Draft } from './draft.ts'
import { type Forecast, forecast } from './forecast.ts'

const TYPING_MS = 300

/** Whether there are rows or ever were, also deleted ones: from then on fields stay. */
export function useHadRows(structure: Structure | undefined): boolean {
  const isEmpty = structure?.record_count === 0
  const { data } = useQuery(
    ['record', 'deleted', structure?.id, 'count'],
    async ({ signal }) => {
      const query = { structure: structure?.id ?? '', deleted: true, limit: 1 }
      return (await api.get('/v1/records', { query, signal })).total
    },
    { enabled: isEmpty },
  )
  return structure !== undefined && (!isEmpty || (data ?? 0) > 0)
}

/** What saving the draft would do, read while one types. */
export function useForecast(
  structure: Structure | undefined,
  draft: Draft,
  hadRows: boolean,
): readonly Forecast[] {
  const [found, setFound] = useState<readonly Forecast[]>([])
  const { data: structures } = useStructures()
  const { data: webhooks } = useWebhooks()
  useEffect(() => {
    const controller = new AbortController()
    const around = surroundings(structure, hadRows, structures ?? [], webhooks ?? [])
    const timer = setTimeout(() => {
      forecast(structure, draft, around, controller.signal).then(setFound, () => {})
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [structure, draft, hadRows, structures, webhooks])
  return found
}

const surroundings = (
  before: Structure | undefined,
  hadRows: boolean,
  structures: readonly Structure[],
  webhooks: readonly Webhook[],
): Surroundings => ({
  before,
  hadRows,
  names: structures.filter(({ id }) => id !== before?.id).map(({ name }) => name),
  webhooks: webhooks
    .filter(({ structure }) => structure.id === before?.id)
    .map(({ url, fields, filter }) => ({
      url,
      keys: [...(fields ?? []), ...(filter as readonly { field: string }[]).map(({ field }) => field)],
    })),
})
