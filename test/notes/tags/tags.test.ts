import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeNote, readNote, tagNamed } from '../../support/notes.ts'
import { measureProcessorTime } from '../../support/processor-time.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const tagsOf = async (id: string) => (await readNote(service, id)).tags
const idOf = async (name: string): Promise<number> => (await tagNamed(service, name)).id
const link = async (name: string, ...linked: string[]) =>
  service.put(`/v1/tags/${await idOf(name)}/links`, {
    linked_tag_ids: await Promise.all(linked.map(idOf)),
  })
const countOf = async (name: string): Promise<number> => (await tagNamed(service, name)).note_count

describe('tags on notes', () => {
  test('are created if new, trimmed, matched ignoring case, and shown as first written', async () => {
    const note = await makeNote(service, { tags: [' Work ', 'WORK', 'Été'] })
    expect(note.tags).toEqual(['Work', 'Été'])
    service.clock.advance(1)
    const { status, body } = await service.post(`/v1/notes/${note.id}/tags`, {
      tags: ['e\u0301TE\u0301', 'new'],
    })
    expect(status).toBe(200)
    expect(body.note).toEqual({
      ...note,
      tags: ['new', 'Work', 'Été'],
      updated_at: '2026-11-21T09:30:00.001Z',
    })
    expect((await service.get('/v1/tags')).body.tags).toEqual([
      { id: expect.any(Number), name: 'new', color: null, is_pinned: false, note_count: 1, linked_tags: [] },
      { id: expect.any(Number), name: 'Work', color: null, is_pinned: false, note_count: 1, linked_tags: [] },
      { id: expect.any(Number), name: 'Été', color: null, is_pinned: false, note_count: 1, linked_tags: [] },
    ])
  })

  test('are removed individually; the tag itself remains', async () => {
    const note = await makeNote(service, { tags: ['a/b %', 'c'] })
    const { body } = await service.delete(`/v1/notes/${note.id}/tags/${encodeURIComponent(' A/B % ')}`)
    expect(body.note).toEqual({ ...note, tags: ['c'], updated_at: '2026-11-21T09:30:00.001Z' })
    expect(await countOf('a/b %')).toBe(0)
    const again = await service.delete(`/v1/notes/${note.id}/tags/${encodeURIComponent('a/b %')}`)
    expect([again.status, again.body]).toEqual([200, body])
    const unknown = await service.delete(`/v1/notes/${note.id}/tags/none`)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
    expect((await service.delete('/v1/notes/none/tags/c')).status).toBe(404)
  })

  test('are all refused when one is an invalid tag name', async () => {
    const note = await makeNote(service)
    for (const tags of [['ok', 'a,b'], ['ok', ''], ['ok', 5], 'ok', undefined]) {
      const { body } = await service.post(`/v1/notes/${note.id}/tags`, { tags })
      expect(body.code).toBe('invalid_request')
    }
    expect(await readNote(service, note.id)).toEqual(note)
    expect((await service.get('/v1/tags')).body.tags).toEqual([])
  })
})

