import { afterEach, beforeEach, expect, test } from 'bun:test'
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { faultsIn } from '../../support/check.ts'
import { alter, sizesOf, storedValues } from '../../support/database.ts'
import { runJobs } from '../../support/jobs.ts'
import { type Received, status } from '../../support/receiver.ts'
import { settle, testClock } from '../../support/service.ts'
import { call, hmac, makePayments, makeSource, pay } from '../../support/sources.ts'
import { type Hooked, startHooked, until } from '../../support/webhooks.ts'

const MINUTE = 60_000
const SECRET = 'a secret of GitHub'

let it: Hooked

beforeEach(async () => {
  it = await startHooked({ clock: testClock(Date.now()) })
  await makePayments(it)
})
afterEach(() => it.end())

const target = (path: string, more: object = {}) => ({ url: `${it.url}${path}`, ...more })
const sourceOf = async (id: string) => (await it.get(`/v1/sources/${id}`)).body.source
const deliveriesOf = async (id: string, query = '') =>
  (await it.get(`/v1/sources/${id}/deliveries${query}`)).body.deliveries
const patch = (id: string, body: object) => it.patch(`/v1/sources/${id}`, body)
const reached = (id: string, ...statuses: string[]) =>
  until(
    async () =>
      (await deliveriesOf(id)).map((delivery: { status: string }) => delivery.status).join() ===
      statuses.join(),
  )
const at = (path: string): Received[] =>
  it.receiver.received.filter((received) => received.path === `/hook${path}`)

const makeGithub = (more: object) => makeSource(it, { provider: 'github', secret: SECRET, map: {}, ...more })
let calls = 0
function callGithub(source: { url: string }, body: string, more: Record<string, string> = {}) {
  const headers = {
    'x-hub-signature-256': `sha256=${hmac(SECRET, body)}`,
    'x-github-delivery': `d${++calls}`,
    'x-github-event': 'push',
    'x-custom': 'caf\u00e9',
    connection: 'x-of-this-hop, keep-alive',
    'x-of-this-hop': '1',
  }
  return call(it, source.url, body, { ...headers, ...more })
}

test('passes a call on byte for byte, so that the library of the provider verifies it', async () => {
  const source = await makeGithub({ forward: [target('/a')] })
  const body = '{ "ref":  "main", "by": "Zoë" }'
  const { body: answer } = await callGithub(source, body)
  expect(answer.status).toBe('unmapped')
  await it.receiver.until(1)
  const [received] = at('/a')
  const { headers } = received as Received
  expect(received?.body).toBe(body)
  expect(await verify(SECRET, received?.body ?? '', headers['x-hub-signature-256'] ?? '')).toBe(true)
  expect([headers['x-github-event'], headers['x-of-this-hop'], headers.host]).toEqual([
    'push',
    undefined,
    `127.0.0.1:${it.receiver.port}`,
  ])
  await reached(source.id, 'delivered')
  expect((await deliveriesOf(source.id))[0]).toEqual({
    id: expect.any(String),
    source_id: source.id,
    url: `${it.url}/a`,
    event_id: answer.event_id,
    event: 'push',
    record_id: null,
    status: 'delivered',
    attempts: 1,
    response_status: 200,
    error: null,
    next_attempt_at: null,
    created_at: expect.any(String),
    last_attempt_at: expect.any(String),
    delivered_at: expect.any(String),
  })
})

test('a signed call of Standard Webhooks is verified behind it', async () => {
  const secret = `whsec_${Buffer.from('of standard webhooks').toString('base64')}`
  const source = await makeSource(it, { provider: 'standard', secret, map: {}, forward: [target('/s')] })
  const body = '{"type": "order.paid"}'
  const signature = new Webhook(secret).sign('msg_1', new Date(), body)
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-signature': signature,
  }
  expect((await call(it, source.url, body, headers)).status).toBe(200)
  await it.receiver.until(1)
  const [received] = at('/s')
  expect(new Webhook(secret).verify(received?.body ?? '', received?.headers ?? {})).toEqual(JSON.parse(body))
})

