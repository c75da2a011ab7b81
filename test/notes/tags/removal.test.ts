import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { unavailable } from '../../../src/lib/refusal.ts'
import { runInProcess } from '../../support/cli.ts'
import { sizesOf, storedValues } from '../../support/database.ts'
import { runJobs } from '../../support/jobs.ts'
import { makeNote, tagNamed } from '../../support/notes.ts'
import { newFolder } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

/*
 * Work in chunks after a short first transaction: the deletion of a tag or property of many notes, and of many linked
 * tags. Here storage fails after the first transaction, as after a kill of the process.
 */

/** More than one transaction processes. */
const NOTES = 1_050

const folder = newFolder()
let files = 0
let file: string
let service: TestService
let noteId: string
let trashedId: string

/** Creates the notes once; every test begins with a copy of the file. */
beforeAll(async () => {
  service = await startService({ file: folder.file('first.db') })
  await service.post('/v1/properties', { key: 'status', type: 'text' })
  await service.post('/v1/properties', { key: 'other', type: 'text' })
  const input = { tags: ['urgent', 'kept'], properties: { status: 'open', other: 'stays' } }
  const notes = await Promise.all(
    Array.from({ length: NOTES }, (_, at) => makeNote(service, { title: `Note ${at}`, ...input })),
  )
  noteId = notes[0]?.id ?? ''
  trashedId = (await makeNote(service, { title: 'Trashed', ...input })).id
  await service.delete(`/v1/notes/${trashedId}`)
  await service.ctx.kernel.close()
  service.close()
})
beforeEach(async () => {
  file = folder.file(`${++files}.db`)
  copyFileSync(folder.file('first.db'), file)
  service = await startService({ file })
})
afterEach(() => service.close())
afterAll(() => folder.remove())

/** Allows the first `count` writes of `action` and fails every other one. */
async function interruptedAfter(count: number, action: () => Promise<unknown>): Promise<void> {
  const { db } = service.ctx
  const write = db.write
  let writes = 0
  const failing: typeof write = (run) => (++writes > count ? Promise.reject(unavailable('full')) : write(run))
  Object.defineProperty(db, 'write', { value: failing, configurable: true, writable: true })
  await action()
  Object.defineProperty(db, 'write', { value: write, configurable: true, writable: true })
}

async function restart(): Promise<void> {
  const { key } = service
  service.close()
  const next = await startService({ file })
  service = Object.assign(next, key === undefined ? {} : next.as(key))
}

async function expectNoFaults(): Promise<void> {
  expect((await runInProcess(['check', '--db', file])).out).toBe('ok\n')
}

/** Returns reads that must not contain any removed object. */
async function everythingRead(): Promise<string> {
  const paths = [
    'notes?limit=200',
    'notes?search=note&limit=200',
    `notes/${noteId}`,
    `notes/${noteId}/properties`,
  ]
  const answers = await Promise.all(
    [...paths, 'tags', 'properties', 'workspace', 'graph', 'presets'].map((path) =>
      service.get(`/v1/${path}`),
    ),
  )
  return JSON.stringify(answers.map(({ body }) => body))
}

describe('a tag whose deletion was interrupted', () => {
  test('disappears from every read at once, and frees its name; the next start completes the deletion', async () => {
    const { id } = await tagNamed(service, 'urgent')
    await service.post('/v1/lenses', { name: 'All', settings: { layers: { tags: true } } })
    await interruptedAfter(1, () => service.delete(`/v1/tags/${id}`))
    expect(sizesOf(service, `note_tags WHERE tag = ${id}`)[0]).toBeGreaterThan(0)
    for (const step of ['before', 'after']) {
      if (step === 'after') await restart()
      expect((await everythingRead()).includes('urgent')).toBe(false)
      expect((await service.get('/v1/notes?tag=urgent')).body.total).toBe(0)
      expect((await service.get('/v1/notes?search=urgent')).body.total).toBe(0)
      expect((await service.get(`/v1/tags/${id}`)).status).toBe(404)
      const filter = { type: 'tags', op: 'has_any', tag_ids: [id] }
      expect((await service.post('/v1/notes/query', { filter })).status).toBe(400)
      expect((await service.post('/v1/views', { name: 'V', filter })).status).toBe(400)
    }
    await makeNote(service, { title: 'new', tags: ['Urgent'] })
    expect((await service.get('/v1/notes?tag=urgent')).body.total).toBe(1)
    expect((await service.get('/v1/notes?search=urgent')).body.total).toBe(1)
    await runJobs(service.ctx)
    expect(sizesOf(service, `note_tags WHERE tag = ${id}`, `tags WHERE id = ${id}`)).toEqual([0, 0])
    expect((await service.get(`/v1/notes/${noteId}`)).body.note.tags).toEqual(['kept'])
    expect((await service.post(`/v1/notes/${trashedId}/restore`)).body.note.tags).toEqual(['kept'])
    await expectNoFaults()
  })
})

describe('a property whose deletion was interrupted', () => {
  test('disappears from every read at once, and frees its key; the next start completes the deletion', async () => {
    const [pk] = storedValues<number>(service, "SELECT pk FROM properties WHERE key = 'status'")
    await interruptedAfter(1, () => service.delete('/v1/properties/status'))
    await restart()
    expect((await everythingRead()).includes('status')).toBe(false)
    expect((await service.get('/v1/properties/status')).status).toBe(404)
    expect((await service.patch(`/v1/notes/${noteId}/properties`, { status: 'x' })).status).toBe(400)
    const made = await service.post('/v1/properties', { key: 'status', type: 'number' })
    expect(made.body.property).toMatchObject({ notes_with_value: 0, position: 1 })
    await service.patch(`/v1/notes/${noteId}/properties`, { status: 7 })
    await runJobs(service.ctx)
    expect(sizesOf(service, `properties WHERE pk = ${pk}`)).toEqual([0])
    expect((await service.get(`/v1/notes/${noteId}/properties`)).body.properties).toEqual({
      other: 'stays',
      status: 7,
    })
    await expectNoFaults()
  })

  test('returns how many notes had a value, trashed ones included', async () => {
    const { body } = await service.delete('/v1/properties/status')
    expect(body).toEqual({ deleted: true, notes_affected: NOTES + 1 })
  })
})

describe('many linked tags', () => {
  const counts = async () => {
    const { tags } = (await service.get('/v1/tags')).body
    return new Set(
      tags
        .filter(({ name }: { name: string }) => name.startsWith('linked'))
        .map(({ note_count }: { note_count: number }) => note_count),
    )
  }

  test('come onto each note all at once, and after an interruption onto the rest', async () => {
    const names = Array.from({ length: 70 }, (_, at) => `linked ${at}`)
    await makeNote(service, { tags: names })
    const ids = (await Promise.all(names.map((name) => tagNamed(service, name)))).map((tag) => tag.id)
    const { id } = await tagNamed(service, 'urgent')
    await interruptedAfter(2, () => service.put(`/v1/tags/${id}/links`, { linked_tag_ids: ids }))
    const done = [...(await counts())]
    expect(done).toHaveLength(1)
    expect(done[0]).toBeGreaterThan(1)
    expect(done[0]).toBeLessThan(NOTES + 1)
    await expectNoFaults()
    await restart()
    await runJobs(service.ctx)
    expect([...(await counts())]).toEqual([NOTES + 1])
    expect((await service.get('/v1/notes?search="linked 7"&limit=1')).body.total).toBe(NOTES + 1)
    expect((await service.post(`/v1/notes/${trashedId}/restore`)).body.note.tags).toHaveLength(72)
    await expectNoFaults()
  })
})
