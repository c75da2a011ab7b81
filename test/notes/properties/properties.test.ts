import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, readNote } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const NOW = '2026-11-21T09:30:00.000Z'
const define = async (key: string, type: string, more: object = {}) =>
  (await service.post('/v1/properties', { key, type, ...more })).body.property
const order = async () =>
  (await service.get('/v1/properties')).body.properties.map(
    ({ key, position }: { key: string; position: number }) => `${position} ${key}`,
  )

describe('a property definition', () => {
  test('is returned in full, its label the key when none is given', async () => {
    const { status, body } = await service.post('/v1/properties', {
      key: 'status',
      type: 'select',
      options: ['open', 'done'],
      is_pinned: true,
    })
    expect(status).toBe(201)
    const property = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key: 'status',
      type: 'select',
      label: 'status',
      options: ['open', 'done'],
      position: 0,
      is_pinned: true,
      notes_with_value: 0,
      created_at: NOW,
      updated_at: NOW,
    }
    expect(body).toEqual({ property })
    expect((await service.get('/v1/properties')).body).toEqual({ properties: [property] })
    const used_by = { views: [], presets: [], lenses: [] }
    for (const name of ['status', 'STATUS', body.property.id]) {
      expect((await service.get(`/v1/properties/${name}`)).body).toEqual({ property, used_by })
    }
    expect((await define('n', 'number', { label: 'N' })).options).toBeNull()
    expect((await define('m', 'number', { label: null })).label).toBe('m')
  })

  test('is refused for a bad key, type, label, options or position, and for a key that is taken', async () => {
    await define('taken', 'text')
    const bad = [
      { key: 'Status', type: 'text' },
      { key: '1st', type: 'text' },
      { key: 'a b', type: 'text' },
      { key: `a${'b'.repeat(63)}`, type: 'text' },
      { key: 'x', type: 'list' },
      { key: 'x' },
      { type: 'text' },
      { key: 'x', type: 'text', label: '' },
      { key: 'x', type: 'select', options: ['a', 'a'] },
      { key: 'x', type: 'select', options: 'a' },
      { key: 'x', type: 'select', options: [''] },
      { key: 'x', type: 'text', position: -1 },
      { key: 'x', type: 'text', position: 1.5 },
      { key: 'x', type: 'text', kind: 'y' },
    ]
    for (const body of bad) {
      expect([body, (await service.post('/v1/properties', body)).body.code]).toEqual([
        body,
        'invalid_request',
      ])
    }
    const taken = await service.post('/v1/properties', { key: 'taken', type: 'number' })
    expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
    const options = await service.post('/v1/properties', { key: 'x', type: 'text', options: ['a'] })
    expect([options.status, options.body.code]).toEqual([400, 'refused'])
    expect(await order()).toEqual(['0 taken'])
    expect((await service.post('/v1/properties', { key: `a${'b'.repeat(62)}`, type: 'text' })).status).toBe(
      201,
    )
  })

  test('has its options checked before whether it exists or its key is taken', async () => {
    await define('taken', 'text')
    const options = ['a', 'b', 'a']
    const refusals = [
      await service.post('/v1/properties', { key: 'taken', type: 'select', options }),
      await service.post('/v1/properties', { key: 'x', type: 'text', options }),
      await service.patch('/v1/properties/taken', { options }),
      await service.patch('/v1/properties/missing', { options }),
    ]
    const refusal = { error: '"options" names one option twice; name each once.', code: 'invalid_request' }
    expect(refusals).toMatchObject(refusals.map(() => ({ status: 400, body: refusal })))
    expect(await order()).toEqual(['0 taken'])
  })

  test('has a position without gaps, which shifts', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await define(key, 'text')
    await define('first', 'text', { position: 0 })
    await define('end', 'text', { position: 99 })
    expect(await order()).toEqual(['0 first', '1 a', '2 b', '3 c', '4 d', '5 end'])
    await service.patch('/v1/properties/a', { position: 3 })
    expect(await order()).toEqual(['0 first', '1 b', '2 c', '3 a', '4 d', '5 end'])
    await service.patch('/v1/properties/end', { position: 1 })
    await service.patch('/v1/properties/first', { position: 99 })
    expect(await order()).toEqual(['0 end', '1 b', '2 c', '3 a', '4 d', '5 first'])
    await service.delete('/v1/properties/c')
    expect(await order()).toEqual(['0 end', '1 b', '2 a', '3 d', '4 first'])
  })

  test('changes what is named; nothing named leaves updated_at alone', async () => {
    const before = await define('status', 'text')
    const path = '/v1/properties/status'
    service.clock.advance(1000)
    const same = { key: 'status', type: 'text', position: 0, is_pinned: false }
    for (const patch of [{}, same, { ...same, label: 'status' }]) {
      expect((await service.patch(path, patch)).body).toEqual({ property: before, stranded_values: [] })
    }
    const { body } = await service.patch(path, { key: 'state', label: 'State', is_pinned: true })
    const property = {
      ...before,
      key: 'state',
      label: 'State',
      is_pinned: true,
      updated_at: '2026-11-21T09:30:01.000Z',
    }
    expect(body).toEqual({ property, stranded_values: [] })
    expect((await service.get(path)).status).toBe(404)
    const other = await define('other', 'text')
    const taken = await service.patch('/v1/properties/other', { key: 'state', label: 'x' })
    expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
    expect((await service.get('/v1/properties/other')).body.property).toEqual(other)
    expect((await service.patch('/v1/properties/state', { label: null })).body.property.label).toBe('state')
    const renamed = await service.patch('/v1/properties/state', { key: 'phase', label: 'state' })
    expect(renamed.body.property).toMatchObject({ key: 'phase', label: 'state' })
  })

  test('keeps its type while any note, trashed ones included, holds a value', async () => {
    await define('size', 'text')
    const note = await makeNote(service, { properties: { size: 'x' } })
    await service.delete(`/v1/notes/${note.id}`)
    const { status, body } = await service.patch('/v1/properties/size', { type: 'number', label: 'Size' })
    expect([status, body.code]).toEqual([400, 'refused'])
    expect(body.error).toContain('"size"')
    expect((await service.get('/v1/properties/size')).body.property).toMatchObject({
      type: 'text',
      label: 'size',
    })
    await service.post(`/v1/notes/${note.id}/restore`)
    await service.patch(`/v1/notes/${note.id}/properties`, { size: null })
    expect((await service.patch('/v1/properties/size', { type: 'number' })).body.property.type).toBe('number')
  })

  test('reports values stranded by narrowed options, on active notes, and leaves them', async () => {
    await define('status', 'select', { options: ['open', 'waiting', 'done'] })
    const notes = await Promise.all(
      ['open', 'waiting', 'waiting', 'done', 'done'].map((status) =>
        makeNote(service, { properties: { status } }),
      ),
    )
    await service.delete(`/v1/notes/${notes[4]?.id}`)
    const { body } = await service.patch('/v1/properties/status', { options: ['open'] })
    expect(body.stranded_values).toEqual([
      { value: 'done', notes: 1 },
      { value: 'waiting', notes: 2 },
    ])
    expect(body.property.notes_with_value).toBe(4)
    const path = `/v1/notes/${notes[1]?.id}/properties`
    expect((await service.get(path)).body).toEqual({ properties: { status: 'waiting' } })
    expect((await service.patch(path, { status: 'waiting' })).body.code).toBe('refused')
  })

  test('is deleted with its value on every note, which moves them', async () => {
    await define('size', 'number')
    await define('kept', 'number')
    const [active, trashed] = [
      await makeNote(service, { properties: { size: 1, kept: 2 } }),
      await makeNote(service, { properties: { size: 1 } }),
    ]
    const without = await makeNote(service, { properties: { kept: 3 } })
    await service.delete(`/v1/notes/${trashed.id}`)
    service.clock.advance(1000)
    expect((await service.delete('/v1/properties/size')).body).toEqual({ deleted: true, notes_affected: 2 })
    expect(await readNote(service, active.id)).toEqual({ ...active, updated_at: '2026-11-21T09:30:01.000Z' })
    expect(await readNote(service, without.id)).toEqual(without)
    expect((await service.get(`/v1/notes/${active.id}/properties`)).body).toEqual({ properties: { kept: 2 } })
    expect((await service.delete('/v1/properties/size')).status).toBe(404)
  })

  test('that is used reports each object that uses it, with its kind', async () => {
    const { id: def_id } = await define('due', 'date')
    const tree = { type: 'property', def_id, op: 'not_empty' }
    await service.post('/v1/views', { name: 'Due', filter: tree })
    await service.post('/v1/views', { name: 'Open', display_properties: ['due'] })
    await service.post('/v1/presets', { name: 'Due', ask: [{ key: 'due' }] })
    await service.post('/v1/lenses', { name: 'Plans', scope: tree })
    const { status, body } = await service.delete('/v1/properties/due')
    expect([status, body]).toEqual([
      409,
      {
        error:
          'The property "due" is used by the views "Due" and "Open" and the preset "Due" and the lens "Plans"; it cannot be deleted before those change.',
        code: 'in_use',
      },
    ])
  })
})