test('each target has its own conditions; duplicates, replays and a disabled source pass nothing on', async () => {
  const source = await makeSource(it, {
    map: {},
    forward: [target('/all'), target('/large', { when: [{ path: '/data/amount', op: 'eq', value: 900 }] })],
  })
  const { body: first } = await pay(it, source, 'evt_1', { number: '1', amount: 100 })
  await pay(it, source, 'evt_2', { number: '2', amount: 900 })
  await it.receiver.until(3)
  expect([at('/all').length, at('/large').length]).toEqual([2, 1])
  await pay(it, source, 'evt_2', { number: '2', amount: 900 })
  await it.post(`/v1/sources/${source.id}/events/${first.event_id}/replay`)
  await patch(source.id, { enabled: false })
  await pay(it, source, 'evt_3', { number: '3', amount: 900 })
  expect(await deliveriesOf(source.id)).toHaveLength(3)
})

test('what is pending waits while its source is disabled; a redelivery does not', async () => {
  it.receiver.answer = status(503)
  const source = await makeGithub({ forward: [target('/a')] })
  for (const n of [1, 2]) await callGithub(source, `{"n": ${n}}`)
  const attempted = async () =>
    (await deliveriesOf(source.id)).map(({ attempts }: { attempts: number }) => attempts).join()
  await until(async () => (await attempted()) === '1,1')
  await patch(source.id, { enabled: false })
  it.receiver.answer = status(200)
  it.clock.advance(MINUTE)
  const [second] = await deliveriesOf(source.id)
  await it.post(`/v1/sources/${source.id}/deliveries/${second.id}/redeliver`)
  await reached(source.id, 'delivered', 'pending')
  expect(at('/a').map(({ body }) => body)).toEqual(['{"n": 1}', '{"n": 2}', '{"n": 2}'])
  await patch(source.id, { enabled: true })
  await reached(source.id, 'delivered', 'delivered')
})

test('a call that is no longer kept fails without an attempt, and pauses no target', async () => {
  it.receiver.answer = status(500)
  const source = await makeGithub({ forward: [target('/a')] })
  await callGithub(source, '{}')
  await it.receiver.until(1)
  await reached(source.id, 'pending')
  await until(async () => (await deliveriesOf(source.id))[0].attempts === 1)
  await alter(it, 'DELETE FROM source_sealed')
  it.clock.advance(MINUTE)
  await reached(source.id, 'failed')
  expect((await deliveriesOf(source.id))[0]).toMatchObject({
    attempts: 2,
    response_status: null,
    error: 'The call is no longer kept.',
  })
  expect(it.receiver.received).toHaveLength(1)
  expect((await sourceOf(source.id)).forward[0].status).toBe('enabled')
})

test('an ignored event of any size is passed on whole', async () => {
  const source = await makeGithub({
    when: [{ event: true, op: 'eq', value: 'never' }],
    forward: [target('/a')],
  })
  const body = JSON.stringify({ text: 'x'.repeat(200_000) })
  expect((await callGithub(source, body)).body.status).toBe('ignored')
  await it.receiver.until(1)
  expect(at('/a')[0]?.body).toBe(body)
})

test('large bodies in flight to receivers that hang take at most 64 MiB', async () => {
  const paths = ['/a', '/b', '/c', '/d', '/e']
  const source = await makeGithub({ forward: paths.map((path) => target(path)) })
  await callGithub(source, '{}')
  await reached(source.id, ...paths.map(() => 'delivered'))
  it.receiver.answer = () => {}
  const body = JSON.stringify({ text: 'x'.repeat(6_000_000) })
  for (let count = 0; count < 4; count++) await callGithub(source, body)
  await it.receiver.until(2 * paths.length)
  await settle()
  const hanging = it.receiver.received.slice(paths.length)
  expect(hanging.length * body.length).toBeLessThan(67_108_864)
})

