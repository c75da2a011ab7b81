import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { contentOf, declare, lastChange, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

async function makeRow() {
  const { id } = await declare(service, 'books', [
    { key: 'title', type: 'text' },
    { key: 'pages', type: 'number' },
  ])
  const [record] = await write(service, 'books', { title: 'Emma', pages: 474 })
  return { structureId: id as string, record, path: `/v1/records/${record.id}` }
}

const status = async (path: string) => {
  const answer = await service.get(path)
  return [answer.status, answer.body.code]
}

describe('a row read by its id', () => {
  test('is the record as the list has it, with the id of its structure; a read-only key is enough', async () => {
    const { structureId, record, path } = await makeRow()
    const expected = { record, structure_id: structureId }
    expect((await service.get(path)).body).toEqual(expected)
    expect((await service.as(await service.newKey({ scope: 'read' })).get(path)).body).toEqual(expected)
    const { body } = await service.patch(path, { data: { pages: null } })
    expect((await service.get(path)).body).toEqual({ record: body.record, structure_id: structureId })
  })

  test('is not found after a deletion, and found after a restore', async () => {
    const { record, path } = await makeRow()
    await service.delete(path)
    expect(await status(path)).toEqual([404, 'not_found'])
    await service.post(`${path}/restore`)
    expect((await service.get(path)).body.record.data).toEqual(record.data)
  })

  test('is not found in another workspace, nor under any other text', async () => {
    const { path } = await makeRow()
    const other = service.as(await service.newWorkspace('other'))
    expect((await other.get(path)).status).toBe(404)
    for (const id of ['none', '%20', path.slice('/v1/records/'.length).toUpperCase()])
      expect(await status(`/v1/records/${id}`)).toEqual([404, 'not_found'])
    expect((await service.get(`${path}?limit=1`)).status).toBe(400)
  })
})

const NO_INSTANTS = ['', 'now', '2026-11-21', '2026-11-21T09:30:00', '2026-02-30T00:00:00Z', null, 5]

describe('a patch with if_unchanged', () => {
  test('is done while the row was not changed, however the instant is written', async () => {
    const { record, path } = await makeRow()
    for (const if_unchanged of ['2026-11-21T09:30:00Z', '2026-11-21T10:30:00.000+01:00'])
      expect((await service.patch(path, { data: {}, if_unchanged })).body).toEqual({ record })
    const { body } = await service.patch(path, { data: { pages: 1 }, if_unchanged: record.updated_at })
    expect(body.record.data).toEqual({ title: 'Emma', pages: 1 })
  })

  test('is refused as stale with any other instant, also when it would change nothing', async () => {
    const { path } = await makeRow()
    const before = await contentOf(service, 'books')
    const end = await lastChange(service)
    for (const if_unchanged of [
      '2026-11-21T09:29:59.999Z',
      '2026-11-21T09:30:00.0000001Z',
      '9999-12-31T23:59:59Z',
    ]) {
      for (const data of [{}, { pages: 474 }, { pages: 1 }, { unknown: 1 }]) {
        const { status, body } = await service.patch(path, { data, if_unchanged })
        expect([if_unchanged, status, body.code]).toEqual([if_unchanged, 409, 'stale'])
      }
    }
    expect(await contentOf(service, 'books')).toEqual(before)
    expect(await lastChange(service)).toBe(end)
  })

  test('is refused for an invalid instant, also for a row that does not exist', async () => {
    const { path } = await makeRow()
    const before = await contentOf(service, 'books')
    for (const place of [path, '/v1/records/none']) {
      for (const if_unchanged of NO_INSTANTS) {
        const { status, body } = await service.patch(place, { data: { pages: 1 }, if_unchanged })
        expect([if_unchanged, status, body.code]).toEqual([if_unchanged, 400, 'invalid_request'])
      }
    }
    expect(await contentOf(service, 'books')).toEqual(before)
  })

  test('is won by exactly one of several writers', async () => {
    const { record, path } = await makeRow()
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, pages) =>
        service.patch(path, { data: { pages }, if_unchanged: record.updated_at }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(15).fill(409)])
  })
})
