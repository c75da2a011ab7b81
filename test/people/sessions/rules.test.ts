import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { WITHOUT_CALLER } from '../../contract/rights/endpoints.ts'
import { APPLICATION_ENDPOINTS } from '../../contract/specification.ts'
import { type Browser, setUpIn, signedIn } from '../../support/browser-client.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let browser: Browser
beforeEach(async () => {
  service = await startService()
  browser = await signedIn(service)
})
afterEach(() => service.close())

const outcome = async (method: string, headers: Record<string, string>, body?: object) => {
  const { status, body: answer } = await browser.request(method, '/v1/notes', body, headers)
  return status < 300 ? status : [status, answer.code]
}

describe('a request that rests on the cookie', () => {
  const note = { title: 'Written' }

  test.each([
    ['GET', { 'sec-fetch-site': 'same-origin' }, 200],
    ['GET', { 'sec-fetch-site': 'none' }, 200],
    ['GET', {}, 200],
    ['GET', { 'sec-fetch-site': 'cross-site' }, [403, 'cross_site']],
    ['GET', { 'sec-fetch-site': 'same-site' }, [403, 'cross_site']],
    ['POST', { 'sec-fetch-site': 'same-origin' }, 201],
    ['POST', { 'sec-fetch-site': 'same-site' }, [403, 'cross_site']],
    ['POST', { 'sec-fetch-site': 'cross-site' }, [403, 'cross_site']],
    ['POST', { 'sec-fetch-site': 'none' }, [403, 'cross_site']],
  ] as const)('%s with %p', async (method, headers, expected) => {
    expect(await outcome(method, headers, method === 'POST' ? note : undefined)).toEqual(expected as never)
    expect((await service.get('/v1/notes')).body.total).toBe(expected === 201 ? 1 : 0)
  })

  test.each([
    ['http://localhost', 201],
    ['http://localhost:1', 403],
    ['https://evil.example', 403],
    ['null', 403],
    [undefined, 403],
  ])('writes without Sec-Fetch-Site only with its own Origin: %p', async (origin, expected) => {
    const { cookie = '' } = browser
    const headers: Record<string, string> = { host: 'localhost', cookie }
    if (origin !== undefined) headers.origin = origin
    const request = new Request('http://localhost/v1/notes', {
      method: 'POST',
      headers,
      body: JSON.stringify(note),
    })
    expect((await service.app.fetch(request)).status).toBe(expected)
  })

  test.each([
    ['localhost', 200],
    ['localhost:8787', 200],
    ['127.0.0.1:8787', 200],
    ['127.3.2.1', 200],
    ['[::1]:8787', 200],
    ['LOCALHOST', 200],
    ['evil.example', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['', 421],
  ])('responds under the name %p with %p', async (host, expected) => {
    for (const path of ['/v1/notes', '/app/api/session']) {
      expect((await browser.request('GET', path, undefined, { host })).status).toBe(expected)
    }
  })

  test.each([
    ['::', '[::]:8787'],
    ['2001:DB8:0::5', '[2001:db8::5]:8787'],
    ['[2001:db8::5]', '[2001:db8::5]'],
    ['0.0.0.0', '0.0.0.0:8787'],
  ])('responds where the server listens: at %p under %p', async (address, host) => {
    const there = await startService({ config: { host: address } })
    const visitor = await signedIn(there)
    expect((await visitor.request('GET', '/v1/notes', undefined, { host })).status).toBe(200)
    expect((await browser.request('GET', '/v1/notes', undefined, { host })).status).toBe(421)
    there.close()
  })

  test('under a foreign name is accepted with a key', async () => {
    const headers = { host: 'evil.example' }
    expect((await service.request('GET', '/v1/notes', undefined, headers)).status).toBe(200)
  })

  test('is ignored beside a key', async () => {
    const authorization = `Bearer ${await service.newKey({ scope: 'read' })}`
    expect(await outcome('POST', { authorization }, note)).toEqual([403, 'read_only_key'])
    expect(await outcome('GET', { authorization: 'Basic abc' })).toEqual([401, 'unauthorized'])
  })
})

test('the endpoints of the application require a session: 401 without any credential, 403 with a key', async () => {
  const guarded = APPLICATION_ENDPOINTS.filter(
    ({ method, path }) => !WITHOUT_CALLER.includes(`${method} ${path}`),
  )
  expect(guarded.length).toBeGreaterThan(15)
  for (const { method, path } of guarded) {
    const place = path.replace(/\{\w+\}/g, '0198c0de-0000-7000-8000-000000000000')
    const host = { host: 'localhost' }
    const nobody = await service.as(undefined).request(method, place, undefined, host)
    expect([method, path, nobody.status, nobody.body.code]).toEqual([method, path, 401, 'unauthorized'])
    const keyed = await service.request(method, place, undefined, host)
    expect([method, path, keyed.status, keyed.body.code]).toEqual([method, path, 403, 'session_required'])
  }
})

test('behind https the cookie is bound to the host and secure', async () => {
  const secure = await startService({ config: { publicUrls: ['https://daybook.example.com'] } })
  const browser = await setUpIn(secure)
  expect(browser.cookie).toStartWith('__Host-daybook_session=')
  const under = { host: 'daybook.example.com' }
  expect((await browser.request('GET', '/app/api/session', undefined, under)).status).toBe(200)
  const plain = await signedIn(secure)
  expect((await plain.request('GET', '/app/api/session', undefined, under)).status).toBe(401)
  secure.close()
})

test('the rate limit of keys holds for a person too, over all their sessions', async () => {
  const limited = await startService({ config: { rateLimit: 3 } })
  const person = await signedIn(limited)
  const statuses: number[] = []
  for (let count = 0; count < 4; count++) statuses.push((await person.request('GET', '/v1/me')).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  limited.close()
})
