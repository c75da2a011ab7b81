import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeFile } from '../support/files.ts'
import { makeNote, type NoteAnswer } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let note: NoteAnswer
let path: string
beforeEach(async () => {
  service = await startService()
  await service.post('/v1/properties', { key: 'due', type: 'date' })
  await service.post('/v1/presets', { name: 'Task', tags: ['task'], content: '- [ ] {{title}}' })
  note = await makeNote(service, { title: 'Plan', content: 'see [[Engines]]', tags: ['work'] })
  path = `/v1/notes/${note.id}`
  service.clock.advance(1_000)
})
afterEach(() => service.close())

const BEFORE = '2026-11-21T09:30:00.000Z'
const AFTER = '2026-11-21T09:30:01.000Z'

async function instants() {
  const { notes } = (await service.get('/v1/notes?sort=edited_at')).body
  const { edited_at, updated_at } = notes.find(({ id }: NoteAnswer) => id === note.id)
  return [edited_at, updated_at]
}

type Change = () => Promise<unknown>

const EDITS: Record<string, Change> = {
  'a title': () => service.patch(path, { title: 'Plans' }),
  'a text': () => service.patch(path, { content: 'new' }),
  'an appended text': () => service.post(`${path}/append`, { text: 'more' }),
  'an edited passage': () => service.post(`${path}/edit`, { old_str: 'see', new_str: 'read' }),
  'an alias': () => service.patch(path, { alias: 'p' }),
  'a tag that is added': () => service.post(`${path}/tags`, { tags: ['new'] }),
  'a tag that is taken off': () => service.delete(`${path}/tags/work`),
  'a property': () => service.patch(`${path}/properties`, { due: '2026-12-01' }),
  'a preset': () => service.post('/v1/presets/Task/apply', { note_id: note.id }),
  'a revision that is restored': async () => {
    const { revisions } = (await service.get(`${path}/revisions`)).body
    return service.post(`${path}/revisions/${revisions[0].id}/restore`)
  },
  'changes that are applied together': () =>
    service.post('/v1/changes/apply', {
      changes: [{ kind: 'note', op: 'updated', id: note.id, data: { properties: { due: '2026-12-01' } } }],
    }),
}

const OTHERS: Record<string, Change> = {
  'a pin': () => service.patch(path, { pinned: true, pin_label: 'Here' }),
  'a cover': () => service.patch(path, { cover_url: 'https://example.com/a.png' }),
  'the renaming of a note that it links to': async () => {
    const other = await makeNote(service, { title: 'Engines' })
    return service.patch(`/v1/notes/${other.id}`, { title: 'Motors', rewrite_links: true })
  },
  'a tag that comes along': async () => {
    await service.post('/v1/notes', { title: 'x', tags: ['more'] })
    const { tags } = (await service.get('/v1/tags')).body
    const [more, work] = ['more', 'work'].map(
      (name) => tags.find((tag: { name: string }) => tag.name === name).id,
    )
    return service.put(`/v1/tags/${work}/links`, { linked_tag_ids: [more] })
  },
  'the deletion of its tag': async () => {
    const { tags } = (await service.get('/v1/tags')).body
    return service.delete(`/v1/tags/${tags.find((tag: { name: string }) => tag.name === 'work').id}`)
  },
  'the deletion of its property': () => service.delete('/v1/properties/due'),
  'the trash and its restore': async () => {
    await service.delete(path)
    return service.post(`${path}/restore`)
  },
}