describe('a tag', () => {
  test('is renamed, coloured and pinned without touching its notes', async () => {
    const note = await makeNote(service, { tags: ['old'] })
    const id = await idOf('old')
    service.clock.advance(1000)
    const change = { name: ' Old One ', color: '#aBcDeF', is_pinned: true }
    const { status, body } = await service.patch(`/v1/tags/${id}`, change)
    expect(status).toBe(200)
    const tag = { id, name: 'Old One', color: '#aBcDeF', is_pinned: true, note_count: 1, linked_tags: [] }
    expect(body).toEqual({ tag })
    expect(await readNote(service, note.id)).toEqual({ ...note, tags: ['Old One'] })
    expect((await service.patch(`/v1/tags/${id}`, { color: null })).body.tag).toEqual({ ...tag, color: null })
    expect((await service.get(`/v1/tags/${id}`)).body).toEqual({
      tag: { ...tag, color: null },
      used_by: { views: [], lenses: [] },
    })
  })

  test('cannot take the name of another, but its own in another case', async () => {
    await makeNote(service, { tags: ['one', 'two'] })
    const id = await idOf('one')
    const { status, body } = await service.patch(`/v1/tags/${id}`, { name: 'TWO', color: '#000000' })
    expect([status, body]).toEqual([
      409,
      { error: 'A tag named "TWO" exists already; choose another name.', code: 'name_taken' },
    ])
    expect(await tagNamed(service, 'one')).toMatchObject({ id, color: null })
    expect((await service.patch(`/v1/tags/${id}`, { name: 'ONE' })).body.tag.name).toBe('ONE')
  })

  test('refuses invalid changes and ids', async () => {
    await makeNote(service, { tags: ['one'] })
    const id = await idOf('one')
    const bad = [{ name: '' }, { name: 'a,b' }, { name: null }, { color: 'red' }, { color: '#12345' }]
    for (const body of [...bad, { is_pinned: null }, { colour: '#000000' }]) {
      expect((await service.patch(`/v1/tags/${id}`, body)).body.code).toBe('invalid_request')
    }
    for (const none of ['0', '-1', '01', '1.5', 'one', '999', '99999999999999999999']) {
      expect((await service.get(`/v1/tags/${none}`)).body.code).toBe('not_found')
    }
    const other = service.as(await service.newWorkspace('Other'))
    expect((await other.get(`/v1/tags/${id}`)).status).toBe(404)
    expect((await other.delete(`/v1/tags/${id}`)).status).toBe(404)
    expect((await other.get('/v1/tags')).body.tags).toEqual([])
  })

  test('is deleted from every note, trashed ones too, which moves them', async () => {
    const [active, trashed, other] = [
      await makeNote(service, { tags: ['gone', 'kept'] }),
      await makeNote(service, { tags: ['gone'] }),
      await makeNote(service, { tags: ['kept'] }),
    ]
    await service.delete(`/v1/notes/${trashed.id}`)
    await link('kept', 'gone')
    const before = await readNote(service, other.id)
    const id = await idOf('gone')
    service.clock.advance(1000)
    expect((await service.delete(`/v1/tags/${id}`)).body).toEqual({ deleted: true, id })
    const updated_at = '2026-11-21T09:30:01.000Z'
    expect(await readNote(service, active.id)).toEqual({ ...active, tags: ['kept'], updated_at })
    expect(before.tags).toEqual(['gone', 'kept'])
    expect(await tagsOf(other.id)).toEqual(['kept'])
    expect((await service.post(`/v1/notes/${trashed.id}/restore`)).body.note.tags).toEqual([])
    expect((await service.get('/v1/tags')).body.tags).toMatchObject([{ name: 'kept', linked_tags: [] }])
    expect((await service.delete(`/v1/tags/${id}`)).status).toBe(404)
  })
})

