import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { callTool, connectApp } from '../support/connected-app.ts'
import { declare } from '../support/records.ts'
import { clientOf, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService({ config: { rateLimit: 5 } })
})
afterEach(() => service.close())

const NEEDS_KEY = 'This endpoint needs the header "Authorization: Bearer <API key>".'
const BAD_KEY = 'This API key is not valid, or was revoked, or has expired.'

const withHeader = (authorization: string) =>
  service.as(undefined).request('GET', '/v1/me', undefined, { authorization })

/** The service as seen from another address. */
const from = (address: string, key: string | undefined) =>
  clientOf(
    { fetch: (request) => service.app.fetch(request, { requestIP: () => ({ address }), timeout: () => {} }) },
    key,
  )

const statuses = async (times: number, call: () => Promise<{ status: number }>) => {
  const seen: number[] = []
  for (let index = 0; index < times; index++) seen.push((await call()).status)
  return seen
}

describe('the Authorization header', () => {
  test.each(['Bearer KEY', 'bearer KEY', 'BEARER KEY', 'Bearer  KEY', 'Bearer KEY '])(
    '%p is good',
    async (header) => {
      expect((await withHeader(header.replace('KEY', service.key ?? ''))).status).toBe(200)
    },
  )

  test.each([
    ['KEY', NEEDS_KEY],
    ['Basic KEY', NEEDS_KEY],
    ['Bearer', NEEDS_KEY],
    ['Bearer KEY KEY', NEEDS_KEY],
    ['Bearer KEY, Bearer KEY', NEEDS_KEY],
    ['Bearer KEYx', BAD_KEY],
    ['Bearer xKEY', BAD_KEY],
    ['Bearer dbk_', BAD_KEY],
    ['Bearer ****', BAD_KEY],
  ])('%p is refused', async (header, sentence) => {
    const { status, headers, body } = await withHeader(header.replaceAll('KEY', service.key ?? ''))
    expect({ status, body }).toEqual({ status: 401, body: { error: sentence, code: 'unauthorized' } })
    expect(headers.get('www-authenticate')).toBe('Bearer realm="daybook"')
  })

  test('is the only place for a key', async () => {
    const answer = await service.as(undefined).get(`/v1/me?access_token=${service.key}`)
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized'])
  })
})

test('a stream takes its key in the query, unless one is in the header, and nothing else does', async () => {
  await declare(service, 'Rows', [{ key: 'x', type: 'text' }])
  const watch = async (key: string | undefined, token: string) => {
    const { fetch } = service.app
    const headers = new Headers(key === undefined ? [] : [['authorization', `Bearer ${key}`]])
    const url = `http://localhost/v1/records/watch?structure=Rows&access_token=${token}`
    const { status, body } = await fetch(new Request(url, { headers }))
    await body?.cancel()
    return status
  }
  expect(await watch(undefined, service.key ?? '')).toBe(200)
  expect(await watch(undefined, 'dbk_guess')).toBe(401)
  expect(await watch(undefined, '')).toBe(401)
  expect(await watch(service.key, service.key ?? '')).toBe(400)
})

test('the access token of an app opens the endpoint of agents alone', async () => {
  const { accessToken } = await connectApp(service, 'owner')
  expect((await callTool(service, accessToken, 'describe')).status).toBe(200)
  for (const path of ['/v1/me', '/v1/notes'])
    expect((await service.as(accessToken).get(path)).status).toBe(401)
  expect((await callTool(service, 'dba_guess', 'describe')).status).toBe(401)
})

