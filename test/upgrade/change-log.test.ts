import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { contentsOf, Replica } from '../support/changes.ts'
import { newFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

/** A database of a version without a change log, and a key for it. */
const WRITTEN = '0003_auto_indexes'
const KEY = 'dbk_1NyC-sq8tMPeio9rnXJE_Ti0ZRWs2zDAmuK0cEe2OhE'

let folder: ReturnType<typeof newFolder>
beforeEach(() => {
  folder = newFolder()
})
afterEach(() => folder.remove())

test('the change log of an upgraded database begins empty, and continues from the snapshot', async () => {
  const file = folder.file('daybook.db')
  const packed = await Bun.file(join(import.meta.dir, `${WRITTEN}.db.gz`)).bytes()
  await Bun.write(file, Bun.gunzipSync(packed))
  const service = await startService({ file })
  const client = service.as(KEY)
  const { body: start } = await client.get('/v1/changes')
  expect(start).toEqual({ changes: [], cursor: expect.any(String), has_more: false })
  const replica = new Replica()
  replica.readSnapshot((await client.get('/v1/changes/snapshot')).body)
  expect(replica.cursor).toBe(start.cursor)
  expect(replica.contents()).toEqual(await contentsOf(client))
  const [note] = (await client.get('/v1/notes')).body.notes
  await client.patch(`/v1/notes/${note.id}`, { title: 'After the upgrade' })
  const { body } = await client.get(`/v1/changes?include=objects&after=${start.cursor}`)
  expect(body.changes.map(({ op, id }: { op: string; id: string }) => [op, id])).toEqual([
    ['updated', note.id],
  ])
  replica.apply(body.changes)
  expect(replica.contents()).toEqual(await contentsOf(client))
  service.close()
})
