import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { serviceSignature } from '../../../src/log/message.ts'
import { alter, sizesOf, stored, storedValues } from '../../support/database.ts'
import { runJobs } from '../../support/jobs.ts'
import { status } from '../../support/receiver.ts'
import { declare, write } from '../../support/records.ts'
import { settle, testClock } from '../../support/service.ts'
import {
  deliveriesOf,
  type Hooked,
  startHooked,
  subscribe,
  until,
  webhookOf,
} from '../../support/webhooks.ts'

const NOW = Date.parse('2026-11-21T09:30:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const RETRIES = [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR]

let it: Hooked

beforeEach(async () => {
  it = await startHooked()
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(() => it.end())

const iso = (instant: number) => new Date(instant).toISOString()
const writeOne = async (n = 1) => (await write(it, 'Tasks', { n }))[0]
const patch = (id: string, body: object) => it.patch(`/v1/webhooks/${id}`, body)
const ended = (id: string, outcome: string) =>
  until(async () =>
    (await deliveriesOf(it, id)).every((delivery: { status: string }) => delivery.status === outcome),
  )
const attempted = (id: string, attempts: number) =>
  until(async () =>
    (await deliveriesOf(it, id)).some((delivery: { attempts: number }) => delivery.attempts === attempts),
  )

test('a change arrives signed, and the delivery is recorded', async () => {
  const { id, secret } = await subscribe(it, 'Tasks', it.url)
  const record = await writeOne()
  await it.receiver.until(1)
  await ended(id, 'delivered')
  const [delivery] = await deliveriesOf(it, id)
  const [received] = it.receiver.received
  const body = JSON.parse(received?.body ?? '')
  expect(body).toMatchObject({ type: 'record.created', record })
  const seconds = Math.floor(NOW / 1000)
  expect([received?.method, received?.path, received?.headers]).toEqual([
    'POST',
    '/hook',
    expect.objectContaining({
      'content-type': 'application/json',
      'x-service-event': 'record.created',
      'x-service-delivery': delivery.id,
      'x-service-signature': `t=${seconds},v1=${serviceSignature(secret, seconds, received?.body ?? '')}`,
      'webhook-id': body.id,
    }),
  ])
  expect(delivery).toEqual({
    id: expect.any(String),
    webhook_id: id,
    event_id: body.id,
    event: 'record.created',
    record_id: record.id,
    status: 'delivered',
    attempts: 1,
    response_status: 200,
    error: null,
    next_attempt_at: null,
    created_at: iso(NOW),
    last_attempt_at: iso(NOW),
    delivered_at: iso(NOW),
  })
})

test('failures are retried after 1 minute, 10 minutes, 1 hour and 6 hours, byte for byte, then fail permanently', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  it.receiver.answer = status(503)
  await writeOne()
  let at = NOW
  for (const [retry, wait] of RETRIES.entries()) {
    await attempted(id, retry + 1)
    expect((await deliveriesOf(it, id))[0]).toMatchObject({
      status: 'pending',
      response_status: 503,
      error: 'The receiver answered 503.',
      next_attempt_at: iso(at + wait),
      last_attempt_at: iso(at),
    })
    it.clock.advance(wait - 1)
    await settle()
    expect(it.receiver.received).toHaveLength(retry + 1)
    it.clock.advance(1)
    at += wait
    await it.receiver.until(retry + 2)
  }
  await ended(id, 'failed')
  expect((await deliveriesOf(it, id))[0]).toMatchObject({
    attempts: 5,
    next_attempt_at: null,
    delivered_at: null,
  })
  const sent = it.receiver.received
  expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
  expect(new Set(sent.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1)
  const times = sent.map(({ headers }) => Number(headers['webhook-timestamp']) * 1000 - NOW)
  expect(times).toEqual([0, 1, 11, 71, 431].map((minutes) => minutes * MINUTE))
  expect(await webhookOf(it, id)).toMatchObject({ status: 'enabled', consecutive_failures: 1 })
  it.clock.advance(24 * HOUR)
  await settle()
  expect(sent).toHaveLength(5)
})

test('a retry that succeeds ends the delivery and forgets earlier failures', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await alter(it, 'UPDATE webhooks SET consecutive_failures = 9')
  it.receiver.answer = status(500)
  await writeOne()
  await attempted(id, 1)
  expect(await webhookOf(it, id)).toMatchObject({ consecutive_failures: 9 })
  it.receiver.answer = status(204, '')
  it.clock.advance(MINUTE)
  await ended(id, 'delivered')
  expect((await deliveriesOf(it, id))[0]).toMatchObject({ attempts: 2, response_status: 204, error: null })
  expect(await webhookOf(it, id)).toMatchObject({ consecutive_failures: 0, updated_at: iso(NOW + MINUTE) })
})

test('a receiver that closes or responds too late is retried', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  it.receiver.answer = (_received, socket) => socket.destroy()
  await writeOne()
  await attempted(id, 1)
  it.receiver.answer = () => {}
  it.clock.advance(MINUTE)
  await it.receiver.until(it.receiver.received.length + 1)
  it.clock.advance(10_000)
  await attempted(id, 2)
  expect((await deliveriesOf(it, id))[0]).toMatchObject({
    status: 'pending',
    response_status: null,
    error: 'The response of "127.0.0.1" took longer than 10 seconds.',
  })
  it.receiver.answer = status(200)
  it.clock.advance(10 * MINUTE)
  await ended(id, 'delivered')
})

/** Makes the next failure of every delivery its last. */
const exhaust = () => alter(it, "UPDATE webhook_deliveries SET attempts = 4 WHERE status = 'pending'")

/** Fails deliveries permanently, one after another. */
async function fail(id: string, times: number): Promise<void> {
  it.receiver.answer = status(500)
  for (let time = 0; time < times; time++) {
    await writeOne()
    await attempted(id, 1)
    await exhaust()
    it.clock.advance(MINUTE)
    await until(async () => (await deliveriesOf(it, id)).at(-1).status === 'failed')
  }
}

test('ten failed deliveries in a row pause; events queue; resume sends them all and starts again at 0', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await fail(id, 9)
  expect(await webhookOf(it, id)).toMatchObject({
    status: 'enabled',
    consecutive_failures: 9,
    paused_at: null,
  })
  await fail(id, 1)
  const pausedAt = iso(it.clock.now())
  expect(await webhookOf(it, id)).toMatchObject({
    status: 'paused',
    enabled: true,
    consecutive_failures: 10,
    paused_at: pausedAt,
    updated_at: pausedAt,
  })
  it.receiver.answer = status(200)
  const before = it.receiver.received.length
  for (let n = 0; n < 12; n++) await writeOne(n)
  it.clock.advance(7 * HOUR)
  await settle()
  expect(it.receiver.received).toHaveLength(before)
  await patch(id, { enabled: false })
  expect(await webhookOf(it, id)).toMatchObject({ status: 'disabled', paused_at: pausedAt })
  await patch(id, { enabled: true, description: 'still paused' })
  expect(await webhookOf(it, id)).toMatchObject({ status: 'paused' })
  const { body } = await patch(id, { resume: true })
  expect(body.webhook).toMatchObject({ status: 'enabled', paused_at: null, consecutive_failures: 0 })
  await it.receiver.until(before + 12)
  const numbers = it
    .arrived()
    .slice(before)
    .map(({ record }) => record.data.n)
  expect(numbers.sort((left, right) => left - right)).toEqual(Array.from({ length: 12 }, (_, n) => n))
})