describe('linked tags', () => {
  test('come along from then on, transitively, and count', async () => {
    await makeNote(service, { title: 'seed', tags: ['a', 'b', 'c', 'd'] })
    await link('a', 'b')
    await link('b', 'c')
    const { tags } = await makeNote(service, { tags: ['A'] })
    expect(tags).toEqual(['a', 'b', 'c'])
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(countOf))).toEqual([2, 2, 2, 1])
    const other = await makeNote(service)
    expect((await service.post(`/v1/notes/${other.id}/tags`, { tags: ['b'] })).body.note.tags).toEqual([
      'b',
      'c',
    ])
    expect((await service.patch(`/v1/notes/${other.id}`, { tags: ['a'] })).body.note.tags).toEqual([
      'a',
      'b',
      'c',
    ])
  })

  test('come at once onto the notes that carry the tag, trashed ones too, and move only those that gain any', async () => {
    await makeNote(service, { tags: ['b', 'c'] })
    await link('b', 'c')
    const gains = await makeNote(service, { tags: ['a'] })
    const has = await makeNote(service, { tags: ['a', 'b', 'c'] })
    const trashed = await makeNote(service, { tags: ['a'] })
    await service.delete(`/v1/notes/${trashed.id}`)
    service.clock.advance(1000)
    const { body } = await link('a', 'b')
    expect(body.tag).toMatchObject({ name: 'a', linked_tags: [{ id: await idOf('b'), name: 'b' }] })
    const updated_at = '2026-11-21T09:30:01.000Z'
    expect(await readNote(service, gains.id)).toEqual({ ...gains, tags: ['a', 'b', 'c'], updated_at })
    expect(await readNote(service, has.id)).toEqual(has)
    expect(await Promise.all(['a', 'b', 'c'].map(countOf))).toEqual([2, 3, 3])
    expect((await service.get('/v1/notes?search=c')).body.total).toBe(3)
    expect((await service.post(`/v1/notes/${trashed.id}/restore`)).body.note.tags).toEqual(['a', 'b', 'c'])
    expect(await Promise.all(['a', 'b', 'c'].map(countOf))).toEqual([3, 4, 4])
  })

  test('may form a cycle, but never link a tag to itself', async () => {
    await makeNote(service, { tags: ['a', 'b', 'c'] })
    await link('a', 'b')
    await link('b', 'c')
    expect((await link('c', 'a')).status).toBe(200)
    for (const tag of ['a', 'b', 'c']) {
      expect((await makeNote(service, { tags: [tag] })).tags).toEqual(['a', 'b', 'c'])
    }
    const self = await link('a', 'b', 'a')
    expect([self.status, self.body.code]).toEqual([400, 'refused'])
    expect((await tagNamed(service, 'a')).linked_tags).toHaveLength(1)
  })

  test('are replaced as a list; removing a link removes no tag from notes', async () => {
    const note = await makeNote(service, { tags: ['a', 'b', 'c'] })
    await link('a', 'b')
    const carrier = await makeNote(service, { tags: ['a'] })
    await link('a', 'c')
    expect(await tagsOf(carrier.id)).toEqual(['a', 'b', 'c'])
    await link('a')
    expect((await tagNamed(service, 'a')).linked_tags).toEqual([])
    expect(await tagsOf(carrier.id)).toEqual(['a', 'b', 'c'])
    expect(await tagsOf(note.id)).toEqual(['a', 'b', 'c'])
    expect((await makeNote(service, { tags: ['a'] })).tags).toEqual(['a'])
  })

  test('that are unknown, or of another workspace, refuse the whole list', async () => {
    await makeNote(service, { tags: ['a', 'b'] })
    const other = service.as(await service.newWorkspace('Other'))
    await makeNote(other, { tags: ['theirs'] })
    const theirs = (await tagNamed(other, 'theirs')).id
    await link('a', 'b')
    for (const unknown of [theirs, 999, 0, -1]) {
      const { status, body } = await service.put(`/v1/tags/${await idOf('a')}/links`, {
        linked_tag_ids: [unknown],
      })
      expect([status, body.code]).toEqual([400, 'refused'])
    }
    for (const linked_tag_ids of [['1'], [1.5], null, 1]) {
      const { body } = await service.put(`/v1/tags/${await idOf('a')}/links`, { linked_tag_ids })
      expect(body.code).toBe('invalid_request')
    }
    expect((await tagNamed(service, 'a')).linked_tags).toMatchObject([{ name: 'b' }])
  })

  test('of a long chain are added quickly', async () => {
    const names = Array.from({ length: 300 }, (_, at) => `link ${at}`)
    for (let at = 0; at < 300; at += 100) await makeNote(service, { tags: names.slice(at, at + 100) })
    const ids = await Promise.all(names.map(idOf))
    for (let at = 0; at + 1 < ids.length; at++) {
      await service.put(`/v1/tags/${ids[at]}/links`, { linked_tag_ids: [ids[at + 1]] })
    }
    const processorTime = measureProcessorTime()
    expect((await makeNote(service, { tags: ['link 0'] })).tags).toHaveLength(300)
    expect(processorTime()).toBeLessThan(1_000)
  })
})
