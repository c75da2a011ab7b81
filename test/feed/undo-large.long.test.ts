import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { declare, list } from '../support/records.ts'
import { startService, type TestService, testClock } from '../support/service.ts'
import { watch } from '../support/watch.ts'

/* Writes with many changes, which a worker undoes. */

const FIELDS = [
  { key: 'name', type: 'text' },
  { key: 'size', type: 'number' },
]
let folder: ReturnType<typeof newFolder>
let service: TestService

beforeEach(async () => {
  folder = newFolder()
  service = await startService({ file: folder.file('daybook.db') })
  await declare(service, 'Boxes', FIELDS)
})
afterEach(() => {
  service.app.stop()
  service.close()
  folder.remove()
})

/** Imports while no server uses the database, in one transaction. */
async function importing(path: string, ...flags: string[]): Promise<void> {
  const file = folder.file('daybook.db')
  service.close()
  expect((await runInProcess(['import', path, ...flags, '--db', file])).exitCode).toBe(0)
  service = await startService({ file, clock: testClock(Date.now()) })
}

/** Writes this many rows in one transaction. */
async function writeMany(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => `box ${at},${at % 500}`)
  await Bun.write(folder.file('boxes.csv'), ['name,size', ...rows].join('\n'))
  await importing(folder.file('boxes.csv'), '--structure', 'Boxes')
}

const newest = async (query = '') =>
  (await service.get(`/v1/changes?before=now&limit=1${query}`)).body.changes[0]
const count = async (): Promise<number> => (await list(service, 'Boxes', { limit: 1 })).body.total
const end = async (): Promise<string> => (await service.get('/v1/changes?after=now')).body.cursor

test('a write of 5,000 rows is undone and redone; watches and subscriptions are notified', async () => {
  await service.post('/v1/webhooks', {
    structure: 'Boxes',
    url: 'https://hooks.example.com/x',
    events: ['record.deleted'],
    filter: [{ field: 'name', op: 'eq', value: 'box 4999' }],
  })
  await writeMany(5_000)
  const { transaction } = await newest()
  const before = await end()
  const dry = await service.post('/v1/changes/undo', { transaction, dry_run: true })
  expect([dry.status, dry.body.undone.length, dry.body.transaction]).toEqual([200, 5_000, null])
  expect([await count(), await end()]).toEqual([5_000, before])
  const opened = await watch(service, 'Boxes', { limit: 1 })
  expect((await opened.event('answer')).total).toBe(5_000)
  const undone = await service.post('/v1/changes/undo', { transaction })
  expect(undone.body.undone).toEqual(dry.body.undone)
  expect(await count()).toBe(0)
  await opened.rest()
  service.clock.advance(250)
  expect((await opened.event('answer')).total).toBe(0)
  const [webhook] = (await service.get('/v1/webhooks')).body.webhooks
  const { deliveries } = (await service.get(`/v1/webhooks/${webhook.id}/deliveries`)).body
  expect(deliveries).toMatchObject([{ event: 'record.deleted', status: 'pending' }])
  const again = await service.post('/v1/changes/undo', { transaction: undone.body.transaction })
  expect(again.body.undone[0]).toMatchObject({ kind: 'record', op: 'restored' })
  expect(await count()).toBe(5_000)
})

const NOTES = 1_000

/** Writes many notes in one transaction. */
async function writeNotes(): Promise<void> {
  for (let at = 0; at < NOTES; at++)
    await Bun.write(
      folder.file(`notes/note ${at}.md`),
      `---\ntags: [tea, ink]\n---\ngreen ${at} [[note 1]]\n`,
    )
  await importing(folder.file('notes'))
}

test('a write of 1,000 notes is undone and redone: each is found, counted and linked as before', async () => {
  await writeNotes()
  const state = async () => ({
    found: (await service.get('/v1/notes?search=green&limit=1')).body.total,
    tags: (await service.get('/v1/tags')).body.tags.map((tag: { note_count: number }) => tag.note_count),
    trash: (await service.get('/v1/notes/trash?limit=1')).body.total,
  })
  const before = await state()
  expect(before).toEqual({ found: NOTES, tags: [NOTES, NOTES], trash: 0 })
  const undone = await service.post('/v1/changes/undo', { transaction: (await newest()).transaction })
  expect(undone.body.undone).toHaveLength(NOTES)
  expect(await state()).toEqual({ found: 0, tags: [0, 0], trash: NOTES })
  await service.post('/v1/changes/undo', { transaction: undone.body.transaction })
  expect(await state()).toEqual(before)
})

test('undo of a write with too many changes is refused, and nothing is written', async () => {
  await writeMany(20_001)
  const { transaction } = await newest()
  const before = await end()
  const { status, body } = await service.post('/v1/changes/undo', { transaction })
  expect([status, body.code, body.error]).toEqual([400, 'refused', expect.stringContaining('20,000')])
  expect([await count(), await end()]).toEqual([20_001, before])
})

test('one row of 1,000 that changed since prevents the whole undo', async () => {
  await writeMany(1_000)
  const { transaction, id } = await newest()
  await service.patch(`/v1/records/${id}`, { data: { size: -1 } })
  const before = await end()
  const { status, body } = await service.post('/v1/changes/undo', { transaction })
  expect([status, body.code, body.error]).toEqual([409, 'stale', expect.stringContaining(id)])
  expect([await count(), await end()]).toEqual([1_000, before])
})
