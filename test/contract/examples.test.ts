import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/document.ts'
import { CURSOR } from '../../src/http/schema/changes.ts'
import { makeFile } from '../support/files.ts'
import { openApiDocument } from '../support/openapi.ts'
import { startService, type TestService } from '../support/service.ts'
import { pathOf as pathnameOf, stripeHeader } from '../support/sources.ts'
import { placeOf } from './samples.ts'
import { ENDPOINTS } from './specification.ts'

interface Parameter {
  name: string
  in: string
  schema: { examples?: unknown[] }
  example?: unknown
}

type Body = { content: { 'application/json': { example: object } } } | undefined

/** The id in every example; no workspace has an object with it. */
const EXAMPLE_ID = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

/** The first requests of a new user, in order, in an empty workspace. */
const FIRST = [
  'createProperty',
  'createNote',
  'createStructure',
  'writeRecords',
  'createPreset',
  'createView',
  'createRowView',
  'createLens',
  'createQuickAccessItem',
  'createWebhook',
  'createSource',
  'createShare',
  'createComment',
]

/** The conditions of the example ignore this event. */
const EVENT = '{"id": "evt_1", "type": "charge.failed"}'

/** Ids of the created example objects, keyed by the position of the path parameter. */
type Ids = Record<string, string>

/** The documented cursor of a pulled event. */
const EVENT_CURSOR = `${EXAMPLE_ID}.12`

interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly described: OpenApiOperation
}

let document: OpenApiDocument
let operations: Operation[]

const operationNamed = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`there is no operation ${id}`)
  return found
}

const exampleOf = ({ example, schema }: Parameter) => example ?? schema.examples?.[0]

const parametersOf = ({ described }: Operation, place: string) =>
  ((described.parameters ?? []) as Parameter[]).filter((parameter) => parameter.in === place)

/** Returns the path with documented names, and with ids of existing objects. */
function pathOf(operation: Operation, ids: Ids): string {
  const segments = operation.path.split('/')
  const filled = segments.map((segment, at) => {
    if (!segment.startsWith('{')) return segment
    const parameter = parametersOf(operation, 'path').find(({ name }) => `{${name}}` === segment)
    const place = placeOf(segments, at)
    const value = parameter?.example ?? ids[place]
    if (value === undefined) throw new Error(`nothing was made for ${place}`)
    return encodeURIComponent(String(value))
  })
  return filled.join('/')
}

const exampleNamed = (path: string): string => {
  if (path === '/v1/comments') return 'notes/{id}'
  if (path.includes('/events')) return 'events/{eventId}'
  return path.includes('/sources') ? 'sources/deliveries/{deliveryId}' : 'deliveries/{deliveryId}'
}

function queryOf(operation: Operation, ids: Ids): string {
  const given = parametersOf(operation, 'query').flatMap((parameter): [string, string][] => {
    const example = exampleOf(parameter)
    const value =
      example === EXAMPLE_ID
        ? ids[exampleNamed(operation.path)]
        : example === CURSOR
          ? ids['cursor of the record']
          : example
    return value === undefined ? [] : [[parameter.name, String(value)]]
  })
  return given.length > 0 ? `?${new URLSearchParams(given)}` : ''
}

function bodyOf({ described }: Operation, ids: Ids): unknown {
  const example = (described.requestBody as Body)?.content['application/json'].example
  const noteId = ids['notes/{id}']
  const cursor = ids['cursor of the record']
  return (
    example &&
    JSON.parse(
      JSON.stringify(example)
        .replaceAll(EVENT_CURSOR, `${ids['pulled webhooks/{id}']}.1`)
        .replaceAll(EXAMPLE_ID, noteId ?? EXAMPLE_ID)
        .replaceAll(CURSOR, cursor ?? CURSOR),
    )
  )
}

const send = (service: TestService, operation: Operation, ids: Ids) =>
  service.request(operation.method, pathOf(operation, ids) + queryOf(operation, ids), bodyOf(operation, ids))

/** A workspace with the objects of the examples, and objects that do not come from the API. */
async function newWorld() {
  const service = await startService()
  const ids: Ids = {}
  const made = []
  for (const id of FIRST) {
    const answer = await send(service, operationNamed(id), ids)
    made.push({ id, status: answer.status, body: answer.body })
    const { note, view, row_view, lens, item, webhook, records, share, source, comment } = answer.body
    Object.assign(ids, {
      ...(note && { 'notes/{id}': note.id }),
      ...(view && { 'views/{id}': view.id }),
      ...(row_view && { 'records/views/{id}': row_view.id }),
      ...(lens && { 'lenses/{id}': lens.id }),
      ...(item && { 'quick-access/{id}': item.id }),
      ...(webhook && { 'webhooks/{id}': webhook.id }),
      ...(share && { 'shares/{id}': share.id }),
      ...(comment && { 'comments/{id}': comment.id }),
      ...(source && { 'sources/{id}': source.id, 'in/{token}': pathnameOf(source.url) }),
      ...(records && { 'records/{id}': records[0].id }),
    })
  }
  return { service, ids, made }
}