test('ten failures pause one target; resuming sends what waits; a redelivery starts again', async () => {
  it.receiver.answer = (received, socket) =>
    status(received.path === '/hook/bad' ? 500 : 200)(received, socket)
  const source = await makeGithub({ forward: [target('/bad'), target('/good')] })
  const bad = `${it.url}/bad`
  for (let n = 0; n < 10; n++)
    await callGithub(source, `{"n": ${n}}`, n === 0 ? { 'x-github-event': 'webhook.test' } : {})
  const failed = (attempts: number) =>
    until(async () => {
      const found = (await deliveriesOf(source.id, '?limit=200')).filter(
        (each: { url: string; attempts: number; status: string }) =>
          each.url === bad && each.attempts === attempts,
      )
      return found.length === 10
    })
  for (const [index, wait] of [MINUTE, 10 * MINUTE, 60 * MINUTE, 360 * MINUTE].entries()) {
    await failed(index + 1)
    it.clock.advance(wait)
  }
  await failed(5)
  const [first, second] = (await sourceOf(source.id)).forward
  expect(first).toMatchObject({ status: 'paused', consecutive_failures: 10, paused_at: expect.any(String) })
  expect(second).toEqual({
    url: `${it.url}/good`,
    status: 'enabled',
    paused_at: null,
    consecutive_failures: 0,
  })

  await callGithub(source, '{"n": 10}')
  await until(() => at('/good').length === 11)
  it.receiver.answer = status(200)
  for (const url of ['https://example.com/', 'https://%zz/', 'none'])
    expect((await it.post(`/v1/sources/${source.id}/resume`, { url })).status).toBe(404)
  const { body } = await it.post(`/v1/sources/${source.id}/resume`, { url: bad })
  expect(body.source.forward[0]).toMatchObject({ status: 'enabled', consecutive_failures: 0 })
  await until(() => at('/bad').at(-1)?.body === '{"n": 10}')

  const [one] = await deliveriesOf(source.id, '?status=failed&limit=1')
  const again = await it.post(`/v1/sources/${source.id}/deliveries/${one.id}/redeliver`)
  expect([again.status, again.body.delivery.status, again.body.delivery.attempts]).toEqual([
    202,
    'pending',
    0,
  ])
  await until(async () => (await deliveriesOf(source.id, '?status=failed&limit=200')).length === 9)
  expect(faultsIn(it)).toEqual([])
})

test('removing a target fails what waits for it; a kept one keeps its state', async () => {
  it.receiver.answer = status(503)
  const source = await makeGithub({ forward: [target('/a'), target('/b')] })
  await callGithub(source, '{}')
  await until(async () =>
    (await deliveriesOf(source.id)).every(({ attempts }: { attempts: number }) => attempts === 1),
  )
  const { body } = await patch(source.id, { forward: [target('/b', { when: [] }), target('/c')] })
  expect(body.source.forward.map(({ url, when }: { url: string; when: unknown }) => [url, when])).toEqual([
    [`${it.url}/b`, []],
    [`${it.url}/c`, undefined],
  ])
  const removed = (await deliveriesOf(source.id, '?status=failed')) as {
    url: string
    error: string
    id: string
  }[]
  expect(removed).toMatchObject([{ url: `${it.url}/a`, error: 'target removed' }])
  const again = await it.post(`/v1/sources/${source.id}/deliveries/${removed[0]?.id}/redeliver`)
  expect([again.status, again.body.code]).toEqual([400, 'refused'])
  it.receiver.answer = status(200)
  it.clock.advance(MINUTE)
  await until(() => at('/b').length === 2)
})

test('signatures are sealed at rest, and a new secret drops them and fails what waits', async () => {
  it.receiver.answer = status(503)
  const source = await makeGithub({ forward: [target('/a')] })
  await callGithub(source, '{"n": 1}')
  await until(async () => (await deliveriesOf(source.id))[0].attempts === 1)
  const [bytes = new Uint8Array()] = storedValues<Uint8Array>(it, 'SELECT sealed FROM source_sealed')
  const [shown] = storedValues<string>(it, 'SELECT headers FROM source_events')
  expect([bytes.length > 0, JSON.parse(shown ?? '')]).toEqual([true, expect.anything()])
  for (const text of [Buffer.from(bytes).toString('latin1'), shown])
    expect(text).not.toContain(hmac(SECRET, '{"n": 1}'))
  await patch(source.id, { secret: 'another' })
  await reached(source.id, 'failed')
  const [{ id, error }] = await deliveriesOf(source.id)
  expect(error).toContain('secret')
  expect((await it.post(`/v1/sources/${source.id}/deliveries/${id}/redeliver`)).status).toBe(400)
})

