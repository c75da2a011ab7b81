import { afterEach, beforeEach, expect, test } from 'bun:test'
import { faultsIn } from '../support/check.ts'
import { mirrorOf } from '../support/mirror.ts'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'
import { markDeleted } from '../support/structures.ts'
import { exportTo, importFrom } from '../support/workspace-files.ts'

/* Comments go wherever their notes and rows go. */

let service: TestService
let ids: { note: string; trashed: string; row: string }
beforeEach(async () => {
  service = await startService()
  await service.newKey({ user: 'Ada' })
  const note = async (title: string) =>
    (await service.post('/v1/notes', { title, content: 'Ask about the mill.' })).body.note.id
  await declare(service, 'Tasks', [{ key: 'what', type: 'text' }])
  const [row] = await write(service, 'Tasks', { what: 'Saw' })
  ids = { note: await note('Plan'), trashed: await note('Old'), row: row.id }
  const comment = async (body: object) => (await service.post('/v1/comments', body)).body.comment.id
  const thread = await comment({ note_id: ids.note, text: '@Ada?', passage: { text: 'the mill' } })
  service.clock.advance(1_000)
  await comment({ thread, text: 'Reply' })
  await service.patch(`/v1/comments/${thread}`, { resolved: true })
  await comment({ record_id: ids.row, text: 'Sharp?' })
  await comment({ note_id: ids.trashed, text: 'Hidden' })
  await service.delete(`/v1/notes/${ids.trashed}`)
})
afterEach(() => service.close())

const commentsOf = async (client: Pick<TestService, 'get'>) =>
  Promise.all(
    [`note_id=${ids.note}`, `record_id=${ids.row}`].map(
      async (query) => (await client.get(`/v1/comments?${query}`)).body.comments,
    ),
  )

test('an export and its import keep comments with ids, times, threads and people; those of the trash too', async () => {
  const folder = newFolder()
  exportTo(service, folder.file('export'))
  const other = await startService()
  await other.newKey({ user: 'Ada' })
  const report = await importFrom(other, folder.file('export'))
  expect([report.isWritten, report.refused]).toEqual([true, []])
  /** Users have other ids there. */
  const named = (comments: unknown): unknown =>
    JSON.parse(JSON.stringify(comments), (_, value) => (typeof value?.name === 'string' ? value.name : value))
  expect(named(await commentsOf(other))).toEqual(named(await commentsOf(service)))
  const [[first]] = (await commentsOf(other)) as [[{ mentions: object[] }]]
  expect(first.mentions).toEqual([{ id: expect.any(String), name: 'Ada' }])
  await other.post(`/v1/notes/${ids.trashed}/restore`)
  expect((await other.get(`/v1/comments?note_id=${ids.trashed}`)).body.comments).toHaveLength(1)
  expect((await other.get('/v1/inbox')).body.total).toBe(0)
  expect([...faultsIn(other)]).toEqual([])
  other.close()
  folder.remove()
})

test('an export without the rows of a deleted structure has no comments on them', async () => {
  const folder = newFolder()
  expect(exportTo(service, folder.file('before')).comments).toBe(4)
  await markDeleted(service, 'Tasks')
  expect(exportTo(service, folder.file('after')).comments).toBe(3)
  folder.remove()
})

test('a mirror has the comments, through deletion, restoration and undo of their objects', async () => {
  const mirror = await mirrorOf(service)
  const expectSame = async () => {
    await mirror.catchUp()
    expect(await commentsOf(mirror)).toEqual(await commentsOf(service))
    expect(await mirror.differing()).toEqual([])
  }
  await expectSame()
  await service.post(`/v1/notes/${ids.trashed}/restore`)
  await expectSame()
  for (const path of [`/v1/notes/${ids.note}`, `/v1/records/${ids.row}`]) {
    await service.delete(path)
    await expectSame()
    await service.post(path.includes('notes') ? `/v1/notes/${ids.note}/restore` : `${path}/restore`)
    await expectSame()
  }
  const [[thread]] = (await commentsOf(service)) as [[{ id: string }]]
  await service.delete(`/v1/comments/${thread.id}`)
  await expectSame()
  const { transactions } = (await service.get('/v1/changes/transactions?limit=1')).body
  await service.post('/v1/changes/undo', { transaction: transactions[0].transaction })
  await expectSame()
  await mirror.close()
})

test('a writable mirror trashes and restores a commented note, and refuses comments', async () => {
  const mirror = await mirrorOf(service, { isWritable: true })
  const [before] = await commentsOf(service)
  const refused = await mirror.post('/v1/comments', { note_id: ids.note, text: 'x' })
  expect([refused.status, refused.body.code]).toEqual([403, 'mirror'])
  await mirror.delete(`/v1/notes/${ids.note}`)
  await service.post('/v1/comments', { note_id: ids.note, text: 'Meanwhile' })
  await mirror.catchUp()
  expect(await mirror.differing()).toEqual([])
  expect((await mirror.post(`/v1/notes/${ids.note}/restore`)).status).toBe(200)
  expect((await commentsOf(mirror))[0]).toHaveLength((before as unknown[]).length + 1)
  await mirror.close()
})
