import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/document.ts'
import { connectAgent } from '../support/agent.ts'
import { contentOf, isChanged } from '../support/content.ts'
import { openApiDocument } from '../support/openapi.ts'
import { indexAll } from '../support/search-tables.ts'
import { type Client, startService, type TestService } from '../support/service.ts'
import { filled, makeSamples, placeOf, type Samples } from './samples.ts'
import { ENDPOINTS, type Endpoint } from './specification.ts'

/*
 * Two workspaces, each with one object of every kind. A key of one workspace names an object of the other in every
 * parameter that accepts a name or an id.
 */

/** The key under test; `ownSamples` are the objects of its workspace. */
let own: Client
let ownSamples: Samples
/** The objects of the other workspace. */
let foreign: Client
let foreignSamples: Samples

const FOREIGN_TAG = 'only in the other'

/** Started here instead of in `beforeAll`, because the document determines the tests. */
const service: TestService = await startService()
const document: OpenApiDocument = await openApiDocument()

beforeAll(async () => {
  foreign = service
  const samples = await samplesWithKey(foreign)
  await foreign.post(`/v1/notes/${samples['notes/{id}']}/tags`, { tags: [FOREIGN_TAG] })
  foreignSamples = { ...samples, 'tags/{name}': FOREIGN_TAG }
  own = service.as(await service.newWorkspace('Own'))
  ownSamples = await samplesWithKey(own)
  // A read would index the notes that are pending.
  await indexAll(service.ctx)
})
afterAll(() => service.close())

async function samplesWithKey(client: Client): Promise<Samples> {
  const { body } = await client.get('/v1/me')
  return { ...(await makeSamples(service, client)), 'keys/{id}': body.key.id }
}

interface Parameter {
  name: string
  in: string
  required: boolean
  example?: unknown
}

interface Body {
  schema: { properties?: Record<string, unknown> }
  example: Record<string, unknown>
}

const operationOf = ({ method, path }: Endpoint): OpenApiOperation | undefined =>
  document.paths[path]?.[method.toLowerCase()]

const bodyOf = (endpoint: Endpoint): Body | undefined =>
  (operationOf(endpoint)?.requestBody as { content: Record<string, Body> } | undefined)?.content[
    'application/json'
  ]

const queryOf = (endpoint: Endpoint) =>
  ((operationOf(endpoint)?.parameters ?? []) as Parameter[]).filter((parameter) => parameter.in === 'query')

const isStream = (endpoint: Endpoint) => {
  const success = operationOf(endpoint)?.responses[200] as { content?: object } | undefined
  return 'text/event-stream' in (success?.content ?? {})
}

/** Members and query parameters that name an object, with the statuses for an unknown one. */
const REFERENCES: Readonly<
  Record<string, { value: (samples: Samples) => unknown; statuses: readonly number[] }>
> = {
  structure: { value: (samples) => samples['structures/{nameOrId}'], statuses: [404] },
  record_id: { value: (samples) => samples['records/{id}'], statuses: [400, 404] },
  note_id: { value: (samples) => samples['notes/{id}'], statuses: [404] },
  target_id: { value: (samples) => samples['notes/{id}'], statuses: [404] },
  file_id: { value: (samples) => samples['files/{id}'], statuses: [404] },
  linked_tag_ids: { value: (samples) => [Number(samples['tags/{id}'])], statuses: [400, 404] },
  event_id: { value: (samples) => samples['events/{eventId}'], statuses: [400, 404] },
  view: { value: (samples) => samples['records/views/{id}'], statuses: [404] },
  ignore_key_id: { value: (samples) => samples['keys/{id}'], statuses: [400, 404] },
}

/** An id from an outside service does not name an object of daybook. */
const namesObject = (member: string) =>
  member === 'structure' || member === 'view' || (/_ids?$/.test(member) && member !== 'external_id')

/** Replaces references of an example, because their objects do not exist for the caller. */
function bodyWith(endpoint: Endpoint, samples: Samples, changes: Record<string, unknown> = {}): unknown {
  const body = bodyOf(endpoint)
  if (!body) return endpoint.method === 'GET' ? undefined : {}
  const members = Object.entries(body.example).map(([name, value]) => [
    name,
    REFERENCES[name]?.value(samples) ?? value,
  ])
  return { ...Object.fromEntries(members), ...changes }
}

function queryWith(endpoint: Endpoint, samples: Samples, changes: Record<string, string> = {}): string {
  const isWanted = ({ name, required }: Parameter) =>
    required ||
    (name === 'structure' && endpoint.path.startsWith('/v1/records')) ||
    (name === 'note_id' && endpoint.path === '/v1/comments') ||
    name === 'group_by'
  const values = queryOf(endpoint)
    .filter(isWanted)
    .map(({ name, example }) => [name, REFERENCES[name]?.value(samples) ?? example ?? 'done'])
  const query = new URLSearchParams({ ...Object.fromEntries(values), ...changes })
  return query.size === 0 ? '' : `?${query}`
}

