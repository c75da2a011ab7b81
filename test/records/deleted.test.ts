import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

const folder = newFolder()
let service: TestService
beforeEach(async () => {
  service = await startService({ file: folder.file(`${crypto.randomUUID()}.db`) })
  await declare(service, 'Books', [{ key: 'title', type: 'text' }])
})
afterEach(() => service.close())
afterAll(() => folder.remove())

const deleted = async (more: object = {}) => (await list(service, 'Books', { deleted: 'true', ...more })).body
const titles = ({ records }: { records: { data: { title: string } }[] }) =>
  records.map(({ data }) => data.title)

async function deleteAll(records: { id: string }[]) {
  for (const { id } of records) {
    service.clock.advance(1_000)
    await service.delete(`/v1/records/${id}`)
  }
}

test('deleted rows are listed most recently deleted first, in pages with their total, as they were', async () => {
  const [a, b, c, kept] = await write(service, 'Books', ...['a', 'b', 'c', 'd'].map((title) => ({ title })))
  expect(await deleted()).toEqual({ records: [], total: 0, has_more: false })
  await deleteAll([b, c, a])
  const page = await deleted({ limit: 2 })
  expect([titles(page), page.total, page.has_more]).toEqual([['a', 'c'], 3, true])
  const rest = await deleted({ limit: 2, offset: 2 })
  expect([titles(rest), rest.total, rest.has_more]).toEqual([['b'], 3, false])
  expect(page.records[0]).toEqual({ ...a, deleted_at: expect.any(String), updated_at: expect.any(String) })
  expect(titles((await list(service, 'Books')).body)).toEqual(['d'])
  expect((await list(service, 'Books', { deleted: 'false', sort: 'title' })).body.records).toEqual([kept])
})

test('a row that is restored is listed no longer, and one that another row replaced is', async () => {
  const [a] = await write(service, 'Books', { title: 'a' })
  await deleteAll([a])
  await service.post(`/v1/records/${a.id}/restore`)
  expect((await deleted()).total).toBe(0)
  await service.patch('/v1/records/structures/Books', { max_rows: 1 })
  await write(service, 'Books', { title: 'b' })
  expect(titles(await deleted())).toEqual(['a'])
})

test('only the rows of the structure, and of the workspace, are listed', async () => {
  await declare(service, 'Films', [{ key: 'title', type: 'text' }])
  await deleteAll(await write(service, 'Films', { title: 'film' }))
  expect((await deleted()).total).toBe(0)
  const stranger = service.as(await service.newWorkspace('Elsewhere'))
  expect((await list(stranger, 'Films', { deleted: 'true' })).status).toBe(404)
  expect((await list(service, 'Nothing', { deleted: 'true' })).status).toBe(404)
})

test.each([
  ['filter', '[]'],
  ['sort', 'title'],
  ['direction', 'asc'],
])('%s does not go with it', async (name, value) => {
  const { status, body } = await list(service, 'Books', { deleted: 'true', [name]: value })
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect(body.error).toStartWith(`"${name}" does not go with "deleted"`)
})
