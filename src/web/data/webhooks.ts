import { type Answer, api } from './api.ts'
import { refetch } from './cache.ts'
import { type Key, useQuery } from './use-query.ts'

export type Webhook = Answer<'/v1/webhooks/{id}', 'get'>['webhook']
export type Delivery = Answer<'/v1/webhooks/{id}/deliveries', 'get'>['deliveries'][number]
export type Attempt = Answer<'/v1/webhooks/{id}/deliveries/{deliveryId}', 'get'>['attempts'][number]
export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

/** Attempts are not part of the change feed, so pending deliveries are polled often and the others rarely. */
const SOON_MS = 1_000
const LATER_MS = 5_000

export const PAGE = 50
/** The maximum page size of the endpoint. */
const LONGEST = 200

export const useWebhooks = () =>
  useQuery(['webhook structure'], async ({ signal }) => (await api.get('/v1/webhooks', { signal })).webhooks)

/** Polled, because the server changes webhooks too: it counts consecutive failures and pauses after ten. */
export const useWebhook = (id: string) =>
  useQuery(
    ['webhook structure', id],
    async ({ signal }) => (await api.get('/v1/webhooks/{id}', { params: { id }, signal })).webhook,
    { refetchInterval: LATER_MS },
  )

const deliveriesKey = (id: string): Key => ['webhook record', id, 'deliveries']

const listDeliveries = async (id: string, query: object, signal: AbortSignal) =>
  (await api.get('/v1/webhooks/{id}/deliveries', { params: { id }, query, signal })).deliveries

/** A page of deliveries, newest first, refetched while they change. */
export const useDeliveries = (id: string, query: { status?: DeliveryStatus; before?: string }) =>
  useQuery(
    [...deliveriesKey(id), query],
    ({ signal }) => listDeliveries(id, { ...query, limit: PAGE }, signal),
    {
      refetchInterval: ({ state }) =>
        state.data?.some(({ status }) => status === 'pending') ? SOON_MS : LATER_MS,
    },
  )

/** The first pending events of a webhook that is pulled. Reading acknowledges nothing. */
export const usePulled = (id: string) =>
  useQuery(
    [...deliveriesKey(id), 'pulled'],
    ({ signal }) => api.get('/v1/webhooks/{id}/events', { params: { id }, query: { limit: PAGE }, signal }),
    { refetchInterval: LATER_MS },
  )

/** A page of the newest failed deliveries. */
export const useFailed = (id: string) =>
  useQuery(
    [...deliveriesKey(id), 'failed'],
    ({ signal }) => listDeliveries(id, { status: 'failed', limit: LONGEST }, signal),
    { refetchInterval: LATER_MS },
  )

export const useDelivery = (id: string, deliveryId: string) =>
  useQuery(
    [...deliveriesKey(id), deliveryId],
    ({ signal }) =>
      api.get('/v1/webhooks/{id}/deliveries/{deliveryId}', {
        params: { id, deliveryId },
        query: { include: 'responses' },
        signal,
      }),
    { refetchInterval: ({ state }) => (state.data?.delivery.status === 'pending' ? SOON_MS : LATER_MS) },
  )

const readDeliveriesAgain = (id: string) => refetch({ queryKey: deliveriesKey(id) })

export async function sendTest(id: string): Promise<void> {
  await api.post('/v1/webhooks/{id}/test', { params: { id } })
  await readDeliveriesAgain(id)
}

export async function redeliver(id: string, deliveryId: string): Promise<void> {
  await api.post('/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', { params: { id, deliveryId } })
  await readDeliveriesAgain(id)
}

/** Retries the deliveries that failed since an instant. Returns their number. */
export async function recoverSince(id: string, since: string): Promise<number> {
  const { redelivered } = await api.post('/v1/webhooks/{id}/recover', { params: { id }, body: { since } })
  await readDeliveriesAgain(id)
  return redelivered
}

const readWebhooksAgain = () => refetch({ queryKey: ['webhook structure'] })

export interface WebhookInput {
  /** Omitted for a webhook that is pulled. */
  readonly url?: string
  readonly events: Webhook['events']
  readonly filter: Webhook['filter']
  readonly fields: string[] | null
  readonly ignore_key_id: string | null
  readonly ignore_own_key: boolean
  readonly description: string | null
  /** Omitted headers stay unchanged. */
  readonly headers?: Record<string, string>
  readonly format: Webhook['format'] | null
  readonly template: string | null
  readonly due?: Webhook['due'] | null
  readonly quiet_seconds?: number
  readonly include_content?: boolean
  readonly ordered?: boolean
}

export type WebhookKind = NonNullable<Webhook['kind']>

type NewWebhook = WebhookInput & { structure?: string; kind?: WebhookKind; delivery?: 'pull' }

/**
 * Creates a webhook. If the first response was lost, the retry returns no secret, so a new one is created. A webhook
 * that is pulled has none.
 */
export async function createWebhook(input: NewWebhook) {
  const { webhook, secret } = await api.post('/v1/webhooks', { body: input })
  await readWebhooksAgain()
  if (webhook.delivery === 'pull') return { webhook, secret: undefined }
  return { webhook, secret: secret ?? (await rotateSecret(webhook.id, 0)) }
}

export async function updateWebhook(
  id: string,
  body: Partial<WebhookInput> & { enabled?: boolean; resume?: boolean },
): Promise<void> {
  await api.patch('/v1/webhooks/{id}', { params: { id }, body })
  await Promise.all([readWebhooksAgain(), readDeliveriesAgain(id)])
}

export async function deleteWebhook(id: string): Promise<void> {
  await api.delete('/v1/webhooks/{id}', { params: { id } })
  await readWebhooksAgain()
}

export const rotateSecret = async (id: string, hours: number): Promise<string> =>
  (await api.post('/v1/webhooks/{id}/rotate', { params: { id }, body: { overlap_hours: hours } })).secret

/** The subject of the events of a webhook: the name of a table, “notes” or “files”. */
export const aboutOf = ({ structure, kind }: Pick<Webhook, 'structure' | 'kind'>): string =>
  structure?.name ?? `${kind}s`

/** The name of a webhook: its description, else its URL. */
export const nameOf = ({ description, url }: Pick<Webhook, 'description' | 'url'>): string =>
  description?.split('\n')[0] ||
  (url === null ? 'Pulled events' : URL.canParse(url) ? new URL(url).host : url)
