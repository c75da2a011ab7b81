import { afterEach, beforeEach, expect, test } from 'bun:test'
import { faultsIn } from '../../support/check.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { runJobs, runRetention } from '../../support/jobs.ts'
import { declare, write } from '../../support/records.ts'
import { settle, startService, type TestService } from '../../support/service.ts'
import { deliveriesOf, webhookOf } from '../../support/webhooks.ts'

const DAY = 24 * 3_600_000

let it: TestService

beforeEach(async () => {
  it = await startService()
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(() => it.close())

async function pulled(more: object = {}): Promise<string> {
  const { status, body } = await it.post('/v1/webhooks', { structure: 'Tasks', delivery: 'pull', ...more })
  expect([status, body.secret, body.webhook.url]).toEqual([201, null, null])
  return body.webhook.id
}
const events = (id: string, query = '') => it.get(`/v1/webhooks/${id}/events${query}`)
const acknowledge = (id: string, cursor: string) => it.post(`/v1/webhooks/${id}/events/ack`, { cursor })
const rows = async (...numbers: number[]) => {
  for (const n of numbers) await write(it, 'Tasks', { n })
}
// biome-ignore lint/suspicious/noExplicitAny: a response is judged by what the test expects of it
const numbersIn = ({ body }: { body: any }) =>
  body.events.map(({ payload }: { payload: { record: { data: { n: number } } } }) => payload.record.data.n)

test('returns every event in commit order until it is acknowledged', async () => {
  const id = await pulled()
  await rows(1, 2, 3)
  const first = await events(id, '?limit=2')
  expect([numbersIn(first), first.body.acknowledged, first.body.has_more]).toEqual([[1, 2], null, true])
  expect(first.body.events[0].payload).toMatchObject({ type: 'record.created', structure: { name: 'Tasks' } })
  expect(first.body.events[0].payload).not.toHaveProperty('sequence')
  const { cursor } = first.body.events[1]
  const next = await events(id, `?after=${cursor}`)
  expect([numbersIn(next), next.body.has_more]).toEqual([[3], false])
  expect(numbersIn(await events(id))).toEqual([1, 2, 3])

  expect((await acknowledge(id, cursor)).body).toEqual({ acknowledged: cursor, pending: 1 })
  expect((await acknowledge(id, first.body.events[0].cursor)).body).toEqual({
    acknowledged: cursor,
    pending: 1,
  })
  for (const query of ['', '?after=start', `?after=${first.body.events[0].cursor}`]) {
    const rest = await events(id, query)
    expect([numbersIn(rest), rest.body.acknowledged]).toEqual([[3], cursor])
  }
  await runJobs(it.ctx)
  expect(sizesOf(it, 'webhook_pulled')).toEqual([1])
  expect(faultsIn(it)).toEqual([])
})

test('shows the pending events, and no deliveries', async () => {
  const id = await pulled({ ordered: true })
  expect(await webhookOf(it, id)).toMatchObject({ pending: 0, oldest_pending_at: null, dropped: 0 })
  await rows(1)
  it.clock.advance(1_000)
  const { status, body } = await it.post(`/v1/webhooks/${id}/test`)
  expect([status, body.delivery.status, body.delivery.event]).toEqual([202, 'pending', 'webhook.test'])
  const at = '2026-11-21T09:30:00.000Z'
  expect(await webhookOf(it, id)).toMatchObject({
    delivery: 'pull',
    pending: 2,
    oldest_pending_at: at,
    status: 'enabled',
  })
  expect(await deliveriesOf(it, id)).toEqual([])
  const found = (await events(id)).body.events
  expect(found.map(({ payload }: { payload: { sequence: number } }) => payload.sequence)).toEqual([1, 2])
  expect(found[1].payload.id).toBe(body.delivery.event_id)
})

test('keeps what was committed while it was enabled', async () => {
  const id = await pulled()
  await rows(1)
  await it.patch(`/v1/webhooks/${id}`, { enabled: false })
  await rows(2)
  await it.patch(`/v1/webhooks/${id}`, { enabled: true })
  await rows(3)
  expect(numbersIn(await events(id))).toEqual([1, 3])
})

test('drops events after 30 days, and counts them', async () => {
  const id = await pulled()
  await rows(1, 2)
  it.clock.advance(15 * DAY)
  await rows(3)
  it.clock.advance(15 * DAY + 1)
  await runRetention(it.ctx)
  expect(await webhookOf(it, id)).toMatchObject({ pending: 1, dropped: 2 })
  expect(numbersIn(await events(id))).toEqual([3])
})

test('drops the oldest beyond a million', async () => {
  const id = await pulled()
  await rows(1, 2, 3)
  await alter(
    it,
    'UPDATE webhooks SET sequence = 1000000; UPDATE webhook_pulled SET sequence = sequence + 999997',
  )
  await rows(4, 5)
  expect(await webhookOf(it, id)).toMatchObject({ pending: 1_000_000, dropped: 2 })
})

test('refuses what does not go together, and changes nothing', async () => {
  const id = await pulled()
  const other = await pulled()
  await rows(1)
  const [{ cursor }] = (await events(other)).body.events
  const push = (await it.post('/v1/webhooks', { structure: 'Tasks', url: 'https://example.com/' })).body
    .webhook.id
  const create = (more: object) => it.post('/v1/webhooks', { structure: 'Tasks', ...more })
  const refused = [
    await create({}),
    await create({ delivery: 'pull', url: 'https://example.com/' }),
    await create({ delivery: 'pull', headers: { A: 'b' } }),
    await create({ delivery: 'pull', format: 'text' }),
    await it.patch(`/v1/webhooks/${id}`, { url: 'https://example.com/' }),
    await it.patch(`/v1/webhooks/${id}`, { delivery: 'pull' }),
    await it.patch(`/v1/webhooks/${id}`, { format: 'slack' }),
    await events(id, '?after=never'),
    await events(id, `?after=${cursor}`),
    await events(id, '?limit=201'),
    await acknowledge(id, 'start'),
    await acknowledge(id, cursor),
    await acknowledge(id, `${id}.0`),
    await acknowledge(id, `${id}.2`),
  ]
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    refused.map(() => [400, 'invalid_request']),
  )
  const wrongKind = [
    await events(push),
    await acknowledge(push, cursor),
    await it.post(`/v1/webhooks/${id}/rotate-secret`),
  ]
  expect(wrongKind.map(({ status, body }) => [status, body.code])).toEqual(
    wrongKind.map(() => [400, 'refused']),
  )
  expect(await webhookOf(it, id)).toMatchObject({ pending: 1 })
  expect(numbersIn(await events(id))).toEqual([1])
})

test('a page waits for the next event', async () => {
  const id = await pulled()
  const waiting = events(id, '?wait=60')
  await rows(1)
  expect(numbersIn(await waiting)).toEqual([1])
})

test('a page that waits is not found once its subscription is deleted', async () => {
  const id = await pulled()
  const waiting = events(id, '?wait=60')
  await settle()
  await it.delete(`/v1/webhooks/${id}`)
  expect((await waiting).status).toBe(404)
})

test('a deleted subscription leaves nothing behind', async () => {
  const id = await pulled()
  await rows(1, 2)
  await it.delete(`/v1/webhooks/${id}`)
  await runJobs(it.ctx)
  expect(sizesOf(it, 'webhook_pulled')).toEqual([0])
})
