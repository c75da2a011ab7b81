import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { routesOf } from '../support/routes.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'
import { filled, makeSamples, type Samples } from './samples.ts'
import { ENDPOINTS, type Endpoint } from './specification.ts'

let service: TestService
let samples: Samples
let readKey: string
let viewerKey: string

beforeAll(async () => {
  service = await startService()
  samples = await makeSamples(service)
  readKey = await service.newKey({ scope: 'read' })
  viewerKey = await service.newKey({ user: 'Vera', role: 'viewer' })
})
afterAll(() => service.close())

const keyed = ENDPOINTS.filter(({ path }) => path.startsWith('/v1/'))
const writes = keyed.filter(({ needsWrite }) => needsWrite)
const named = (endpoints: readonly Endpoint[]) =>
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

/** Invalid JSON: an endpoint that parses the body before it checks the key responds with 400. */
const BROKEN_BODY = '{"title": '

const call = (key: string | undefined, { method, path }: Endpoint, body?: unknown) =>
  service.as(key).request(method, filled(path, samples), method === 'GET' ? undefined : body)

function expectRefusal({ status, headers, body }: Answer, expected: { status: number; code: string }): void {
  expect({ status, code: body.code }).toEqual(expected)
  expect(body).toEqual({ error: expect.stringMatching(/^.{10,}\.$/), code: expected.code })
  expect(headers.get('content-type')).toStartWith('application/json')
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{16,}$/)
}

/** Everything that a caller can read of the workspace, to show that refusals changed nothing. */
const everything = async () => {
  const paths = [
    '/v1/workspace',
    '/v1/notes',
    '/v1/tags',
    '/v1/properties',
    '/v1/records/structures',
    '/v1/records?structure=Errands',
    '/v1/files',
  ]
  return Promise.all(paths.map(async (path) => (await service.get(path)).body))
}

test('endpoints of each kind exist', () => {
  expect(writes.length).toBeGreaterThan(20)
  expect(keyed.length - writes.length).toBeGreaterThan(20)
})

describe('without a valid key', () => {
  test.each(named(keyed))('%s refuses with 401 before it looks at a body', async (_, endpoint) => {
    const before = await everything()
    for (const key of [undefined, 'dbk_unknown']) {
      service.clock.advance(61_000)
      expectRefusal(await call(key, endpoint, BROKEN_BODY), { status: 401, code: 'unauthorized' })
    }
    expect(await everything()).toEqual(before)
  })
})

describe('with a read-only key', () => {
  test.each(named(writes))('%s refuses with 403 before it looks at a body', async (_, endpoint) => {
    const before = await everything()
    for (const key of [readKey, viewerKey]) {
      expectRefusal(await call(key, endpoint, BROKEN_BODY), { status: 403, code: 'read_only_key' })
    }
    expect(await everything()).toEqual(before)
  })

  /** The response of presence does not end; `notes/presence.test.ts` reads it with such a key. */
  const reads = keyed.filter(
    ({ method, path, needsWrite }) => !needsWrite && !(method === 'GET' && path.endsWith('/presence')),
  )
  test.each(named(reads))('%s is open', async (_, endpoint) => {
    for (const key of [readKey, viewerKey]) expect((await call(key, endpoint, {})).status).not.toBe(403)
  })
})

describe('every path', () => {
  test.each(named(ENDPOINTS))(
    '%s refuses a method it does not have with 405 and Allow',
    async (_, { path }) => {
      const methods = ENDPOINTS.filter((endpoint) => endpoint.path === path).flatMap(({ method }) =>
        method === 'GET' ? ['GET', 'HEAD'] : [method],
      )
      const missing = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((m) => !methods.includes(m))
      for (const method of missing) {
        const answer = await service.as(undefined).request(method, filled(path, samples))
        expectRefusal(answer, { status: 405, code: 'method_not_allowed' })
        expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(methods.sort())
      }
    },
  )

  // Outside services may add their own parameters.
  const judged = ENDPOINTS.filter(({ path }) => !path.startsWith('/in/'))
  test.each(named(judged))('%s refuses an unknown query parameter by its name', async (_, endpoint) => {
    const { method, path } = endpoint
    const answer = await service.request(
      method,
      `${filled(path, samples)}?limmit=1`,
      method === 'GET' ? undefined : '{}',
    )
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    if (method === 'GET') expect(answer.body.error).toContain('"limmit"')
  })

  test.each(named(ENDPOINTS))('%s is unknown with a slash at its end', async (_, { method, path }) => {
    const answer = await service.request(method, `${filled(path, samples)}/`)
    expectRefusal(answer, { status: 404, code: 'not_found' })
  })
})

const takesBody = ({ method, path }: Endpoint) =>
  routesOf(service.app).some(
    (route) => route.method === method && route.path.replace(/:(\w+)/g, '{$1}') === path && route.takesBody,
  )

describe('a body', () => {
  const withBody = keyed.filter(({ method }) => method !== 'GET')

  test.each(named(withBody))('%s refuses one that is not a JSON object', async (_, endpoint) => {
    const before = await everything()
    const none = takesBody(endpoint) ? [''] : []
    for (const body of [...none, 'null', '[]', '"text"', '7', 'true', '{', '\ufeff', ' ']) {
      expectRefusal(await call(service.key, endpoint, body), { status: 400, code: 'invalid_request' })
    }
    expect(await everything()).toEqual(before)
  })
})
