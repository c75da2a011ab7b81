import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startService, type TestService } from '../support/service.ts'
import { filled, makeSamples, type Samples } from './samples.ts'
import { ENDPOINTS, type Endpoint } from './specification.ts'

/* Every endpoint writes its errors in both formats and locates the fault. */

const PROBLEM = 'application/problem+json'

let service: TestService
let samples: Samples
beforeAll(async () => {
  service = await startService()
  samples = await makeSamples(service)
})
afterAll(() => service.close())

const endpoints = ENDPOINTS.filter(({ path }) => path.startsWith('/v1/')).map(
  (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const,
)

async function refusalOf({ method, path }: Endpoint, query: string, body: unknown, key = service.key) {
  const send = async (accept: string) => {
    const sent = method === 'GET' ? undefined : body
    const headers = { accept }
    const answer = await service.as(key).request(method, filled(path, samples) + query, sent, headers)
    const text = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
    return { status: answer.status, type: answer.headers.get('content-type'), body: text }
  }
  const plain = await send('application/json')
  const problem = await send(PROBLEM)
  expect(Object.keys(plain.body)).toEqual(['error', 'code'])
  expect(problem.type).toBe(PROBLEM)
  expect(problem.body).toEqual({
    type: 'about:blank',
    title: expect.any(String),
    status: plain.status,
    detail: plain.body.error,
    code: plain.body.code,
    errors: expect.any(Array),
  })
  return problem
}

const UNKNOWN = 'no_such/name~'
const ESCAPED = 'no_such~1name~0'

describe('problem details', () => {
  test.each(endpoints)('of %s without a key', async (_, endpoint) => {
    service.clock.advance(61_000)
    const { status, body } = await refusalOf(endpoint, '', {}, 'dbk_unknown')
    expect([status, body.errors]).toEqual([401, []])
  })

  test.each(endpoints)('of %s point at an unknown parameter of the query', async (_, endpoint) => {
    const { status, body } = await refusalOf(endpoint, `?${encodeURIComponent(UNKNOWN)}=1`, {})
    expect(status).toBe(400)
    expect(body.errors).toEqual([{ detail: body.detail, pointer: `#/query/${ESCAPED}` }])
  })

  test.each(endpoints.filter(([, { method }]) => method !== 'GET'))(
    'of %s point at an unknown member of the body, or at nothing',
    async (_, endpoint) => {
      const { status, body } = await refusalOf(endpoint, '', { [UNKNOWN]: 1 })
      expect([status, body.code]).toEqual([400, expect.stringMatching(/^(?:invalid_request|refused)$/)])
      for (const { pointer } of body.errors) expect(pointer).toStartWith('#/')
    },
  )
})
