import { afterEach, beforeEach, expect, test } from 'bun:test'
import { faultsIn, repair } from '../../support/check.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { runJobs, runRetention } from '../../support/jobs.ts'
import { status } from '../../support/receiver.ts'
import { declare, write } from '../../support/records.ts'
import { deliveriesOf, type Hooked, startHooked, subscribe, until } from '../../support/webhooks.ts'

const DAY = 86_400_000

let it: Hooked

beforeEach(async () => {
  it = await startHooked()
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(() => it.end())

const states = async (id: string) =>
  (await deliveriesOf(it, id)).map((delivery: { status: string }) => delivery.status)

/**
 * Advances the clock while no delivery is in flight. Otherwise the dispatcher would scan every half minute on the way.
 */
async function pass(milliseconds: number): Promise<void> {
  await it.stop()
  it.clock.advance(milliseconds)
  it.start()
}

test('a delivery is listed for 30 days from its end; a pending one is never deleted', async () => {
  const done = await subscribe(it, 'Tasks', it.url)
  const waiting = await subscribe(it, 'Tasks', it.url)
  await alter(it, 'UPDATE webhooks SET paused_at = 1 WHERE pk = 2')
  await write(it, 'Tasks', { n: 1 })
  await until(async () => (await states(done.id))[0] === 'delivered')
  await pass(30 * DAY)
  await runRetention(it.ctx)
  expect(await states(done.id)).toEqual(['delivered'])
  await pass(1)
  await runRetention(it.ctx)
  expect(await states(done.id)).toEqual([])
  expect(await states(waiting.id)).toEqual(['pending'])
  expect(sizesOf(it, 'webhook_deliveries', 'webhook_events')).toEqual([1, 1])
  await it.delete(`/v1/webhooks/${waiting.id}`)
  await runJobs(it.ctx)
  expect(sizesOf(it, 'webhook_deliveries', 'webhook_events')).toEqual([0, 0])
})

test('a redelivery restarts the 30 days, and a failed delivery is kept as long', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await write(it, 'Tasks', { n: 1 })
  await until(async () => (await states(id))[0] === 'delivered')
  it.receiver.answer = status(500)
  await write(it, 'Tasks', { n: 2 })
  await until(async () => (await deliveriesOf(it, id)).at(-1).attempts === 1)
  await alter(it, "UPDATE webhook_deliveries SET attempts = 4 WHERE status = 'pending'")
  it.clock.advance(60_000)
  await until(async () => (await states(id))[1] === 'failed')
  await pass(20 * DAY)
  it.receiver.answer = status(200)
  const [first] = await deliveriesOf(it, id)
  await it.post(`/v1/webhooks/${id}/deliveries/${first.id}/redeliver`)
  await until(async () => (await states(id))[0] === 'delivered')
  await pass(20 * DAY)
  await runRetention(it.ctx)
  expect(await states(id)).toEqual(['delivered'])
})

test('a deletion that was interrupted is not visible and is finished later', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await write(it, 'Tasks', { n: 1 })
  await it.delete(`/v1/webhooks/${id}`)
  expect(sizesOf(it, 'webhook_deliveries')).toEqual([1])
  expect((await it.get(`/v1/webhooks/${id}`)).status).toBe(404)
  expect((await it.get('/v1/webhooks')).body).toEqual({ webhooks: [] })
  expect((await it.get('/v1/workspace')).body.workspace.counts.webhooks).toBe(0)
  await runJobs(it.ctx)
  expect(sizesOf(it, 'webhooks', 'webhook_deliveries', 'webhook_events')).toEqual([0, 0, 0])
})

test('check finds and repairs versions of subscriptions, and orphaned events and deliveries', async () => {
  await subscribe(it, 'Tasks', it.url)
  await declare(it, 'Other', [])
  await it.stop()
  expect(faultsIn(it)).toEqual([])
  await alter(
    it,
    `UPDATE structures SET subscriptions_version = CASE name WHEN 'Tasks' THEN NULL ELSE 'x' END;
    INSERT INTO webhook_events (pk, id, type, body) VALUES (1, 'x', 'record.created', '{}'), (2, 'y', 'record.created', '{}');
    INSERT INTO webhook_deliveries (event, webhook, id, status, created_at)
      VALUES (2, 9, 'no webhook', 'pending', 1), (3, 1, 'no event', 'failed', 1)`,
  )
  expect(faultsIn(it)).toEqual([
    'The structure "Tasks" does not notify its enabled webhooks of changes.',
    'The structure "Other" notifies webhooks of changes, and none is enabled.',
    '2 deliveries are left without their event or webhook.',
    '1 webhook events are left without a delivery.',
  ])
  await repair(it)
  expect(faultsIn(it)).toEqual([])
  await write(it, 'Tasks', { n: 1 })
  expect(sizesOf(it, 'webhook_deliveries', 'webhook_events')).toEqual([1, 1])
})