test('a call that arrives while those of a replaced secret fail is passed on', async () => {
  await it.stop()
  const source = await makeGithub({ forward: [target('/a')] })
  await callGithub(source, '{"n": 1}')
  for (const secret of ['another', SECRET]) await patch(source.id, { secret })
  await callGithub(source, '{"n": 2}')
  await runJobs(it.ctx)
  it.start()
  await reached(source.id, 'delivered', 'failed')
  expect(at('/a').map(({ body }) => body)).toEqual(['{"n": 2}'])
})

test('a repeated call that no target takes leaves the pending delivery of the first', async () => {
  it.receiver.answer = status(503)
  const source = await makeSource(it, {
    provider: 'none',
    secret: undefined,
    options: { unverified: true },
    map: {},
    external_id: '/id',
    forward: [target('/a', { when: [{ header: 'x-part', op: 'eq', value: 'first' }] })],
  })
  await call(it, source.url, '{"id": "1"}', { 'x-part': 'first' })
  await until(async () => (await deliveriesOf(source.id))[0].attempts === 1)
  await call(it, source.url, '{"id": "1"}', { 'x-part': 'second' })
  it.receiver.answer = status(200)
  it.clock.advance(MINUTE)
  await reached(source.id, 'delivered')
  expect(at('/a')[1]?.body).toBe('{"id": "1"}')
})

test('removed targets without deliveries are deleted at once', async () => {
  const source = await makeGithub({ forward: [target('/a')] })
  for (const path of ['/b', '/c', '/d']) await patch(source.id, { forward: [target(path)] })
  expect(sizesOf(it, 'source_targets')).toEqual([1])
})

test('URLs are null for callers who may not write', async () => {
  const source = await makeGithub({ forward: [target('/a')] })
  await callGithub(source, '{}')
  const reader = it.as(await it.newKey({ scope: 'read' }))
  const seen = (await reader.get(`/v1/sources/${source.id}`)).body.source
  expect([seen.url, seen.forward[0].url]).toEqual([null, null])
  expect((await reader.get(`/v1/sources/${source.id}/deliveries`)).body.deliveries[0].url).toBeNull()
})

test('refuses wrong targets and changes nothing', async () => {
  const source = await makeGithub({})
  expect(source).not.toHaveProperty('forward')
  const answers = await Promise.all([
    patch(source.id, { forward: Array.from({ length: 6 }, (_, n) => target(`/${n}`)) }),
    patch(source.id, { forward: [target('/a'), target('/a')] }),
    patch(source.id, { forward: [target('/a', { when: [{ op: 'eq' }] })] }),
    patch(source.id, { forward: [target('/a', { status: 'paused' })] }),
    patch(source.id, { forward: [{ url: 'http://192.0.2.7/' }] }),
    patch(source.id, { forward: [{ url: 'https://%zz/' }] }),
  ])
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    ...Array.from({ length: 4 }, () => [400, 'invalid_request']),
    [400, 'refused'],
    [400, 'refused'],
  ])
  expect(await sourceOf(source.id)).not.toHaveProperty('forward')
})

test('a deleted source leaves nothing behind', async () => {
  it.receiver.answer = status(503)
  const source = await makeGithub({ forward: [target('/a')] })
  await callGithub(source, '{}')
  await it.delete(`/v1/sources/${source.id}`)
  const tables = ['webhook_deliveries', 'webhook_events', 'source_targets', 'source_events', 'source_sealed']
  await until(() => sizesOf(it, ...tables).every((rows) => rows === 0))
})