describe('failed keys', () => {
  test('are answered 401 twenty times within a minute, then 429 until the first is a minute old', async () => {
    const guess = () => service.as('dbk_guess').get('/v1/me')
    expect(new Set(await statuses(10, guess))).toEqual(new Set([401]))
    service.clock.advance(30_000)
    expect(new Set(await statuses(10, guess))).toEqual(new Set([401]))
    const { status, headers, body } = await guess()
    expect({ status, body, retryAfter: headers.get('retry-after') }).toEqual({
      status: 429,
      body: { error: 'Too many failed API keys from this address; wait a minute.', code: 'rate_limited' },
      retryAfter: '30',
    })
    service.clock.advance(29_999)
    expect((await guess()).status).toBe(429)
    service.clock.advance(1)
    expect(await statuses(11, guess)).toEqual([...Array(10).fill(401), 429])
  })

  test('do not lock out a good key, nor another address', async () => {
    await statuses(21, () => service.as('dbk_guess').get('/v1/me'))
    expect((await service.get('/v1/me')).status).toBe(200)
    expect((await from('192.0.2.7', 'dbk_guess').get('/v1/me')).status).toBe(401)
    expect((await service.as('dbk_guess').get('/v1/me')).status).toBe(429)
  })

  test('count together from all addresses of a /64', async () => {
    for (let at = 1; at <= 20; at++) await from(`2001:db8:1:2::${at}`, 'dbk_guess').get('/v1/me')
    expect((await from('2001:db8:1:2::ffff', 'dbk_guess').get('/v1/me')).status).toBe(429)
    expect((await from('2001:db8:1:3::1', 'dbk_guess').get('/v1/me')).status).toBe(401)
  })

  test('are not counted for requests without a key, unknown paths and public ones', async () => {
    await statuses(30, () => service.as(undefined).get('/v1/me'))
    await statuses(30, () => service.as('dbk_guess').get('/v1/nothing'))
    await statuses(30, () => service.as('dbk_guess').get('/healthz'))
    await statuses(30, () => withHeader('Basic dGVh'))
    expect((await service.as('dbk_guess').get('/v1/me')).status).toBe(401)
  })

  test('are forgotten when the clock is set back', async () => {
    await statuses(20, () => service.as('dbk_guess').get('/v1/me'))
    service.clock.advance(-3_600_000)
    expect((await service.as('dbk_guess').get('/v1/me')).status).toBe(401)
  })
})

describe('a limit on requests', () => {
  test('holds for each key by itself, for a minute', async () => {
    const other = service.as(await service.newKey({ scope: 'read' }))
    expect(await statuses(6, () => service.get('/v1/me'))).toEqual([200, 200, 200, 200, 200, 429])
    service.clock.advance(20_000)
    const { status, headers, body } = await service.post('/v1/notes', { title: 'one too many' })
    expect({ status, body, retryAfter: headers.get('retry-after') }).toEqual({
      status: 429,
      body: { error: 'This key may make 5 requests a minute; wait.', code: 'rate_limited' },
      retryAfter: '40',
    })
    expect((await other.get('/v1/notes')).body.total).toBe(0)
    service.clock.advance(40_000)
    expect((await service.get('/v1/me')).status).toBe(200)
  })

  test('begins again when the clock is set back', async () => {
    await statuses(6, () => service.get('/v1/me'))
    service.clock.advance(-3_600_000)
    expect(await statuses(6, () => service.get('/v1/me'))).toEqual([200, 200, 200, 200, 200, 429])
  })

  test('is off when none is set', async () => {
    const free = await startService()
    expect(new Set(await statuses(50, () => free.get('/v1/me')))).toEqual(new Set([200]))
    free.close()
  })
})

describe('the fields of the rate limit', () => {
  const fields = ({ status, headers }: { status: number; headers: Headers }) => [
    status,
    headers.get('ratelimit-policy'),
    headers.get('ratelimit'),
  ]

  test('count down to the refusal and name the seconds until there is more', async () => {
    const seen: unknown[] = []
    for (let count = 0; count < 6; count++) {
      seen.push(fields(await service.get(count === 2 ? '/v1/nothing' : '/v1/me')))
      service.clock.advance(1_000)
    }
    const policy = '"key";q=5;w=60'
    expect(seen).toEqual([
      [200, policy, '"key";r=4;t=60'],
      [200, policy, '"key";r=3;t=59'],
      // An unknown path is refused before the key is read.
      [404, null, null],
      [200, policy, '"key";r=2;t=57'],
      [200, policy, '"key";r=1;t=56'],
      [200, policy, '"key";r=0;t=55'],
    ])
    expect(fields(await service.get('/v1/me'))).toEqual([429, policy, '"key";r=0;t=54'])
    expect(fields(await service.get(`/v1/notes/${crypto.randomUUID()}`))).toEqual([
      429,
      policy,
      '"key";r=0;t=54',
    ])
    service.clock.advance(54_000)
    expect(fields(await service.get('/v1/me'))).toEqual([200, policy, '"key";r=4;t=60'])
  })

  test('are absent without a key, and without a limit', async () => {
    expect(fields(await service.as(undefined).get('/v1/me'))).toEqual([401, null, null])
    expect(fields(await service.as(undefined).get('/healthz'))).toEqual([200, null, null])
  })
})
