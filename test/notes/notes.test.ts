import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, readNote, revisionsOf } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const NOW = '2026-11-21T09:30:00.000Z'
const later = (milliseconds: number) => new Date(Date.parse(NOW) + milliseconds).toISOString()

describe('creating a note', () => {
  test('returns the whole note, its properties and no properties error', async () => {
    await service.post('/v1/properties', { key: 'status', type: 'text' })
    const { status, body } = await service.post('/v1/notes', {
      title: 'Engines',
      content: 'About [[Ada]].\r\n',
      tags: ['work', 'Ada'],
      alias: ' engine ',
      cover_url: 'https://example.com/a.png',
      properties: { status: 'open' },
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      note: {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        title: 'Engines',
        content: 'About [[Ada]].\r\n',
        tags: ['Ada', 'work'],
        alias: 'engine',
        pinned: false,
        pin_label: null,
        cover_url: 'https://example.com/a.png',
        created_at: NOW,
        updated_at: NOW,
      },
      properties: { status: 'open' },
      properties_error: null,
    })
    expect((await service.get(`/v1/notes/${body.note.id}`)).body).toEqual({ note: body.note })
  })

  test('needs only a title', async () => {
    const note = await makeNote(service, { title: ' kept as sent ' })
    expect(note).toEqual({
      id: note.id,
      title: ' kept as sent ',
      content: '',
      tags: [],
      alias: null,
      pinned: false,
      pin_label: null,
      cover_url: null,
      created_at: NOW,
      updated_at: NOW,
    })
  })

  test('with an invalid property creates the note without any of its properties', async () => {
    await service.post('/v1/properties', { key: 'size', type: 'number' })
    const { status, body } = await service.post('/v1/notes', {
      title: 'x',
      properties: { size: 3, colour: 'red' },
    })
    expect(status).toBe(201)
    expect(body.properties).toEqual({})
    expect(body.properties_error).toEqual({
      error: 'There is no property "colour" in this workspace; define it first or check its spelling.',
      code: 'refused',
    })
    expect((await service.get(`/v1/notes/${body.note.id}/properties`)).body).toEqual({ properties: {} })
  })
})

const emoji = (count: number) => '😀'.repeat(count)

/** Each field with its longest valid value and its shortest invalid one. */
const LENGTHS: [field: string, fits: string, tooLong: string][] = [
  ['title', emoji(500), emoji(501)],
  ['content', emoji(1_000_000), 'a'.repeat(1_000_001)],
  ['alias', ` ${emoji(200)} `, emoji(201)],
  ['cover_url', `https://e.com/${'a'.repeat(2_034)}`, `https://e.com/${'a'.repeat(2_035)}`],
]

describe('limits count Unicode code points', () => {
  for (const [field, fits, tooLong] of LENGTHS) {
    test(field, async () => {
      expect((await service.post('/v1/notes', { title: 'x', [field]: fits })).status).toBe(201)
      const refused = await service.post('/v1/notes', { title: 'x', [field]: tooLong })
      expect({ status: refused.status, code: refused.body.code }).toEqual({
        status: 400,
        code: 'invalid_request',
      })
      expect(refused.body.error).toContain(`"${field}" must be`)
      expect((await service.get('/v1/notes')).body.total).toBe(1)
    })
  }

  test('pin_label and tags', async () => {
    const note = await makeNote(service)
    const patch = (body: object) => service.patch(`/v1/notes/${note.id}`, body)
    expect((await patch({ pin_label: emoji(200), tags: [emoji(100)] })).status).toBe(200)
    expect((await patch({ pin_label: emoji(201) })).status).toBe(400)
    expect((await patch({ tags: [emoji(101)] })).status).toBe(400)
    expect((await patch({ tags: Array.from({ length: 101 }, (_, at) => `t${at}`) })).status).toBe(400)
  })
})

