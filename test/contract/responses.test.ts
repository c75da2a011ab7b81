import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { openApiDocument } from '../support/openapi.ts'
import { faultsOf } from './json-schema.ts'
import { BEFORE, type Content, operationOf, requestOf } from './requests.ts'
import { startSampled } from './samples.ts'
import { ENDPOINTS } from './specification.ts'

/** Responses other than JSON; see `records/watch.test.ts`, `notes/presence.test.ts` and `files/content.test.ts`. */
const OTHERS = [
  '/v1/records/watch',
  '/v1/changes/snapshot',
  '/v1/files/{id}/content',
  '/v1/notes/{id}/presence',
]

const documented = ENDPOINTS.filter(
  ({ path }) => (path.startsWith('/v1/') && !OTHERS.includes(path)) || path === '/healthz',
).map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

describe('the answer to', () => {
  /** Shared by reads; each write has its own samples. */
  let shared: Awaited<ReturnType<typeof startSampled>>
  let document: OpenApiDocument
  beforeAll(async () => {
    shared = await startSampled()
    document = await openApiDocument()
  })
  afterAll(() => shared.service.close())

  test.each(documented)('%s has the declared status and form', async (_, endpoint) => {
    const operation = operationOf(document, endpoint)
    const before = BEFORE[operation.operationId]
    const isShared = endpoint.method === 'GET' && !before
    const { service, samples } = isShared ? shared : await startSampled()
    await before?.(service, samples)
    const { path, body } = requestOf(document, endpoint, samples)
    const answer = await service.request(endpoint.method, path, body)
    const declared = operation.responses[answer.status] as Content | undefined
    expect([answer.status < 300, declared !== undefined, answer.body]).toEqual([true, true, answer.body])
    const schema = declared?.content['application/json'].schema ?? {}
    expect(faultsOf(answer.body, schema, document.components)).toEqual([])
    if (!isShared) service.close()
  })
})
