import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { newFolder } from '../../support/process.ts'
import { startService, type TestService, testClock } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const START = '2026-11-21T09:30:00.000Z'

const define = async (key: string, type: string, more = {}) =>
  (await service.post('/v1/properties', { key, type, ...more })).body.property
const tagId = async (name: string): Promise<number> => {
  if (!(await tagNamed(service, name))) await makeNote(service, { tags: [name] })
  return (await tagNamed(service, name)).id
}
const save = async (input: Record<string, unknown> = {}) =>
  (await service.post('/v1/views', { name: 'A view', ...input })).body.view
const read = async (id: string) => (await service.get(`/v1/views/${id}`)).body.view
const list = async () => (await service.get('/v1/views')).body.views
const titles = async (id: string) =>
  (await service.get(`/v1/views/${id}/notes`)).body.notes.map(({ title }: { title: string }) => title)

const tagged = (...tag_ids: number[]) => ({ type: 'tags', op: 'has_all', tag_ids })
const whose = (def_id: string, op: string, value?: unknown) => ({ type: 'property', def_id, op, value })

describe('a view', () => {
  test('is saved with defaults, and read one by one and in a list by creation', async () => {
    const { status, body } = await service.post('/v1/views', { name: 'Plain' })
    expect([status, body]).toEqual([
      201,
      {
        view: {
          id: expect.any(String),
          name: 'Plain',
          filter: null,
          filter_summary: 'All notes',
          sort: { field: 'updated_at', direction: 'desc' },
          display: { properties: [], show_tags: true },
          display_properties: [],
          show_tags: true,
          is_pinned: false,
          is_default: false,
          icon: null,
          color: null,
          cover_url: null,
          created_at: START,
          updated_at: START,
        },
      },
    ])
    const second = await save({ name: 'Plain' })
    expect(await list()).toEqual([body.view, second])
    expect(await read(body.view.id)).toEqual(body.view)
    expect((await service.get('/v1/workspace')).body.workspace.counts.views).toBe(2)
  })

  test('is saved with everything it can hold', async () => {
    const work = await tagId('work')
    const status = await define('status', 'select', { options: ['open', 'done'] })
    const due = await define('due', 'date', { label: 'Due day' })
    const filter = {
      type: 'group',
      match: 'all',
      children: [tagged(work), { type: 'property', def_id: status.id, op: 'eq', value: 'open' }],
    }
    const input = {
      name: 'Open work',
      filter,
      sort: { field: 'property', direction: 'asc', property: 'due' },
      display_properties: ['due', 'STATUS'],
      show_tags: false,
      is_pinned: true,
      is_default: true,
      icon: 'book',
      color: '#1E90ff',
      cover_url: 'https://example.com/a.png',
    }
    expect(await save(input)).toEqual({
      ...input,
      id: expect.any(String),
      filter_summary: 'tagged "work" and status is "open"',
      display_properties: ['due', 'status'],
      display: {
        properties: [
          { id: due.id, key: 'due', label: 'Due day', type: 'date' },
          { id: status.id, key: 'status', label: 'status', type: 'select' },
        ],
        show_tags: false,
      },
      created_at: START,
      updated_at: START,
    })
  })

  test('follows renames, because it refers to tags and properties by id', async () => {
    const work = await tagId('work')
    await define('due', 'date')
    const { id, filter } = await save({
      filter: tagged(work),
      sort: { field: 'property', property: 'due' },
      display_properties: ['due'],
    })
    await service.patch(`/v1/tags/${work}`, { name: 'job' })
    await service.patch('/v1/properties/due', { key: 'until', label: 'Until' })
    expect(await read(id)).toMatchObject({
      filter,
      filter_summary: 'tagged "job"',
      sort: { field: 'property', direction: 'asc', property: 'until' },
      display_properties: ['until'],
      display: { properties: [{ key: 'until', label: 'Until' }] },
    })
  })

  test('changes only named attributes; the tree and the sort are replaced as a whole', async () => {
    const before = await save({
      filter: tagged(await tagId('work')),
      sort: { field: 'title', direction: 'desc' },
      icon: 'book',
    })
    service.clock.advance(5)
    const { status, body } = await service.patch(`/v1/views/${before.id}`, {
      name: 'B',
      sort: { field: 'title' },
    })
    expect([status, body.view]).toEqual([
      200,
      {
        ...before,
        name: 'B',
        sort: { field: 'title', direction: 'asc' },
        updated_at: '2026-11-21T09:30:00.005Z',
      },
    ])
    const cleared = await service.patch(`/v1/views/${before.id}`, { filter: null, icon: null })
    expect(cleared.body.view).toMatchObject({ filter: null, filter_summary: 'All notes', icon: null })
    const times = await service.patch(`/v1/views/${before.id}`, { sort: { field: 'created_at' } })
    expect(times.body.view.sort).toEqual({ field: 'created_at', direction: 'desc' })
  })

  test('changes its updated_at with every real change, strictly, and with no other', async () => {
    const view = await save({ is_pinned: true })
    expect(
      (await service.patch(`/v1/views/${view.id}`, { name: 'A view', is_pinned: true })).body.view,
    ).toEqual(view)
    const { body } = await service.patch(`/v1/views/${view.id}`, { is_pinned: false })
    expect(body.view.updated_at).toBe('2026-11-21T09:30:00.001Z')
  })

  test('can be the default, one in a workspace', async () => {
    const first = await save({ is_default: true })
    const second = await save({ is_default: true })
    expect((await list()).map((view: { is_default: boolean }) => view.is_default)).toEqual([false, true])
    expect((await read(first.id)).updated_at).toBe('2026-11-21T09:30:00.001Z')
    await service.patch(`/v1/views/${first.id}`, { is_default: true })
    expect((await list()).map((view: { is_default: boolean }) => view.is_default)).toEqual([true, false])
    await service.patch(`/v1/views/${second.id}`, { is_default: false })
    expect((await read(first.id)).is_default).toBe(true)
    await service.patch(`/v1/views/${first.id}`, { is_default: false })
    expect((await list()).map((view: { is_default: boolean }) => view.is_default)).toEqual([false, false])
    const other = service.as(await service.newWorkspace('Other'))
    await service.patch(`/v1/views/${first.id}`, { is_default: true })
    await other.post('/v1/views', { name: 'Theirs', is_default: true })
    expect((await read(first.id)).is_default).toBe(true)
  })

  test('is deleted without touching a note', async () => {
    const note = await makeNote(service)
    const { id } = await save()
    expect((await service.delete(`/v1/views/${id}`)).body).toEqual({ deleted: true, id })
    expect((await service.get('/v1/notes')).body.notes).toEqual([note])
    for (const answer of [
      await service.get(`/v1/views/${id}`),
      await service.get(`/v1/views/${id}/notes`),
      await service.patch(`/v1/views/${id}`, { name: 'B' }),
      await service.delete(`/v1/views/${id}`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
  })
})

describe('an invalid view', () => {
  const REFUSALS: [string, Record<string, unknown>, string, string][] = [
    ['no name', { name: '' }, 'invalid_request', '"name"'],
    ['a name of two lines', { name: 'a\nb' }, 'invalid_request', '"name"'],
    ['another kind of order', { sort: { field: 'size' } }, 'invalid_request', '"sort.field"'],
    ['an order by no property', { sort: { field: 'property' } }, 'invalid_request', '"sort.property"'],
    [
      'a property with another field',
      { sort: { field: 'title', property: 'due' } },
      'invalid_request',
      '"sort.property"',
    ],
    [
      'an order by what is not defined',
      { sort: { field: 'property', property: 'x' } },
      'refused',
      '"sort.property"',
    ],
    [
      'a card of what is not defined',
      { display_properties: ['due', 'x'] },
      'refused',
      '"display_properties[1]"',
    ],
    [
      'a card of four properties',
      { display_properties: ['due', 'a', 'b', 'c'] },
      'invalid_request',
      '"display_properties"',
    ],
    [
      'a card of one property twice',
      { display_properties: ['due', 'DUE'] },
      'invalid_request',
      '"display_properties"',
    ],
    ['a tree of the wrong form', { filter: { type: 'tags' } }, 'invalid_request', '"filter.op"'],
    ['a tree of unknown tags', { filter: tagged(99) }, 'refused', '"filter.tag_ids[0]"'],
    ['a colour in words', { color: 'blue' }, 'invalid_request', '"color"'],
    ['a cover that is no web address', { cover_url: 'file:///etc' }, 'invalid_request', '"cover_url"'],
    ['what it does not have', { title: 'x' }, 'invalid_request', '"title"'],
  ]

  for (const [what, input, code, place] of REFUSALS) {
    test(`that is ${what} is refused, also as a change, and nothing changes`, async () => {
      await define('due', 'date')
      const view = await save()
      for (const answer of [
        await service.post('/v1/views', { name: 'B', ...input }),
        await service.patch(`/v1/views/${view.id}`, { name: 'B', ...input }),
      ]) {
        expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(place), code }])
      }
      expect(await list()).toEqual([view])
    })
  }

  test('with a malformed tree is refused before the view is looked up', async () => {
    const unknown = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
    expect((await service.patch(`/v1/views/${unknown}`, { filter: 5 })).status).toBe(400)
    expect((await service.patch(`/v1/views/${unknown}`, { filter: tagged(99) })).status).toBe(404)
  })
})

