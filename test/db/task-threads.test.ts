import { Database } from 'bun:sqlite'
import { afterAll, afterEach, expect, spyOn, test } from 'bun:test'
import { uniqueSort, uniqueStart } from '../../src/structures/storage/unique-build.ts'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { until } from '../support/webhooks.ts'

/* What a request waits for, and the building of indexes, run in threads of their own; here every write of records is long. */

const folder = newFolder()
const open: TestService[] = []
let files = 0

async function start() {
  const service = await startService({ file: folder.file(`${++files}.db`), worker: { maxWriteLength: 0 } })
  open.push(service)
  await declare(service, 'rows', [{ key: 'code', type: 'text' }])
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

test('a long write does not wait for the rows of an index to be sorted', async () => {
  const service = await start()
  const { worker } = service.ctx
  for (let part = 0; part < 10; part++)
    await write(service, 'rows', ...Array.from({ length: 500 }, (_, at) => ({ code: `${part} ${at}` })))
  const place = { structurePk: 1, keys: ['code'] }
  expect(await worker.write(uniqueStart, place)).toBe(true)
  let sorted = 0
  const sorts = Array.from({ length: 200 }, () => worker.write(uniqueSort, place).then(() => ++sorted))
  await sorts[0]
  await write(service, 'rows', { code: 'a' })
  expect(sorted).toBeLessThan(sorts.length)
  await Promise.all(sorts)
}, 60_000)

test('an undo that waits for other writes has the instant at which it was written, not that at which it was sent', async () => {
  const service = await start()
  await write(service, 'rows', ...Array.from({ length: 200 }, (_, at) => ({ code: `first ${at}` })))
  const [{ transaction }] = (await service.get('/v1/changes?before=now&limit=1')).body.changes
  service.clock.advance(1)
  const undone = service.post('/v1/changes/undo', { transaction })
  const others = Array.from({ length: 3 }, async (_, chain) => {
    for (let at = 0; at < 10; at++) {
      await write(service, 'rows', { code: `${chain} ${at}` })
      service.clock.advance(1)
    }
  })
  expect((await undone).status).toBe(200)
  await Promise.all(others)
  const { changes } = (await service.get('/v1/changes?before=now&limit=1000')).body
  const instants = changes.map(({ at }: { at: string }) => at).toReversed()
  expect(instants).toHaveLength(431)
  expect(instants).toEqual(instants.toSorted())
}, 60_000)

test('who sent a write that had not ended when the server did is told that it may have been written', async () => {
  const service = await start()
  await write(service, 'rows', { code: 'a' })
  const other = new Database(service.ctx.db.file)
  other.run('BEGIN IMMEDIATE')
  const pause = spyOn(service.ctx.db, 'pauseDuring')
  const answer = service.post('/v1/records', { structure: 'rows', data: { code: 'b' } })
  await until(() => pause.mock.calls.length === 1)
  const closed = service.ctx.worker.close()
  await settle()
  service.clock.advance(5_000)
  await closed
  const { status, body } = await answer
  other.run('ROLLBACK')
  other.close()
  expect([status, body]).toEqual([
    503,
    {
      error:
        'The server shut down before the write had ended; it may have been written. Read it again before you send it again.',
      code: 'unavailable',
    },
  ])
}, 60_000)
