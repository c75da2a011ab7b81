import { afterAll, afterEach, expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * A read of long texts goes on in the worker, so that other requests are served meanwhile. Here the worker's time limit is
 * 0, so that a read that goes there is refused, and one that does not succeeds.
 */

const DAY_MS = 86_400_000
const ROWS = 1_000

const folder = newFolder()
let open: TestService | undefined
let files = 0

afterEach(() => open?.close())
afterAll(() => folder.remove())

const FIELDS = [
  { key: 'at', type: 'datetime' },
  { key: 'amount', type: 'number' },
  { key: 'time', type: 'time' },
  { key: 'name', type: 'text' },
]

const first = Date.parse('2020-01-01T12:00:00.000Z')
const instant = (day: number) => new Date(first + day * DAY_MS).toISOString()
const day = (at: number) => instant(at).slice(0, 'YYYY-MM-DD'.length)
const row = (at: number) => ({ at: instant(at), amount: at, time: '09:30', name: `row ${at}` })
const upTo = <Item>(count: number, item: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at))

async function start(timeLimitMs: number) {
  const file = folder.file(`${++files}.db`)
  const service = await startService({ file, worker: { timeLimitMs } })
  open = service
  await declare(service, 'rows', FIELDS)
  for (let at = 0; at < ROWS; at += 500)
    await write(service, 'rows', ...upTo(500, (index) => row(at + index)))
  return service
}

test('a long text that is only compared is counted, too', async () => {
  const service = await start(0)
  await declare(service, 'texts', [
    { key: 'body', type: 'text' },
    { key: 'n', type: 'number' },
  ])
  const body = 'a'.repeat(100_000)
  for (let at = 0; at < 60; at += 20)
    await write(service, 'texts', ...upTo(20, (n) => ({ body: `${body.slice(n)}`, n })))
  const compared = { filter: [{ field: 'body', op: 'neq', value: 'b' }] }
  expect((await list(service, 'texts', compared)).body.code).toBe('refused')
  const present = { filter: [{ field: 'body', op: 'not_empty' }], limit: 5 }
  expect((await list(service, 'texts', present)).body.total).toBe(60)
})

test('lists that mix days and instants find what each of their values finds', async () => {
  const service = await start(30_000)
  const values = [day(3), instant(5), instant(5).replace('12:00', '12:01'), day(7), day(ROWS + 1)]
  const found = await list(service, 'rows', {
    filter: [{ field: 'at', op: 'in', value: values }],
    direction: 'asc',
  })
  expect(found.body.records.map(({ data }: { data: { amount: number } }) => data.amount)).toEqual([3, 5, 7])
  const others = await list(service, 'rows', { filter: [{ field: 'at', op: 'not_in', value: values }] })
  expect(others.body.total).toBe(ROWS - 3)
})
