import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/document.ts'
import { openApiDocument } from '../support/openapi.ts'
import { startService, type TestService } from '../support/service.ts'
import { faultsOf } from './json-schema.ts'
import { filled, makeSamples, type Samples } from './samples.ts'
import { ENDPOINTS, type Endpoint } from './specification.ts'

type Content = { content: { 'application/json': { schema: object; example: unknown } } }

/** Queries of endpoints that cannot do without. */
const QUERIES: Record<string, (samples: Samples) => string> = {
  listNotes: () => '?content=false',
  getFileText: () => '?pages=1-2',
  searchFiles: () => '?q=operations',
  listRecords: (samples) => `?structure=${samples['structures/{nameOrId}']}`,
  summariseRecords: (samples) => `?structure=${samples['structures/{nameOrId}']}&period=month`,
}

/** Bodies that do more than the example of the document, or fit the samples better. */
const BODIES: Record<string, object> = {
  updateWebhook: {
    filter: [{ field: 'what', op: 'contains', value: 'tea' }],
    description: 'Tea',
    enabled: false,
    resume: true,
  },
  writeRecords: { structure: 'Errands', rows: [{ data: { what: 'Buy milk' } }] },
  updateRecord: { data: { what: 'Buy green tea' } },
  createStructure: { name: 'Tasks', fields: [{ key: 'what', type: 'text' }] },
  updateNote: {
    title: 'Tea with Ada',
    pinned: true,
    pin_label: 'Tea',
    alias: 'ada',
    tags: ['tea'],
    rewrite_links: true,
  },
  createPreset: { name: 'Call', tags: ['tea'], properties: [{ key: 'due', value: '2026-12-01' }] },
  createView: { name: 'Due', display_properties: ['due'], sort: { field: 'property', property: 'due' } },
  updateProperty: { key: 'deadline', label: 'Deadline' },
  updateStructure: { description: 'What to do.', max_rows: 5 },
  setTagLinks: { linked_tag_ids: [] },
  updateNoteProperties: { due: '2026-12-01' },
}

/** Bodies that name samples. */
const NAMING: Record<string, (samples: Samples) => object> = {
  createQuickAccessItem: (samples) => ({ note_id: samples['notes/{id}'], icon: 'book', color: '#1E90FF' }),
  createWebhook: (samples) => ({
    structure: samples['structures/{nameOrId}'] as string,
    url: 'https://hooks.example.com/errands',
    fields: ['what'],
  }),
  undo: (samples) => ({ transaction: samples['cursor of the record'] }),
  revertRecord: (samples) => ({ to: samples['cursor of the record'] }),
  applyPreset: (samples) => ({ note_id: samples['notes/{id}'], answers: { due: '2026-12-01' } }),
}

/** What must have happened before the call. */
const BEFORE: Record<string, (service: TestService, samples: Samples) => Promise<unknown>> = {
  createQuickAccessItem: (service, samples) =>
    service.delete(`/v1/quick-access/${samples['quick-access/{id}']}`),
  deleteProperty: async (service, samples) => {
    await service.delete(`/v1/views/${samples['views/{id}']}`)
    await service.delete(`/v1/presets/${samples['presets/{idOrName}']}`)
  },
  restoreNote: (service, samples) => service.delete(`/v1/notes/${samples['notes/{id}']}`),
  restoreRecord: (service, samples) => service.delete(`/v1/records/${samples['records/{id}']}`),
  listTrash: (service, samples) => service.delete(`/v1/notes/${samples['notes/{id}']}`),
}

function operationOf(document: OpenApiDocument, { method, path }: Endpoint): OpenApiOperation {
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is not in the document`)
  return operation
}

/** Their answers are no JSON; see `test/records/watch.test.ts` and `test/files/content.test.ts`. */
const OTHERS = ['/v1/records/watch', '/v1/changes/snapshot', '/v1/files/{id}/content']

const documented = ENDPOINTS.filter(
  ({ path }) => (path.startsWith('/v1/') && !OTHERS.includes(path)) || path === '/healthz',
).map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

const newSampled = async () => {
  const service = await startService()
  return { service, samples: await makeSamples(service) }
}

describe('the answer to', () => {
  /** For what only reads; a write has samples of its own. */
  let shared: Awaited<ReturnType<typeof newSampled>>
  let document: OpenApiDocument
  beforeAll(async () => {
    shared = await newSampled()
    document = await openApiDocument()
  })
  afterAll(() => shared.service.close())

  test.each(documented)('%s has the declared status and form', async (_, endpoint) => {
    const operation = operationOf(document, endpoint)
    const before = BEFORE[operation.operationId]
    const isShared = endpoint.method === 'GET' && !before
    const { service, samples } = isShared ? shared : await newSampled()
    await before?.(service, samples)
    const example = (operation.requestBody as Content | undefined)?.content['application/json'].example
    const body = NAMING[operation.operationId]?.(samples) ?? BODIES[operation.operationId] ?? example
    const query = QUERIES[operation.operationId]?.(samples) ?? ''
    const answer = await service.request(endpoint.method, filled(endpoint.path, samples) + query, body)
    const declared = operation.responses[answer.status] as Content | undefined
    expect([answer.status < 300, declared !== undefined, answer.body]).toEqual([true, true, answer.body])
    const schema = declared?.content['application/json'].schema ?? {}
    expect(faultsOf(answer.body, schema, document.components)).toEqual([])
    if (!isShared) service.close()
  })
})
