import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { runInProcess } from '../../support/cli.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { runJobs } from '../../support/jobs.ts'
import { newFolder } from '../../support/process.ts'
import { status } from '../../support/receiver.ts'
import { declare, write } from '../../support/records.ts'
import { testClock } from '../../support/service.ts'
import {
  deliveriesOf,
  type Hooked,
  startHooked,
  subscribe,
  until,
  webhookOf,
} from '../../support/webhooks.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = Date.parse('2026-11-21T09:30:00.000Z')

let it: Hooked

beforeEach(async () => {
  it = await startHooked()
  await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
})
afterEach(() => it.end())

const iso = (instant: number) => new Date(instant).toISOString()
const writeOne = async (n = 1) => (await write(it, 'Tasks', { n }))[0]
const attempts = async (id: string) =>
  (await deliveriesOf(it, id)).map((delivery: { attempts: number }) => delivery.attempts)
const statuses = async (id: string) =>
  (await deliveriesOf(it, id)).map((delivery: { status: string }) => delivery.status)

/** Fails every pending delivery permanently. */
async function failAll(id: string): Promise<void> {
  for (const [at, wait] of [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR].entries()) {
    await until(async () => (await deliveriesOf(it, id)).every(hasMore(at)))
    it.clock.advance(wait)
  }
  await until(async () => !(await statuses(id)).includes('pending'))
}

const hasMore = (attempts: number) => (delivery: { status: string; attempts: number }) =>
  delivery.status !== 'pending' || delivery.attempts > attempts

test('a delivery shows its body as sent and every attempt, across redeliveries', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  it.receiver.answer = status(503)
  await writeOne()
  await until(async () => (await attempts(id))[0] === 1)
  it.receiver.answer = status(200)
  it.clock.advance(MINUTE)
  await until(async () => (await statuses(id))[0] === 'delivered')
  const [delivery] = await deliveriesOf(it, id)
  const path = `/v1/webhooks/${id}/deliveries/${delivery.id}`
  const ms = expect.any(Number)
  const first = { at: iso(NOW), response_status: 503, error: 'The receiver answered 503.', ms }
  const second = { at: iso(NOW + MINUTE), response_status: 200, error: null, ms }
  const read = await it.get(path)
  expect([read.status, read.body]).toEqual([
    200,
    { delivery, body: it.receiver.received[0]?.body, attempts: [first, second] },
  ])

  await it.post(`${path}/redeliver`)
  await until(async () => (await it.get(path)).body.attempts.length === 3)
  const again = await it.get(path)
  expect(again.body.attempts).toEqual([first, second, { ...second, ms }])
  expect(again.body.delivery.attempts).toBe(1)
})

test('a delivery shows the responses on request, cut to 4 KiB, and no secret of the request', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url, { headers: { 'X-Token': 'hush' } })
  const long = 'é'.repeat(3_000)
  const bytes = Buffer.byteLength(long)
  it.receiver.answer = (_received, socket) => {
    // The body arrives after the status.
    socket.write(`HTTP/1.1 500 No\r\nContent-Length: ${bytes}\r\nSet-Cookie: a=hush\r\nX-Why: disk\r\n\r\n`)
    setTimeout(() => socket.write(long), 20)
  }
  await writeOne()
  await until(async () => (await attempts(id))[0] === 1)
  it.receiver.answer = status(200, 'thanks')
  it.clock.advance(MINUTE)
  await until(async () => (await statuses(id))[0] === 'delivered')
  const [delivery] = await deliveriesOf(it, id)
  const path = `/v1/webhooks/${id}/deliveries/${delivery.id}?include=responses`
  const { body } = await it.get(path)
  const [failed, delivered] = body.attempts.map(({ response }: { response: object }) => response)
  expect(failed.headers).toEqual([
    { name: 'Content-Length', value: String(bytes) },
    { name: 'Set-Cookie', value: '…' },
    { name: 'X-Why', value: 'disk' },
  ])
  expect([failed.body, failed.truncated]).toEqual(['é'.repeat(2_048), true])
  expect(delivered).toMatchObject({ body: 'thanks', truncated: false })
  expect(body.request_headers).toMatchObject({
    'X-Token': '…',
    'X-Service-Signature': '…',
    'X-Service-Event': 'record.created',
    'webhook-id': delivery.event_id,
  })
  expect(JSON.stringify(body)).not.toContain('hush')
})

