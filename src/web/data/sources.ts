import { type Answer, api } from './api.ts'
import { refetch } from './cache.ts'
import { useQuery } from './use-query.ts'

export type Source = Answer<'/v1/sources/{id}', 'get'>['source']
export type SourceEvent = Answer<'/v1/sources/{id}/events', 'get'>['events'][number]
export type SourceEventDetail = Answer<'/v1/sources/{id}/events/{eventId}', 'get'>
export type Tried = Answer<'/v1/sources/{id}/try', 'post'>
export type EventStatus = SourceEvent['status']

/** Events are not part of the change feed, so they are polled. */
const SOON_MS = 2_000

export const useSources = () =>
  useQuery(['source structure'], async ({ signal }) => (await api.get('/v1/sources', { signal })).sources, {
    refetchInterval: SOON_MS,
  })

export const useSource = (id: string) =>
  useQuery(
    ['source structure', id],
    async ({ signal }) => (await api.get('/v1/sources/{id}', { params: { id }, signal })).source,
    { refetchInterval: SOON_MS },
  )

/** The newest events, or those of one status. */
export const useSourceEvents = (id: string, status: EventStatus | undefined, before: string | undefined) =>
  useQuery(
    ['source', id, 'events', status, before],
    ({ signal }) =>
      api.get('/v1/sources/{id}/events', {
        params: { id },
        query: { ...(status && { status }), ...(before && { before }) },
        signal,
      }),
    { refetchInterval: SOON_MS },
  )

export const useSourceEvent = (id: string, eventId: string | undefined, receivedAt: string | undefined) =>
  useQuery(
    ['source', id, 'event', eventId, receivedAt],
    ({ signal }) =>
      api.get('/v1/sources/{id}/events/{eventId}', { params: { id, eventId: eventId ?? '' }, signal }),
    { enabled: eventId !== undefined },
  )

export type Target = NonNullable<Source['forward']>[number]
export type SourceDelivery = Answer<'/v1/sources/{id}/deliveries', 'get'>['deliveries'][number]

/** The newest deliveries of events that are passed on. */
export const useSourceDeliveries = (id: string) =>
  useQuery(
    ['source', id, 'deliveries'],
    async ({ signal }) =>
      (await api.get('/v1/sources/{id}/deliveries', { params: { id }, query: { limit: 50 }, signal }))
        .deliveries,
    { refetchInterval: SOON_MS },
  )

export async function resumeTarget(id: string, url: string): Promise<void> {
  await api.post('/v1/sources/{id}/resume', { params: { id }, body: { url } })
  await readSourcesAgain()
}

export async function redeliverEvent(id: string, deliveryId: string): Promise<void> {
  await api.post('/v1/sources/{id}/deliveries/{deliveryId}/redeliver', { params: { id, deliveryId } })
  await readSourcesAgain()
}

const readSourcesAgain = () =>
  Promise.all([refetch({ queryKey: ['source structure'] }), refetch({ queryKey: ['source'] })])

export interface NewSource {
  readonly name: string
  readonly structure: string
  readonly provider: Source['provider']
  readonly secret?: string
  readonly options?: Record<string, unknown>
  readonly map?: Record<string, unknown>
  readonly when?: Record<string, unknown>[]
  readonly on_conflict?: Source['on_conflict']
  readonly newer_by?: string
}

export async function createSource(body: NewSource): Promise<Source> {
  const { source } = await api.post('/v1/sources', { body })
  await readSourcesAgain()
  return source
}

export interface SourcePatch {
  readonly name?: string
  readonly secret?: string
  readonly map?: Record<string, unknown>
  readonly when?: Record<string, unknown>[]
  readonly on_conflict?: Source['on_conflict']
  readonly newer_by?: string | null
  readonly forward?: { readonly url: string; readonly when?: Record<string, unknown>[] }[]
  readonly enabled?: boolean
}

export async function updateSource(id: string, body: SourcePatch): Promise<void> {
  await api.patch('/v1/sources/{id}', { params: { id }, body })
  await readSourcesAgain()
}

export async function rotateSource(id: string): Promise<void> {
  await api.post('/v1/sources/{id}/rotate', { params: { id } })
  await readSourcesAgain()
}

export async function deleteSource(id: string): Promise<void> {
  await api.delete('/v1/sources/{id}', { params: { id } })
  await readSourcesAgain()
}

export async function replayEvent(id: string, eventId: string): Promise<void> {
  await api.post('/v1/sources/{id}/events/{eventId}/replay', { params: { id, eventId } })
  await readSourcesAgain()
}

/** Processes all unmapped events again. */
export async function replayUnmapped(id: string) {
  const done = await api.post('/v1/sources/{id}/replay', { params: { id }, body: { status: 'unmapped' } })
  await readSourcesAgain()
  return done
}

export const tryEvent = (
  id: string,
  event_id: string,
  map: Record<string, unknown>,
  when: Record<string, unknown>[],
): Promise<Tried> => api.post('/v1/sources/{id}/try', { params: { id }, body: { event_id, map, when } })