describe('edited_at', () => {
  test.each(Object.keys(EDITS))('moves with updated_at by %s', async (name) => {
    if (name.startsWith('a revision')) await service.patch(path, { content: 'between' })
    service.clock.advance(0)
    await EDITS[name]?.()
    const [edited, updated] = await instants()
    expect(edited).toBe(updated)
    expect(edited >= AFTER).toBe(true)
  })

  test.each(Object.keys(OTHERS))('is unchanged by %s', async (name) => {
    if (name.includes('property')) {
      await service.patch(`${path}/properties`, { due: '2026-12-01' })
      service.clock.advance(1_000)
      const [edited] = await instants()
      await OTHERS[name]?.()
      expect(await instants()).toEqual([edited, '2026-11-21T09:30:02.000Z'])
      return
    }
    await OTHERS[name]?.()
    const [edited, updated] = await instants()
    expect([edited, updated]).toEqual([BEFORE, name.includes('trash') ? BEFORE : AFTER])
  })

  test('is unchanged by the renaming of a file', async () => {
    const file = await makeFile(service, { noteId: note.id, pages: ['a'] })
    await service.patch(path, { content: `[[file:${file}|old.txt]]` })
    const [edited] = await instants()
    service.clock.advance(1_000)
    await service.patch(`/v1/files/${file}`, { file_name: 'new.txt' })
    expect((await service.get(path)).body.note.content).toBe(`[[file:${file}|new.txt]]`)
    expect((await instants())[0]).toBe(edited)
  })

  test('is unchanged by undo of a rename, and changes with undo of an edit', async () => {
    const other = await makeNote(service, { title: 'Engines' })
    await service.patch(`/v1/notes/${other.id}`, { title: 'Motors', rewrite_links: true })
    const undo = async () => {
      const { changes } = (await service.get('/v1/changes?before=now&limit=1')).body
      return service.post('/v1/changes/undo', { transaction: changes[0].transaction })
    }
    expect((await undo()).status).toBe(200)
    expect((await service.get(path)).body.note.content).toBe('see [[Engines]]')
    expect((await instants())[0]).toBe(BEFORE)
    await service.patch(path, { content: 'other' })
    service.clock.advance(1_000)
    await undo()
    expect((await instants())[0]).toBe('2026-11-21T09:30:02.000Z')
  })

  test('sorts lists, queries and views, and is in responses only there', async () => {
    const other = await makeNote(service, { title: 'Other', tags: ['work'] })
    service.clock.advance(1_000)
    await service.patch(path, { pinned: true })
    const filter = { type: 'group', match: 'all', children: [] }
    const view = (await service.post('/v1/views', { name: 'V', sort: { field: 'edited_at' } })).body.view
    expect(view.sort).toEqual({ field: 'edited_at', direction: 'desc' })
    const lists = [
      await service.get('/v1/notes?sort=edited_at'),
      await service.get('/v1/notes?sort=edited_at&content=false&tag=work'),
      await service.get('/v1/notes?sort=edited_at&search=work'),
      await service.post('/v1/notes/query', { filter, sort: 'edited_at' }),
      await service.post('/v1/notes/query', { filter, sort: 'edited_at', search: 'work' }),
      await service.get(`/v1/views/${view.id}/notes`),
    ]
    for (const { body } of lists)
      expect(
        body.notes.map(({ id, edited_at }: NoteAnswer & { edited_at: string }) => [id, edited_at]),
      ).toEqual([
        [other.id, AFTER],
        [note.id, BEFORE],
      ])
    const ascending = await service.post('/v1/notes/query', { filter, sort: 'edited_at', direction: 'asc' })
    expect(ascending.body.notes[0].id).toBe(note.id)
    const byUpdate = await service.post('/v1/notes/query', { filter })
    expect(byUpdate.body.notes[0].id).toBe(note.id)
    for (const answer of [byUpdate, await service.get('/v1/notes')])
      expect(answer.body.notes[0].edited_at).toBeUndefined()
    expect((await service.get(path)).body.note.edited_at).toBeUndefined()
    const byTitle = await service.post('/v1/notes/query', { filter, sort: 'title', search: 'work' })
    expect(byTitle.body.notes.map(({ title }: NoteAnswer) => title)).toEqual(['Other', 'Plan'])
  })

  test('is in the feed and the snapshot on request', async () => {
    await service.patch(path, { pinned: true })
    const objectIn = async (query: string) => {
      const { changes } = (await service.get(`/v1/changes?kinds=note&${query}`)).body
      return changes[0].object?.edited_at
    }
    expect(await objectIn('include=objects&edited=true')).toBe(BEFORE)
    expect(await objectIn('include=objects&edited=true&before=now')).toBe(BEFORE)
    expect(await objectIn('include=objects')).toBeUndefined()
    expect(await objectIn('edited=true')).toBeUndefined()
    const snapshot = async (query: string) => (await service.get(`/v1/changes/snapshot${query}`)).body
    expect(await snapshot('?edited=true')).toContain(`"edited_at":"${BEFORE}"`)
    expect(await snapshot('')).not.toContain('edited_at')
  })
})
