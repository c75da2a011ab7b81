import { afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { buildIndexes } from '../support/indexes.ts'
import { randomSource } from '../support/random.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  matches,
  type Row,
  withIds,
} from '../support/record-oracle.ts'
import { declare, field, giveTable, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/* A cached total is updated with the rows written since, instead of counted again. */

let service: TestService

afterEach(() => service.close())

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
  'every total equals a plain count, whatever is written in between',
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

/** More than the number of rows that are looked up one by one. */
const MANY = 2_500
const COMPARE: Record<string, (value: number, bound: number) => boolean> = {
  lt: (value, bound) => value < bound,
  lte: (value, bound) => value <= bound,
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
}

test(
  'ranges whose bounds move have exact totals, whatever is written in between',
  async () => {
    service = await startService()
    const random = randomSource(11)
    const newRow = () => ({ kind: random(8) === 0 ? 'b' : 'a', n: random(9) === 0 ? null : random(1_000) })
    const { id: structure } = await declare(service, 'ranges', [
      field('kind', 'select', { options: ['a', 'b'] }),
      field('n', 'number'),
    ])
    const rows: { id: string; kind: string; n: number | null }[] = []
    const create = async (count: number) => {
      const made = Array.from({ length: count }, newRow)
      const records = await write(service, 'ranges', ...made)
      for (const [at, { id }] of records.entries()) rows.push({ id, ...(made[at] as (typeof made)[0]) })
    }
    while (rows.length < MANY) await create(500)
    await giveTable(service, 'ranges')
    await buildIndexes(service, structure, 'f1,f2', 'f2')
    for (let step = 0; step < runs(150, 5_000); step++) {
      if (random(6) === 0) await create(1 + random(2))
      if (random(6) === 0) {
        const row = rows[random(rows.length)] as (typeof rows)[0]
        Object.assign(row, newRow())
        await service.patch(`/v1/records/${row.id}`, { data: { kind: row.kind, n: row.n } })
      }
      const op = Object.keys(COMPARE)[random(4)] as string
      const bound = random(1_050)
      const within = rows.filter(({ n }) => n !== null && COMPARE[op]?.(n, bound))
      const isNarrowed = random(3) > 0
      const total = isNarrowed ? within.filter(({ kind }) => kind === 'a').length : within.length
      const range = { field: 'n', op, value: bound }
      const filter = isNarrowed ? [{ field: 'kind', op: 'eq', value: 'a' }, range] : [range]
      const { body } = await list(service, 'ranges', { filter, sort: 'n', limit: 1 })
      expect({ step, filter, total: body.total }).toEqual({ step, filter, total })
    }
  },
  RANDOM_CASES_MS,
)
