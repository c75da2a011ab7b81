import { afterEach, expect, type Mock, spyOn, test } from 'bun:test'
import { BLOCK, MAX_CACHED_BLOCKS, RowSource } from '../../src/web/data/records/rows.ts'
import { startService, type TestService } from '../support/service.ts'

const SEEN = 20

let service: TestService
let source: RowSource
let fetched: Mock<typeof fetch>

afterEach(() => {
  source.close()
  fetched.mockRestore()
  service.close()
})

/** Opens a source of this many rows, which uses a real service as the page would. */
async function openSource(rows: number): Promise<void> {
  service = await startService()
  await service.post('/v1/records/structures', { name: 'Orders', fields: [{ key: 'place', type: 'number' }] })
  for (let start = 0; start < rows; start += 500) {
    const batch = Array.from({ length: 500 }, (_, at) => ({ data: { place: start + at } }))
    expect((await service.post('/v1/records', { structure: 'Orders', rows: batch })).status).toBe(201)
  }
  fetched = spyOn(globalThis, 'fetch').mockImplementation(((path: string, init: RequestInit) =>
    service.app.fetch(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { authorization: `Bearer ${service.key}` },
      }),
    )) as typeof fetch)
  source = new RowSource({ structure: 'Orders', filter: [], sort: 'place', direction: 'asc' })
}

/** Resolves when every visible row from this one on is loaded. */
function seen(first: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const isThere = () => Array.from({ length: SEEN }, (_, at) => source.row(first + at)).every(Boolean)
  source.load(first, first + SEEN - 1)
  const stop = source.version.subscribe(() => isThere() && resolve())
  return promise.finally(stop)
}

test('visible rows are never evicted, however long ago they were read', async () => {
  await openSource((MAX_CACHED_BLOCKS + 4) * BLOCK)
  for (let block = 0; block < MAX_CACHED_BLOCKS; block++) if (block !== 1) await seen(block * BLOCK)
  await seen(MAX_CACHED_BLOCKS * BLOCK)
  await seen(BLOCK - SEEN / 2)
  expect(source.row(BLOCK - 1)?.data.place).toBe(BLOCK - 1)
  expect(source.row(BLOCK)?.data.place).toBe(BLOCK)
})

/** Shows a row that a restore has taken back. Returns the page of the restored server. */
async function showLostRow() {
  await openSource(500)
  await seen(0)
  const page = (await service.get(`/v1/records?structure=Orders&sort=place&limit=${BLOCK}`)).body
  const [row, ...others] = page.records
  const lost = { ...row, data: { place: -1 }, updated_at: '9999-12-31T23:59:59.999Z' }
  source.receive({ ...page, records: [lost, ...others] })
  expect(source.row(0)?.data.place).toBe(-1)
  return page
}

test('a row from before a restore is replaced, even if the server cannot be reached for a moment', async () => {
  const page = await showLostRow()
  fetched.mockImplementationOnce((() => Promise.reject(new TypeError('no connection'))) as never)
  source.receive(page)
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = source.version.subscribe(() => source.row(0)?.data.place === 0 && resolve())
  await promise.finally(stop)
})

test('a closed list no longer asks whether its rows were taken back', async () => {
  const page = await showLostRow()
  source.receive(page)
  const [, init] = fetched.mock.lastCall ?? []
  expect(init?.signal?.aborted).toBe(false)
  source.close()
  expect(init?.signal?.aborted).toBe(true)
})
