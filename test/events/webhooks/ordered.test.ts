import { afterEach, beforeEach, expect, test } from 'bun:test'
import { faultsIn, repair } from '../../support/check.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { type Received, status } from '../../support/receiver.ts'
import { declare, write } from '../../support/records.ts'
import { deliveriesOf, type Hooked, startHooked, subscribe, until } from '../../support/webhooks.ts'

const MINUTE = 60_000

let it: Hooked

beforeEach(async () => {
  it = await startHooked()
  await declare(it, 'Tasks', [
    { key: 'row', type: 'text' },
    { key: 'n', type: 'number' },
  ])
})
afterEach(() => it.end())

const ordered = (more = {}) => subscribe(it, 'Tasks', it.url, { ordered: true, ...more })
/** Creates a row and updates it, in this many events. */
async function events(row: string, count: number): Promise<string> {
  const [{ id }] = await write(it, 'Tasks', { row, n: 1 })
  for (let n = 2; n <= count; n++) await it.patch(`/v1/records/${id}`, { data: { n } })
  return id
}
const rowOf = ({ body }: Received): string => JSON.parse(body).record.data.row
const numbersOf = (row: string) =>
  it
    .arrived()
    .filter(({ record }) => record.data.row === row)
    .map(({ record }) => record.data.n)
const delivered = (id: string, count: number) =>
  until(
    async () =>
      (await deliveriesOf(it, id)).filter((delivery: { status: string }) => delivery.status === 'delivered')
        .length === count,
  )
/** Refuses the events of some rows. */
const refusing =
  (...rows: string[]) =>
  (received: Received, socket: Parameters<ReturnType<typeof status>>[1]) =>
    status(rows.includes(rowOf(received)) ? 503 : 200)(received, socket)

test('numbers every event of the subscription, in the body and the header', async () => {
  const { id } = await ordered()
  await events('a', 3)
  await it.post(`/v1/webhooks/${id}/test`)
  await delivered(id, 4)
  const numbers = it.receiver.received.map(({ headers, body }) => [
    JSON.parse(body).sequence,
    headers['x-service-sequence'],
  ])
  expect(numbers.sort()).toEqual([1, 2, 3, 4].map((sequence) => [sequence, String(sequence)]))
  expect((await deliveriesOf(it, id)).map(({ sequence }: { sequence: number }) => sequence)).toEqual([
    1, 2, 3, 4,
  ])
})

test('numbers the rows of one write without gaps, for each subscription that receives them', async () => {
  const all = await ordered()
  const some = await ordered({ filter: [{ field: 'n', op: 'eq', value: 2 }] })
  await write(it, 'Tasks', { row: 'a', n: 1 }, { row: 'b', n: 2 }, { row: 'c', n: 1 }, { row: 'd', n: 2 })
  await write(it, 'Tasks', { row: 'e', n: 2 })
  await delivered(all.id, 5)
  await delivered(some.id, 3)
  const numbers = async ({ id }: { id: string }) =>
    (await deliveriesOf(it, id)).map(({ sequence }: { sequence: number }) => sequence)
  expect([await numbers(all), await numbers(some)]).toEqual([
    [1, 2, 3, 4, 5],
    [1, 2, 3],
  ])
})

test('numbers text in the header alone, and leaves plain subscriptions without numbers', async () => {
  const { id } = await ordered({ format: 'text' })
  const plain = await subscribe(it, 'Tasks', `${it.url}/plain`)
  await events('a', 1)
  await it.receiver.until(2)
  const [text, json] = it.receiver.received.toSorted((one, other) => one.path.length - other.path.length)
  expect([text?.headers['x-service-sequence'], text?.body]).toEqual(['1', 'Tasks: record.created'])
  expect([json?.headers['x-service-sequence'], JSON.parse(json?.body ?? '').sequence]).toEqual([
    undefined,
    undefined,
  ])
  expect((await it.get(`/v1/webhooks/${plain.id}`)).body.webhook).not.toHaveProperty('ordered')
  expect((await deliveriesOf(it, plain.id))[0]).not.toHaveProperty('sequence')
  expect((await it.get(`/v1/webhooks/${id}`)).body.webhook.ordered).toBe(true)
})

test('attempts the next event of a row only after the one before ended; other rows go on', async () => {
  it.receiver.answer = refusing('slow')
  const { id } = await ordered()
  await events('slow', 3)
  await events('quick', 3)
  await delivered(id, 3)
  expect([numbersOf('slow'), numbersOf('quick')]).toEqual([[1], [1, 2, 3]])
  const [, second] = await deliveriesOf(it, id)
  expect(second).toMatchObject({ status: 'pending', attempts: 0, next_attempt_at: null })

  it.receiver.answer = status(200)
  it.clock.advance(MINUTE)
  await delivered(id, 6)
  expect(numbersOf('slow')).toEqual([1, 1, 2, 3])
})