describe('the notes of a view', () => {
  test('are evaluated again at every read', async () => {
    const work = await tagId('work')
    const { id } = await save({ filter: tagged(work), sort: { field: 'title' } })
    const note = await makeNote(service, { title: 'B' })
    expect(await titles(id)).toEqual(['A note'])
    await service.post(`/v1/notes/${note.id}/tags`, { tags: ['WORK'] })
    expect(await titles(id)).toEqual(['A note', 'B'])
    await service.patch(`/v1/notes/${note.id}`, { title: 'A 1' })
    expect(await titles(id)).toEqual(['A 1', 'A note'])
    await service.delete(`/v1/notes/${note.id}`)
    expect(await titles(id)).toEqual(['A note'])
    await service.post(`/v1/notes/${note.id}/restore`)
    expect(await titles(id)).toEqual(['A 1', 'A note'])
  })

  test('move with the day when the days of the filter are relative', async () => {
    const due = await define('due', 'date')
    await makeNote(service, { title: 'tomorrow', properties: { due: '2026-11-22' } })
    const { id, filter_summary } = await save({
      filter: whose(due.id, 'on', { relative: { n: 0, unit: 'day' } }),
    })
    expect(filter_summary).toBe('due is today')
    expect(await titles(id)).toEqual([])
    service.clock.set(Date.parse('2026-11-22T00:00:00.000Z'))
    expect(await titles(id)).toEqual(['tomorrow'])
  })

  test('are paged like every list of notes, and have no snippet', async () => {
    const note = await makeNote(service, { title: 'Only' })
    const { id } = await save()
    const { status, body } = await service.get(`/v1/views/${id}/notes?limit=1&offset=0`)
    expect([status, body]).toEqual([200, { notes: [note], total: 1, has_more: false }])
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'search=x'])
      expect((await service.get(`/v1/views/${id}/notes?${query}`)).status).toBe(400)
  })

  test('are ordered by the folded text of a property, equal ones by id, those without a value last', async () => {
    await define('city', 'text')
    for (const [title, city] of [
      ['1', 'b'],
      ['2', 'Á'],
      ['3', undefined],
      ['4', 'B'],
      ['5', 'á'],
      ['6', undefined],
    ] as const)
      await makeNote(service, { title, properties: city === undefined ? {} : { city } })
    const { id } = await save({ sort: { field: 'property', direction: 'asc', property: 'city' } })
    expect(await titles(id)).toEqual(['1', '4', '2', '5', '3', '6'])
    await service.patch(`/v1/views/${id}`, {
      sort: { field: 'property', direction: 'desc', property: 'city' },
    })
    expect(await titles(id)).toEqual(['5', '2', '4', '1', '6', '3'])
  })

  test('are ordered by id, also when a server was started after the clock was set back', async () => {
    const folder = newFolder()
    const file = folder.file('views.db')
    for (const [title, instant] of [
      ['later', '2026-11-21T10:00:00Z'],
      ['earlier', '2026-11-20T10:00:00Z'],
    ] as const) {
      service.close()
      service = await startService({ file, clock: testClock(Date.parse(instant)) })
      await define('amount', 'number')
      await makeNote(service, { title, properties: { amount: 1 } })
      await makeNote(service, { title: `${title}, without` })
    }
    const amount = (await service.get('/v1/properties/amount')).body.property
    const sort = (direction: string, property = 'amount') => ({ field: 'property', direction, property })
    const { id } = await save({ sort: sort('asc') })
    expect(await titles(id)).toEqual(['earlier', 'later', 'earlier, without', 'later, without'])
    await service.patch(`/v1/views/${id}`, { sort: sort('desc') })
    expect(await titles(id)).toEqual(['later', 'earlier', 'later, without', 'earlier, without'])
    await service.patch(`/v1/views/${id}`, { filter: whose(amount.id, 'not_empty') })
    expect(await titles(id)).toEqual(['later', 'earlier'])
    await define('word', 'text')
    await service.patch(`/v1/views/${id}`, { filter: whose(amount.id, 'empty'), sort: sort('asc', 'word') })
    expect(await titles(id)).toEqual(['earlier, without', 'later, without'])
    folder.remove()
  })
})

