import { afterAll, afterEach, expect, spyOn, test } from 'bun:test'
import { findFaults } from '../../src/maintenance/integrity.ts'
import { runMaintenance } from '../../src/maintenance/schedule.ts'
import { uniqueStart } from '../../src/structures/storage/changed-definition.ts'
import { indexFill, indexSort, isCorrect } from '../../src/structures/storage/index-table.ts'
import { uniqueTable } from '../../src/structures/storage/row-table-schema.ts'
import { definitionOf, findDefinitionTexts } from '../../src/structures/store.ts'
import { newFolder } from '../support/process.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * With many rows a unique index is filled in steps (`src/structures/storage/changed-definition.ts`), here in the worker
 * thread. Whatever is written between them, no two rows collide once a field is unique.
 */

const folder = newFolder()
const open: TestService[] = []
let files = 0

const FIELDS = [
  { key: 'code', type: 'text' },
  { key: 'n', type: 'number' },
]

async function start() {
  const service = await startService({ file: folder.file(`${++files}.db`), worker: { manyRows: -1 } })
  open.push(service)
  await declare(service, 'rows', FIELDS)
  return service
}

afterEach(() => {
  for (const service of open.splice(0)) service.close()
})
afterAll(() => folder.remove())

const makeUnique = (service: TestService, structure = 'rows') =>
  service.patch(`/v1/records/structures/${structure}`, {
    fields: [
      { key: 'code', type: 'text', unique: true },
      { key: 'n', type: 'number' },
    ],
  })

/** The unique index of the field "code". */
function indexOf({ ctx }: TestService, structurePk: number) {
  const texts = findDefinitionTexts(ctx.db, structurePk)
  return uniqueTable(structurePk, (texts && definitionOf(texts).fields.slice(0, 1)) ?? [])
}

const indexTables = ({ ctx }: TestService) =>
  ctx.db.sql.column<string>("SELECT name FROM sqlite_schema WHERE name GLOB 'rows_1_*' AND type = 'table'")

test('a field becomes unique while rows are written, and refuses collisions from then on', async () => {
  const service = await start()
  const rows = await write(service, 'rows', ...Array.from({ length: 400 }, (_, n) => ({ code: `c${n}`, n })))
  const patched = makeUnique(service)
  const changes = Array.from({ length: 40 }, async (_, n) => {
    await service.patch(`/v1/records/${rows[n].id}`, { data: { code: `d${n}` } })
    await service.delete(`/v1/records/${rows[399 - n].id}`)
    await write(service, 'rows', { code: `e${n}` }, { n })
  })
  expect((await patched).status).toBe(200)
  await Promise.all(changes)
  expect(indexTables(service)).toEqual(['rows_1_unique_1'])
  for (const code of ['c50', 'd3', 'e7']) {
    const refusal = await service.post('/v1/records', { structure: 'rows', data: { code } })
    expect([code, refusal.body.code]).toEqual([code, 'unique_violation'])
  }
  await write(service, 'rows', { code: 'c3' }, { code: 'c399' }, {}, {})
  const filter = [{ field: 'code', op: 'eq', value: 'c50' }]
  expect((await list(service, 'rows', { filter })).body.records).toEqual([rows[50]])
})

test('rows that collide are named, the field stays as it was, and nothing is left behind', async () => {
  const service = await start()
  const rows = await write(
    service,
    'rows',
    { code: 'a' },
    { code: 'b' },
    { code: 'c' },
    { code: 'b' },
    {},
    {},
  )
  const refusal = await makeUnique(service)
  expect(refusal.body).toEqual({
    error: `The field "code" cannot become unique while rows collide; change or delete one of "${rows[1].id}" and "${rows[3].id}" first.`,
    code: 'refused',
  })
  expect(indexTables(service)).toEqual([])
  await write(service, 'rows', { code: 'a' })
  await service.patch(`/v1/records/${rows[3].id}`, { data: { code: 'd' } })
  expect((await makeUnique(service)).status).toBe(400)
})

