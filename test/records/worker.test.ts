import { afterAll, afterEach, expect, test } from 'bun:test'
import { listNotes } from '../../src/notes/query/list.ts'
import { findFaults, repairDerived } from '../../src/operation/integrity.ts'
import { buildAutoIndex, unusedIndexRemoval } from '../../src/records/structures/storage/auto-index.ts'
import { callerOf } from '../support/cli.ts'
import { hasManyCases } from '../support/counts.ts'
import { runRecurring } from '../support/jobs.ts'
import { newFolder } from '../support/process.ts'
import { matches, type Row, sorted } from '../support/record-oracle.ts'
import { declare, type FieldSpec, list, write } from '../support/records.ts'
import { startService, type TestService, type TestServiceOptions } from '../support/service.ts'

const DAY_MS = 86_400_000

const folder = newFolder()
const open: TestService[] = []
let files = 0

const newFile = () => folder.file(`${++files}.db`)

async function start(options: TestServiceOptions) {
  const service = await startService(options)
  open.push(service)
  return service
}

/** Every read runs in the worker, and every table is large enough for an index. */
const startWithWorker = (file = newFile()) => start({ file, worker: { manyRows: -1 } })

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

const structurePk = ({ ctx }: TestService, id: string) =>
  ctx.db.sql.scalar<number>('SELECT pk FROM structures WHERE id = ?', id)

const indexedColumns = ({ ctx }: TestService) =>
  ctx.db.sql.column<string>('SELECT "column" FROM auto_indexes ORDER BY "column"')

async function makeIndexes(service: TestService, id: string, columns: readonly string[]) {
  for (const column of columns)
    await buildAutoIndex(service.ctx, { structurePk: structurePk(service, id), column })
}

const WIDE: FieldSpec[] = [
  { key: 'title', type: 'text' },
  { key: 'amount', type: 'number' },
  { key: 'due', type: 'date' },
  { key: 'status', type: 'select' },
  { key: 'at', type: 'datetime' },
]

/** Enough rows with few distinct values that one index entry leads to many of them. */
const wideRow = (at: number) => ({
  title: ['Ä', 'ä', 'b', 'B', null][at % 5],
  amount: at % 7 === 0 ? null : (at * 31) % 400,
  due: at % 3 === 0 ? null : `2026-0${1 + (at % 9)}-11`,
  status: ['open', 'Open', 'done', null][at % 4],
  at: at % 2 === 0 ? `2026-11-2${at % 8}T0${at % 9}:00:00.000Z` : null,
})

const WIDE_FILTERS = [
  [{ field: 'status', op: 'eq', value: 'open' }],
  [{ field: 'status', op: 'eq', value: 'OPEN' }],
  [{ field: 'status', op: 'in', value: ['open', 'Open', 'done'] }],
  [{ field: 'status', op: 'neq', value: 'open' }],
  [{ field: 'status', op: 'not_in', value: ['open', 'done'] }],
  [{ field: 'title', op: 'eq', value: 'ä' }],
  [{ field: 'title', op: 'is_empty' }],
  [{ field: 'title', op: 'not_empty' }],
  [{ field: 'amount', op: 'gt', value: 100 }],
  [
    { field: 'amount', op: 'gte', value: 100 },
    { field: 'amount', op: 'lt', value: 350 },
    { field: 'status', op: 'neq', value: 'done' },
  ],
  [
    { field: 'due', op: 'not_empty' },
    { field: 'status', op: 'eq', value: 'done' },
  ],
  [{ field: 'at', op: 'eq', value: '2026-11-24' }],
  [{ field: 'at', op: 'neq', value: '2026-11-24' }],
  [{ field: 'at', op: 'in', value: ['2026-11-24', '2026-11-26'] }],
  [{ field: 'updated_at', op: 'gte', value: '2026-11-21' }],
  [
    { field: 'status', op: 'eq', value: 'open' },
    { field: 'amount', op: 'lt', value: 300 },
  ],
  [
    { field: 'status', op: 'in', value: ['open', 'done'] },
    { field: 'amount', op: 'gte', value: 20 },
    { field: 'due', op: 'not_empty' },
  ],
  [
    { field: 'title', op: 'eq', value: 'b' },
    { field: 'status', op: 'is_empty' },
  ],
]