describe('an object used by a view', () => {
  test('is reported by the tag, which cannot be deleted while a view filters on it', async () => {
    const work = await tagId('work')
    const home = await tagId('home')
    const one = await save({ name: 'One', filter: tagged(work) })
    const two = await save({
      name: 'Two',
      filter: { type: 'group', match: 'none', children: [tagged(home), tagged(home, work)] },
    })
    expect((await service.get(`/v1/tags/${work}`)).body.used_by).toEqual({
      views: [
        { id: one.id, name: 'One' },
        { id: two.id, name: 'Two' },
      ],
      lenses: [],
    })
    const refusal = await service.delete(`/v1/tags/${work}`)
    expect([refusal.status, refusal.body]).toEqual([
      409,
      { error: 'The tag "work" is used by the views "One" and "Two"; change those first.', code: 'in_use' },
    ])
    await service.patch(`/v1/views/${one.id}`, { filter: null })
    await service.delete(`/v1/views/${two.id}`)
    expect((await service.delete(`/v1/tags/${work}`)).status).toBe(200)
  })

  test('is reported with its roles by a property, whose type cannot change and which cannot be deleted', async () => {
    const due = await define('due', 'date')
    const all = await save({
      name: 'All',
      filter: whose(due.id, 'not_empty'),
      sort: { field: 'property', property: 'due' },
      display_properties: ['due'],
    })
    const sorted = await save({ name: 'Sorted', sort: { field: 'property', property: 'due' } })
    await save({ name: 'None' })
    expect((await service.get('/v1/properties/due')).body.used_by).toEqual({
      views: [
        { id: all.id, name: 'All', roles: ['filter', 'sort', 'display'] },
        { id: sorted.id, name: 'Sorted', roles: ['sort'] },
      ],
      presets: [],
      lenses: [],
    })
    for (const answer of [
      await service.delete('/v1/properties/due'),
      await service.patch('/v1/properties/due', { type: 'text' }),
    ]) {
      expect([answer.status, answer.body]).toEqual([
        409,
        { error: expect.stringContaining('"All" and "Sorted"'), code: 'in_use' },
      ])
    }
    expect((await service.get('/v1/properties/due')).body.property).toEqual(due)
    await service.patch(`/v1/views/${sorted.id}`, { sort: { field: 'title' } })
    await service.patch(`/v1/views/${all.id}`, {
      filter: null,
      sort: { field: 'title' },
      display_properties: [],
    })
    expect((await service.patch('/v1/properties/due', { type: 'text' })).status).toBe(200)
    expect((await service.delete('/v1/properties/due')).status).toBe(200)
  })
})
