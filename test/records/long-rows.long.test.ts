import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

const folder = newFolder()
let service: TestService

const FIELDS = Array.from({ length: 100 }, (_, at) => ({ key: `f${at}`, type: 'text' }))
const PER_BATCH = 9
const BATCHES = 9
/** About 1 MB, so that a page of 80 rows exceeds the size limit of a page. */
const longData = (mark: number) =>
  Object.fromEntries(FIELDS.map(({ key }, at) => [key, at === 0 ? `row ${mark}` : 'é'.repeat(9_990)]))

beforeAll(async () => {
  service = await startService({ file: folder.file('long.db') })
  await declare(service, 'Long', FIELDS)
  for (let batch = 0; batch < BATCHES; batch++) {
    const marks = Array.from({ length: PER_BATCH }, (_, at) => batch * PER_BATCH + at)
    const rows = marks.map((mark) => ({ data: longData(mark) }))
    for (const part of [rows.slice(0, 5), rows.slice(5)])
      expect((await service.post('/v1/records', { structure: 'Long', rows: part })).status).toBe(201)
  }
}, 60_000)
afterAll(() => {
  service.close()
  folder.remove()
})

test('a page of very long rows is complete', async () => {
  const { status, body } = await service.get('/v1/records?structure=Long&limit=20&offset=3')
  expect([status, body.total, body.has_more]).toEqual([200, 81, true])
  expect(body.records.map(({ data }: { data: Record<string, string> }) => data)).toEqual(
    Array.from({ length: 20 }, (_, at) => longData(77 - at)),
  )
})

test('a page of more than 64 million characters ends early, and a client that continues sees each row once', async () => {
  for (const query of [
    'structure=Long&limit=500',
    'structure=Long&limit=500&sort=created_at&direction=desc',
  ]) {
    const seen: string[] = []
    let pages = 0
    let more = true
    while (more) {
      const { status, body } = await service.get(`/v1/records?${query}&offset=${seen.length}`)
      expect([status, body.total]).toEqual([200, 81])
      for (const { data } of body.records) seen.push(data.f0)
      more = body.has_more
      pages += 1
      expect(more).toBe(seen.length < 81)
    }
    expect(pages).toBe(2)
    expect(seen).toEqual(Array.from({ length: 81 }, (_, at) => `row ${80 - at}`))
  }
})

test('deleted rows that are very long are listed in the same way', async () => {
  const { body } = await service.get('/v1/records?structure=Long&limit=3')
  const ids = body.records.map(({ id }: { id: string }) => id)
  for (const id of ids) expect((await service.delete(`/v1/records/${id}`)).status).toBe(200)
  const deleted = (await service.get('/v1/records?structure=Long&deleted=true')).body
  expect([deleted.total, deleted.records.map(({ id }: { id: string }) => id)]).toEqual([3, ids])
  expect(deleted.records[0].data).toEqual(longData(80))
})

test('short rows before very long ones do not make a page longer', async () => {
  const short = Array.from({ length: 20 }, (_, at) => ({ f0: `short ${at}` }))
  await write(service, 'Long', ...short)
  const { body } = await service.get('/v1/records?structure=Long&limit=500')
  const { total } = body
  const seen = body.records.map(({ data }: { data: Record<string, string> }) => data.f0)
  expect(seen.slice(0, 21)).toEqual([...short.map(({ f0 }) => f0).reverse(), 'row 77'])
  expect([body.has_more, JSON.stringify(body).length < 66_000_000]).toEqual([true, true])
  const rest = (await service.get(`/v1/records?structure=Long&limit=500&offset=${seen.length}`)).body
  expect([rest.total, rest.has_more, seen.length + rest.records.length]).toEqual([total, false, total])
  expect(rest.records.at(-1).data.f0).toBe('row 0')
})