const WIDE_INDEXES = [
  ['f1', 'f2', 'f3', 'f4', 'f5'],
  ['f4,f2', 'f4,f3', 'f1,f2', 'f4,updated_at', 'f1,f4'],
  ['f2', 'f4', 'f4,f2', 'f3,f2', 'f5,f1', 'f2,f4'],
]

test.each(WIDE_INDEXES)(
  'through unselective indexes, every page and total equals that of a plain scan (%s and others)',
  async (...indexes) => {
    const service = await startWithWorker()
    const { id } = await declare(service, 'wide', WIDE)
    const rows: Row[] = []
    for (let at = 0; at < 5_500; at += 500) {
      const sent = Array.from({ length: 500 }, (_, index) => wideRow(at + index))
      rows.push(...(await write(service, 'wide', ...sent)))
      service.clock.advance(1)
    }
    await makeIndexes(service, id, indexes)
    expect(indexedColumns(service)).toEqual(indexes.toSorted())
    const orders = ['created_at', 'updated_at', ...WIDE.map(({ key }) => key)].flatMap((key) =>
      (['asc', 'desc'] as const).map((direction) => ({
        key,
        direction,
        rows: sorted(rows, { key, direction }),
      })),
    )
    for (const [at, filter] of WIDE_FILTERS.entries()) {
      const matching = new Set(rows.filter((row) => matches(row, WIDE, filter)))
      const total = matching.size
      for (const { key, direction, rows: inOrder } of orders.filter(
        (_, place) => hasManyCases || place % 3 === at % 3,
      )) {
        const found = inOrder.filter((row) => matching.has(row))
        for (const offset of [0, 1_200]) {
          const records = found.slice(offset, offset + 20)
          const has_more = records.length > 0 && offset + records.length < total
          const query = { filter, sort: key, direction, offset, limit: 20 }
          const answer = await list(service, 'wide', query)
          expect({ query, ...answer.body }).toEqual({ query, records, total, has_more })
        }
      }
    }
  },
  60_000,
)

const byStatus = { filter: [{ field: 'status', op: 'eq', value: 'kind 1' }] }
const byText = { filter: [{ field: '*', op: 'contains', value: 'IND 1' }], limit: 150 }

test.each([
  ['a filter', byStatus],
  ['a sort', { sort: 'status', direction: 'asc', limit: 150 }],
  ['a search', byText],
] as const)(
  'an index is created once %s without it has cost enough, and dropped after 30 unused days',
  async (_, query) => {
    const service = await startWithWorker()
    await declare(service, 'tasks', [{ key: 'status', type: 'select' }])
    const statuses = Array.from({ length: 300 }, (_, at) => ({ status: at < 270 ? `kind ${at % 3}` : null }))
    const rows = await write(service, 'tasks', ...statuses)
    const ask = async () => (await list(service, 'tasks', query)).body
    const first = await ask()
    for (let round = 0; round < 2_000 && indexedColumns(service).length === 0; round++) {
      // The last row is on no requested page.
      const status = round % 2 === 0 ? 'kind 9' : 'kind 8'
      await service.patch(`/v1/records/${rows[299].id}`, { data: { status } })
      expect(await ask()).toEqual(first)
    }
    expect(indexedColumns(service)).toHaveLength(1)
    expect(await ask()).toEqual(first)
    service.clock.advance(31 * DAY_MS)
    await ask()
    await service.ctx.db.write(() => null)
    await runRecurring(service.ctx, [unusedIndexRemoval])
    expect(indexedColumns(service)).toHaveLength(1)
    service.clock.advance(31 * DAY_MS)
    await runRecurring(service.ctx, [unusedIndexRemoval])
    expect(indexedColumns(service)).toEqual([])
    expect(await ask()).toEqual(first)
  },
)

test('a structure has at most eight automatic indexes, none of long texts', async () => {
  const service = await start({ worker: { manyRows: -1 } })
  const fields = Array.from({ length: 7 }, (_, at) => ({ key: `n${at}`, type: 'text' }))
  const { id } = await declare(service, 'many', fields)
  await write(service, 'many', { n0: 'x'.repeat(500), n1: 'short' })
  const pairs = ['f2,f3', 'f2,f1', 'f3,updated_at', 'f4,f5']
  await makeIndexes(service, id, ['f1', 'f2', 'f2', ...pairs, 'f3', 'f4', 'f5', 'f6', 'f7'])
  const indexes = indexedColumns(service)
  expect(indexes).toHaveLength(8)
  expect(indexes.filter((name) => name.split(',').includes('f1'))).toEqual([])
  expect(findFaults(service.ctx.db)).toEqual([])
})