test('a delivered event between failures resets the count', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await fail(id, 9)
  it.receiver.answer = status(200)
  await writeOne()
  await until(async () => (await webhookOf(it, id)).consecutive_failures === 0)
  await fail(id, 9)
  expect(await webhookOf(it, id)).toMatchObject({ status: 'enabled', consecutive_failures: 9 })
})

test('tests count neither as failures nor as deliveries', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await fail(id, 9)
  await it.post(`/v1/webhooks/${id}/test`)
  await attempted(id, 1)
  await exhaust()
  it.clock.advance(MINUTE)
  await ended(id, 'failed')
  expect(await webhookOf(it, id)).toMatchObject({ status: 'enabled', consecutive_failures: 9 })
  it.receiver.answer = status(200)
  await it.post(`/v1/webhooks/${id}/test`)
  await until(async () => (await deliveriesOf(it, id)).at(-1).status === 'delivered')
  expect(await webhookOf(it, id)).toMatchObject({ consecutive_failures: 9 })
})

test('a disabled subscription records no event, and its pending deliveries wait', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  it.receiver.answer = status(500)
  await writeOne(1)
  await attempted(id, 1)
  await patch(id, { enabled: false })
  it.receiver.answer = status(200)
  await writeOne(2)
  it.clock.advance(HOUR)
  await settle()
  expect(it.receiver.received).toHaveLength(1)
  expect(await deliveriesOf(it, id)).toMatchObject([{ status: 'pending', attempts: 1 }])
  await patch(id, { enabled: true })
  await ended(id, 'delivered')
  await writeOne(3)
  await it.receiver.until(3)
  expect(it.arrived().map(({ record }) => record.data.n)).toEqual([1, 1, 3])
})

