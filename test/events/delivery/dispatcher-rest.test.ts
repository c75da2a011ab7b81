import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type FailurePoint, watchFailurePoints } from '../../../src/lib/failure-points.ts'
import { statementsIn } from '../../support/database.ts'
import { declare, write } from '../../support/records.ts'
import { settle } from '../../support/service.ts'
import { deliveriesOf, type Hooked, startHooked, subscribe, until } from '../../support/webhooks.ts'

let it: Hooked

beforeEach(async () => {
  it = await startHooked({ start: false })
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(async () => {
  watchFailurePoints(undefined)
  await it.end()
})

const statusesOf = async (id: string) =>
  (await deliveriesOf(it, id)).map(({ status }: { status: string }) => status)
const areDelivered = (id: string) =>
  until(async () => (await statusesOf(id)).every((status: string) => status === 'delivered'))

test('a dispatcher that is stopped before its first attempt attempts nothing', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await write(it, 'Tasks', { n: 1 }, { n: 2 })
  it.start()
  await it.stop()
  await settle()
  expect([it.receiver.received.length, await statusesOf(id)]).toEqual([0, ['pending', 'pending']])
})

test('a dispatcher without due deliveries reads nothing until something changes', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await write(it, 'Tasks', { n: 1 })
  it.start()
  await areDelivered(id)
  await settle()
  expect(await statementsIn(it, settle)).toEqual([])
  await write(it, 'Tasks', { n: 2 })
  await it.receiver.until(2)
  await areDelivered(id)
})

test('tests can fail a delivery before its attempt, before its outcome and before its commit', async () => {
  const reached: FailurePoint[] = []
  watchFailurePoints((point) => {
    if (point.startsWith('delivery')) reached.push(point)
  })
  const { id } = await subscribe(it, 'Tasks', it.url)
  await write(it, 'Tasks', { n: 1 })
  it.start()
  await areDelivered(id)
  expect(reached).toEqual(['delivery claimed', 'delivery answered', 'delivery recorded'])
})