async function newFullWorld() {
  const { service, ids } = await newWorld()
  const noteId = ids['notes/{id}'] as string
  await service.patch(`/v1/notes/${noteId}`, { alias: 'ada', content: 'Ask about [[Engines]]!' })
  const { body: revisions } = await service.get(`/v1/notes/${noteId}/revisions`)
  const { body: tags } = await service.get('/v1/tags')
  const { body: tested } = await service.post(`/v1/webhooks/${ids['webhooks/{id}']}/test`)
  const pull = { structure: 'Books', delivery: 'pull' }
  const { webhook: pulled } = (await service.post('/v1/webhooks', pull)).body
  await service.post(`/v1/webhooks/${pulled.id}/test`)
  const path = ids['in/{token}'] as string
  const { body: received } = await service.request('POST', path, EVENT, {
    'stripe-signature': stripeHeader(EVENT, service.clock.now(), 'whsec_EXAMPLEc2VjcmV0'),
  })
  const { body: passedOn } = await service.get(`/v1/sources/${ids['sources/{id}']}/deliveries`)
  const { body: old } = await service.post('/v1/notes', { title: 'Old plan' })
  await service.delete(`/v1/notes/${old.note.id}`)
  const { body: history } = await service.get(`/v1/records/${ids['records/{id}']}/history`)
  const pages = Array.from({ length: 9 }, () => 'Cards carry the operations.')
  Object.assign(ids, {
    'pulled webhooks/{id}': pulled.id,
    'trash/{id}': old.note.id,
    'revisions/{revisionId}': revisions.revisions[0].id,
    'tags/{id}': String(tags.tags.find(({ name }: { name: string }) => name === 'work').id),
    'deliveries/{deliveryId}': tested.delivery.id,
    'events/{eventId}': received.event_id,
    'sources/deliveries/{deliveryId}': passedOn.deliveries[0].id,
    'cursor of the record': history.versions.at(-1).cursor,
    'files/{id}': await makeFile(service, { noteId, pages }),
  })
  return { service, ids }
}

/** Preparations that an operation needs to succeed. */
const BEFORE: Record<string, (service: TestService, ids: Ids) => Promise<unknown>> = {
  restoreNote: (service, ids) => service.delete(`/v1/notes/${ids['notes/{id}']}`),
  restoreRecord: (service, ids) => service.delete(`/v1/records/${ids['records/{id}']}`),
  deleteProperty: async (service, ids) => {
    await service.delete(`/v1/views/${ids['views/{id}']}`)
    await service.delete('/v1/presets/Meeting')
  },
}

/** The responses of streams do not end; `test/browser` reads them. */
const STREAMS = ['watchRecords', 'followPresence']

beforeAll(async () => {
  document = await openApiDocument()
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      described,
    })),
  )
})

test('the examples of the document, sent one after the other into an empty workspace, are all accepted', async () => {
  const { service, made } = await newWorld()
  expect(made.filter(({ status }) => status !== 201)).toEqual([])
  const note = made.find(({ id }) => id === 'createNote')
  expect(note?.body.properties_error).toBeNull()
  service.close()
})

describe('with the created objects, the documented example is accepted by', () => {
  let shared: Awaited<ReturnType<typeof newFullWorld>>
  beforeAll(async () => {
    shared = await newFullWorld()
  })
  afterAll(() => shared.service.close())

  const endpoints = ENDPOINTS.filter(({ path }) => path.startsWith('/v1/')).map(
    ({ method, path }) => `${method} ${path}`,
  )

  test.each(endpoints)('%s', async (endpoint) => {
    const operation = operations.find(({ method, path }) => `${method} ${path}` === endpoint)
    if (!operation) throw new Error(`${endpoint} is not in the document`)
    if (STREAMS.includes(operation.id) || FIRST.includes(operation.id)) return
    const isShared = operation.method === 'GET'
    const { service, ids } = isShared ? shared : await newFullWorld()
    await BEFORE[operation.id]?.(service, ids)
    const { status, body } = await send(service, operation, ids)
    expect([status < 300, body]).toEqual([true, body])
    if (!isShared) service.close()
  })
})

test('no example prefills an id or an idempotency key that would be sent', () => {
  const filledIn = operations.flatMap((operation) =>
    parametersOf(operation, 'path')
      .concat(parametersOf(operation, 'query'), parametersOf(operation, 'header'))
      .flatMap(({ name, example }) => (example === undefined ? [] : [`${name}=${example}`])),
  )
  expect([...new Set(filledIn)].sort()).toEqual([
    'idOrKey=status',
    'idOrName=Meeting',
    'name=work',
    'nameOrId=Books',
    'q=operations',
    'structure=Books',
  ])
})