const keyed = ENDPOINTS.filter(({ path }) => path.startsWith('/v1/'))
const reads = () => keyed.filter((endpoint) => endpoint.method === 'GET' && !isStream(endpoint))

/** Everything that a client can read of its workspace. */
async function everything(client: Client, samples: Samples): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const endpoint of reads()) {
    const { body } = await client.get(filled(endpoint.path, samples) + queryWith(endpoint, samples))
    answers.push([endpoint.path, body])
  }
  return answers
}

async function expectUnknown(
  statuses: readonly number[],
  endpoint: Endpoint,
  target: string,
  body: unknown,
): Promise<void> {
  const before = contentOf(service)
  const answer = await own.request(endpoint.method, target, body)
  expect([answer.status, statuses.includes(answer.status), answer.body]).toEqual([
    answer.status,
    true,
    { error: expect.any(String), code: answer.status === 404 ? 'not_found' : expect.any(String) },
  ])
  expect(isChanged(before, contentOf(service))).toBe(false)
}

/** Every position in every path that names an object; the other objects on the path belong to the caller. */
const places = keyed.flatMap((endpoint) =>
  endpoint.path.split('/').flatMap((segment, at, segments) => {
    if (!segment.startsWith('{')) return []
    return [[`${endpoint.method} ${endpoint.path}`, placeOf(segments, at), endpoint] as const]
  }),
)

describe('an object of another workspace in a path', () => {
  test.each(places)('%s, %s', async (_, key, endpoint) => {
    const samples = { ...ownSamples, [key]: foreignSamples[key] ?? 'there is no sample' }
    const target = filled(endpoint.path, samples) + queryWith(endpoint, ownSamples)
    await expectUnknown([404], endpoint, target, bodyWith(endpoint, ownSamples))
  })
})

const named = keyed.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

const referencesInQuery = (endpoint: Endpoint) =>
  queryOf(endpoint)
    .map(({ name }) => name)
    .filter(namesObject)
const membersOf = (endpoint: Endpoint) => Object.keys(bodyOf(endpoint)?.schema.properties ?? {})
const referencesInBody = (endpoint: Endpoint) => membersOf(endpoint).filter(namesObject)

describe('an object of another workspace in a query or a body', () => {
  const referring = named.filter(
    ([, endpoint]) => referencesInQuery(endpoint).length + referencesInBody(endpoint).length > 0,
  )

  test('is tested where there is one', () => {
    expect(referring.length).toBeGreaterThan(4)
  })

  test.each(referring)('%s', async (_, endpoint) => {
    const path = filled(endpoint.path, ownSamples)
    for (const name of referencesInQuery(endpoint)) {
      const { value, statuses } = REFERENCES[name] ?? { value: () => 'not in the list', statuses: [] }
      const query = queryWith(endpoint, ownSamples, { [name]: String(value(foreignSamples)) })
      await expectUnknown(statuses, endpoint, path + query, bodyWith(endpoint, ownSamples))
    }
    for (const name of referencesInBody(endpoint)) {
      const { value, statuses } = REFERENCES[name] ?? { value: () => 'not in the list', statuses: [] }
      const body = bodyWith(endpoint, ownSamples, { [name]: value(foreignSamples) })
      await expectUnknown(statuses, endpoint, path + queryWith(endpoint, ownSamples), body)
    }
  })

  /** Members that contain filter trees, except where the endpoint takes a flat record filter. */
  const TREES = ['filter', 'scope']
  const isFlat = ({ path }: Endpoint) => /^\/v1\/(webhooks|records)/.test(path)

  const treesIn = (endpoint: Endpoint) =>
    isFlat(endpoint) ? [] : TREES.filter((name) => membersOf(endpoint).includes(name))
  const withTree = named.filter(([, endpoint]) => treesIn(endpoint).length > 0)

  test('is tested in trees too', () => {
    expect(withTree.length).toBeGreaterThan(2)
  })

  test.each(withTree)('%s, within a tree', async (_, endpoint) => {
    const members = treesIn(endpoint)
    const leaves = [
      { type: 'tags', op: 'has_any', tag_ids: [Number(foreignSamples['tags/{id}'])] },
      { type: 'property', def_id: foreignSamples['properties/{idOrKey}'], op: 'not_empty' },
    ]
    for (const member of members) {
      for (const leaf of leaves) {
        const tree = { type: 'group', match: 'none', children: [leaf] }
        const body = bodyWith(endpoint, ownSamples, { [member]: tree })
        await expectUnknown([400], endpoint, filled(endpoint.path, ownSamples), body)
      }
    }
  })
})

