import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const NOW = '2026-11-21T09:30:00.000Z'
const LATER = '2026-11-21T09:30:01.000Z'
const UNKNOWN = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'

const DEFAULTS = {
  layers: { links: true, tags: false },
  nodes: { orphans: true, dangling: false },
  look: { arrows: true, titles: 'zoom' },
}

async function save(name: string, more: object = {}) {
  const { status, body } = await service.post('/v1/lenses', { name, ...more })
  expect({ status, error: body.error }).toEqual({ status: 201, error: undefined })
  return body.lens
}

interface Listed {
  name: string
  is_default: boolean
}
const listed = async (): Promise<Listed[]> => (await service.get('/v1/lenses')).body.lenses
const defaults = async () => (await listed()).filter((lens) => lens.is_default).map(({ name }) => name)

const tagScope = (id: number) => ({ type: 'tags', op: 'has_any', tag_ids: [id] })
const propertyScope = (def_id: string) => ({
  type: 'group',
  match: 'all',
  children: [{ type: 'property', def_id, op: 'not_empty' }],
})

describe('a lens', () => {
  test('is returned in full, with default settings and the whole workspace as its scope', async () => {
    const { status, body } = await service.post('/v1/lenses', { name: 'All' })
    const lens = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'All',
      scope: null,
      settings: DEFAULTS,
      is_default: true,
      created_at: NOW,
      updated_at: NOW,
    }
    expect([status, body]).toEqual([201, { lens }])
    expect((await service.get(`/v1/lenses/${body.lens.id}`)).body).toEqual({ lens })
    expect((await service.get('/v1/lenses')).body).toEqual({ lenses: [lens] })
    expect((await service.get('/v1/workspace')).body.workspace.counts.lenses).toBe(1)
  })

  test('merges settings individually, and leaves the others unchanged', async () => {
    const lens = await save('All', { settings: { layers: { tags: true }, look: { titles: 'never' } } })
    expect(lens.settings).toEqual({
      layers: { links: true, tags: true },
      nodes: DEFAULTS.nodes,
      look: { arrows: true, titles: 'never' },
    })
    service.clock.advance(1_000)
    const path = `/v1/lenses/${lens.id}`
    for (const same of [{}, { settings: {} }, { settings: { layers: { tags: true }, nodes: {} } }])
      expect((await service.patch(path, same)).body.lens).toEqual(lens)
    const { body } = await service.patch(path, { settings: { nodes: { dangling: true, orphans: false } } })
    const settings = { ...lens.settings, nodes: { orphans: false, dangling: true } }
    expect(body).toEqual({ lens: { ...lens, settings, updated_at: LATER } })
  })

  test('returns its scope as sent; PATCH replaces it as a whole', async () => {
    const { id } = (await service.post('/v1/properties', { key: 'due', type: 'date' })).body.property
    const lens = await save('Due', { scope: propertyScope(id) })
    expect(lens.scope).toEqual(propertyScope(id))
    const leaf = {
      type: 'field',
      field: 'updated_at',
      op: 'within',
      value: { relative: { n: -7, unit: 'day' } },
    }
    const path = `/v1/lenses/${lens.id}`
    expect((await service.patch(path, { scope: leaf })).body.lens.scope).toEqual(leaf)
    expect((await service.patch(path, { name: 'Week' })).body.lens.scope).toEqual(leaf)
    expect((await service.patch(path, { scope: null })).body.lens.scope).toBeNull()
  })

  test('is refused with the place of the fault, and nothing changes', async () => {
    const lens = await save('All')
    const before = (await service.get('/v1/lenses')).body
    const leaf = (more: object) => ({
      type: 'group',
      match: 'any',
      children: [{ type: 'field', field: 'title', ...more }],
    })
    const cases: [object, string, string][] = [
      [{ scope: leaf({ op: 'on', value: 'x' }) }, 'refused', '"scope.children[0].op"'],
      [{ scope: leaf({ op: 'is', value: 'x' }) }, 'invalid_request', '"scope.children[0].op"'],
      [{ scope: leaf({ op: 'eq', value: 5 }) }, 'refused', '"scope.children[0].value"'],
      [{ scope: { type: 'tag' } }, 'invalid_request', '"scope.type"'],
      [{ scope: [] }, 'invalid_request', '"scope"'],
      [{ scope: tagScope(99) }, 'refused', '"scope.tag_ids[0]"'],
      [{ scope: propertyScope(UNKNOWN) }, 'refused', '"scope.children[0].def_id"'],
      [{ settings: { layers: { links: 1 } } }, 'invalid_request', '"settings.layers.links"'],
      [{ settings: { layers: null } }, 'invalid_request', '"settings.layers"'],
      [{ settings: { look: { titles: 'often' } } }, 'invalid_request', '"settings.look.titles"'],
      [{ settings: { look: { zoom: true } } }, 'invalid_request', '"settings.look.zoom"'],
      [{ settings: { colours: {} } }, 'invalid_request', '"settings.colours"'],
      [{ name: '' }, 'invalid_request', '"name"'],
      [{ filter: null }, 'invalid_request', '"filter"'],
    ]
    for (const [wrong, code, place] of cases) {
      const refusal = [wrong, 400, { error: expect.stringContaining(place), code }]
      const made = await service.post('/v1/lenses', { name: 'New', is_default: true, ...wrong })
      expect([wrong, made.status, made.body]).toEqual(refusal)
      const patched = await service.patch(`/v1/lenses/${lens.id}`, { name: 'Renamed', ...wrong })
      expect([wrong, patched.status, patched.body]).toEqual(refusal)
    }
    expect((await service.post('/v1/lenses', {})).body.error).toBe('"name" is required.')
    expect((await service.patch(`/v1/lenses/${UNKNOWN}`, { scope: tagScope(99) })).status).toBe(404)
    expect((await service.get('/v1/lenses')).body).toEqual(before)
  })
})

