import { afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  matches,
  type Row,
  withIds,
} from '../support/record-oracle.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * A total that was counted once is brought up to date by the rows written since, instead of being counted again. Here
 * the worker, which counts many rows, is closed after the first count: a total that had to be counted would be refused.
 */

let folder: ReturnType<typeof newFolder> | undefined
let service: TestService

afterEach(() => {
  service.close()
  folder?.remove()
  folder = undefined
})

const ROWS = 400

async function counted() {
  folder = newFolder()
  service = await startService({ file: folder.file('totals.db'), worker: { manyRows: 100 } })
  await declare(service, 'tasks', [
    { key: 'title', type: 'text' },
    { key: 'n', type: 'number' },
  ])
  const rows = Array.from({ length: ROWS }, (_, n) => ({
    title: n % 10 === 0 ? `Tenth ${n}` : `row ${n}`,
    n,
  }))
  const records = await write(service, 'tasks', ...rows)
  expect((await total()).body.total).toBe(ROWS / 10)
  await service.ctx.worker.close()
  return records.map(({ id }: Row) => `/v1/records/${id}`) as string[]
}

const total = () =>
  list(service, 'tasks', { filter: [{ field: '*', op: 'contains', value: 'TENTH' }], limit: 2 })

test('after every kind of write the total is exact, and not counted again', async () => {
  const [first = '', second = ''] = await counted()
  const steps: [() => Promise<unknown>, number][] = [
    [() => write(service, 'tasks', { title: 'tenth' }, { title: 'other' }, { n: 1 }), 41],
    [() => service.patch(second, { data: { title: 'a tenth' } }), 42],
    [() => service.patch(second, { data: { n: 7 } }), 42],
    [() => service.patch(first, { data: { title: null } }), 41],
    [() => service.delete(second), 40],
    [() => service.delete(first), 40],
    [() => service.post(`${second}/restore`), 41],
    [() => service.patch(second, { data: { n: 'no number' } }), 41],
    [
      () =>
        Promise.all([
          write(service, 'tasks', { title: 'tenth' }),
          write(service, 'tasks', { title: 'Tenth' }),
        ]),
      43,
    ],
  ]
  for (const [step, expected] of steps) {
    await step()
    expect((await total()).body.total).toBe(expected)
  }
})

test('what another process wrote is counted again', async () => {
  await counted()
  await service.ctx.db.write((tx): void => {
    tx.sql.run('UPDATE structure_stats SET changes = changes + 1')
  })
  expect((await total()).body.code).toBe('unavailable')
})

test('many rows written between two requests are counted again', async () => {
  await counted()
  for (let batch = 0; batch < 2; batch++)
    await write(service, 'tasks', ...Array.from({ length: 300 }, () => ({ title: 'tenth' })))
  expect((await total()).body.code).toBe('unavailable')
})

const arbitraryScene = arbitraryFields.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    rows: fc.array(arbitraryData(fields), { minLength: 1, maxLength: 10 }),
    filters: fc.array(arbitraryFilter(fields), { minLength: 4, maxLength: 6 }),
    writes: fc.array(
      fc.record({
        kind: fc.constantFrom('create', 'patch', 'delete', 'restore', 'ask'),
        at: fc.nat(9),
        data: arbitraryData(fields),
      }),
      { minLength: 5, maxLength: 20 },
    ),
  }),
)

test(
  'whatever is written in between, every total is that of a plain count',
  async () => {
    service = await startService()
    let count = 0
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async ({ fields, rows, filters, writes }) => {
        const name = `scene ${++count}`
        await declare(service, name, fields)
        const first = await write(service, name, ...rows)
        const wanted = filters.map((filter) => withIds(filter, first))
        const check = async () => {
          const live: Row[] = (await list(service, name, { limit: 500 })).body.records
          for (const filter of wanted) {
            const { body } = await list(service, name, { filter, limit: 1 })
            const expected = live.filter((row) => matches(row, fields, filter)).length
            expect({ filter, total: body.total }).toEqual({ filter, total: expected })
          }
        }
        await check()
        for (const { kind, at, data } of writes) {
          const path = `/v1/records/${first[at % first.length].id}`
          service.clock.advance(1)
          if (kind === 'create') await service.post('/v1/records', { structure: name, data })
          if (kind === 'patch') await service.patch(path, { data })
          if (kind === 'delete') await service.delete(path)
          if (kind === 'restore') await service.post(`${path}/restore`)
          if (kind === 'ask') await check()
        }
        await check()
      }),
      { numRuns: runs(12, 600) },
    )
  },
  RANDOM_CASES_MS,
)
