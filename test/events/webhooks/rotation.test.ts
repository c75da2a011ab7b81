import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { verifyDelivery } from '../../../src/events/delivery/verify-signature.ts'
import { storedValues } from '../../support/database.ts'
import { runRetention } from '../../support/jobs.ts'
import { declare } from '../../support/records.ts'
import { testClock } from '../../support/service.ts'
import { type Hooked, startHooked, subscribe } from '../../support/webhooks.ts'

const HOUR = 3_600_000

let it: Hooked

/** The verifiers of the libraries use the machine's clock, so the service starts at its time. */
beforeEach(async () => {
  it = await startHooked({ clock: testClock(Date.now()) })
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(() => it.end())

async function nextDelivery(id: string) {
  const count = it.receiver.received.length + 1
  expect((await it.post(`/v1/webhooks/${id}/test`)).status).toBe(202)
  await it.receiver.until(count)
  const { headers, body } = it.receiver.received[count - 1] as (typeof it.receiver.received)[number]
  return { headers, body }
}

type Delivered = Awaited<ReturnType<typeof nextDelivery>>

const stripeAccepts = async ({ headers, body }: Delivered, secret: string) =>
  Stripe.webhooks
    .constructEventAsync(body, headers['x-service-signature'] ?? '', secret, 300)
    .then(() => true)
    .catch(() => false)

function standardAccepts({ headers, body }: Delivered, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

/** Returns the secrets that each of the three verifiers accepts. */
const accepted = async (delivered: Delivered, secrets: readonly string[]) =>
  Promise.all(
    secrets.map(async (secret) => {
      const headers = new Map(Object.entries(delivered.headers))
      const own = verifyDelivery({ headers, body: Buffer.from(delivered.body) }, secret, Date.now())
      return [
        await stripeAccepts(delivered, secret),
        standardAccepts(delivered, secret),
        own.every(({ errors }) => errors.length === 0),
      ]
    }),
  )

const ALL = [true, true, true]
const NONE = [false, false, false]

const rotate = async (id: string, overlap_hours: number): Promise<string> => {
  const { status, body } = await it.post(`/v1/webhooks/${id}/rotate`, { overlap_hours })
  expect([status, body]).toEqual([
    200,
    { webhook: expect.objectContaining({ id }), secret: expect.stringMatching(/^whsec_/) },
  ])
  return body.secret
}

test('both secrets sign during the overlap, the new one first, in both families; then only the new one', async () => {
  const { id, secret: old } = await subscribe(it, 'Tasks', it.url)
  const secret = await rotate(id, 1)
  const during = await nextDelivery(id)
  expect(await accepted(during, [secret, old])).toEqual([ALL, ALL])
  expect(during.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  expect(during.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
  const alone = { ...during, headers: { ...during.headers } }
  alone.headers['x-service-signature'] = during.headers['x-service-signature']?.replace(/,v1=\w+$/, '') ?? ''
  alone.headers['webhook-signature'] = during.headers['webhook-signature']?.split(' ')[0] ?? ''
  expect(await accepted(alone, [secret, old])).toEqual([ALL, NONE])

  it.clock.advance(HOUR)
  const after = await nextDelivery(id)
  expect(after.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  expect(after.headers['webhook-signature']).toMatch(/^v1,\S{44}$/)
})

test('without an overlap the old secrets end immediately', async () => {
  const { id, secret: first } = await subscribe(it, 'Tasks', it.url)
  const second = await rotate(id, 72)
  const third = await rotate(id, 0)
  expect(await accepted(await nextDelivery(id), [third, second, first])).toEqual([ALL, NONE, NONE])
  const { body } = await it.post(`/v1/webhooks/${id}/rotate-secret`)
  expect(await accepted(await nextDelivery(id), [body.secret, third])).toEqual([ALL, NONE])
})

test('a repeated rotation keeps the secret that still overlaps', async () => {
  const { id, secret: first } = await subscribe(it, 'Tasks', it.url)
  const second = await rotate(id, 24)
  const third = await rotate(id, 24)
  expect(await accepted(await nextDelivery(id), [third, second, first])).toEqual([ALL, ALL, ALL])
})

test('a secret whose overlap has ended is deleted, one that still signs is kept', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await rotate(id, 1)
  const kept = () => storedValues<string | null>(it, 'SELECT earlier_secrets FROM webhooks')[0]
  await runRetention(it.ctx)
  expect(kept()).toContain('whsec_')
  it.clock.advance(HOUR)
  await runRetention(it.ctx)
  expect(kept()).toBeNull()
})

test.each([
  [{}],
  [{ overlap_hours: -1 }],
  [{ overlap_hours: 73 }],
  [{ overlap_hours: 1.5 }],
  [{ overlap: 1 }],
])('a rotation with %j is refused and changes nothing', async (body) => {
  const { id, secret } = await subscribe(it, 'Tasks', it.url)
  const answer = await it.post(`/v1/webhooks/${id}/rotate`, body)
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
  expect(await accepted(await nextDelivery(id), [secret])).toEqual([ALL])
})

test('no response ever shows a replaced secret', async () => {
  const { id, secret } = await subscribe(it, 'Tasks', it.url)
  const next = await rotate(id, 24)
  const shown = JSON.stringify([
    (await it.get(`/v1/webhooks/${id}`)).body,
    (await it.get('/v1/webhooks')).body,
    it.logged(),
  ])
  expect([shown.includes(secret), shown.includes(next)]).toEqual([false, false])
})