describe('the default', () => {
  test('is the first lens, whatever its request states, and moves to a lens that requests it', async () => {
    const first = await save('a', { is_default: false })
    expect(first.is_default).toBe(true)
    expect((await save('b')).is_default).toBe(false)
    service.clock.advance(1_000)
    expect((await save('c', { is_default: true })).is_default).toBe(true)
    expect(await defaults()).toEqual(['c'])
    expect((await service.get(`/v1/lenses/${first.id}`)).body.lens).toEqual({
      ...first,
      is_default: false,
      updated_at: LATER,
    })
    await service.patch(`/v1/lenses/${first.id}`, { is_default: true, name: 'A' })
    expect(await defaults()).toEqual(['A'])
  })

  test('cannot be cleared', async () => {
    const lens = await save('a')
    const { status, body } = await service.patch(`/v1/lenses/${lens.id}`, { is_default: false, name: 'b' })
    expect([status, body]).toEqual([
      400,
      {
        error: 'The lens "a" is the default, and there always is one; make another lens the default instead.',
        code: 'refused',
      },
    ])
    expect(await listed()).toEqual([lens])
  })

  test('is unchanged when another lens is deleted', async () => {
    const [first, second, third] = [await save('a'), await save('b'), await save('c')]
    service.clock.advance(1_000)
    await service.delete(`/v1/lenses/${second.id}`)
    expect((await service.get('/v1/lenses')).body).toEqual({ lenses: [first, third] })
  })

  test('passes to the next in order of creation, from the last to the first', async () => {
    const lenses = new Map<string, string>()
    for (const name of ['a', 'b', 'c', 'd']) lenses.set(name, (await save(name)).id)
    const remove = (name: string) => service.delete(`/v1/lenses/${lenses.get(name)}`)
    await service.patch(`/v1/lenses/${lenses.get('b')}`, { is_default: true })
    const { status, body } = await remove('b')
    expect([status, body]).toEqual([200, { deleted: true, id: lenses.get('b') }])
    expect(await defaults()).toEqual(['c'])
    await remove('a')
    expect(await defaults()).toEqual(['c'])
    await service.patch(`/v1/lenses/${lenses.get('d')}`, { is_default: true })
    await remove('d')
    expect(await defaults()).toEqual(['c'])
    await remove('c')
    expect(await listed()).toEqual([])
    expect((await remove('c')).status).toBe(404)
    expect((await save('e')).is_default).toBe(true)
  })
})

describe('a tag or property in the scope of a lens', () => {
  test('names the lens, and cannot be deleted or retyped until the lens changes', async () => {
    await makeNote(service, { tags: ['work'] })
    const tag = await tagNamed(service, 'work')
    const { id } = (await service.post('/v1/properties', { key: 'due', type: 'date' })).body.property
    const tagged = await save('Tagged', {
      scope: { type: 'group', match: 'none', children: [tagScope(tag.id)] },
    })
    const dated = await save('Dated', { scope: propertyScope(id) })
    expect((await service.get(`/v1/tags/${tag.id}`)).body.used_by).toEqual({
      views: [],
      lenses: [{ id: tagged.id, name: 'Tagged' }],
    })
    expect((await service.get('/v1/properties/due')).body.used_by).toEqual({
      views: [],
      presets: [],
      lenses: [{ id: dated.id, name: 'Dated' }],
    })
    const refused = [
      await service.delete(`/v1/tags/${tag.id}`),
      await service.delete('/v1/properties/due'),
      await service.patch('/v1/properties/due', { type: 'text' }),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([409, 'in_use']))
    expect(refused[0]?.body.error).toContain('"Tagged"')
    expect(refused[1]?.body.error).toContain('"Dated"')
    expect((await service.get('/v1/properties/due')).body.property.type).toBe('date')
    await service.patch(`/v1/properties/due`, { key: 'deadline' })
    await service.patch(`/v1/tags/${tag.id}`, { name: 'job' })
    expect((await service.get(`/v1/lenses/${dated.id}`)).body.lens).toEqual(dated)
    await service.delete(`/v1/lenses/${tagged.id}`)
    await service.patch(`/v1/lenses/${dated.id}`, { scope: null })
    expect((await service.delete(`/v1/tags/${tag.id}`)).status).toBe(200)
    expect((await service.delete('/v1/properties/deadline')).status).toBe(200)
  })
})
