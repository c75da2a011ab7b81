import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Access, Covers } from '../../src/access/rights.ts'
import type { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { requestOf } from '../contract/requests.ts'
import { makeSamples, type Samples } from '../contract/samples.ts'
import { ENDPOINTS, type Endpoint } from '../contract/specification.ts'
import { openApiDocument } from '../support/openapi.ts'
import { routesOf } from '../support/routes.ts'
import { type Client, startService, type TestService } from '../support/service.ts'

/*
 * Every endpoint, called with keys that do not reach a kind of objects. What the endpoints of each resource cover is written
 * here once more, so that a new one has to say it.
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
const coversOf = ({ method, path }: Endpoint): Covers | undefined => covers.get(`${method} ${path}`)

test('every endpoint says what of a workspace it covers', () => {
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
    changes: ['several'],
  })
})

const idsOf = (all: Samples, names: readonly string[]) => names.map((name) => all[name] ?? 'no sample')

interface Hidden {
  readonly access: Access
  /** Ids of the kind, and texts that are in it alone. */
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
      ...idsOf(all, ['quick-access/{id}', 'revisions/{revisionId}', 'files/{id}']),
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

/** What an endpoint that covers what is hidden responds. */
function expected({ path, needsWrite }: Endpoint, names: boolean) {
  if (path.includes('{') || names) return GONE
  return needsWrite ? CREATES : EMPTY
}

describe.each(Object.entries(HIDDEN))('with %s hidden', (kind, { access, texts }) => {
  let client: Client
  beforeAll(async () => {
    client = service.as(await service.newKey({ access }))
  })

  test('no endpoint shows any of it; by id it is not found, and none is made', async () => {
    const before = (await service.get('/v1/changes?before=now')).body
    const wrong: unknown[] = []
    for (const endpoint of keyed.filter(({ path }) => !path.endsWith('/watch'))) {
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