const BAD_BODIES: [why: string, body: unknown, names: string][] = [
  ['no title', {}, '"title" is required.'],
  ['an empty title', { title: '' }, '"title" must be'],
  ['a title that is no text', { title: 5 }, '"title" must be'],
  ['a control character in the title', { title: 'a\nb' }, '"title" must be'],
  ['an unknown field', { title: 'x', titel: 'y' }, '"titel" is not known'],
  ['content null', { title: 'x', content: null }, '"content" must be'],
  ['NUL in the content', { title: 'x', content: 'a\0b' }, 'NUL'],
  ['a lone surrogate', { title: 'x', content: '\ud800' }, 'lone surrogate'],
  ['a tag with a comma', { title: 'x', tags: ['a,b'] }, '"tags[0]" must be a tag name'],
  ['a tag of blanks', { title: 'x', tags: ['ok', '  '] }, '"tags[1]" must be'],
  ['a tag with a line break', { title: 'x', tags: ['a\tb'] }, '"tags[0]" must be'],
  ['tags that are no list', { title: 'x', tags: 'work' }, '"tags" must be a list'],
  ['an alias of blanks', { title: 'x', alias: ' ' }, '"alias" must be'],
  ['a cover that is no URL', { title: 'x', cover_url: 'cover.png' }, '"cover_url" must be'],
  ['a cover of another scheme', { title: 'x', cover_url: 'ftp://e.com/a' }, '"cover_url" must be'],
  ['a cover without a host', { title: 'x', cover_url: 'https://' }, '"cover_url" must be'],
  ['an empty cover', { title: 'x', cover_url: '' }, '"cover_url" must be'],
  ['properties that are a list', { title: 'x', properties: [] }, '"properties" must be'],
  ['pinned at creation', { title: 'x', pinned: true }, '"pinned" is not known'],
]

describe('refuses to create a note, and writes nothing, for', () => {
  for (const [why, body, names] of BAD_BODIES) {
    test(why, async () => {
      const { status, body: answer } = await service.post('/v1/notes', body)
      expect({ status, code: answer.code }).toEqual({ status: 400, code: 'invalid_request' })
      expect(answer.error).toContain(names)
      expect((await service.get('/v1/notes')).body.total).toBe(0)
      expect((await service.get('/v1/tags')).body.tags).toEqual([])
    })
  }
})

describe('changing a note', () => {
  test('sets what the patch names and leaves the rest', async () => {
    const note = await makeNote(service, { title: 'One', content: 'text', tags: ['a'], alias: 'first' })
    service.clock.advance(5)
    const patch = {
      title: 'Two',
      pinned: true,
      pin_label: 'Start',
      cover_url: 'http://e.com/',
      tags: ['B'],
      alias: null,
    }
    const { status, body } = await service.patch(`/v1/notes/${note.id}`, patch)
    expect(status).toBe(200)
    expect(body.note).toEqual({ ...note, ...patch, tags: ['a', 'B'], updated_at: later(5) })
    const cleared = await service.patch(`/v1/notes/${note.id}`, {
      pinned: false,
      pin_label: null,
      cover_url: null,
    })
    expect(cleared.body.note).toEqual({
      ...body.note,
      pinned: false,
      pin_label: null,
      cover_url: null,
      updated_at: later(6),
    })
  })

  test('moves updated_at strictly, also within one millisecond and when the clock is set back', async () => {
    const { id } = await makeNote(service)
    const stamps: string[] = []
    for (const step of [0, 0, 10, -5_000]) {
      service.clock.advance(step)
      const { body } = await service.post(`/v1/notes/${id}/append`, { text: 'x' })
      stamps.push(body.note.updated_at)
    }
    expect(stamps).toEqual([later(1), later(2), later(10), later(11)])
  })

  test('that changes nothing neither changes updated_at nor creates a revision', async () => {
    await service.post('/v1/properties', { key: 'size', type: 'number' })
    const note = await makeNote(service, {
      title: 'One',
      content: 'text',
      tags: ['a'],
      alias: 'first',
      cover_url: 'http://e.com/',
      properties: { size: 1 },
    })
    service.clock.advance(1000)
    const path = `/v1/notes/${note.id}`
    const same = {
      title: 'One',
      content: 'text',
      tags: [' A '],
      alias: 'first',
      pinned: false,
      pin_label: null,
      cover_url: 'http://e.com/',
    }
    expect((await service.patch(path, same)).body).toEqual({ note })
    expect((await service.patch(path, {})).body).toEqual({ note })
    expect((await service.post(`${path}/tags`, { tags: ['A'] })).body).toEqual({ note })
    expect((await service.post(`${path}/edit`, { old_str: 'text', new_str: 'text' })).body).toEqual({ note })
    expect((await service.patch(`${path}/properties`, { size: 1 })).body).toEqual({ properties: { size: 1 } })
    expect(await readNote(service, note.id)).toEqual(note)
    expect(await revisionsOf(service, note.id)).toEqual([])
  })

  test('is refused for wrong types and unknown fields, and changes nothing', async () => {
    const note = await makeNote(service)
    for (const body of [{ pinned: null }, { pinned: 1 }, { title: null }, { tags: null }, { note: 1 }, []]) {
      expect((await service.patch(`/v1/notes/${note.id}`, body)).body.code).toBe('invalid_request')
    }
    expect(await readNote(service, note.id)).toEqual(note)
  })
})

