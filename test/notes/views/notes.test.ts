import { expect, test } from 'bun:test'
import { makeNote } from '../../support/notes.ts'
import { newFolder } from '../../support/process.ts'
import { startService } from '../../support/service.ts'

test('a view in a large workspace is evaluated when its notes are read, whatever changes before', async () => {
  const folder = newFolder()
  const service = await startService({ file: folder.file('views.db'), worker: { manyRows: -1 } })
  await makeNote(service, { title: 'A', tags: ['work'] })
  await makeNote(service, { title: 'B' })
  const tag = service.ctx.db.sql.scalar<number>('SELECT id FROM tags')
  const filter = { type: 'tags', op: 'has_any', tag_ids: [tag] }
  const { view } = (await service.post('/v1/views', { name: 'Work', filter })).body
  // The worker has not started yet: the changes are committed before it reads.
  const reading = service.get(`/v1/views/${view.id}/notes`)
  expect((await service.patch(`/v1/views/${view.id}`, { filter: null })).status).toBe(200)
  expect((await service.delete(`/v1/tags/${tag}`)).status).toBe(200)
  const { status, body } = await reading
  expect([status, body.total]).toEqual([200, 2])
  service.close()
  folder.remove()
})