describe.each([
  ['disabled', 'UPDATE webhooks SET enabled = 0; UPDATE structures SET subscriptions_version = NULL'],
  ['paused', 'UPDATE webhooks SET paused_at = 1, consecutive_failures = 10'],
])('while %s', (_, script) => {
  test('a test is sent immediately, and returns 202 with its delivery', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    await alter(it, script)
    const answer = await it.post(`/v1/webhooks/${id}/test`)
    expect([answer.status, answer.body.delivery]).toMatchObject([
      202,
      { event: 'webhook.test', record_id: null, status: 'pending', attempts: 0, next_attempt_at: iso(NOW) },
    ])
    await it.receiver.until(1)
    await ended(id, 'delivered')
    expect(it.arrived()).toMatchObject([{ type: 'webhook.test', record: null }])
    expect(it.receiver.received[0]?.headers['x-service-event']).toBe('webhook.test')
  })

  test('a redelivery is sent immediately, and retried like any other', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    await writeOne()
    await ended(id, 'delivered')
    await alter(it, script)
    it.receiver.answer = status(500)
    const [{ id: delivery }] = await deliveriesOf(it, id)
    await it.post(`/v1/webhooks/${id}/deliveries/${delivery}/redeliver`)
    await attempted(id, 1)
    it.clock.advance(HOUR)
    await settle()
    expect(it.receiver.received).toHaveLength(2)
  })
})

describe('a redelivery', () => {
  test('keeps the ids of delivery and event, and starts its attempts and retry delays again', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    await fail(id, 1)
    const [failed] = await deliveriesOf(it, id)
    const before = it.receiver.received.length
    const answer = await it.post(`/v1/webhooks/${id}/deliveries/${failed.id}/redeliver`)
    const now = iso(it.clock.now())
    expect([answer.status, answer.body]).toEqual([
      202,
      {
        delivery: {
          ...failed,
          status: 'pending',
          attempts: 0,
          response_status: null,
          error: null,
          next_attempt_at: now,
          last_attempt_at: null,
        },
      },
    ])
    await attempted(id, 1)
    expect((await deliveriesOf(it, id))[0]).toMatchObject({ next_attempt_at: iso(it.clock.now() + MINUTE) })
    it.receiver.answer = status(200)
    it.clock.advance(MINUTE)
    await ended(id, 'delivered')
    expect(it.receiver.received).toHaveLength(before + 2)
    expect(new Set(it.receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(await deliveriesOf(it, id)).toMatchObject([{ id: failed.id, attempts: 2, status: 'delivered' }])
  })

  test('requested during an attempt is a separate attempt', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    const waiting = Promise.withResolvers<() => void>()
    it.receiver.answer = (received, socket) => waiting.resolve(() => status(500)(received, socket))
    await writeOne()
    const answerFirst = await waiting.promise
    const [{ id: delivery }] = await deliveriesOf(it, id)
    await it.post(`/v1/webhooks/${id}/deliveries/${delivery}/redeliver`)
    it.receiver.answer = status(200)
    answerFirst()
    await ended(id, 'delivered')
    expect(it.receiver.received).toHaveLength(2)
    expect(await deliveriesOf(it, id)).toMatchObject([{ attempts: 1, error: null }])
  })
})

test('after the secret is rotated, every attempt is signed with the new one', async () => {
  const { id, secret } = await subscribe(it, 'Tasks', it.url)
  it.receiver.answer = status(500)
  await writeOne()
  await attempted(id, 1)
  const { body } = await it.post(`/v1/webhooks/${id}/rotate-secret`)
  it.clock.advance(MINUTE)
  await it.receiver.until(2)
  const signedWith = it.receiver.received.map(({ headers, body: sent }) => {
    const [, seconds = '', signature] = /^t=(\d+),v1=(\w+)$/.exec(headers['x-service-signature'] ?? '') ?? []
    return [secret, body.secret].findIndex((key) => serviceSignature(key, seconds, sent) === signature)
  })
  expect(signedWith).toEqual([0, 1])
})

test('a changed url and a deleted subscription apply to pending deliveries', async () => {
  const moved = await subscribe(it, 'Tasks', `${it.url}/old`)
  const gone = await subscribe(it, 'Tasks', `${it.url}/gone`)
  it.receiver.answer = status(500)
  await writeOne()
  await attempted(moved.id, 1)
  await attempted(gone.id, 1)
  await patch(moved.id, { url: `${it.url}/new` })
  await it.delete(`/v1/webhooks/${gone.id}`)
  it.clock.advance(HOUR)
  await it.receiver.until(3)
  await attempted(moved.id, 2)
  await settle()
  expect(it.receiver.received.map(({ path }) => path).sort()).toEqual([
    '/hook/gone',
    '/hook/new',
    '/hook/old',
  ])
})

