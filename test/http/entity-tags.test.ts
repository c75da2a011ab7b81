import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Answer, startService, type TestService } from '../support/service.ts'

/* Entity tags and preconditions (RFC 9110). */

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const conditional = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  service.request(method, path, body, headers)

interface Kind {
  readonly name: string
  /** Creates an object and returns its path. */
  create(name: string): Promise<string>
  /** A body of `PATCH` that changes the object. */
  patch(name: string): object
  readonly isDeletable?: false
}

const idOf = ({ status, body }: Answer): string => {
  expect(status).toBe(201)
  const [value] = Object.values(body).filter((one) => typeof one === 'object')
  const object = (Array.isArray(value) ? value[0] : value) as { id: string }
  return object.id
}

const posted = (path: string, body: (name: string) => object) => async (name: string) =>
  `${path}/${idOf(await service.post(path, body(name)))}`

const FIELDS = [{ key: 'name', type: 'text' }]

async function structure(name: string): Promise<string> {
  return idOf(await service.post('/v1/records/structures', { name, fields: FIELDS }))
}

const KINDS: readonly Kind[] = [
  { name: 'note', create: posted('/v1/notes', (title) => ({ title })), patch: (title) => ({ title }) },
  {
    name: 'record',
    create: async (name) =>
      `/v1/records/${idOf(await service.post('/v1/records', { structure: await structure(name), data: { name } }))}`,
    patch: (name) => ({ data: { name } }),
  },
  {
    name: 'structure',
    create: async (name) => `/v1/records/structures/${await structure(name)}`,
    patch: (name) => ({ name }),
    isDeletable: false,
  },
  {
    name: 'view',
    create: posted('/v1/views', (name) => ({ name })),
    patch: (name) => ({ name }),
  },
  {
    name: 'preset',
    create: posted('/v1/presets', (name) => ({ name, tags: ['a'] })),
    patch: (name) => ({ name }),
  },
  {
    name: 'webhook',
    create: posted('/v1/webhooks', () => ({ url: 'https://hooks.example.com/notes', kind: 'note' })),
    patch: () => ({ url: 'https://hooks.example.com/changed' }),
  },
  {
    name: 'source',
    create: async (name) =>
      `/v1/sources/${idOf(await service.post('/v1/sources', { name, structure: await structure(name), provider: 'none', options: { unverified: true }, map: { name: '/name' } }))}`,
    patch: (name) => ({ name }),
  },
  {
    name: 'row view',
    create: async (name) =>
      `/v1/records/views/${idOf(await service.post('/v1/records/views', { name, structure: await structure(name), kind: 'table' }))}`,
    patch: (name) => ({ name }),
  },
]

const FAILED = { code: 'precondition_failed', error: expect.any(String) }

