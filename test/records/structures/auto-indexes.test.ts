import { afterAll, afterEach, expect, test } from 'bun:test'
import { runInProcess } from '../../support/cli.ts'
import { buildIndexes, indexesOf, removeUnusedIndexes } from '../../support/indexes.ts'
import { newFolder } from '../../support/process.ts'
import { declare, list, write } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { until } from '../../support/webhooks.ts'

/* Frequent reads of a large table build its indexes. `records/unseen-optimizations.long.test.ts` compares responses. */

const DAY_MS = 86_400_000

const folder = newFolder()
let service: TestService
afterEach(() => service.close())
afterAll(() => folder.remove())

/** More rows than a query reads on the main thread. */
const BATCHES = 21

test('frequent reads build an index, beside which no write is refused, and 30 unused days drop it', async () => {
  service = await startService({ file: folder.file('large.db') })
  await declare(service, 'tasks', [{ key: 'status', type: 'text' }])
  const statuses = Array.from({ length: 500 }, (_, at) => ({ status: `kind ${at}` }))
  for (let batch = 0; batch < BATCHES; batch++) await write(service, 'tasks', ...statuses)
  const ask = async () => {
    const { body } = await list(service, 'tasks', { sort: 'status', direction: 'asc', limit: 30 })
    return body.records
  }
  const first = await ask()
  let written = 0
  await until(async () => {
    const [shown] = await Promise.all([ask(), write(service, 'tasks', { status: `late ${++written}` })])
    expect(shown).toEqual(first)
    return indexesOf(service).length > 0
  })
  expect(await ask()).toEqual(first)
  expect((await list(service, 'tasks')).body.total).toBe(BATCHES * 500 + written)
  service.clock.advance(31 * DAY_MS)
  await ask()
  await service.post('/v1/notes', { title: 'The use is stored with any write' })
  await removeUnusedIndexes(service)
  expect(indexesOf(service)).toEqual(['f1'])
  service.clock.advance(31 * DAY_MS)
  await removeUnusedIndexes(service)
  expect(indexesOf(service)).toEqual([])
  expect(await ask()).toEqual(first)
  await service.ctx.kernel.close()
})

test('a structure has at most eight indexes, none of long texts', async () => {
  const file = folder.file('many.db')
  service = await startService({ file })
  const fields = Array.from({ length: 7 }, (_, at) => ({ key: `n${at}`, type: 'text' }))
  const { id } = await declare(service, 'many', fields)
  await write(service, 'many', { n0: 'x'.repeat(500), n1: 'short' })
  const pairs = ['f2,f3', 'f2,f1', 'f3,updated_at', 'f4,f5']
  await buildIndexes(service, id, 'f1', 'f2', 'f2', ...pairs, 'f3', 'f4', 'f5', 'f6', 'f7')
  const indexes = indexesOf(service)
  expect(indexes).toHaveLength(8)
  expect(indexes.filter((name) => name.split(',').includes('f1'))).toEqual([])
  expect(await runInProcess(['check', '--db', file])).toMatchObject({ out: 'ok\n' })
})
