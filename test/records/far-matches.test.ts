import { afterAll, afterEach, expect, test } from 'bun:test'
import { parseFilter } from '../../src/filter/record/parse.ts'
import { listQuery } from '../../src/records/query/list.ts'
import { callerOf } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { matches, type Row, sorted } from '../support/record-oracle.ts'
import { declare, type FieldSpec, list, write } from '../support/records.ts'
import { startService, type TestService, type TestServiceOptions } from '../support/service.ts'

/*
 * Where the total is known, a page is begun on the main thread. If the matching rows turn out to be far away, the worker
 * goes on with it. With a time limit of 0 for the worker, a page that goes there is refused.
 */

const ROWS = 4_000
const MATCHES = 1_600
const LIMIT = 50
const FIELDS: FieldSpec[] = [
  { key: 'status', type: 'select' },
  { key: 'n', type: 'number' },
]
const NEW = [{ field: 'status', op: 'eq', value: 'new' }]

const folder = newFolder()
const open: TestService[] = []
let files = 0

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

async function start(worker: TestServiceOptions['worker'], file = folder.file(`${++files}.db`)) {
  const service = await startService({ file, worker })
  open.push(service)
  return service
}

const isMatch = {
  oldest: (at: number) => at < MATCHES,
  newest: (at: number) => at >= ROWS - MATCHES,
  spread: (at: number) => at % 5 < 2,
}

async function fill(service: TestService, name: keyof typeof isMatch): Promise<Row[]> {
  await declare(service, name, FIELDS)
  const rows: Row[] = []
  for (let start = 0; start < ROWS; start += 500) {
    const data = Array.from({ length: 500 }, (_, index) => {
      const at = start + index
      return { status: isMatch[name](at) ? 'new' : 'done', n: (at * 7) % 100 }
    })
    rows.push(...(await write(service, name, ...data)))
  }
  return rows
}

const inputFor = (service: TestService, structure: string) => ({
  caller: callerOf(service),
  request: { structure, filter: parseFilter(JSON.stringify(NEW)), limit: LIMIT },
})

/** Counts the rows without a time limit, after which the total is known. */
function count(service: TestService, structure: string): number {
  const { db } = service.ctx
  return listQuery.run(db, inputFor(service, structure)).page.total
}

test.each([
  ['oldest', 'desc', 400],
  ['oldest', 'asc', 200],
  ['newest', 'asc', 400],
  ['newest', 'desc', 200],
  ['spread', 'desc', 200],
  ['spread', 'asc', 200],
] as const)(
  'the first page of the matches that are the %s rows, %s, is answered by %i: the worker reads what is far away',
  async (structure, direction, status) => {
    const service = await start({ manyRows: 1_000, timeLimitMs: 0 })
    await fill(service, structure)
    expect(count(service, structure)).toBe(MATCHES)
    for (let round = 0; round < 2; round++) {
      const { status: answered } = await list(service, structure, { filter: NEW, direction, limit: LIMIT })
      expect(answered).toBe(status)
    }
    // What was given up leaves no statement behind that would hold an old state of the rows.
    await write(service, structure, { status: 'last' })
    const last = { filter: [], limit: 1 }
    expect((await list(service, structure, last)).body.records[0].data.status).toBe('last')
  },
)

const FILTERS = [
  NEW,
  [{ field: 'status', op: 'neq', value: 'new' }],
  [{ field: 'n', op: 'lt', value: 50 }],
  [...NEW, { field: 'n', op: 'gte', value: 20 }],
  [{ field: 'n', op: 'not_in', value: [1, 2, 3] }],
]

test('a page that the worker goes on with is the one that a plain look finds, in every order, again and again', async () => {
  const service = await start({ manyRows: 300 })
  const rows = await fill(service, 'oldest')
  for (const filter of FILTERS) {
    const found = rows.filter((row) => matches(row, FIELDS, filter))
    for (const key of ['created_at', 'n', 'status'])
      for (const direction of ['asc', 'desc'] as const)
        for (const offset of [0, 0, 130]) {
          const query = { filter, sort: key, direction, offset, limit: 20 }
          const records = sorted(found, { key, direction }).slice(offset, offset + 20)
          const { body } = await list(service, 'oldest', query)
          expect({ query, ...body }).toEqual({ query, records, total: found.length, has_more: true })
        }
  }
})

const readyIndexes = ({ ctx }: TestService) =>
  ctx.db.sql.column<string>('SELECT "column" FROM auto_indexes WHERE is_ready = 1 ORDER BY "column"')

test.each([
  ['whose matches are far away', 'oldest', 'new'],
  ['that few rows meet', 'spread', 'rare'],
] as const)(
  'a filter %s gets its index also if its total is known from the first time on',
  async (_, name, value) => {
    const service = await start({ manyRows: 300 })
    await fill(service, name)
    await write(service, name, { status: 'rare' })
    const filter = [{ field: 'status', op: 'eq', value }]
    const first = (await list(service, name, { filter })).body
    for (let round = 0; round < 3_000 && readyIndexes(service).length === 0; round++)
      expect((await list(service, name, { filter })).body).toEqual(first)
    expect(readyIndexes(service)).toEqual(['f1'])
    expect((await list(service, name, { filter })).body).toEqual(first)
  },
)

test('pages that are read quickly ask for no index', async () => {
  const service = await start({ manyRows: 1_000 })
  await fill(service, 'spread')
  count(service, 'spread')
  for (let round = 0; round < 1_000; round++) await list(service, 'spread', { filter: NEW, limit: LIMIT })
  expect(readyIndexes(service)).toEqual([])
})
