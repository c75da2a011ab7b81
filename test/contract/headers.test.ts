import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Browser, signedIn } from '../support/browser-client.ts'
import { alter } from '../support/database.ts'
import { makeFile } from '../support/files.ts'
import { startService, type TestService } from '../support/service.ts'

/* The security headers of every response. */

const ALLOWED = 'https://notes.example.com'

let service: TestService
let browser: Browser
let file: string

beforeAll(async () => {
  service = await startService({ config: { corsOrigins: [ALLOWED] } })
  browser = await signedIn(service)
  await service.post('/v1/records/structures', { name: 'Rows', fields: [{ key: 'what', type: 'text' }] })
  file = await makeFile(service, { name: 'data.json', bytes: new TextEncoder().encode('{}') })
})
afterAll(() => service.close())

type Sent = readonly [method: string, path: string, headers?: Record<string, string>, body?: string]

const JSON_RESPONSES: readonly Sent[] = [
  ['GET', '/v1/me'],
  ['HEAD', '/v1/me'],
  ['GET', '/v1/notes'],
  ['GET', '/v1/tags'],
  ['POST', '/v1/notes', {}, '{"title":"New"}'],
  ['POST', '/v1/notes', {}, '{'],
  ['GET', '/v1/notes?nothing=1'],
  ['GET', '/v1/me', { authorization: 'Bearer wrong' }],
  ['GET', '/nowhere'],
  ['PUT', '/v1/me'],
  ['GET', `/v1/notes?search=${'x'.repeat(70_000)}`],
  ['POST', '/v1/notes', {}, `"${'x'.repeat(10_500_000)}"`],
  ['GET', '/healthz'],
  ['GET', '/openapi.json'],
  ['POST', '/mcp', {}, '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
  ['GET', '/v1/files/00000000-0000-7000-8000-000000000000/content'],
  ['GET', '/app/assets/nothing.js'],
  ['GET', '/app/api/session'],
  ['POST', '/app/api/session', { 'sec-fetch-site': 'cross-site' }, '{"user":"x","password":"y"}'],
]

const OTHERS: readonly Sent[] = [
  ['GET', '/'],
  ['GET', '/app'],
  ['GET', '/docs'],
  ['GET', '/docs/viewer.js'],
  ['GET', '/metrics'],
  ['GET', '/v1/records/watch?structure=Rows'],
  ['GET', '/v1/changes', { accept: 'text/event-stream' }],
  ['GET', '/v1/changes/snapshot'],
  ['GET', 'FILE'],
  ['OPTIONS', '/v1/notes', { 'access-control-request-method': 'POST' }],
]

async function send([method, path, headers = {}, body]: Sent, origin?: string): Promise<Headers> {
  const isOfBrowser = path.startsWith('/app/api')
  const response = await service.app.fetch(
    new Request(`http://localhost${path.replace('FILE', `/v1/files/${file}/content`)}`, {
      method,
      headers: {
        ...(isOfBrowser ? { cookie: browser.cookie ?? '' } : { authorization: `Bearer ${service.key}` }),
        ...(origin !== undefined && { origin }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    }),
  )
  await response.body?.cancel()
  return response.headers
}

const of = (headers: Headers) => [
  headers.get('x-content-type-options'),
  headers.get('cache-control'),
  headers.get('cross-origin-resource-policy'),
]
const named = (all: readonly Sent[]) =>
  all.map((sent) => [`${sent[0]} ${sent[1].slice(0, 60)} ${sent[3]?.slice(0, 20) ?? ''}`, sent] as const)

describe('a JSON response is never sniffed, cached or shared with other sites', () => {
  test.each(named(JSON_RESPONSES))('%s', async (_, sent) => {
    expect(of(await send(sent))).toEqual(['nosniff', 'no-store', 'same-origin'])
  })

  test('except with a page of an allowed origin', async () => {
    expect(of(await send(['GET', '/v1/me'], ALLOWED))).toEqual(['nosniff', 'no-store', 'cross-origin'])
    expect(of(await send(['GET', '/v1/me'], 'https://other.example'))).toEqual([
      'nosniff',
      'no-store',
      'same-origin',
    ])
    expect(of(await send(['GET', '/nowhere'], ALLOWED))[2]).toBe('cross-origin')
  })

  test('also after a failure of the service, and while it stops', async () => {
    const failing = await startService()
    await alter(failing, 'ALTER TABLE quick_access RENAME TO elsewhere')
    const failed = await failing.get('/v1/quick-access')
    expect([failed.status, ...of(failed.headers)]).toEqual([500, 'nosniff', 'no-store', 'same-origin'])
    failing.app.stop()
    const stopped = await failing.get('/v1/me')
    expect([stopped.status, ...of(stopped.headers)]).toEqual([503, 'nosniff', 'no-store', 'same-origin'])
    failing.close()
  })
})

describe('no other response is sniffed', () => {
  test.each(named(OTHERS))('%s', async (_, sent) => {
    expect((await send(sent)).get('x-content-type-options')).toBe('nosniff')
  })
})