test('a response that repeats the request shows no value of its own headers', async () => {
  const headers = { Authorization: 'Bearer topsecret-1', 'X-Quoted': 'say "topsecret-2"' }
  const { id } = await subscribe(it, 'Tasks', it.url, { headers })
  it.receiver.answer = (received, socket) => {
    const text = JSON.stringify([received.headers, 'the token topsecret-1 is unknown'])
    const head = `HTTP/1.1 401 No\r\nContent-Length: ${text.length}\r\nX-Repeated: ${received.headers.authorization}`
    socket.write(`${head}\r\nSet-Cookie : topsecret-3\r\n\r\n${text}`)
  }
  await writeOne()
  await until(async () => (await attempts(id))[0] === 1)
  const [delivery] = await deliveriesOf(it, id)
  const { body } = await it.get(`/v1/webhooks/${id}/deliveries/${delivery.id}?include=responses`)
  const { response } = body.attempts[0]
  expect(response.headers.at(-1)).toEqual({ name: 'Set-Cookie', value: '…' })
  expect(response.body).toContain('the token … is unknown')
  expect(JSON.stringify(body)).not.toContain('topsecret')
})

test('a failed attempt waits a second for the rest of its response, and then shows what has arrived', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  let isSent = false
  it.receiver.answer = (_received, socket) => {
    socket.write('HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nhalf', () => {
      isSent = true
    })
  }
  await writeOne()
  await until(async () => {
    if (isSent) it.clock.advance(100)
    return (await attempts(id))[0] === 1
  })
  const [delivery] = await deliveriesOf(it, id)
  expect(delivery.response_status).toBe(500)
  const { body } = await it.get(`/v1/webhooks/${id}/deliveries/${delivery.id}?include=responses`)
  expect(body.attempts[0].response).toMatchObject({ body: 'half', truncated: true })
})

test('a delivery without an attempt, and one of an older version, list none', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await writeOne()
  await until(async () => (await statuses(id))[0] === 'delivered')
  await alter(it, 'DELETE FROM webhook_attempts')
  const [delivery] = await deliveriesOf(it, id)
  expect((await it.get(`/v1/webhooks/${id}/deliveries/${delivery.id}`)).body).toMatchObject({
    delivery: { status: 'delivered', attempts: 1 },
    attempts: [],
  })
})

test('the newest 50 attempts of a delivery are kept, and none of a deleted one', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  await writeOne()
  await until(async () => (await statuses(id))[0] === 'delivered')
  const [delivery] = await deliveriesOf(it, id)
  const path = `/v1/webhooks/${id}/deliveries/${delivery.id}`
  await alter(it, 'UPDATE webhook_deliveries SET redeliveries = 30')
  for (let count = 0; count < 12; count++) {
    it.clock.advance(1_000)
    await it.post(`${path}/redeliver`)
    await until(async () => (await statuses(id))[0] === 'delivered')
  }
  const { attempts: kept } = (await it.get(path)).body
  expect(kept.length).toBeLessThanOrEqual(50)
  expect(kept.at(-1).at).toBe(iso(NOW + 12_000))
  expect(kept.map(({ at }: { at: string }) => at)).not.toContain(iso(NOW))
  await it.delete(`/v1/webhooks/${id}`)
  await runJobs(it.ctx)
  expect(sizesOf(it, 'webhook_attempts')).toEqual([0])
})

test('the list continues before a delivery, of one status or of all', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  for (let n = 0; n < 5; n++) await writeOne(n)
  await until(async () => (await statuses(id)).every((one: string) => one === 'delivered'))
  const newestFirst = (await deliveriesOf(it, id)).reverse()
  const page = async (query: string) => (await it.get(`/v1/webhooks/${id}/deliveries?${query}`)).body
  const [first, second] = [newestFirst.slice(0, 2), newestFirst.slice(2, 4)]
  expect(await page('limit=2')).toEqual({ deliveries: first })
  expect(await page(`limit=2&before=${first[1].id}`)).toEqual({ deliveries: second })
  expect(await page(`status=delivered&before=${second[1].id}`)).toEqual({ deliveries: newestFirst.slice(4) })
  expect(await page(`status=failed&before=${first[0].id}`)).toEqual({ deliveries: [] })
  const unknown = await it.get(`/v1/webhooks/${id}/deliveries?before=${id}`)
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
})

test('recover redelivers failures since an instant, and nothing else', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url)
  it.receiver.answer = status(500)
  await writeOne(1)
  await failAll(id)
  const since = iso(it.clock.now() + 1)
  it.clock.advance(2)
  await writeOne(2)
  await writeOne(3)
  await failAll(id)
  it.receiver.answer = status(200)
  await writeOne(4)
  await until(async () => (await statuses(id)).at(-1) === 'delivered')
  it.receiver.received.splice(0)

  const answer = await it.post(`/v1/webhooks/${id}/recover`, { since })
  expect([answer.status, answer.body]).toEqual([200, { redelivered: 2 }])
  await until(async () => (await statuses(id)).filter((one: string) => one === 'delivered').length === 3)
  expect(await statuses(id)).toEqual(['failed', 'delivered', 'delivered', 'delivered'])
  expect(it.arrived().map(({ record }) => record.data.n)).toEqual([2, 3])
  expect((await it.post(`/v1/webhooks/${id}/recover`, { since })).body).toEqual({ redelivered: 0 })
})