test('goes on with the next event of a row when one has failed for good', async () => {
  it.receiver.answer = (received, socket) =>
    status(JSON.parse(received.body).record.data.n === 1 ? 500 : 200)(received, socket)
  const { id } = await ordered()
  await events('a', 3)
  for (const [attempts, wait] of [MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE].entries()) {
    await until(async () => (await deliveriesOf(it, id))[0].attempts === attempts + 1)
    it.clock.advance(wait)
  }
  await delivered(id, 2)
  expect(numbersOf('a')).toEqual([1, 1, 1, 1, 1, 2, 3])
})

test('one hanging row never delays the others, also before the first success', async () => {
  it.receiver.answer = (received, socket) => {
    if (!rowOf(received).startsWith('hanging')) status(200)(received, socket)
  }
  const { id } = await ordered()
  for (const row of ['hanging 1', 'hanging 2', 'hanging 3']) await events(row, 2)
  await until(() => it.receiver.received.length === 3)
  await events('quick', 5)
  await delivered(id, 5)
  expect(numbersOf('quick')).toEqual([1, 2, 3, 4, 5])
})

test('keeps the order through a pause, a disabled time, a stop and a redelivery', async () => {
  it.receiver.answer = status(503)
  const { id } = await ordered()
  await events('a', 2)
  const [first] = await afterFirstAttempt(id)
  await it.patch(`/v1/webhooks/${id}`, { enabled: false })
  await it.stop()
  it.receiver.answer = status(200)
  it.start()
  await it.patch(`/v1/webhooks/${id}`, { enabled: true })
  await it.post(`/v1/webhooks/${id}/deliveries/${first.id}/redeliver`)
  await delivered(id, 2)
  expect(numbersOf('a')).toEqual([1, 1, 2])

  // Redelivering an event that ended leaves the order of the pending ones alone.
  it.receiver.answer = status(503)
  const [{ id: row }] = await write(it, 'Tasks', { row: 'b', n: 1 })
  await it.patch(`/v1/records/${row}`, { data: { n: 2 } })
  await until(async () => (await deliveriesOf(it, id))[2].attempts === 1)
  await it.post(`/v1/webhooks/${id}/deliveries/${first.id}/redeliver`)
  await until(async () => (await deliveriesOf(it, id))[0].attempts === 1)
  it.receiver.answer = status(200)
  it.clock.advance(MINUTE)
  await delivered(id, 4)
  expect(numbersOf('b')).toEqual([1, 1, 2])
  const faults = faultsIn(it)
  expect(faults).toEqual([])
})

/** Waits for the first attempt. */
async function afterFirstAttempt(id: string) {
  await until(async () => (await deliveriesOf(it, id))[0].attempts === 1)
  return deliveriesOf(it, id)
}

test('applies to what is committed after the change, in both directions', async () => {
  it.receiver.answer = status(503)
  const { id } = await subscribe(it, 'Tasks', it.url)
  const row = await events('a', 1)
  expect((await it.patch(`/v1/webhooks/${id}`, { ordered: true })).body.webhook.ordered).toBe(true)
  await it.patch(`/v1/records/${row}`, { data: { n: 2 } })
  await it.patch(`/v1/records/${row}`, { data: { n: 3 } })
  await it.patch(`/v1/webhooks/${id}`, { ordered: false })
  await it.patch(`/v1/records/${row}`, { data: { n: 4 } })
  await until(
    async () =>
      (await deliveriesOf(it, id)).map(({ attempts }: { attempts: number }) => attempts).join() === '1,1,0,1',
  )
  it.receiver.answer = status(200)
  it.clock.advance(MINUTE)
  await delivered(id, 4)
  const third = it.receiver.received.findIndex(({ body }) => JSON.parse(body).record.data.n === 3)
  const second = it.receiver.received.findLastIndex(({ body }) => JSON.parse(body).record.data.n === 2)
  expect(third).toBeGreaterThan(second)
})

test('a repair removes the numbers of lost events, so that later ones are delivered', async () => {
  it.receiver.answer = status(503)
  const { id } = await ordered()
  const row = await events('a', 2)
  await afterFirstAttempt(id)
  await alter(
    it,
    `DELETE FROM webhook_deliveries WHERE attempts = 1;
     DELETE FROM webhook_events WHERE pk NOT IN (SELECT event FROM webhook_deliveries)`,
  )
  expect(faultsIn(it)).toEqual(['1 numbers of ordered events are left without their event.'])
  await repair(it)
  expect(faultsIn(it)).toEqual([])
  it.receiver.answer = status(200)
  await it.patch(`/v1/records/${row}`, { data: { n: 3 } })
  await delivered(id, 2)
  expect(numbersOf('a').slice(-2)).toEqual([2, 3])
})

test('a deleted subscription leaves nothing behind', async () => {
  it.receiver.answer = status(503)
  const { id } = await ordered()
  await events('a', 3)
  await it.delete(`/v1/webhooks/${id}`)
  await until(() => sizesOf(it, 'webhook_deliveries')[0] === 0)
  expect(sizesOf(it, 'webhook_events', 'webhook_sequences')).toEqual([0, 0])
})
