import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await define('status', 'select', { options: ['open', 'done'] })
  await define('due', 'date')
  await define('cost', 'number')
  await define('meta', 'json')
})
afterEach(() => service.close())

const NOW = '2026-11-21T09:30:00.000Z'
const LATER = '2026-11-21T09:30:01.000Z'

const define = async (key: string, type: string, more: object = {}) =>
  (await service.post('/v1/properties', { key, type, ...more })).body.property

async function save(name: string, more: object = {}) {
  const { status, body } = await service.post('/v1/presets', { name, ...more })
  expect({ status, error: body.error }).toEqual({ status: 201, error: undefined })
  return body.preset
}

const everything = async () =>
  Promise.all(
    ['presets', 'tags', 'properties', 'notes', 'workspace'].map(
      async (list) => (await service.get(`/v1/${list}`)).body,
    ),
  )

/** Expects this refusal, and that nothing changed. */
async function expectRefused(
  method: string,
  path: string,
  body: unknown,
  [status, code, words]: [number, string, string],
) {
  const before = await everything()
  const answer = await service.request(method, path, body)
  expect([body, answer.status, answer.body]).toEqual([
    body,
    status,
    { error: expect.stringContaining(words), code },
  ])
  expect(await everything()).toEqual(before)
}

describe('a preset', () => {
  test('is returned in full, by id and by name', async () => {
    const { status, body } = await service.post('/v1/presets', {
      name: 'Meeting',
      tags: ['work', 'Ada', 'Work'],
      properties: [{ key: 'STATUS', value: 'open' }],
      ask: [{ key: 'due' }, { key: 'cost', value: 5 }],
      icon: 'book',
      color: '#1e90FF',
      is_pinned: true,
    })
    const preset = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Meeting',
      tags: ['Ada', 'work'],
      properties: [{ key: 'status', value: 'open' }],
      asks: [
        { key: 'due', value: null },
        { key: 'cost', value: 5 },
      ],
      icon: 'book',
      color: '#1e90FF',
      is_pinned: true,
      created_at: NOW,
      updated_at: NOW,
    }
    expect([status, body]).toEqual([201, { preset }])
    for (const name of [body.preset.id, 'Meeting', 'mEETING'])
      expect((await service.get(`/v1/presets/${name}`)).body).toEqual({ preset })
    expect((await service.get('/v1/workspace')).body.workspace.counts).toMatchObject({ presets: 1, tags: 2 })
    expect((await tagNamed(service, 'work')).note_count).toBe(0)
  })

  test('needs a name alone; presets are listed by name, ignoring case', async () => {
    await save('b')
    await save('A')
    await save('É')
    const { presets } = (await service.get('/v1/presets')).body
    const bare = { tags: [], properties: [], asks: [], icon: null, color: null, is_pinned: false }
    const common = { ...bare, id: expect.any(String), created_at: NOW, updated_at: NOW }
    expect(presets).toEqual(['A', 'b', 'É'].map((name) => ({ ...common, name })))
  })

  test('stores a json value unchanged, and an empty one as none', async () => {
    const { properties, asks } = await save('p', {
      properties: [
        { key: 'meta', value: { a: [1, null, 1e300, ''] } },
        { key: 'status', value: '' },
      ],
      ask: [
        { key: 'due', value: null },
        { key: 'cost', value: 0 },
      ],
    })
    expect(properties).toEqual([
      { key: 'meta', value: { a: [1, null, 1e300, ''] } },
      { key: 'status', value: null },
    ])
    expect(asks).toEqual([
      { key: 'due', value: null },
      { key: 'cost', value: 0 },
    ])
  })

  test('is refused, and nothing is created', async () => {
    await save('Taken', { properties: [{ key: 'status', value: 'open' }] })
    const cases: [object, [number, string, string]][] = [
      [{ name: 'taken' }, [409, 'name_taken', '"Taken"']],
      [{ name: '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60' }, [400, 'refused', 'form of an id']],
      [{ name: '01939F3E-7A5C-7000-8F1E-5B2C9D3E4F60' }, [400, 'refused', 'form of an id']],
      [{ name: '' }, [400, 'invalid_request', '"name"']],
      [{ tags: ['x'] }, [400, 'invalid_request', '"name" is required']],
      [{ name: 'p', tags: ['a,b'] }, [400, 'invalid_request', '"tags[0]"']],
      [{ name: 'p', asks: [] }, [400, 'invalid_request', '"asks" is not known']],
      [{ name: 'p', properties: [{ key: 'status' }] }, [400, 'invalid_request', '"properties[0].value"']],
      [{ name: 'p', ask: [{ key: 'due', extra: 1 }] }, [400, 'invalid_request', '"ask[0].extra"']],
      [
        { name: 'p', tags: ['new'], properties: [{ key: 'nope', value: 1 }] },
        [400, 'refused', '"properties[0].key" names "nope"'],
      ],
      [{ name: 'p', tags: ['new'], ask: [{ key: 'nope' }] }, [400, 'refused', '"ask[0].key" names "nope"']],
      [{ name: 'p', properties: [{ key: 'status', value: 'shut' }] }, [400, 'refused', '"open" and "done"']],
      [
        { name: 'p', ask: [{ key: 'due', value: '2026-02-30' }] },
        [400, 'refused', '"due" must be an existing day'],
      ],
      [{ name: 'p', ask: [{ key: 'cost', value: '5' }] }, [400, 'refused', '"cost" must be a finite number']],
      [
        { name: 'p', tags: ['new'], properties: [{ key: 'cost', value: 5 }], ask: [{ key: 'Cost' }] },
        [400, 'refused', '"cost" is named twice'],
      ],
      [{ name: 'p', ask: [{ key: 'due' }, { key: 'due' }] }, [400, 'refused', '"due" is named twice']],
    ]
    for (const [body, refusal] of cases) await expectRefused('POST', '/v1/presets', body, refusal)
  })

  test('changes what is named: of `properties` and `ask` the one that is sent', async () => {
    const whole = {
      tags: ['a', 'b'],
      properties: [{ key: 'status', value: 'open' }],
      ask: [{ key: 'due' }],
      icon: 'book',
    }
    const before = await save('Meeting', whole)
    service.clock.advance(1_000)
    for (const same of [{}, whole, { name: 'Meeting', tags: ['B', 'A'], is_pinned: false }])
      expect((await service.patch('/v1/presets/Meeting', same)).body).toEqual({ preset: before })
    const properties = [{ key: 'cost', value: 1 }]
    const first = (await service.patch('/v1/presets/meeting', { properties })).body.preset
    expect(first).toEqual({ ...before, properties, updated_at: LATER })
    service.clock.advance(1_000)
    const ask = [
      { key: 'status', value: 'done' },
      { key: 'due', value: null },
    ]
    const sent = { name: 'MEETING', ask, tags: ['c'], icon: null, color: '#000000', is_pinned: true }
    const { preset } = (await service.patch(`/v1/presets/${before.id}`, sent)).body
    expect(preset).toEqual({
      ...first,
      name: 'MEETING',
      asks: ask,
      tags: ['c'],
      icon: null,
      color: '#000000',
      is_pinned: true,
      updated_at: '2026-11-21T09:30:02.000Z',
    })
  })

  test('is not changed by a patch that is refused', async () => {
    await save('Other')
    await save('Meeting', { properties: [{ key: 'status', value: 'open' }], ask: [{ key: 'due' }] })
    const cases: [object, [number, string, string]][] = [
      [{ tags: ['new'], name: 'OTHER' }, [409, 'name_taken', '"Other"']],
      [{ tags: ['new'], ask: [{ key: 'status' }] }, [400, 'refused', '"status" is named twice']],
      [{ tags: ['new'], properties: [{ key: 'due', value: '2026-12-01' }] }, [400, 'refused', 'twice']],
      [{ tags: ['new'], properties: [{ key: 'status', value: 5 }] }, [400, 'refused', '"status" must be']],
      [{ color: 'red' }, [400, 'invalid_request', '"color"']],
    ]
    for (const [body, refusal] of cases) await expectRefused('PATCH', '/v1/presets/Meeting', body, refusal)
    await expectRefused('PATCH', '/v1/presets/Nothing', {}, [404, 'not_found', 'preset'])
  })

  test('follows the rename of a tag and of a property, and loses a tag that is deleted', async () => {
    const before = await save('p', { tags: ['a', 'b'], properties: [{ key: 'cost', value: 1 }] })
    const tag = await tagNamed(service, 'a')
    await service.patch(`/v1/tags/${tag.id}`, { name: 'z' })
    await service.patch('/v1/properties/cost', { key: 'price' })
    const renamed = { ...before, tags: ['b', 'z'], properties: [{ key: 'price', value: 1 }] }
    expect((await service.get('/v1/presets/p')).body.preset).toEqual(renamed)
    service.clock.advance(1_000)
    expect((await service.delete(`/v1/tags/${tag.id}`)).status).toBe(200)
    const without = { ...renamed, tags: ['b'], updated_at: LATER }
    expect((await service.get('/v1/presets/p')).body.preset).toEqual(without)
  })

  test('prevents deleting and retyping a property, which names it', async () => {
    const set = await save('Sets', { properties: [{ key: 'cost', value: 1 }] })
    const asking = await save('Asks', { ask: [{ key: 'cost' }] })
    const { used_by } = (await service.get('/v1/properties/cost')).body
    const presets = [asking, set].map(({ id, name }) => ({ id, name }))
    expect(used_by).toEqual({ views: [], presets, lenses: [] })
    const refusal: [number, string, string] = [409, 'in_use', 'used by the presets "Asks" and "Sets"']
    await expectRefused('DELETE', '/v1/properties/cost', undefined, refusal)
    await expectRefused('PATCH', '/v1/properties/cost', { type: 'text', label: 'x' }, refusal)
    await service.delete('/v1/presets/Asks')
    await service.patch('/v1/presets/Sets', { properties: [] })
    expect((await service.delete('/v1/properties/cost')).status).toBe(200)
  })

  test('is deleted alone: notes keep what it wrote', async () => {
    const { id } = await save('p', { tags: ['a'], properties: [{ key: 'cost', value: 1 }] })
    const note = await makeNote(service)
    await service.post('/v1/presets/p/apply', { note_id: note.id })
    const { status, body } = await service.delete('/v1/presets/P')
    expect([status, body]).toEqual([200, { deleted: true, id }])
    expect((await service.get(`/v1/presets/${id}`)).status).toBe(404)
    expect((await service.get(`/v1/notes/${note.id}`)).body.note.tags).toEqual(['a'])
    expect((await service.get(`/v1/notes/${note.id}/properties`)).body.properties).toEqual({ cost: 1 })
  })
})
