import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts'
import type { Access, Covers } from '../../../src/kernel/caller.ts'
import { requestOf } from '../../contract/requests.ts'
import { makeSamples, type Samples } from '../../contract/samples.ts'
import { ENDPOINTS, type Endpoint } from '../../contract/specification.ts'
import { openApiDocument } from '../../support/openapi.ts'
import { routesOf } from '../../support/routes.ts'
import { type Client, startService, type TestService } from '../../support/service.ts'

/*
 * Every endpoint, called with keys that cannot access a kind of objects. The coverage of each resource is repeated
 * here, so that every new endpoint must declare it.
 */

let service: TestService
let samples: Samples
let document: OpenApiDocument
let covers: ReadonlyMap<string, Covers>

beforeAll(async () => {
  service = await startService()
  document = await openApiDocument()
  samples = await makeSamples(service)
  const braced = (path: string) => path.replace(/:(\w+)/g, '{$1}')
  covers = new Map(
    routesOf(service.app).map(({ method, path, covers }) => [`${method} ${braced(path)}`, covers]),
  )
})
afterAll(() => service.close())

const keyed = ENDPOINTS.filter(({ path }) => path.startsWith('/v1/'))
/** Whether the response ends; `notes/presence.test.ts` covers hidden notes. */
const endsItself = ({ method, path }: Endpoint) => !(method === 'GET' && /\/(?:watch|presence)$/.test(path))
const coversOf = ({ method, path }: Endpoint): Covers | undefined => covers.get(`${method} ${path}`)

test('every endpoint declares the kinds that it covers', () => {
  expect([...covers].filter(([, kind]) => kind === undefined)).toEqual([])
  const resources = Map.groupBy(keyed, ({ path }) => path.split('/')[2] ?? '')
  const covered = [...resources].map(([name, endpoints]) => [name, [...new Set(endpoints.map(coversOf))]])
  expect(Object.fromEntries(covered)).toEqual({
    me: ['several'],
    workspace: ['several'],
    notes: ['notes'],
    tags: ['notes'],
    properties: ['notes'],
    presets: ['notes'],
    views: ['notes'],
    lenses: ['notes'],
    graph: ['notes'],
    'quick-access': ['notes'],
    records: ['structures'],
    webhooks: ['structures'],
    shares: ['several'],
    sources: ['structures'],
    files: ['files'],
    comments: ['several'],
    inbox: ['several'],
    search: ['several'],
    changes: ['several'],
  })
})

const idsOf = (all: Samples, names: readonly string[]) => names.map((name) => all[name] ?? 'no sample')

interface Hidden {
  readonly access: Access
  /** Ids of the kind, and texts that occur only in it. */
  readonly texts: (samples: Samples) => string[]
}

const HIDDEN: Record<'notes' | 'files' | 'structures', Hidden> = {
  notes: {
    access: { notes: 'none' },
    texts: (all) => [
      ...idsOf(all, [
        'notes/{id}',
        'views/{id}',
        'lenses/{id}',
        'presets/{idOrName}',
        'properties/{idOrKey}',
      ]),
      ...idsOf(all, ['quick-access/{id}', 'revisions/{revisionId}', 'files/{id}', 'comments/{id}']),
      'Meeting',
      'Engines',
    ],
  },
  files: { access: { files: 'none' }, texts: (all) => [...idsOf(all, ['files/{id}']), 'operations'] },
  structures: {
    access: { structures: { '*': 'none' } },
    texts: (all) => [
      ...idsOf(all, [
        'structures/{nameOrId}',
        'records/{id}',
        'webhooks/{id}',
        'deliveries/{deliveryId}',
        'sources/{id}',
        'records/views/{id}',
      ]),
      'Errands',
      'Buy tea',
    ],
  },
}

const CREATES = [403, 'no_access'] as const
const GONE = [404, 'not_found'] as const
const EMPTY = [200, undefined] as const

/** The expected response of an endpoint that covers hidden objects. */
function expected({ path, needsWrite }: Endpoint, names: boolean) {
  if (path.includes('{') || names) return GONE
  return needsWrite ? CREATES : EMPTY
}

describe.each(Object.entries(HIDDEN))('with %s hidden', (kind, { access, texts }) => {
  let client: Client
  beforeAll(async () => {
    client = service.as(await service.newKey({ access }))
  })

  test('no endpoint shows hidden objects; they are not found by id, and cannot be created', async () => {
    const before = (await service.get('/v1/changes?before=now')).body
    const wrong: unknown[] = []
    for (const endpoint of keyed.filter(endsItself)) {
      const isCovered = coversOf(endpoint) === kind
      if (endpoint.needsWrite && !isCovered) continue
      const { path, body: sent } = requestOf(document, endpoint, samples)
      const { status, body } = await client.request(
        endpoint.method,
        path,
        endpoint.method === 'GET' ? undefined : (sent ?? {}),
      )
      const request = `${path}${JSON.stringify(sent)}`
      const text = JSON.stringify(body)
      const shown = texts(samples).filter((one) => text.includes(one) && !request.includes(one))
      const names = request.includes('structure=') || request.includes('"structure":')
      const [wantedStatus, wantedCode] = isCovered ? expected(endpoint, names) : EMPTY
      if (shown.length > 0 || (isCovered && (status !== wantedStatus || body.code !== wantedCode)))
        wrong.push([endpoint.method, endpoint.path, status, body, shown])
      else if (status >= 500 || (!isCovered && ![200, 404].includes(status)))
        wrong.push([endpoint.method, endpoint.path, status, body])
    }
    expect(wrong).toEqual([])
    expect((await service.get('/v1/changes?before=now')).body).toEqual(before)
  })
})

