import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runInProcess } from '../../support/cli.ts'
import { newFolder } from '../../support/process.ts'
import { declare } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'
import { subscribe } from '../../support/webhooks.ts'

/* A batch that creates thousands of deliveries stores them while other callers read. */

const WEBHOOKS = 25
const ROWS = 500

let folder: ReturnType<typeof newFolder>
let service: TestService

beforeEach(async () => {
  folder = newFolder()
  service = await startService({ file: folder.file('daybook.db') })
  await declare(service, 'Tasks', [
    { key: 'what', type: 'text', unique: true },
    { key: 'n', type: 'number' },
  ])
  for (let at = 0; at < WEBHOOKS; at++) {
    const filter = [{ field: 'n', op: 'gte' as const, value: at }]
    await subscribe(service, 'Tasks', `https://hooks.example.com/${at}`, { filter })
  }
})
afterEach(() => {
  service.close()
  folder.remove()
})

const count = (table: string) => service.ctx.db.sql.scalar<number>(`SELECT count(*) FROM ${table}`)
const stored = () => [count('records'), count('webhook_events'), count('webhook_deliveries')]
const rows = (change: object = {}) =>
  Array.from({ length: ROWS }, (_, n) => ({ data: { what: `task ${n}`, n, ...change } }))
/** Rows 0 to 23 match fewer filters. */
const DELIVERIES = ROWS * WEBHOOKS - (WEBHOOKS * (WEBHOOKS - 1)) / 2

test('each event holds its own row and change, in the order of the rows', async () => {
  await service.post('/v1/records', { structure: 'Tasks', rows: rows() })
  await service.post('/v1/records', { structure: 'Tasks', rows: rows({ n: 7 }), on_conflict: 'update' })
  const bodies = service.ctx.db.sql
    .column<string>('SELECT body FROM webhook_events ORDER BY pk')
    .map((text) => JSON.parse(text))
  const told = bodies.map(({ type, record, previous }) => [type, record.data.what, record.data.n, previous.n])
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
  service = await startService({ file: db })
  expect(exitCode).toBe(0)
  expect(stored()).toEqual([ROWS - 1, ROWS - 1, DELIVERIES - WEBHOOKS])
  const written = service.ctx.db.sql.column<string>('SELECT id FROM records ORDER BY id')
  expect(service.ctx.db.sql.column('SELECT record_id FROM webhook_events ORDER BY record_id')).toEqual(
    written,
  )
})