describe('an alias', () => {
  test('is unique among notes, ignoring case, and a collision changes nothing', async () => {
    await makeNote(service, { title: 'Holder', alias: 'ÉTÉ' })
    const created = await service.post('/v1/notes', { title: 'x', alias: 'été', tags: ['new'] })
    expect(created.status).toBe(409)
    expect(created.body).toEqual({
      error: 'The alias "été" belongs to the note "Holder" already; choose another.',
      code: 'name_taken',
    })
    const other = await makeNote(service)
    const patched = await service.patch(`/v1/notes/${other.id}`, {
      title: 'new',
      alias: 'E\u0301te\u0301',
      tags: ['new'],
    })
    expect(patched.body.code).toBe('name_taken')
    expect(await readNote(service, other.id)).toEqual(other)
    expect((await service.get('/v1/notes')).body.total).toBe(2)
    expect((await service.get('/v1/tags')).body.tags).toEqual([])
  })

  test('may change case on its own note, and is free again once cleared', async () => {
    const one = await makeNote(service, { alias: 'ada' })
    const two = await makeNote(service)
    expect((await service.patch(`/v1/notes/${one.id}`, { alias: 'Ada' })).body.note.alias).toBe('Ada')
    await service.patch(`/v1/notes/${one.id}`, { alias: null })
    expect((await service.patch(`/v1/notes/${two.id}`, { alias: 'ada' })).body.note.alias).toBe('ada')
  })
})

describe('the list of notes', () => {
  const titles = async (query: string) =>
    (await service.get(`/v1/notes${query}`)).body.notes.map((note: { title: string }) => note.title)

  test('lists the newest edit first, and pages with total and has_more', async () => {
    const [first] = await Promise.all(['a', 'b', 'c'].map((title) => makeNote(service, { title })))
    service.clock.advance(1)
    await service.post(`/v1/notes/${first?.id}/append`, { text: 'x' })
    expect(await titles('')).toEqual(['a', 'c', 'b'])
    const page = (await service.get('/v1/notes?limit=2&offset=1')).body
    expect({ ...page, notes: page.notes.length }).toEqual({ notes: 2, total: 3, has_more: false })
    expect((await service.get('/v1/notes?limit=2')).body.has_more).toBe(true)
    expect((await service.get('/v1/notes?offset=9')).body).toEqual({ notes: [], total: 3, has_more: false })
  })

  test('sorts by title ignoring case, by code point, and by times, equal values by id in the same direction', async () => {
    for (const title of ['b', 'Á', 'A', 'a', '\uffee', '😀']) await makeNote(service, { title })
    expect(await titles('?sort=title')).toEqual(['A', 'a', 'b', 'Á', '\uffee', '😀'])
    expect(await titles('?sort=title&direction=desc')).toEqual(['😀', '\uffee', 'Á', 'b', 'a', 'A'])
    expect(await titles('?sort=created_at')).toEqual(['😀', '\uffee', 'a', 'A', 'Á', 'b'])
    expect(await titles('?sort=created_at&direction=asc')).toEqual(['b', 'Á', 'A', 'a', '\uffee', '😀'])
    expect(await titles('?direction=asc')).toEqual(['b', 'Á', 'A', 'a', '\uffee', '😀'])
  })

  test('narrows to a tag, ignoring case; an unknown tag is an empty list', async () => {
    await makeNote(service, { title: 'tagged', tags: ['Work'] })
    await makeNote(service, { title: 'other' })
    const page = (await service.get('/v1/notes?tag=wORK')).body
    expect({ titles: await titles('?tag=work'), total: page.total }).toEqual({ titles: ['tagged'], total: 1 })
    expect((await service.get('/v1/notes?tag=none')).body).toEqual({ notes: [], total: 0, has_more: false })
  })

  test('refuses a limit, offset, sort or parameter it does not know', async () => {
    const bad = ['limit=0', 'limit=201', 'limit=x', 'offset=-1', 'sort=id', 'direction=up', 'q=x', 'search=']
    for (const query of [...bad, `search=${'x'.repeat(501)}`]) {
      expect((await service.get(`/v1/notes?${query}`)).body.code).toBe('invalid_request')
    }
    expect((await service.get('/v1/notes?limit=200')).status).toBe(200)
  })
})
