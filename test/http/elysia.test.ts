import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { createPipeline } from '../../src/http/pipeline.ts'
import { startService, type TestService } from '../support/service.ts'

/* What Elysia would do by itself, and this service does another way; see also the other tests of this folder. */

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

describe('before the key is judged', () => {
  test('nothing of the body is read', async () => {
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
  const feature = new Elysia().get('/forgotten', () => 'secret')
  expect(() => createPipeline({ corsOrigins: [] } as never, [feature])).toThrow(
    'GET /forgotten does not say who may call it, or what it covers',
  )
})