describe.each(KINDS)('a $name', ({ name, create, patch, isDeletable = true }) => {
  test('has a tag that changes with the response alone, and needs no body when the tag is known', async () => {
    const path = await create(`${name} read`)
    const first = await service.get(path)
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[!#-~]+"$/)
    expect((await service.get(path)).headers.get('etag')).toBe(tag)
    expect((await conditional('HEAD', path, {})).headers.get('etag')).toBe(tag)
    for (const known of [tag, '*', `W/${tag}`, `"x" , ${tag}`, `${tag.slice(0, -1)}-zstd"`]) {
      const { status, headers, body } = await conditional('GET', path, { 'If-None-Match': known })
      expect([status, headers.get('etag'), headers.get('vary'), body]).toEqual([
        304,
        tag,
        'Accept-Encoding',
        '',
      ])
    }
    expect((await conditional('GET', path, { 'If-None-Match': '"x"' })).body).toEqual(first.body)
    service.clock.advance(1_000)
    expect((await service.patch(path, patch(`${name} changed`))).status).toBe(200)
    expect((await conditional('GET', path, { 'If-None-Match': tag })).status).toBe(200)
  })

  test('is changed only in the state that the caller has read', async () => {
    const path = await create(`${name} write`)
    const stale = (await service.get(path)).headers.get('etag') ?? ''
    service.clock.advance(1_000)
    const change = (headers: Record<string, string>, to: string) =>
      conditional('PATCH', path, headers, patch(`${name} ${to}`))
    expect((await change({ 'If-Match': `"x", ${stale}` }, 'one')).status).toBe(200)
    const current = await service.get(path)
    const tag = current.headers.get('etag') ?? ''
    for (const condition of [stale, `W/${tag}`, '""'])
      expect(await change({ 'If-Match': condition }, 'two')).toMatchObject({ status: 412, body: FAILED })
    for (const malformed of [tag.slice(1), `*, ${tag}`, '', ',', `${tag} ${tag}`])
      expect(await change({ 'If-Match': malformed }, 'two')).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
    expect((await service.get(path)).body).toEqual(current.body)
    const missing = path.replace(/[^/]+$/, '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60')
    expect((await conditional('PATCH', missing, { 'If-Match': '*' }, patch('x'))).status).toBe(404)
    expect((await conditional('PATCH', missing, { 'If-Match': 'x' }, patch('x'))).status).toBe(400)
    expect((await change({ 'If-Match': `${tag.slice(0, -1)}-gzip"` }, 'two')).status).toBe(200)
    expect((await change({ 'If-Match': '*' }, 'three')).status).toBe(200)
  })

  test.skipIf(!isDeletable)('is deleted only in the state that the caller has read', async () => {
    const path = await create(`${name} delete`)
    const tag = (await service.get(path)).headers.get('etag') ?? ''
    expect((await conditional('DELETE', path, { 'If-Match': '"x"' })).status).toBe(412)
    expect((await service.get(path)).status).toBe(200)
    expect((await conditional('DELETE', path, { 'If-Match': tag })).status).toBe(200)
    expect((await conditional('DELETE', path, { 'If-Match': '*' })).status).toBe(404)
  })
})

test('every change of a note supports a condition', async () => {
  const { note } = (await service.post('/v1/notes', { title: 'Parts', content: 'one' })).body
  await service.post('/v1/properties', { key: 'stage', type: 'text' })
  const path = `/v1/notes/${note.id}`
  const writes = [
    ['POST', `${path}/append`, { text: 'two' }],
    ['POST', `${path}/edit`, { old_str: 'one', new_str: 'three' }],
    ['POST', `${path}/tags`, { tags: ['a'] }],
    ['PATCH', `${path}/properties`, { stage: 'done' }],
  ] as const
  for (const [method, target, body] of writes) {
    const before = await service.get(path)
    expect(await conditional(method, target, { 'If-Match': '"x"' }, body)).toMatchObject({
      status: 412,
      body: FAILED,
    })
    expect((await service.get(path)).body).toEqual(before.body)
    service.clock.advance(1_000)
    const tag = before.headers.get('etag') ?? ''
    expect((await conditional(method, target, { 'If-Match': tag }, body)).status).toBe(200)
  }
})

test('a condition that an endpoint would ignore is refused', async () => {
  const { note } = (await service.post('/v1/notes', { title: 'Ignored' })).body
  for (const [method, path, body] of [
    ['POST', '/v1/notes', { title: 'x' }],
    ['POST', `/v1/notes/${note.id}/restore`, undefined],
    ['DELETE', '/v1/notes/trash', undefined],
    ['POST', '/v1/changes/undo', {}],
  ] as const) {
    const { status, body: refusal } = await conditional(method, path, { 'If-Match': '*' }, body)
    expect([status, refusal.code]).toEqual([400, 'invalid_request'])
  }
  expect((await conditional('GET', '/v1/notes', { 'If-Match': '"x"' })).status).toBe(200)
})

test('a repeated request gets its saved response before the condition is checked', async () => {
  const { note } = (await service.post('/v1/notes', { title: 'Once' })).body
  const path = `/v1/notes/${note.id}`
  const tag = (await service.get(path)).headers.get('etag') ?? ''
  service.clock.advance(1_000)
  const headers = { 'If-Match': tag, 'Idempotency-Key': 'entity-tags' }
  const first = await conditional('PATCH', path, headers, { content: 'a' })
  const again = await conditional('PATCH', path, headers, { content: 'a' })
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
  expect(again.body).toEqual(first.body)
})

test('form and access are checked before the condition, rules after it', async () => {
  const path = await (KINDS[1] as Kind).create('Order')
  const wrong = { 'If-Match': '"x"' }
  expect((await conditional('PATCH', path, wrong, { data: 5 })).status).toBe(400)
  expect((await conditional('PATCH', path, wrong, { data: { nothing: 'x' } })).status).toBe(412)
  const past = { data: { name: 'b' }, if_unchanged: '2001-01-01T00:00:00.000Z' }
  expect((await conditional('PATCH', path, wrong, past)).status).toBe(412)
  expect((await conditional('PATCH', path, { 'If-Match': '*' }, past)).status).toBe(409)
})

test('the OpenAPI document has a tag', async () => {
  const { headers } = await service.get('/openapi.json')
  const tag = headers.get('etag') ?? ''
  expect((await conditional('GET', '/openapi.json', { 'If-None-Match': tag })).status).toBe(304)
})