test.each([
  ['a collision', 'b', 1],
  ['a change', 'e', 0],
])('%s is recorded wherever the filling of the index is when it is written', async (_, code, collisions) => {
  const service = await start()
  const { worker, db } = service.ctx
  for (let steps = 0; steps < 6; steps++) {
    const structure = `filled_${steps}`
    await declare(service, structure, FIELDS)
    const structurePk = db.sql.scalar<number>('SELECT pk FROM structures WHERE name = ?', structure)
    const index = `rows_${structurePk}_unique_1`
    const table = indexOf(service, structurePk)
    const rows = await write(service, structure, { code: 'a' }, { code: 'b' }, { code: 'c' }, { code: 'd' })
    const tasks = [
      () => worker.write(uniqueStart, table),
      () => worker.write(indexSort, table),
      ...[0, 1, 2, 3].map((from) => () => worker.write(indexFill, { table, from, maxRows: 1 })),
    ]
    for (const task of tasks.slice(0, steps)) await task()
    await service.patch(`/v1/records/${rows[2].id}`, { data: { code } })
    for (const task of tasks.slice(steps)) await task()
    const recorded = db.sql.scalar(`SELECT count(*) FROM ${index}_collisions`)
    expect([steps, recorded]).toEqual([steps, collisions])
    if (collisions === 0) expect(db.sql.column(`SELECT k_f1 FROM ${index}`)).toEqual(['a', 'b', 'd', 'e'])
    expect((await makeUnique(service, structure)).status).toBe(collisions === 0 ? 200 : 400)
  }
})

test('a field whose index is being filled becomes unique at once when the structure has lost its rows', async () => {
  const service = await start()
  const { worker } = service.ctx
  const [row] = await write(service, 'rows', { code: 'a' })
  const table = indexOf(service, 1)
  await worker.write(uniqueStart, table)
  await worker.write(indexSort, table)
  await service.delete(`/v1/records/${row.id}`)
  expect((await makeUnique(service)).status).toBe(200)
  await write(service, 'rows', { code: 'b' })
  expect(await worker.write(indexFill, { table, from: 0 })).toBe('done')
  expect(indexTables(service)).toEqual(['rows_1_unique_1'])
  const refusal = await service.post('/v1/records', { structure: 'rows', data: { code: 'b' } })
  expect(refusal.body.code).toBe('unique_violation')
  await write(service, 'rows', { code: 'a' })
  expect(isCorrect(service.ctx.db, table)).toBe(true)
})

test('a step copies rows however busy the machine is, so that an index is always completed', async () => {
  const service = await startService()
  open.push(service)
  const { worker, db } = service.ctx
  await declare(service, 'rows', FIELDS)
  await write(service, 'rows', { code: 'a' }, { code: 'b' })
  const table = indexOf(service, 1)
  await worker.write(uniqueStart, table)
  await worker.write(indexSort, table)
  const fill = (from: number) =>
    db.write((tx) => {
      let now = performance.now()
      // A thread that waits for a processor loses the whole time of a step between any two of its lines.
      const clock = spyOn(performance, 'now').mockImplementation(() => (now += 1_000))
      try {
        return indexFill.run(tx, { table, from, maxRows: 1 }, { wake: () => {} })
      } finally {
        clock.mockRestore()
      }
    })
  expect([await fill(0), await fill(1)]).toEqual([1, 'done'])
  expect(db.sql.column('SELECT k_f1 FROM rows_1_unique_1')).toEqual(['a', 'b'])
})

test('maintenance removes what an interrupted process left of a unique index, and check has no fault to find', async () => {
  const service = await startService({ worker: { manyRows: -1 } })
  open.push(service)
  const fields = [{ key: 'code', type: 'text' }]
  await declare(service, 'rows', fields)
  await write(service, 'rows', { code: 'a' }, { code: 'b' })
  const table = indexOf(service, 1)
  await service.ctx.worker.write(uniqueStart, table)
  await service.ctx.worker.write(indexSort, table)
  await write(service, 'rows', { code: 'a' })
  expect(findFaults(service.ctx.db)).toEqual([])
  await runMaintenance(service.ctx)
  expect(indexTables(service)).toEqual([])
  expect(findFaults(service.ctx.db)).toEqual([])
})
