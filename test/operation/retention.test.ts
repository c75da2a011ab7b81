import { afterEach, beforeEach, expect, test } from 'bun:test'
import { faultsIn } from '../support/check.ts'
import { sizesOf } from '../support/database.ts'
import { runRetention } from '../support/jobs.ts'
import { startService, type TestService } from '../support/service.ts'

const DAY_MS = 86_400_000

let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const newNote = async (title: string, more: object = {}): Promise<string> =>
  (await service.post('/v1/notes', { title, ...more })).body.note.id

const titles = async (path: string): Promise<string[]> =>
  (await service.get(path)).body.notes.map((note: { title: string }) => note.title)

const count = (table: string) => sizesOf(service, table)[0] ?? 0

test('a note stays in the trash for 30 days, and is then purged with its data', async () => {
  await service.post('/v1/properties', { key: 'mood', type: 'text' })
  const old = await newNote('Old', { content: 'to [[Kept]]', tags: ['t'], properties: { mood: 'blue' } })
  await newNote('Kept', { content: 'of [[Old]]', tags: ['t'] })
  await service.delete(`/v1/notes/${old}`)
  service.clock.advance(30 * DAY_MS)
  await service.delete(`/v1/notes/${await newNote('Young', { content: 'to [[Kept]]', tags: ['t'] })}`)
  await runRetention(service.ctx)
  expect(await titles('/v1/notes/trash')).toEqual(['Young', 'Old'])
  service.clock.advance(1)
  await runRetention(service.ctx)
  expect(await titles('/v1/notes/trash')).toEqual(['Young'])
  expect(await titles('/v1/notes')).toEqual(['Kept'])
  expect((await service.post(`/v1/notes/${old}/restore`)).status).toBe(404)
  const { counts } = (await service.get('/v1/workspace')).body.workspace
  expect(counts).toMatchObject({ notes: 1, trashed_notes: 1 })
  const left = { bodies: count('note_bodies'), values: count('note_properties'), links: count('note_links') }
  expect(left).toEqual({ bodies: 2, values: 0, links: 2 })
  expect(faultsIn(service)).toEqual([])
})

test('a revision is kept 7 days', async () => {
  const id = await newNote('First')
  await service.patch(`/v1/notes/${id}`, { title: 'Second' })
  service.clock.advance(DAY_MS)
  await service.patch(`/v1/notes/${id}`, { title: 'Third' })
  const revisions = async () =>
    (await service.get(`/v1/notes/${id}/revisions`)).body.revisions.map(
      ({ title }: { title: string }) => title,
    )
  service.clock.advance(6 * DAY_MS)
  await runRetention(service.ctx)
  expect(await revisions()).toEqual(['Second', 'First'])
  service.clock.advance(1)
  await runRetention(service.ctx)
  expect(await revisions()).toEqual(['Second'])
  expect(await titles('/v1/notes')).toEqual(['Third'])
})

test('a large trash is purged completely, in transactions that let other writes through', async () => {
  const ids = await Promise.all(Array.from({ length: 300 }, (_, at) => newNote(`Note ${at}`)))
  await Promise.all(ids.map((id) => service.delete(`/v1/notes/${id}`)))
  service.clock.advance(30 * DAY_MS + 1)
  const sweep = runRetention(service.ctx)
  const remaining = () => count('notes')
  const seen: number[] = []
  const created = newNote('Meanwhile').then(() => seen.push(remaining()))
  await Promise.all([sweep, created])
  expect(seen[0]).toBeGreaterThan(1)
  expect(remaining()).toBe(1)
})

test('a response saved for an Idempotency-Key is removed after 24 hours, a younger one is not', async () => {
  const create = (key: string) =>
    service.request('POST', '/v1/notes', { title: key }, { 'idempotency-key': key })
  await create('old')
  service.clock.advance(DAY_MS)
  await create('young')
  await runRetention(service.ctx)
  expect(count('idempotency_keys')).toBe(2)
  service.clock.advance(1)
  await runRetention(service.ctx)
  expect(count('idempotency_keys')).toBe(1)
  expect((await create('young')).headers.get('idempotent-replayed')).toBe('true')
  expect((await titles('/v1/notes')).sort()).toEqual(['old', 'young'])
})

test('old changes are removed in every workspace, however many there are', async () => {
  const { config } = service.ctx
  await newNote('Mine')
  const inOther = async (number: number) => {
    const other = service.as(await service.newWorkspace(`Team ${number}`))
    for (const title of ['One', 'Two']) await other.post('/v1/notes', { title })
  }
  await Promise.all(Array.from({ length: 210 }, (_, number) => inOther(number)))
  const changes = count('changes')
  service.clock.advance(config.keepChangesMs)
  await runRetention(service.ctx)
  expect(count('changes')).toBe(changes)
  service.clock.advance(1)
  await runRetention(service.ctx)
  // The last change of each workspace stays.
  expect(count('changes')).toBe(count('workspaces'))
})