/** Writes of `several` that change an object of the kind. */
const ALSO_CHANGING: Readonly<Record<string, readonly string[]>> = {
  notes: ['createShare', 'applyChanges'],
  structures: ['undo', 'applyChanges'],
}
const REFUSED = [403, 'no_access'] as const

const operationOf = ({ method, path }: Endpoint): string =>
  document.paths[path]?.[method.toLowerCase()]?.operationId ?? ''

async function send(client: Client, endpoint: Endpoint) {
  const { path, body: sent } = requestOf(document, endpoint, samples)
  const body = endpoint.method === 'GET' ? undefined : (sent ?? {})
  return {
    request: `${path}${JSON.stringify(sent)}`,
    ...(await client.request(endpoint.method, path, body)),
  }
}

const reads = keyed.filter((endpoint) => !endpoint.needsWrite && endsItself(endpoint))

/** URLs that grant access to anyone who knows them, or receive events, appear only for callers with write access to the object. */
const withoutUrls = (body: unknown): string =>
  JSON.stringify(body).replace(
    /"url":"(?:http:\/\/localhost\/(?:s|f|in)|https:\/\/books\.example\.com)\/[^"]*"/g,
    '"url":null',
  )

const PARTIAL: [string, string, Access][] = [
  ['notes', 'read', { notes: 'read' }],
  ['files', 'read', { files: 'read' }],
  ['structures', 'read', { structures: { '*': 'read' } }],
  ['structures', 'add', { structures: { '*': 'add' } }],
]

test.each(PARTIAL)('with %s to "%s" every write is refused in the same way', async (kind, level, access) => {
  const client = service.as(await service.newKey({ access }))
  const before = (await service.get('/v1/changes?before=now')).body
  const wrong: unknown[] = []
  for (const endpoint of keyed.filter(({ needsWrite }) => needsWrite)) {
    const operation = operationOf(endpoint)
    const isOfKind = coversOf(endpoint) === kind || ALSO_CHANGING[kind]?.includes(operation)
    if (!isOfKind || (level === 'add' && operation === 'writeRecords')) continue
    const { status, body } = await send(client, endpoint)
    const [wanted, code] = level === 'add' && operation === 'undo' ? GONE : REFUSED
    if (status !== wanted || body.code !== code) wrong.push([operation, status, body])
  }
  expect(wrong).toEqual([])
  expect((await service.get('/v1/changes?before=now')).body).toEqual(before)
})

const READABLE = PARTIAL.filter(([, level]) => level === 'read')

test.each(READABLE)('with %s to "%s" every read is as with a full key', async (_, __, access) => {
  const client = service.as(await service.newKey({ access }))
  const wrong: unknown[] = []
  for (const endpoint of reads.filter(({ path }) => path !== '/v1/me')) {
    const [full, { status, body }] = [await send(service, endpoint), await send(client, endpoint)]
    if (status !== full.status || withoutUrls(body) !== withoutUrls(full.body))
      wrong.push([operationOf(endpoint), body, full.body])
  }
  expect(wrong).toEqual([])
})

test('a caller who may only add rows reads the definition of a structure, and nothing else of it', async () => {
  const client = service.as(await service.newKey({ access: { structures: { '*': 'add' } } }))
  const known = ['Errands', samples['structures/{nameOrId}']]
  const hidden = HIDDEN.structures.texts(samples).filter((text) => !known.includes(text))
  const wrong: unknown[] = []
  for (const endpoint of reads) {
    const operation = operationOf(endpoint)
    const { request, status, body } = await send(client, endpoint)
    const text = JSON.stringify(body)
    const shown = hidden.filter((one) => text.includes(one) && !request.includes(one))
    const isDefinition = ['listStructures', 'getStructure'].includes(operation)
    const isNamed = endpoint.path.includes('{') || request.includes('structure=')
    const [wanted, code] =
      coversOf(endpoint) === 'structures' && isNamed && !isDefinition ? REFUSED : [status, body.code]
    if (shown.length > 0 || status !== wanted || body.code !== code) wrong.push([operation, status, body])
    if (isDefinition && (status !== 200 || text.includes('record_count'))) wrong.push([operation, body])
  }
  expect(wrong).toEqual([])
})