const VALUES: [type: string, fitting: unknown[], wrong: unknown[]][] = [
  ['text', ['', 'a\n"\\', '😀'.repeat(100_000)], [1, true, ['a'], 'a'.repeat(100_001)]],
  ['number', [0, -1.5, 1e300, 9_007_199_254_740_994, 5e-324, 1e19], ['1', true, [1]]],
  [
    'date',
    ['2024-02-29', '0001-01-01', '9999-12-31'],
    ['2026-02-29', '2026-2-1', '2026-01-01T00:00:00Z', '', 5],
  ],
  ['bool', [true, false], [0, 1, 'true', []]],
  ['select', ['open', 'Done'], ['OPEN', 'done', '', 1]],
  ['json', [{ a: [1, null, 'x'] }, [], 'text', 0, false, 1.5, ''], []],
]

describe('property values', () => {
  for (const [type, fitting, wrong] of VALUES) {
    test(`of type ${type} are kept as sent when they fit, and refused when not`, async () => {
      await define('value', type, type === 'select' ? { options: ['open', 'Done'] } : {})
      const { id } = await makeNote(service)
      const path = `/v1/notes/${id}/properties`
      for (const value of fitting) {
        const { status, body } = await service.patch(path, { value })
        expect([status, body]).toEqual([200, { properties: { value } }])
        expect((await service.get(path)).body).toEqual({ properties: { value } })
      }
      const before = await readNote(service, id)
      for (const value of wrong) {
        const { status, body } = await service.patch(path, { value })
        expect([value, status, body.code]).toEqual([value, 400, 'refused'])
        expect(body.error).toStartWith('The property "value" must be ')
      }
      expect((await service.get(path)).body).toEqual({ properties: { value: fitting.at(-1) } })
      expect(await readNote(service, id)).toEqual(before)
      expect((await service.patch(path, { value: null })).body).toEqual({ properties: {} })
    })
  }

  test('that are not finite are refused', async () => {
    await define('size', 'number')
    const { id } = await makeNote(service)
    expect((await service.patch(`/v1/notes/${id}/properties`, '{"size":1e400}')).status).toBe(400)
  })

  test('are written all or none', async () => {
    await define('a', 'number')
    await define('b', 'text')
    const note = await makeNote(service, { properties: { a: 1, b: 'x' } })
    const path = `/v1/notes/${note.id}/properties`
    for (const bad of [
      { a: 2, b: 5 },
      { a: null, c: 1 },
      { a: 2, B: 'y', b: 'z' },
      { a: 2, '': 1 },
    ]) {
      expect((await service.patch(path, bad)).body.code).toBe('refused')
      expect((await service.get(path)).body).toEqual({ properties: { a: 1, b: 'x' } })
    }
    for (const body of [[], 'x', 5, null]) {
      expect((await service.patch(path, JSON.stringify(body))).body.code).toBe('invalid_request')
    }
    expect(await readNote(service, note.id)).toEqual(note)
    expect((await service.patch(path, { B: 'y', a: null })).body).toEqual({ properties: { b: 'y' } })
    expect((await service.patch('/v1/notes/none/properties', { a: 1 })).status).toBe(404)
  })

  test('with a line break or a special word in the key are unknown, never ignored', async () => {
    const { id } = await makeNote(service)
    for (const key of ['a\nb', '__proto__', 'constructor', 'toString']) {
      const { status } = await service.patch(`/v1/notes/${id}/properties`, `{${JSON.stringify(key)}: 1}`)
      expect([key, status]).toEqual([key, 400])
    }
  })

  test('move the note, count it, and a clear counts it out', async () => {
    await define('size', 'number')
    const { id } = await makeNote(service)
    const count = async () => (await service.get('/v1/properties/size')).body.property.notes_with_value
    service.clock.advance(1000)
    await service.patch(`/v1/notes/${id}/properties`, { size: 1 })
    expect((await readNote(service, id)).updated_at).toBe('2026-11-21T09:30:01.000Z')
    expect(await count()).toBe(1)
    await service.patch(`/v1/notes/${id}/properties`, { size: null })
    expect((await readNote(service, id)).updated_at).toBe('2026-11-21T09:30:01.001Z')
    expect(await count()).toBe(0)
  })
})
