import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sizesOf } from '../support/database.ts'
import { runRetention } from '../support/jobs.ts'
import { makeNote, readNote, revisionsOf, tagNamed, titlesFound } from '../support/notes.ts'
import { startService, type TestService } from '../support/service.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const counts = async () => {
  const { notes, trashed_notes } = (await service.get('/v1/workspace')).body.workspace.counts
  return { notes, trashed_notes }
}

describe('the trash', () => {
  test('hides a note everywhere, and a restore returns it unchanged', async () => {
    await service.post('/v1/properties', { key: 'size', type: 'number' })
    const note = await makeNote(service, {
      title: 'Engine',
      content: 'steam',
      tags: ['work'],
      alias: 'e',
      properties: { size: 1 },
    })
    const path = `/v1/notes/${note.id}`
    service.clock.advance(1000)
    expect((await service.delete(path)).body).toEqual({ trashed: true, id: note.id })
    expect((await service.get('/v1/notes/trash')).body).toEqual({
      notes: [{ id: note.id, title: 'Engine', deleted_at: '2026-11-21T09:30:01.000Z' }],
      total: 1,
      has_more: false,
    })
    for (const read of [path, `${path}/properties`, `${path}/links`, `${path}/revisions`]) {
      expect((await service.get(read)).body.code).toBe('not_found')
    }
    for (const write of ['append', 'edit', 'tags']) {
      const body = { append: { text: 'x' }, edit: { old_str: 'x' }, tags: { tags: ['x'] } }[write]
      expect((await service.post(`${path}/${write}`, body)).body.code).toBe('not_found')
    }
    expect((await service.patch(path, { title: 'x' })).status).toBe(404)
    expect((await service.delete(path)).status).toBe(404)
    for (const query of ['', '?tag=work', '?search=steam', '?search=work', '?search=en*']) {
      expect((await service.get(`/v1/notes${query}`)).body.total).toBe(0)
    }
    expect((await tagNamed(service, 'work')).note_count).toBe(0)
    expect((await service.get('/v1/properties/size')).body.property.notes_with_value).toBe(0)
    expect(await counts()).toEqual({ notes: 0, trashed_notes: 1 })

    expect((await service.post(`${path}/restore`)).body).toEqual({ note })
    expect(await readNote(service, note.id)).toEqual(note)
    expect((await service.get(`${path}/properties`)).body.properties).toEqual({ size: 1 })
    expect(await titlesFound(service, 'steam work')).toEqual(['Engine'])
    expect((await tagNamed(service, 'work')).note_count).toBe(1)
    expect((await service.get('/v1/properties/size')).body.property.notes_with_value).toBe(1)
    expect((await service.get('/v1/notes/trash')).body.total).toBe(0)
    expect(await counts()).toEqual({ notes: 1, trashed_notes: 0 })
  })

  test('lists the most recently deleted first, in pages', async () => {
    for (const title of ['a', 'b', 'c']) {
      const { id } = await makeNote(service, { title })
      service.clock.advance(1)
      await service.delete(`/v1/notes/${id}`)
    }
    const { body } = await service.get('/v1/notes/trash?limit=2')
    expect(body.notes.map(({ title }: { title: string }) => title)).toEqual(['c', 'b'])
    expect([body.total, body.has_more]).toEqual([3, true])
    expect((await service.get('/v1/notes/trash?limit=2&offset=2')).body.has_more).toBe(false)
    expect((await service.get('/v1/notes/trash?limit=201')).status).toBe(400)
  })

  test('lists notes that went at one instant by id, the last one first, in whatever order they went', async () => {
    const ids: string[] = []
    for (const title of ['a', 'b', 'c']) ids.push((await makeNote(service, { title })).id)
    for (const at of [1, 2, 0]) await service.delete(`/v1/notes/${ids[at]}`)
    const { notes } = (await service.get('/v1/notes/trash')).body
    expect(notes.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
  })

  test('restores the alias only if no other note has it meanwhile', async () => {
    const [first, second] = [
      await makeNote(service, { alias: 'one' }),
      await makeNote(service, { alias: 'two' }),
    ]
    await service.delete(`/v1/notes/${first.id}`)
    await service.delete(`/v1/notes/${second.id}`)
    const claimer = await makeNote(service, { alias: 'ONE' })
    const restored = (await service.post(`/v1/notes/${first.id}/restore`)).body.note
    expect(restored.alias).toBeNull()
    expect(restored.updated_at > first.updated_at).toBe(true)
    expect((await service.post(`/v1/notes/${second.id}/restore`)).body.note).toEqual(second)
    expect((await readNote(service, claimer.id)).alias).toBe('ONE')
  })

  test('restores nothing that is not in it', async () => {
    const note = await makeNote(service)
    for (const id of [note.id, 'none']) {
      expect((await service.post(`/v1/notes/${id}/restore`)).body.code).toBe('not_found')
    }
    const other = service.as(await service.newWorkspace('Other'))
    await service.delete(`/v1/notes/${note.id}`)
    expect((await other.post(`/v1/notes/${note.id}/restore`)).status).toBe(404)
    expect((await other.get('/v1/notes/trash')).body.total).toBe(0)
  })
})

describe('a note in the trash', () => {
  const trashed = async (input: Record<string, unknown>) => {
    const note = await makeNote(service, input)
    await service.delete(`/v1/notes/${note.id}`)
    return note
  }

  test('is returned unchanged, and only for its own note', async () => {
    const note = await trashed({ title: 'Gone', content: 'text', tags: ['a'], alias: 'g' })
    const live = await makeNote(service, {})
    expect((await service.get(`/v1/notes/trash/${note.id}`)).body).toEqual({ note })
    for (const method of ['GET', 'DELETE'])
      for (const id of [live.id, 'x', crypto.randomUUID()])
        expect((await service.request(method, `/v1/notes/trash/${id}`)).body.code).toBe('not_found')
    expect(await counts()).toEqual({ notes: 1, trashed_notes: 1 })
  })

  test('is purged, with one change by its author, and its file remains', async () => {
    const note = await trashed({ title: 'Gone', content: '[[a]] '.repeat(3_000) })
    const other = await trashed({ title: 'Other' })
    const { status, body } = await service.delete(`/v1/notes/trash/${note.id}`)
    expect([status, body]).toEqual([200, { deleted: true, id: note.id }])
    expect((await service.get(`/v1/notes/trash/${note.id}`)).status).toBe(404)
    expect((await service.post(`/v1/notes/${note.id}/restore`)).status).toBe(404)
    const { changes } = (await service.get('/v1/changes?kinds=note&before=now&limit=1')).body
    expect(changes[0]).toMatchObject({ op: 'purged', id: note.id, actor: { surface: 'api' } })
    expect((await service.get('/v1/notes/trash')).body.notes.map(({ id }: { id: string }) => id)).toEqual([
      other.id,
    ])
    expect(await counts()).toEqual({ notes: 0, trashed_notes: 1 })
  })

  test('is purged when the trash is emptied, and no active note is', async () => {
    const live = await makeNote(service, {})
    for (let at = 0; at < 12; at++) await trashed({ title: `${at}` })
    expect((await service.delete('/v1/notes/trash')).body).toEqual({ purged: 12 })
    expect((await service.delete('/v1/notes/trash')).body).toEqual({ purged: 0 })
    expect(await counts()).toEqual({ notes: 1, trashed_notes: 0 })
    expect(await readNote(service, live.id)).toEqual(live)
  })
})

describe('revisions', () => {
  test('hold the replaced titles and contents, newest first', async () => {
    const { id } = await makeNote(service, { title: 'One', content: 'a' })
    service.clock.advance(10)
    await service.patch(`/v1/notes/${id}`, { title: 'Two', content: 'b' })
    await service.post(`/v1/notes/${id}/append`, { text: 'c' })
    await service.post(`/v1/notes/${id}/edit`, { old_str: 'c', new_str: 'd' })
    const revision = {
      id: expect.any(String),
      created_at: '2026-11-21T09:30:00.010Z',
      surface: 'api',
      title: 'Two',
    }
    expect(await revisionsOf(service, id)).toEqual([
      { ...revision, content: 'b\n\nc' },
      { ...revision, content: 'b' },
      { ...revision, title: 'One', content: 'a' },
    ])
    expect((await service.get(`/v1/notes/${id}/revisions?limit=1`)).body.revisions).toHaveLength(1)
    expect((await service.get(`/v1/notes/${id}/revisions?offset=1`)).status).toBe(400)
  })

  test('are not created by changes of tags, alias, pins, cover, properties or trash', async () => {
    await service.post('/v1/properties', { key: 'size', type: 'number' })
    const { id } = await makeNote(service)
    const path = `/v1/notes/${id}`
    await service.patch(path, {
      alias: 'a',
      pinned: true,
      pin_label: 'p',
      cover_url: 'http://e.com',
      tags: ['t'],
    })
    await service.patch(`${path}/properties`, { size: 1 })
    await service.post(`${path}/tags`, { tags: ['u'] })
    await service.delete(`${path}/tags/u`)
    await service.delete(path)
    await service.post(`${path}/restore`)
    expect(await revisionsOf(service, id)).toEqual([])
  })

  test('set title and body back, undoably, and find and link as before', async () => {
    const target = await makeNote(service, { title: 'Target' })
    const { id } = await makeNote(service, { title: 'One', content: 'steam [[Target]]', tags: ['t'] })
    await service.patch(`/v1/notes/${id}`, { title: 'Two', content: 'other' })
    const [first] = await revisionsOf(service, id)
    const { body } = await service.post(`/v1/notes/${id}/revisions/${first?.id}/restore`)
    expect(body.note).toMatchObject({ title: 'One', content: 'steam [[Target]]', tags: ['t'] })
    expect(await titlesFound(service, 'steam')).toEqual(['One'])
    expect(await titlesFound(service, 'other')).toEqual([])
    expect((await service.get(`/v1/notes/${target.id}/links`)).body.backlinks).toHaveLength(1)
    const [undo, ...older] = await revisionsOf(service, id)
    expect(undo).toMatchObject({ title: 'Two', content: 'other' })
    expect(older).toEqual([first ?? {}])
    await service.post(`/v1/notes/${id}/revisions/${undo?.id}/restore`)
    expect(await readNote(service, id)).toMatchObject({ title: 'Two', content: 'other' })
  })

  test('of another note are not found', async () => {
    const [one, two] = [await makeNote(service), await makeNote(service)]
    await service.post(`/v1/notes/${one.id}/append`, { text: 'x' })
    const [revision] = await revisionsOf(service, one.id)
    for (const path of [`${two.id}/revisions/${revision?.id}`, `${one.id}/revisions/none`]) {
      expect((await service.post(`/v1/notes/${path}/restore`)).body.code).toBe('not_found')
    }
    expect(await readNote(service, two.id)).toEqual(two)
  })
})

describe('the sweeps', () => {
  test('purge notes after 30 days in the trash, with their data', async () => {
    await service.post('/v1/properties', { key: 'size', type: 'number' })
    const notes = [1, 2, 3].map((size) =>
      makeNote(service, { content: '[[x]]', tags: ['t'], properties: { size } }),
    )
    for (const { id } of await Promise.all(notes)) {
      await service.post(`/v1/notes/${id}/append`, { text: 'more' })
      await service.delete(`/v1/notes/${id}`)
      service.clock.advance(HOUR_MS)
    }
    service.clock.advance(30 * DAY_MS - 3 * HOUR_MS)
    for (const left of [3, 2, 1]) {
      await runRetention(service.ctx)
      expect(await counts()).toEqual({ notes: 0, trashed_notes: left })
      service.clock.advance(HOUR_MS)
    }
    await runRetention(service.ctx)
    expect((await service.get('/v1/notes/trash')).body.total).toBe(0)
    const tables = ['notes', 'note_bodies', 'note_links', 'note_tags', 'note_properties', 'revisions']
    expect(sizesOf(service, ...tables)).toEqual(tables.map(() => 0))
    expect(await tagNamed(service, 't')).toMatchObject({ note_count: 0 })
  })

  test('remove revisions after seven days', async () => {
    const { id } = await makeNote(service)
    for (const text of ['a', 'b', 'c']) {
      await service.post(`/v1/notes/${id}/append`, { text })
      service.clock.advance(HOUR_MS)
    }
    service.clock.advance(7 * DAY_MS - HOUR_MS)
    await runRetention(service.ctx)
    expect(await revisionsOf(service, id)).toMatchObject([{ content: 'a\n\nb' }])
  })
})
