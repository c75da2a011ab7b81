import type { Authority } from '../../test/support/certificates.ts'
import type { Client } from './client.ts'
import { ROWS } from './fixtures.ts'
import type { RowEvent } from './oracle/expected-rows.ts'
import { changeName, SoakReceiver } from './receiver.ts'
import type { Violations } from './report.ts'

interface SubscriptionSpec {
  readonly name: string
  readonly isSecure: boolean
  /** The events it receives, in the API's format; the oracle decides by the same rule. */
  readonly body: object
  matches(event: RowEvent): boolean
}

const specs = (otherKeyId: string): SubscriptionSpec[] => [
  { name: 'all', isSecure: true, body: {}, matches: () => true },
  {
    name: 'red',
    isSecure: false,
    body: { filter: [{ field: 'lane', op: 'eq', value: 'red' }] },
    matches: ({ data }) => data.lane === 'red',
  },
  {
    name: 'amount',
    isSecure: true,
    body: { fields: ['amount'] },
    matches: ({ type, changed }) => type !== 'record.updated' || changed.includes('amount'),
  },
  {
    name: 'not the other key',
    isSecure: false,
    body: { ignore_key_id: otherKeyId },
    matches: ({ keyId }) => keyId !== otherKeyId,
  },
  {
    name: 'deleted',
    isSecure: true,
    body: { events: ['record.deleted'] },
    matches: ({ type }) => type === 'record.deleted',
  },
]

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** A subscription with its receiver. */
export class Subscription {
  readonly receiver: SoakReceiver
  id = ''

  constructor(
    readonly spec: SubscriptionSpec,
    readonly violations: Violations,
  ) {
    this.receiver = new SoakReceiver(violations)
  }

  async open(api: Client, authority: Authority): Promise<void> {
    const { isSecure, body, name } = this.spec
    const certificate = isSecure ? await authority.certify(['127.0.0.1'], { from: -2, to: 2 }) : undefined
    await this.receiver.open(certificate)
    const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${this.receiver.port}/${encodeURIComponent(name)}`
    const request = { name: 'subscribe', method: 'POST', path: '/v1/webhooks', status: 201 }
    const outcome = await api.send({ ...request, body: { structure: ROWS, url, description: name, ...body } })
    if (outcome.kind !== 'done') throw new Error(`there is no subscription "${name}"`)
    this.id = outcome.body.webhook.id
    this.receiver.addSecret(outcome.body.secret)
  }

  /**
   * Compares the received events with the changes: each change must have exactly one event, and an acknowledged one.
   */
  compare(events: readonly RowEvent[]): void {
    const expected = counted(
      events.filter((event) => this.spec.matches(event)).map(({ type, data }) => changeName(type, data)),
    )
    const arrived = [...this.receiver.events.values()]
    const received = counted(arrived.flatMap(({ change }) => change ?? []))
    const acknowledged = counted(
      arrived.flatMap(({ change, isAcknowledged }) => (isAcknowledged && change) || []),
    )
    for (const name of new Set([...expected.keys(), ...received.keys()])) {
      const counts = [expected, received, acknowledged].map((counts) => counts.get(name) ?? 0)
      if (new Set(counts).size > 1)
        this.violations.add(
          'events',
          `"${this.spec.name}", ${name}: ${counts.join(', ')} (changes, events, acknowledged)`,
        )
    }
  }
}

export async function subscribe(
  api: Client,
  { authority, violations, otherKeyId }: { authority: Authority; violations: Violations; otherKeyId: string },
): Promise<Subscription[]> {
  const subscriptions = specs(otherKeyId).map((spec) => new Subscription(spec, violations))
  for (const subscription of subscriptions) await subscription.open(api, authority)
  return subscriptions
}

const DRAIN_TIMEOUT_MS = 120_000
const POLL_MS = 500

interface Delivery {
  id: string
  status: string
  attempts: number
  next_attempt_at: string | null
  last_attempt_at: string | null
  created_at: string
}

const listed = async (api: Client, { id }: Subscription, status: string): Promise<Delivery[]> =>
  (await api.read('read deliveries', `/v1/webhooks/${id}/deliveries?status=${status}&limit=200`)).deliveries

async function redeliver(api: Client, { id }: Subscription, deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) {
    const path = `/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`
    await api.send({ name: 'redeliver', method: 'POST', path, status: 202 })
  }
}

/**
 * Waits until all deliveries are sent, once all receivers are healthy. Redelivers failed deliveries and pending
 * retries. Deliveries that were never attempted must be sent without that. Remaining deliveries are violations.
 */
export async function drain(
  api: Client,
  subscriptions: readonly Subscription[],
  violations: Violations,
): Promise<void> {
  const until = performance.now() + DRAIN_TIMEOUT_MS
  for (const subscription of subscriptions) {
    const { id, spec } = subscription
    const resumed = { name: 'resume', method: 'PATCH', path: `/v1/webhooks/${id}`, body: { resume: true } }
    await api.send(resumed)
    for (;;) {
      const pending = await listed(api, subscription, 'pending')
      const failed = await listed(api, subscription, 'failed')
      if (pending.length + failed.length === 0) break
      if (performance.now() > until) {
        violations.add(
          'deliveries',
          `"${spec.name}" still has, among others, ${JSON.stringify(pending[0] ?? failed[0])}`,
        )
        break
      }
      await redeliver(api, subscription, [...failed, ...pending.filter(({ attempts }) => attempts > 0)])
      await Bun.sleep(POLL_MS)
    }
  }
}
