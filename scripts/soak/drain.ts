import type { Api } from './api.ts'
import type { Findings } from './findings.ts'
import type { Subscription } from './subscriptions.ts'

const DRAIN_WITHIN_MS = 120_000
const LOOK_EVERY_MS = 500

interface Delivery {
  id: string
  status: string
  attempts: number
  next_attempt_at: string | null
  last_attempt_at: string | null
  created_at: string
}

const listed = async (api: Api, { id }: Subscription, status: string): Promise<Delivery[]> =>
  (await api.read('read deliveries', `/v1/webhooks/${id}/deliveries?status=${status}&limit=200`)).deliveries

async function askAgain(api: Api, { id }: Subscription, deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) {
    const path = `/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`
    await api.send({ name: 'redeliver', method: 'POST', path, status: 202 })
  }
}

/**
 * Once all receivers answer well: what waits for a later attempt or has failed is asked for again, what was never
 * attempted must go by itself. Says which deliveries remain.
 */
export async function drain(
  api: Api,
  subscriptions: readonly Subscription[],
  findings: Findings,
): Promise<void> {
  const until = performance.now() + DRAIN_WITHIN_MS
  for (const subscription of subscriptions) {
    const { id, wish } = subscription
    const resumed = { name: 'resume', method: 'PATCH', path: `/v1/webhooks/${id}`, body: { resume: true } }
    await api.send(resumed)
    for (;;) {
      const pending = await listed(api, subscription, 'pending')
      const failed = await listed(api, subscription, 'failed')
      if (pending.length + failed.length === 0) break
      if (performance.now() > until) {
        findings.add(
          'deliveries',
          `"${wish.name}" still has, among others, ${JSON.stringify(pending[0] ?? failed[0])}`,
        )
        break
      }
      await askAgain(api, subscription, [...failed, ...pending.filter(({ attempts }) => attempts > 0)])
      await Bun.sleep(LOOK_EVERY_MS)
    }
  }
}