test('a subscription deleted during an attempt leaves no error in the log', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  const waiting = Promise.withResolvers<() => void>()
  it.receiver.answer = (received, socket) => waiting.resolve(() => status(500)(received, socket))
  await writeOne()
  const answer = await waiting.promise
  await it.delete(`/v1/webhooks/${id}`)
  answer()
  await it.stop()
  expect(it.logged().filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  await runJobs(it.ctx)
  expect(sizesOf(it, 'webhook_deliveries')).toEqual([0])
})

describe('the clock', () => {
  test('set back by years before a start delays nothing for years', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    it.receiver.answer = status(500)
    await it.stop()
    it.clock.set(NOW + 10 * 365 * 24 * HOUR)
    it.start()
    await writeOne()
    await attempted(id, 1)
    await it.stop()
    it.clock.set(NOW)
    it.start()
    it.receiver.answer = status(200)
    await writeOne()
    await until(async () =>
      (await deliveriesOf(it, id)).some((delivery: { status: string }) => delivery.status === 'delivered'),
    )
    await runJobs(it.ctx)
    it.clock.advance(MINUTE)
    await ended(id, 'delivered')
    expect(it.receiver.received).toHaveLength(3)
  })

  test('set back by hours while the server is down delays no first attempt', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    await it.stop()
    await writeOne()
    it.clock.set(NOW - 2 * HOUR)
    it.start()
    await ended(id, 'delivered')
    expect(it.receiver.received).toHaveLength(1)
  })

  test('set back by an hour delays no retry', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    it.receiver.answer = status(500)
    await writeOne()
    await attempted(id, 1)
    it.clock.set(NOW - HOUR)
    it.receiver.answer = status(200)
    await writeOne()
    await until(async () => (await deliveriesOf(it, id))[1].status === 'delivered')
    await runJobs(it.ctx)
    it.clock.advance(MINUTE)
    await ended(id, 'delivered')
    expect(it.receiver.received).toHaveLength(3)
  })

  test('set back by hours brings many retries of all subscriptions forward, each by its own delay', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    const other = await subscribe(it, 'Tasks', it.url)
    it.receiver.answer = status(500)
    await writeOne()
    await Promise.all([attempted(id, 1), attempted(other.id, 1)])
    await it.stop()
    await alter(
      it,
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 450)
       INSERT INTO webhook_deliveries (event, webhook, id, status, attempts, next_attempt_at, created_at)
       SELECT event + n * 2, webhook, id || n, status, 1 + n % 4, ${NOW} + n, created_at FROM webhook_deliveries, numbers`,
    )
    const latest = () =>
      stored<{ webhook: number; at: number }>(
        it,
        `SELECT webhook, max(next_attempt_at) AS at FROM webhook_deliveries
         GROUP BY webhook, attempts ORDER BY webhook, attempts`,
      )
    const webhooks = storedValues<number>(it, 'SELECT pk FROM webhooks ORDER BY pk')
    expect(webhooks).toHaveLength(2)
    it.clock.set(NOW - 7 * HOUR)
    it.start()
    await until(async () => latest().every(({ at }) => at < NOW))
    await runJobs(it.ctx)
    expect(latest()).toEqual(
      webhooks.flatMap((webhook) => RETRIES.map((delayMs) => ({ webhook, at: NOW - 7 * HOUR + delayMs }))),
    )
  })

  test('set forward makes everything due at the next scan, within half a minute', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    it.receiver.answer = status(500)
    await writeOne()
    await attempted(id, 1)
    it.receiver.answer = status(200)
    await alter(it, 'UPDATE webhook_deliveries SET next_attempt_at = next_attempt_at - 3600000')
    it.clock.advance(30_000)
    await ended(id, 'delivered')
    expect(it.receiver.received).toHaveLength(2)
  })
})

test('a delivery that falls due while the queue is read is not missed', async () => {
  const clock = testClock()
  let early = 0
  const now = () => clock.now() - (early-- > 0 ? 1 : 0)
  const other = await startHooked({ clock: { ...clock, now } })
  await declare(other, 'Tasks', [{ key: 'n', type: 'number' }])
  const { id } = await subscribe(other, 'Tasks', other.url)
  other.receiver.answer = status(500)
  await write(other, 'Tasks', { n: 1 })
  await until(async () => (await deliveriesOf(other, id))[0]?.attempts === 1)
  await settle()
  clock.advance(MINUTE)
  // The timer fired early: the clock check and the queue read precede the instant, everything else follows it.
  early = 2
  await until(async () => {
    clock.advance(0)
    return other.receiver.received.length === 2
  })
  await other.end()
})
