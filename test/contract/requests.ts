import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/document.ts'
import type { TestService } from '../support/service.ts'
import { filled, type Samples, TARGET } from './samples.ts'
import type { Endpoint } from './specification.ts'

/* A successful request for every endpoint under `/v1`. */

export type Content = { content: { 'application/json': { schema: object; example: unknown } } }

/** Queries of endpoints that require one. */
const QUERIES: Record<string, (samples: Samples) => string> = {
  listNotes: () => '?content=false',
  getFileText: () => '?pages=1-2',
  searchFiles: () => '?q=operations',
  listComments: (samples) => `?note_id=${samples['notes/{id}']}`,
  listRecords: (samples) => `?structure=${samples['structures/{nameOrId}']}`,
  readBoard: (samples) => `?structure=${samples['structures/{nameOrId}']}&group_by=done`,
  summariseRecords: (samples) => `?structure=${samples['structures/{nameOrId}']}&period=month`,
}

/** Bodies that cover more than the document's example, or fit the samples better. */
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
  createRowView: { structure: 'Errands', name: 'Milk', search: 'milk' },
  convertField: { field: 'what', key: 'whole', type: 'text' },
  updateRowView: { sort: 'what', direction: 'asc' },
  updateProperty: { key: 'deadline', label: 'Deadline' },
  updateStructure: { description: 'What to do.', max_rows: 5 },
  setTagLinks: { linked_tag_ids: [] },
  updateNoteProperties: { due: '2026-12-01' },
}

/** Bodies that refer to samples. */
const NAMING: Record<string, (samples: Samples) => object> = {
  createQuickAccessItem: (samples) => ({ note_id: samples['notes/{id}'], icon: 'book', color: '#1E90FF' }),
  createWebhook: (samples) => ({
    structure: samples['structures/{nameOrId}'] as string,
    url: 'https://hooks.example.com/errands',
    fields: ['what'],
  }),
  acknowledgeEvents: (samples) => ({ cursor: samples['cursor of the event'] }),
  createComment: (samples) => ({ note_id: samples['notes/{id}'], text: 'Which engine?' }),
  createShare: (samples) => ({ kind: 'note', target_id: samples['notes/{id}'] }),
  applyChanges: (samples) => ({
    changes: [
      { kind: 'note', op: 'updated', id: samples['notes/{id}'], data: { title: 'Tea' } },
      { kind: 'record', op: 'updated', id: samples['records/{id}'], data: { what: 'Buy green tea' } },
    ],
  }),
  createSource: (samples) => ({
    name: 'Errands by post',
    structure: samples['structures/{nameOrId}'] as string,
    provider: 'bearer',
    secret: 'EXAMPLE',
    map: { what: '/what' },
  }),
  resumeSource: () => ({ url: TARGET }),
  trySource: () => ({ body: { what: 'Buy milk' }, map: { what: '/what' } }),
  undo: (samples) => ({ transaction: samples['cursor of the record'] }),
  revertRecord: (samples) => ({ to: samples['cursor of the record'] }),
  applyPreset: (samples) => ({ note_id: samples['notes/{id}'], answers: { due: '2026-12-01' } }),
}

export const BEFORE: Record<string, (service: TestService, samples: Samples) => Promise<unknown>> = {
  createQuickAccessItem: (service, samples) =>
    service.delete(`/v1/quick-access/${samples['quick-access/{id}']}`),
  deleteProperty: async (service, samples) => {
    await service.delete(`/v1/views/${samples['views/{id}']}`)
    await service.delete(`/v1/presets/${samples['presets/{idOrName}']}`)
  },
  restoreNote: (service, samples) => service.delete(`/v1/notes/${samples['notes/{id}']}`),
  restoreRecord: (service, samples) => service.delete(`/v1/records/${samples['records/{id}']}`),
  listTrash: (service, samples) => service.delete(`/v1/notes/${samples['notes/{id}']}`),
  emptyTrash: (service, samples) => service.delete(`/v1/notes/${samples['notes/{id}']}`),
  getTrashedNote: (service, samples) => service.delete(`/v1/notes/${samples['notes/{id}']}`),
  purgeNote: (service, samples) => service.delete(`/v1/notes/${samples['notes/{id}']}`),
}

export function operationOf(document: OpenApiDocument, { method, path }: Endpoint): OpenApiOperation {
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is not in the document`)
  return operation
}

/** Returns the path with its query, and the body, if any. */
export function requestOf(document: OpenApiDocument, endpoint: Endpoint, samples: Samples) {
  const { operationId, requestBody } = operationOf(document, endpoint)
  const example = (requestBody as Content | undefined)?.content['application/json'].example
  const query = QUERIES[operationId]?.(samples) ?? ''
  return {
    path: filled(endpoint.path, samples) + query,
    body: NAMING[operationId]?.(samples) ?? BODIES[operationId] ?? example,
  }
}
