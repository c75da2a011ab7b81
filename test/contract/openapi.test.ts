import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { WEB_TYPES, webTypes } from '../../scripts/dev/web-types.ts'
import { NOTE_OPERATORS, ROW_OPERATORS, TAG_OPERATORS } from '../../src/filter/operators.ts'
import { startService, type TestService } from '../support/service.ts'

const ROOT = join(import.meta.dir, '..', '..')
let service: TestService
// biome-ignore lint/suspicious/noExplicitAny: the document is judged by what the test expects of it
let document: any

beforeAll(async () => {
  service = await startService()
  document = (await service.as(undefined).get('/openapi.json')).body
})
afterAll(() => service.close())

interface Described {
  operationId: string
  summary: string
  description?: string
}

interface PublishedSchema {
  type?: string | string[]
  format?: string
  const?: unknown
  examples?: unknown[]
  example?: unknown
  anyOf?: PublishedSchema[]
  oneOf?: PublishedSchema[]
}

/** Yields every object of the document, including schemas, with its position. */
function* schemasIn(value: unknown, place = ''): Generator<[place: string, schema: PublishedSchema]> {
  if (typeof value !== 'object' || value === null) return
  yield [place, value]
  for (const [name, member] of Object.entries(value)) yield* schemasIn(member, `${place}/${name}`)
}

describe('the OpenAPI document', () => {
  test('names its version and licence', async () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toEqual({
      title: 'daybook',
      version: '1.0.0',
      description: expect.any(String),
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    })
  })

  test('names the schemas that client generators need', async () => {
    const { paths, components } = document
    const { FilterTree } = components.schemas
    const nodes = ['FilterGroup', 'TagsCondition', 'PropertyCondition', 'FieldCondition']
    const references = nodes.map((name) => `#/components/schemas/${name}`)
    expect(FilterTree.oneOf).toEqual(references.map(($ref) => ({ $ref })))
    expect(Object.values(FilterTree.discriminator.mapping)).toEqual(references)
    const { post } = paths['/v1/records']
    expect(post.requestBody.content['application/json'].schema.oneOf).toEqual([
      { $ref: '#/components/schemas/WriteRow' },
      { $ref: '#/components/schemas/WriteRows' },
    ])
    const { event } = paths['/v1/webhooks'].post.callbacks
    const { content } = event['{$request.body#/url}'].post.requestBody
    expect(content['application/json'].schema).toEqual({ $ref: '#/components/schemas/DeliveredEvent' })
  })

  test('writes every choice as an enum, which generated clients read and a union of constants is not', () => {
    const unions = [...schemasIn(document)].filter(([, { anyOf, oneOf }]) => {
      const alternatives = anyOf ?? oneOf
      return alternatives?.every((one) => one.const !== undefined || one.type === 'null')
    })
    expect(unions.map(([place]) => place)).toEqual([])
  })

  test('marks every text whose example is an instant as one', () => {
    const isInstant = (value: unknown) =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
    const texts = [...schemasIn(document)].filter(([, { type }]) => [type].flat().includes('string'))
    const instants = texts.filter(([, { examples, example }]) => [examples, example].flat().some(isInstant))
    expect(instants.length).toBeGreaterThan(20)
    const unsaid = instants.filter(([, { format }]) => format !== 'date-time')
    expect(unsaid.map(([place]) => place)).toEqual([])
  })

  test('omits webhooks for generators that fail at them', async () => {
    const { webhooks, ...others } = document
    expect(Object.keys(webhooks).length).toBeGreaterThan(5)
    expect((await service.as(undefined).get('/openapi.json?webhooks=false')).body).toEqual(others)
    expect((await service.as(undefined).get('/openapi.json?webhooks=true')).body).toEqual(document)
    expect((await service.as(undefined).get('/openapi.json?webhooks=no')).status).toBe(400)
  })

  test('describes every operation beyond its summary', async () => {
    const { paths } = document
    const operations = Object.values<Record<string, Described>>(paths).flatMap((item) => Object.values(item))
    expect(operations.length).toBeGreaterThanOrEqual(80)
    const silent = operations.filter(
      ({ summary, description = '' }) => !description || description === summary,
    )
    expect(silent.map(({ operationId }) => operationId)).toEqual([])
  })

  test('lists the operators of every kind of field, property and note field', async () => {
    const { paths } = document
    const rowOf = (text: string, kind: string) =>
      text
        .split('\n')
        .find((line) => new RegExp(`^\\|[^|]*\`${kind.replace('*', '\\*')}\`[^|]*\\|`).test(line)) ?? ''
    const operatorsIn = (text: string, kind: string) =>
      [...(rowOf(text, kind).split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')
    const rows = paths['/v1/records'].get.description
    for (const [kind, operators] of Object.entries(ROW_OPERATORS))
      expect([kind, operatorsIn(rows, kind)]).toEqual([kind, [...operators]])
    const tree = paths['/v1/notes/query'].post.description
    for (const [kind, operators] of Object.entries(NOTE_OPERATORS))
      expect([kind, operatorsIn(tree, kind)]).toEqual([kind, [...operators]])
    expect(operatorsIn(tree, 'title')).toEqual([...NOTE_OPERATORS.text])
    expect(operatorsIn(tree, 'updated_at')).toEqual([...NOTE_OPERATORS.date])
    expect(operatorsIn(tree, 'tags')).toEqual([...TAG_OPERATORS])
  })

  test.each([
    ['work', true],
    [' work ', true],
    ['', false],
    ['   ', false],
    ['a,b', false],
    ['a\nb', false],
    ['a\u0085b', false],
    ['名前', true],
    ['x'.repeat(100), true],
    ['x'.repeat(101), false],
  ])('publishes the rule by which the service validates the tag %j', async (tag, isAllowed) => {
    const { paths } = document
    const { schema } = paths['/v1/notes'].post.requestBody.content['application/json']
    const { pattern, maxLength } = schema.properties.tags.items
    expect(new RegExp(pattern, 'u').test(tag) && tag.length <= maxLength).toBe(isAllowed)
    const { status } = await service.post('/v1/notes', { title: 'Tea', tags: [tag] })
    expect(status).toBe(isAllowed ? 201 : 400)
  })

  test.each([
    [Number.MAX_SAFE_INTEGER, 200],
    [Number.MAX_SAFE_INTEGER + 1, 400],
    [-1, 400],
  ])('publishes the bounds of offset=%d', async (offset, status) => {
    const { paths } = document
    const parameters = paths['/v1/notes'].get.parameters as { name: string; schema: object }[]
    const { schema } = parameters.find(({ name }) => name === 'offset') ?? {}
    expect(schema).toEqual({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })
    expect((await service.get(`/v1/notes?offset=${offset}`)).status).toBe(status)
  })

  test('matches the types of the application (`bun run web-types` writes them)', async () => {
    expect(await Bun.file(join(ROOT, WEB_TYPES)).text()).toBe(await webTypes(document))
  })
})
