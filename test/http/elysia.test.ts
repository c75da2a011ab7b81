import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { endpoints } from '../../src/http/endpoints.ts'
import { settle, startService, type TestService } from '../support/service.ts'

/* Default behavior of Elysia that this service replaces; see also the other tests of this folder. */

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const requestOf = (method: string, path: string, init: RequestInit = {}) =>
  new Request(`http://localhost${path}`, {
    method,
    headers: { authorization: `Bearer ${service.key}` },
    ...init,
  })

describe('a method that a path does not have', () => {
  test.each([
    ['PATCH', '/v1/notes/trash', 'GET, HEAD, DELETE'],
    ['DELETE', '/v1/records/summary', 'GET, HEAD'],
    ['OPTIONS', '/v1/notes', 'GET, HEAD, POST'],
    ['HEAD', '/v1/notes/query', 'POST'],
    ['POST', '/app/notes', 'GET, HEAD'],
    ['GET', '/mcp', 'POST'],
  ])('%s %s is refused, though another path with a parameter may have it', async (method, path, allow) => {
    for (const key of [service.key, undefined]) {
      const { status, headers } = await service.as(key).request(method, path)
      expect([status, headers.get('allow')]).toEqual([405, allow])
    }
  })
})

test.each(['/app/api', '/app/api/nothing', '/app/assets', '/app/assets/a/b'])(
  '%s is unknown, though every other path below /app is the page',
  async (path) => {
    expect((await service.get(path)).status).toBe(404)
    expect((await service.get('/app/anything')).status).toBe(200)
  },
)

describe('before the key is checked', () => {
  test('reads nothing of the body', async () => {
    for (const path of ['/v1/notes', '/v1/nothing']) {
      const request = requestOf('POST', path, { headers: {}, body: '{"title":"Tea"}' })
      await service.app.fetch(request)
      expect([path, request.bodyUsed]).toEqual([path, false])
    }
  })
})

test('the response to HEAD of a stream has no length, and the stream is not started', async () => {
  await service.post('/v1/notes', { title: 'Tea' })
  for (const path of ['/v1/changes/snapshot', '/v1/changes']) {
    const headers = { authorization: `Bearer ${service.key}`, accept: 'text/event-stream' }
    const response = await service.app.fetch(requestOf('HEAD', path, { headers }))
    expect([path, response.status, response.headers.get('content-length')]).toEqual([path, 200, null])
    expect(await response.text()).toBe('')
  }
})

test('no endpoint has Elysia read headers and cookies, as it does where a function is given everything', () => {
  const { routes } = service.app.elysia
  const reading = routes.filter(({ compile }) =>
    /parseCookie|getServer|c\.headers/.test(compile().toString()),
  )
  expect(reading.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  expect(routes.length).toBeGreaterThan(100)
})

test('an endpoint that does not say who may call it does not start', () => {
  const feature = endpoints('Notes', '/v1', 'notes')
  expect(() => feature.get('/forgotten', () => Response.json('secret'), {} as { open: true })).toThrow(
    'GET /v1/forgotten does not say who may call it',
  )
})

test('a synchronous response is returned at once', async () => {
  await service.get('/v1/me')
  // Requests of one burst are served in separate rounds.
  await settle()
  expect(service.app.fetch(requestOf('GET', '/v1/me'))).toBeInstanceOf(Response)
})

test('a path with a slash at its end is another path', async () => {
  expect((await service.get('/v1/notes/')).status).toBe(404)
  expect((await service.get('/v1/notes')).status).toBe(200)
})

test.each(['%zz', '%', '%c3%28'])('a path with the malformed parameter %s is unknown', async (name) => {
  for (const path of [`/v1/notes/${name}`, `/v1/records/structures/${name}`])
    expect([path, (await service.get(path)).status]).toEqual([path, 404])
})

test('a request whose host is shorter than any public one is served', async () => {
  const headers = { authorization: `Bearer ${service.key}` }
  const response = await service.app.fetch(new Request('http://a/v1/me', { headers }))
  expect(response.status).toBe(200)
})

test('two responses that need nothing of their requests are two, each with an id of its own', async () => {
  const idOf = async () => (await service.get('/docs')).headers.get('x-request-id')
  expect(await idOf()).not.toBe(await idOf())
})

test('a query is parsed strictly: a value that is nearly an integer is refused, not converted', async () => {
  for (const query of ['limit=0x10', 'limit=%201', 'limit=1&limit=2', 'limit=1e1', 'nothing=1'])
    expect([query, (await service.get(`/v1/notes?${query}`)).status]).toEqual([query, 400])
})

test('the refusal of a body neither drops an unknown member nor repeats what was sent', async () => {
  const { status, body } = await service.post('/v1/notes', {
    title: 'Tea',
    content: 'x'.repeat(10_000),
    cup: 1,
  })
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(JSON.stringify(body).length).toBeLessThan(500)
})

test('a HEAD has the length of the GET', async () => {
  const [head, get] = [
    await service.app.fetch(requestOf('HEAD', '/v1/me')),
    await service.app.fetch(requestOf('GET', '/v1/me')),
  ]
  expect(head.headers.get('content-length')).toBe(String((await get.text()).length))
})