describe('webhooks retry, while a server runs', () => {
  const folder = newFolder()
  let file: string
  beforeEach(async () => {
    await it.end()
    file = folder.file(`${crypto.randomUUID()}.db`)
    // The command uses the clock of the system.
    it = await startHooked({ file, clock: testClock(Date.now() - MINUTE / 2) })
    await declare(it, 'Tasks', [{ key: 'n', type: 'number' }])
  })
  afterAll(() => folder.remove())

  const retry = async (id: string) => {
    const { err } = await runInProcess(['webhooks', 'retry', id, '--db', file])
    it.clock.set(Date.now())
    it.ctx.bus.notify()
    return err
  }

  test('attempts pending retries immediately, with a new series of attempts', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    it.receiver.answer = status(503)
    await writeOne(1)
    await writeOne(2)
    await until(async () => (await attempts(id)).every((count: number) => count === 1))
    expect(await retry(id)).toBe('Attempting 2 deliveries now.\n')
    await until(async () => it.receiver.received.length === 4)
    it.receiver.answer = status(200)
    await until(async () => (await attempts(id)).every((count: number) => count === 1))
    expect(await retry(id)).toBe('Attempting 2 deliveries now.\n')
    await until(async () => (await statuses(id)).every((one: string) => one === 'delivered'))
    expect(await retry(id)).toBe('Attempting 0 deliveries now.\n')
  })

  test('refuses a webhook that sends nothing, with the fix', async () => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    await alter(it, `UPDATE webhooks SET paused_at = ${NOW}, pause_reason = 'failures'`)
    expect(await retry(id)).toContain('paused, so nothing is sent; resume it first')
    await it.patch(`/v1/webhooks/${id}`, { enabled: false })
    expect(await retry(id)).toContain('disabled, so nothing is sent; enable it')
  })
})

test('recover handles more failed deliveries than one transaction takes', async () => {
  const { id } = await subscribe(it, 'Tasks', it.url, { enabled: true })
  await it.stop()
  const count = 1_203
  for (let at = 0; at < count; at += 401) {
    await write(it, 'Tasks', ...Array.from({ length: 401 }, (_, n) => ({ n: at + n })))
  }
  await alter(
    it,
    `UPDATE webhook_deliveries SET status = 'failed', attempts = 5, ended_at = ${NOW}, next_attempt_at = NULL`,
  )
  const { body } = await it.post(`/v1/webhooks/${id}/recover`, { since: iso(NOW) })
  expect(body).toEqual({ redelivered: count })
  it.start()
  await it.receiver.until(count)
})

test.each([[{}], [{ since: 'yesterday' }], [{ since: '2026-11-21' }], [{ since: 7 }]])(
  'recover refuses %j and redelivers nothing',
  async (body) => {
    const { id } = await subscribe(it, 'Tasks', it.url)
    await writeOne()
    await until(async () => (await statuses(id))[0] === 'delivered')
    await alter(it, `UPDATE webhook_deliveries SET status = 'failed'`)
    const answer = await it.post(`/v1/webhooks/${id}/recover`, body)
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect(await statuses(id)).toEqual(['failed'])
  },
)

test('permanent failures and pauses are logged at warn, without the url', async () => {
  const { id } = await subscribe(it, 'Tasks', `${it.url}?token=secret`)
  await alter(it, 'UPDATE webhooks SET consecutive_failures = 9')
  it.receiver.answer = status(500)
  await writeOne()
  await failAll(id)
  await until(async () => (await webhookOf(it, id)).status === 'paused')
  const [delivery] = await deliveriesOf(it, id)
  const warned = it.logged().filter(({ level }) => level === 'warn')
  expect(warned).toEqual([
    {
      time: expect.any(String),
      level: 'warn',
      message: 'a delivery failed for good',
      webhook_id: id,
      delivery_id: delivery.id,
      event: 'record.created',
      attempts: 5,
      response_status: 500,
      error: 'The receiver answered 500.',
    },
    {
      time: expect.any(String),
      level: 'warn',
      message: 'a subscription is paused',
      webhook_id: id,
      failures: 10,
    },
  ])
})
