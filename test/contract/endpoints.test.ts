import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openApiDocument } from '../support/openapi.ts'
import { routesOf } from '../support/routes.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  AGENT_ENDPOINT,
  APPLICATION_ENDPOINTS,
  ENDPOINTS,
  type Endpoint,
  OAUTH_ENDPOINTS,
  PAGE_FILES,
} from './specification.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const braced = (pattern: string) => pattern.replace(/:(\w+)/g, '{$1}')
const byName = (left: Endpoint, right: Endpoint) =>
  `${left.path} ${left.method}`.localeCompare(`${right.path} ${right.method}`)
describe('the endpoints', () => {
  test('are those of the specification, no more and no fewer, with their W marks', () => {
    const built = routesOf(service.app)
      .map(({ method, path, needsWrite }) => ({ method, path: braced(path), needsWrite }))
      .filter(({ path }) => !PAGE_FILES.includes(path))
    const promised = [...ENDPOINTS, ...APPLICATION_ENDPOINTS, ...OAUTH_ENDPOINTS, AGENT_ENDPOINT]
    expect(built.toSorted(byName)).toEqual(promised.sort(byName))
  })

  test('need a key, all under /v1 and of the others the metrics and MCP', () => {
    expect(routesOf(service.app).length).toBeGreaterThan(50)
    for (const { path, access } of routesOf(service.app)) {
      const needsKey = path.startsWith('/v1/') || path === '/metrics' || path === '/mcp'
      expect([path, ['read', 'stream', 'write', 'agent'].includes(access)]).toEqual([path, needsKey])
    }
  })

  test('are described completely in the OpenAPI document', async () => {
    const { paths, tags, components } = await openApiDocument()
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const hidden = ['/docs', '/openapi.json']
    const expected = ENDPOINTS.filter(({ path }) => !hidden.includes(path))
    expect(documented.sort()).toEqual(expected.map(({ method, path }) => `${method} ${path}`).sort())
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.length).toBe(new Set(ids).size)
    for (const { operationId, summary, responses } of operations) {
      expect(operationId).toMatch(/^[a-z][A-Za-z]+$/)
      expect(summary.length).toBeGreaterThan(5)
      // A partial download has a success status of its own.
      const successes = Object.keys(responses).filter((status) => status.startsWith('2') && status !== '206')
      expect(successes).toHaveLength(1)
    }
    const used = new Set(operations.flatMap((operation) => operation.tags))
    expect((tags as { name: string }[]).map(({ name }) => name).sort()).toEqual([...used].sort())
    expect(components.securitySchemes).toEqual({
      apiKey: { type: 'http', scheme: 'bearer', description: expect.any(String) },
      accessToken: {
        type: 'apiKey',
        in: 'query',
        name: 'access_token',
        description: expect.any(String),
      },
    })
  })

  test('accept the key in the query only for streams', async () => {
    const { paths } = await openApiDocument()
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const taking = operations.filter(({ security }) => JSON.stringify(security)?.includes('accessToken'))
    expect(taking.map(({ operationId, security }) => ({ operationId, security }))).toEqual([
      { operationId: 'followPresence', security: [{ apiKey: [] }, { accessToken: [] }] },
      { operationId: 'watchRecords', security: [{ apiKey: [] }, { accessToken: [] }] },
      { operationId: 'listChanges', security: [{ apiKey: [] }, { accessToken: [] }] },
    ])
  })

  test('add no internal keyword to the document', async () => {
    const text = JSON.stringify(await openApiDocument())
    for (const leak of [
      '"words"',
      '"rules"',
      '"x-',
      '"$id"',
      '"nullable"',
      '"format":"integer"',
      '"[Kind]"',
    ]) {
      expect([leak, text.includes(leak)]).toEqual([leak, false])
    }
  })
})