const ONE_FIELD: FieldSpec[] = [
  { key: 'n', type: 'number' },
  { key: 'code', type: 'text', unique: true },
]
const LACKS = 'The row table of the structure "rows" lacks an automatic index that is on record.'
const NOT_UNIQUE = 'The row table of the structure "rows" does not have the unique indexes of its definition.'

test.each([
  ['no automatic index', 'DROP INDEX rows_1_by_f1', LACKS],
  ['another index in its place', 'DROP INDEX rows_1_by_f1; CREATE INDEX rows_1_by_f1 ON rows_1 (pk)', LACKS],
  ['no unique index', 'DROP INDEX rows_1_unique_2', NOT_UNIQUE],
])('%s is a fault, and a repair builds the indexes again', async (_, damage, fault) => {
  const service = await start({ worker: { manyRows: -1 } })
  const { id } = await declare(service, 'rows', ONE_FIELD)
  await write(service, 'rows', { n: 1, code: 'A' }, { n: 2, code: 'b' }, { code: 'c' })
  await makeIndexes(service, id, ['f1'])
  expect(findFaults(service.ctx.db)).toEqual([])
  await service.ctx.db.write((tx): void => {
    tx.sql.script(damage)
  })
  expect(findFaults(service.ctx.db)).toEqual([fault])
  await repairDerived(service.ctx.db)
  expect(findFaults(service.ctx.db)).toEqual([])
  expect(indexedColumns(service)).toEqual(['f1'])
  const refusal = await service.post('/v1/records', { structure: 'rows', data: { code: 'A' } })
  expect(refusal.body.code).toBe('unique_violation')
})

test('writes during the creation of an index wait for it and are not refused', async () => {
  const service = await startWithWorker()
  const { id } = await declare(service, 'tasks', [{ key: 'name', type: 'text' }])
  for (let at = 0; at < 10_000; at += 500)
    await write(
      service,
      'tasks',
      ...Array.from({ length: 500 }, (_, index) => ({ name: `task ${at + index}` })),
    )
  const built = makeIndexes(service, id, ['f1'])
  const written = Array.from({ length: 50 }, (_, at) => write(service, 'tasks', { name: `late ${at}` }))
  const shown = await list(service, 'tasks', { limit: 1 })
  expect(shown.status).toBe(200)
  await Promise.all([built, ...written])
  const filter = [{ field: 'name', op: 'eq', value: 'late 49' }]
  expect((await list(service, 'tasks', { filter })).body.total).toBe(1)
  expect((await list(service, 'tasks')).body.total).toBe(10_050)
})

test('requests that share the result of a large query resume one by one, with time for others in between', async () => {
  const service = await startWithWorker()
  const { ctx } = service
  let turn = 0
  let next = setImmediate(function count() {
    turn += 1
    next = setImmediate(count)
  })
  const ask = async () => {
    await ctx.kernel.callAs(callerOf(service), listNotes, {})
    return turn
  }
  const turns = await Promise.all(Array.from({ length: 10 }, ask))
  clearImmediate(next)
  expect(new Set(turns).size).toBe(turns.length)
})

test('the end of the service stops large queries and the building of an index, which can be completed later', async () => {
  const file = newFile()
  const service = await startWithWorker(file)
  const { id } = await declare(service, 'rows', [{ key: 'n', type: 'number' }])
  await write(service, 'rows', { n: 1 }, { n: 2 })
  const built = makeIndexes(service, id, ['f1']).then(
    () => 'built',
    ({ code }) => code,
  )
  const [running, waiting] = [list(service, 'rows', { sort: 'n' }), list(service, 'rows', { sort: 'n' })]
  const closed = service.ctx.worker.close()
  expect((await Promise.all([running, waiting])).map(({ body }) => body.code)).toEqual([
    'unavailable',
    'unavailable',
  ])
  await closed
  expect([await built, indexedColumns(service)]).toEqual(['unavailable', []])
  const next = await startWithWorker(file)
  const [row] = await write(next, 'rows', { n: 3 })
  await next.patch(`/v1/records/${row.id}`, { data: { n: 0 } })
  await makeIndexes(next, id, ['f1'])
  expect(indexedColumns(next)).toEqual(['f1'])
  const sorted = (await list(next, 'rows', { sort: 'n' })).body.records
  expect(sorted.map(({ data }: Row) => data.n)).toEqual([2, 1, 0])
})
