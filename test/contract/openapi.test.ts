import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { WEB_TYPES, webTypes } from '../../scripts/web-types.ts'
import { OPERATORS_OF } from '../../src/filter/record/operators.ts'
import { TAG_OPERATORS, TREE_OPERATORS_OF } from '../../src/filter/tree/operators.ts'
import { newFolder } from '../support/process.ts'
import { startService, type TestService } from '../support/service.ts'

const ROOT = join(import.meta.dir, '..', '..')
let folder: ReturnType<typeof newFolder>
let service: TestService

beforeAll(async () => {
  folder = newFolder()
  symlinkSync(join(ROOT, 'node_modules'), folder.file('node_modules'))
  service = await startService()
  const { body } = await service.as(undefined).get('/openapi.json')
  await Bun.write(folder.file('openapi.json'), JSON.stringify(body))
})
afterAll(() => {
  service.close()
  folder.remove()
})

/** The linter asks nobody for newer versions and reports to nobody. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Runs a tool of the project in the temporary folder; answers its exit code and all it said. */
async function run(tool: string, ...args: string[]) {
  const command = [process.execPath, join(ROOT, 'node_modules', tool), ...args]
  const child = Bun.spawn(command, {
    cwd: folder.path,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...Bun.env, ...QUIET },
  })
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, said: said.join('') }
}

/** Paths with a literal segment where another path has a parameter. */
const FORCED = new Set(['no-ambiguous-paths'])

/** A program as a user of the generated types would write it. */
const PROGRAM = `
import type { components, paths } from './client.ts'

type Json<Body> = Body extends { content: { 'application/json': infer Value } } ? Value : never

const body: Json<paths['/v1/notes']['post']['requestBody']> = { title: 'Tea', tags: ['home'], alias: null }
const query: paths['/v1/notes']['get']['parameters']['query'] = { sort: 'title', direction: 'asc', limit: 20 }

async function call<Answer>(path: string, init?: RequestInit): Promise<Answer> {
  return (await fetch(path, init)).json()
}

export async function tour() {
  type Created = Json<paths['/v1/notes']['post']['responses'][201]>
  type Listed = Json<paths['/v1/notes']['get']['responses'][200]>
  const { note, properties_error } = await call<Created>('/v1/notes', { body: JSON.stringify(body) })
  const { notes, total, has_more } = await call<Listed>('/v1/notes?sort=' + query?.sort)
  const error: components['schemas']['Error'] = { error: 'No.', code: 'name_taken' }
  const titles: string[] = notes.map(({ title, alias }) => alias ?? title)
  const why: string | undefined = properties_error?.error
  const more: [number, boolean] = [total, has_more]
  return { id: note.id.length, snippet: note.snippet?.length, titles, why, more, error }
}

// @ts-expect-error a title is required
export const withoutTitle: typeof body = { content: 'x' }
// @ts-expect-error there is no such order
export const wrongOrder: typeof query = { sort: 'colour' }
// @ts-expect-error there is no such code
export const wrongCode: components['schemas']['Error']['code'] = 'oops'
`

interface Described {
  operationId: string
  summary: string
  description?: string
}

describe('the OpenAPI document', () => {
  test('passes the recommended rules of a public linter', async () => {
    const { said } = await run(
      '@redocly/cli/bin/cli.js',
      'lint',
      'openapi.json',
      '--format=json',
      '--extends=recommended',
    )
    const report = JSON.parse(said.slice(said.indexOf('{\n'), said.lastIndexOf('}') + 1))
    const problems = report.problems as { ruleId: string; message: string }[]
    expect(problems.filter(({ ruleId }) => !FORCED.has(ruleId))).toEqual([])
    expect(report.totals.errors).toBe(0)
  }, 60_000)

  test('says which version it has and under which licence', async () => {
    const document = await Bun.file(folder.file('openapi.json')).json()
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toEqual({
      title: 'daybook',
      version: '1.0.0',
      description: expect.any(String),
      contact: { name: 'Whoever runs this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    })
  })

  test('names what generators of clients need by name', async () => {
    const { paths, components } = await Bun.file(folder.file('openapi.json')).json()
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

  test('says of every operation more than its summary', async () => {
    const { paths } = await Bun.file(folder.file('openapi.json')).json()
    const operations = Object.values<Record<string, Described>>(paths).flatMap((item) => Object.values(item))
    expect(operations.length).toBeGreaterThanOrEqual(80)
    const silent = operations.filter(
      ({ summary, description = '' }) => !description || description === summary,
    )
    expect(silent.map(({ operationId }) => operationId)).toEqual([])
  })

  test('lists the operators of every kind of field, property and note field', async () => {
    const { paths } = await Bun.file(folder.file('openapi.json')).json()
    const rowOf = (text: string, kind: string) =>
      text
        .split('\n')
        .find((line) => new RegExp(`^\\|[^|]*\`${kind.replace('*', '\\*')}\`[^|]*\\|`).test(line)) ?? ''
    const operatorsIn = (text: string, kind: string) =>
      [...(rowOf(text, kind).split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')
    const rows = paths['/v1/records'].get.description
    for (const [kind, operators] of Object.entries(OPERATORS_OF))
      expect([kind, operatorsIn(rows, kind)]).toEqual([kind, [...operators]])
    const tree = paths['/v1/notes/query'].post.description
    for (const [kind, operators] of Object.entries(TREE_OPERATORS_OF))
      expect([kind, operatorsIn(tree, kind)]).toEqual([kind, [...operators]])
    expect(operatorsIn(tree, 'title')).toEqual([...TREE_OPERATORS_OF.text])
    expect(operatorsIn(tree, 'updated_at')).toEqual([...TREE_OPERATORS_OF.date])
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
  ])('publishes the rule by which the service judges the tag %j', async (tag, isAllowed) => {
    const { paths } = await Bun.file(folder.file('openapi.json')).json()
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
    const { paths } = await Bun.file(folder.file('openapi.json')).json()
    const parameters = paths['/v1/notes'].get.parameters as { name: string; schema: object }[]
    const { schema } = parameters.find(({ name }) => name === 'offset') ?? {}
    expect(schema).toEqual({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })
    expect((await service.get(`/v1/notes?offset=${offset}`)).status).toBe(status)
  })

  test('has the types that the application is checked with (`bun run web-types` writes them)', async () => {
    const document = await Bun.file(folder.file('openapi.json')).json()
    expect(await Bun.file(join(ROOT, WEB_TYPES)).text()).toBe(await webTypes(document))
  })

  test('generates a client whose types hold good use and refuse bad', async () => {
    const generated = await run('openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'client.ts')
    expect(generated.exitCode).toBe(0)
    await Bun.write(folder.file('program.ts'), PROGRAM)
    const strictly = [
      '--strict',
      '--noEmit',
      '--allowImportingTsExtensions',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
    ]
    const { said } = await run(
      'typescript/bin/tsc',
      ...strictly,
      '--target',
      'ESNext',
      '--module',
      'ESNext',
      '--moduleResolution',
      'bundler',
      'program.ts',
    )
    expect(said).toBe('')
  }, 60_000)
})