describe('an object of another workspace', () => {
  test('is in no list and no response', async () => {
    const ids = Object.values(foreignSamples).filter((sample) => sample.length === 36)
    expect(ids.length).toBeGreaterThan(4)
    const answers = JSON.stringify(await everything(own, ownSamples))
    expect(answers.length).toBeGreaterThan(1_000)
    expect(ids.filter((id) => answers.includes(id))).toEqual([])
  })

  test('does not prevent one with the same name', async () => {
    const { body } = await own.get('/v1/records/structures/Errands')
    expect(body.structure.id).toBe(ownSamples['structures/{nameOrId}'])
    const { body: property } = await own.get('/v1/properties/due')
    expect(property.property.id).toBe(ownSamples['properties/{idOrKey}'])
  })

  test('cannot be referenced by a record', async () => {
    const fields = [
      { key: 'about', type: 'note' },
      { key: 'after', type: 'record' },
      { key: 'source', type: 'file' },
    ]
    const { body } = await own.post('/v1/records/structures', { name: 'References', fields })
    const references = {
      about: foreignSamples['notes/{id}'],
      after: foreignSamples['records/{id}'],
      source: foreignSamples['files/{id}'] ?? foreignSamples['notes/{id}'],
    }
    for (const [key, value] of Object.entries(references)) {
      const answer = await own.post('/v1/records', {
        structure: body.structure.id,
        data: { [key]: value },
      })
      expect([answer.status, answer.body.code]).toEqual([400, 'refused'])
    }
    expect((await own.get('/v1/records?structure=References')).body.total).toBe(0)
  })

  test('is not found by a link or a search', async () => {
    const { body: made } = await own.post('/v1/notes', {
      title: 'Links',
      content: `[[${foreignSamples['notes/{id}']}]] and [[Meeting with nobody]]`,
    })
    await foreign.post('/v1/notes', { title: 'Meeting with nobody', content: 'Xylophone' })
    const { body } = await own.get(`/v1/notes/${made.note.id}/links`)
    expect(body.outgoing.map(({ note }: { note: unknown }) => note)).toEqual([null, null])
    expect((await own.get('/v1/notes?search=xylophone')).body.total).toBe(0)
  })
})

describe('no tool of an agent', () => {
  /** Calls each tool with an object of the other workspace in every position that names an object. */
  const NAMING: Readonly<Record<string, (samples: Samples) => Record<string, unknown>[]>> = {
    search: (samples) => [{ query: 'Cards' }, { query: 'tea', structure: samples['structures/{nameOrId}'] }],
    list_notes: (samples) => [
      {},
      { view: samples['views/{id}'] },
      { filter: { type: 'tags', op: 'has_all', tag_ids: [Number(samples['tags/{id}'])] } },
      { filter: { type: 'property', def_id: samples['properties/{idOrKey}'], op: 'not_empty' } },
    ],
    read_note: (samples) => [{ note: samples['notes/{id}'] }],
    read_file: (samples) => [{ file: samples['files/{id}'] }],
    describe: (samples) => [{}, { structure: samples['structures/{nameOrId}'] }],
    query_records: (samples) => [{ structure: samples['structures/{nameOrId}'] }],
    summarize: (samples) => [{ structure: samples['structures/{nameOrId}'] }],
    changes: () => [{}],
    history: (samples) => [{ record: samples['records/{id}'] }],
    create_note: (samples) => [{ title: 'Mine', preset: samples['presets/{idOrName}'] }],
    edit_note: (samples) => [{ note: samples['notes/{id}'], append: { text: 'x' } }],
    update_note: (samples) => [{ note: samples['notes/{id}'], title: 'Taken' }],
    write_records: (samples) => [
      { structure: samples['structures/{nameOrId}'], rows: [{ data: {} }] },
      { structure: 'Errands', rows: [{ id: samples['records/{id}'], data: { what: 'x' } }] },
    ],
    delete: (samples) => [
      { kind: 'note', id: samples['notes/{id}'] },
      { kind: 'record', id: samples['records/{id}'] },
    ],
    undo: () => [{ transaction: foreignTransaction }],
  }

  /** The id of the foreign workspace's last change. */
  let foreignTransaction: string

  test('reads or changes anything of another workspace', async () => {
    const state = async () => (await foreign.get('/v1/changes?before=now&limit=1000')).body.changes
    const before = await state()
    foreignTransaction = before[0].transaction
    const ids = new Set(
      before.map(({ id }: { id: unknown }) => String(id)).filter((id: string) => id.includes('-')),
    )
    const agent = await connectAgent(service.app, own.key)
    const { tools } = await agent.client.listTools()
    expect(Object.keys(NAMING).toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
    for (const [tool, inputs] of Object.entries(NAMING)) {
      for (const input of inputs(foreignSamples)) {
        const { text, data, isError } = await agent.call(tool, input)
        const named = Object.values(input).map(String)
        const found = [...ids].filter(
          (id) => !named.includes(String(id)) && `${text}${JSON.stringify(data)}`.includes(String(id)),
        )
        expect([tool, input, found]).toEqual([tool, input, []])
        if (JSON.stringify(input).includes('-7')) expect([tool, input, isError]).toEqual([tool, input, true])
      }
    }
    const uri = `daybook://notes/${foreignSamples['notes/{id}']}`
    await expect(agent.client.readResource({ uri })).rejects.toThrow()
    await agent.close()
    expect(await state()).toEqual(before)
  })
})
