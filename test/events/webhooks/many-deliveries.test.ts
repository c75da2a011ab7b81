import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runInProcess } from '../../support/cli.ts'
import { newFolder } from '../../support/process.ts'
import { declare } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { allDeliveriesOf, payloadsOf, subscribe } from '../../support/webhooks.ts'

/* A batch that creates thousands of deliveries stores them while other callers read. */

const WEBHOOKS = 25
const ROWS = 500

let folder: ReturnType<typeof newFolder>
let service: TestService
let webhooks: string[]

beforeEach(async () => {
  folder = newFolder()
  service = await startService({ file: folder.file('daybook.db') })
  await declare(service, 'Tasks', [
    { key: 'what', type: 'text', unique: true },
    { key: 'n', type: 'number' },
  ])
  webhooks = []
  for (let at = 0; at < WEBHOOKS; at++) {
    const filter = [{ field: 'n', op: 'gte' as const, value: at }]
    const { id } = await subscribe(service, 'Tasks', `https://hooks.example.com/${at}`, { filter })
    webhooks.push(id)
  }
})
afterEach(() => {
  service.close()
  folder.remove()
})

const rows = (change: object = {}) =>
  Array.from({ length: ROWS }, (_, n) => ({ data: { what: `task ${n}`, n, ...change } }))
/** Rows 0 to 23 match fewer filters. */
const DELIVERIES = ROWS * WEBHOOKS - (WEBHOOKS * (WEBHOOKS - 1)) / 2

test('each event holds its own row and change, in the order of the rows', async () => {
  await service.post('/v1/records', { structure: 'Tasks', rows: rows() })
  await service.post('/v1/records', { structure: 'Tasks', rows: rows({ n: 7 }), on_conflict: 'update' })
  const told = (await payloadsOf(service, webhooks[0] ?? '')).map(({ type, record, previous }) => [
    type,
    record.data.what,
    record.data.n,
    previous.n,
  ])
  const created = rows().map(({ data: { what, n } }) => ['record.created', what, n, undefined])
  const updated = rows()
    .filter(({ data: { n } }) => n !== 7)
    .map(({ data: { what, n } }) => ['record.updated', what, 7, n])
  expect(told).toEqual([...created, ...updated])
})

test('an import that skips a row stores the events of the written rows only', async () => {
  const db = folder.file('daybook.db')
  const lines = rows().map(({ data: { what, n } }) => `${what},${n}`)
  lines[400] = 'task 0,400'
  const file = folder.file('tasks.csv')
  await Bun.write(file, ['what,n', ...lines].join('\n'))
  service.close()
  const { exitCode } = await runInProcess(['import', file, '--db', db, '--structure', 'Tasks', '--skip-bad'])
  expect([exitCode, (await runInProcess(['check', '--db', db])).out]).toEqual([0, 'ok\n'])
  service = await startService({ file: db })
  const { records, total } = (await service.get('/v1/records?structure=Tasks&limit=500')).body
  const deliveries = await Promise.all(webhooks.map((id) => allDeliveriesOf(service, id)))
  expect([total, deliveries.flat().length]).toEqual([ROWS - 1, DELIVERIES - WEBHOOKS])
  const written = records.map(({ id }: { id: string }) => id).sort()
  expect(deliveries[0]?.map(({ record_id }) => record_id).sort()).toEqual(written)
})
