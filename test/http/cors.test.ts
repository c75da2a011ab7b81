import { afterEach, describe, expect, test } from 'bun:test'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
afterEach(() => service.close())

const APP = 'https://app.example.com'
const withOrigins = async (...corsOrigins: string[]) => {
  service = await startService({ config: { corsOrigins } })
}
const from = (origin: string, method = 'GET', path = '/v1/me', headers = {}) =>
  service.request(method, path, undefined, { origin, ...headers })

const corsOf = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')))

const EXPOSED =
  'X-Request-Id, Retry-After, Allow, Idempotent-Replayed, Content-Disposition, Content-Range, Accept-Ranges, ETag, RateLimit, RateLimit-Policy'

describe('without --cors-origin', () => {
  test('no response mentions origins, and OPTIONS is an ordinary method', async () => {
    await withOrigins()
    expect(corsOf((await from(APP)).headers)).toEqual({})
    const { status, headers } = await from(APP, 'OPTIONS', '/v1/notes')
    expect([status, headers.get('allow'), corsOf(headers)]).toEqual([405, 'GET, HEAD, POST', {}])
  })
})

describe('with --cors-origin', () => {
  test('pages of that origin may read every response, including errors', async () => {
    await withOrigins('https://other.example.com', APP)
    const expected = {
      vary: 'Origin',
      'access-control-allow-origin': APP,
      'access-control-expose-headers': EXPOSED,
    }
    for (const path of ['/v1/me', '/v1/notes/x', '/nope', '/v1/me?x=1']) {
      expect(corsOf((await from(APP, 'GET', path)).headers)).toEqual(expected)
    }
    expect(
      corsOf((await service.as(undefined).request('GET', '/v1/me', undefined, { origin: APP })).headers),
    ).toEqual(expected)
  })

  test.each(['https://evil.example.com', 'http://app.example.com', `${APP}.evil.com`, 'null', `${APP}/`])(
    'pages of %p may not',
    async (origin) => {
      await withOrigins(APP)
      expect(corsOf((await from(origin)).headers)).toEqual({ vary: 'Origin' })
      expect(corsOf((await from(origin, 'OPTIONS', '/v1/notes')).headers)).not.toHaveProperty(
        'access-control-allow-origin',
      )
    },
  )

  test('a preflight needs no key and lists the allowed headers', async () => {
    await withOrigins(APP)
    const { status, headers, body } = await service.as(undefined).request('OPTIONS', '/v1/notes', undefined, {
      origin: APP,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    })
    expect({ status, body, cors: corsOf(headers) }).toEqual({
      status: 204,
      body: '',
      cors: {
        vary: 'Origin',
        'access-control-allow-origin': APP,
        'access-control-expose-headers': EXPOSED,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers':
          'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Range, If-Range, If-None-Match, If-Match, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
        'access-control-max-age': '600',
      },
    })
  })

  test('a preflight for an unknown path is 404', async () => {
    await withOrigins(APP)
    expect((await from(APP, 'OPTIONS', '/nope')).status).toBe(404)
  })
})
