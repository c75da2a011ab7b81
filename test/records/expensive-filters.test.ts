import { afterAll, afterEach, expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { declare, list, summary, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * The cost of a filter grows with the length of its conditions, not only with the number of rows: a long one runs in
 * the worker, so that other requests are served meanwhile. Here the worker's time limit is 0, so that a read that
 * runs there is refused, and one that does not succeeds.
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

const MANY = 300
const LISTS: Record<string, (at: number) => unknown> = {
  at: day,
  amount: (at) => at * 2 ** 53,
  time: (at) => `${String(at % 24).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`,
  name: (at) => `row ${at}`,
  id: (at) => `${at}`,
}
const longLists = Object.entries(LISTS).map(([field, value]) => [
  `eight lists of ${field}`,
  upTo(8, () => ({ field, op: 'not_in', value: upTo(MANY, value) })),
]) as [string, object[]][]

test.each([
  ...longLists,
  ['fifty conditions', upTo(50, (at) => ({ field: 'name', op: 'neq', value: `row ${at}` }))],
  ['fifty searches', upTo(50, (at) => ({ field: '*', op: 'contains', value: `row ${at}` }))],
] as [string, object[]][])(
  '%s over few rows run in the worker, and a small read does not wait',
  async (_, filter) => {
    const service = await start(0)
    const small = { filter: [{ field: 'at', op: 'not_in', value: upTo(9, day) }] }
    const [long, summed, short] = await Promise.all([
      service.get(longPath('', filter)),
      service.get(longPath('/summary', filter)),
      list(service, 'rows', small),
    ])
    expect(long.body.error).toStartWith('The query took longer than 0 seconds')
    expect(summed.body.error).toStartWith('The query took longer than 0 seconds')
    expect(short.body.total).toBe(ROWS - 9)
    expect((await summary(service, 'rows', small)).status).toBe(200)
  },
)

const longPath = (end: string, filter: object[]) =>
  `/v1/records${end}?structure=rows&filter=${encodeURIComponent(JSON.stringify(filter))}`

test('a long text that is only compared counts towards the cost, too', async () => {
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
