import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { autoIndexTable, buildAutoIndex, indexTargets } from '../../src/structures/storage/auto-index.ts'
import { countEntries, entryCountsOf } from '../../src/structures/storage/entry-counts.ts'
import { definitionOf, findDefinitionTexts } from '../../src/structures/store.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  arbitraryIndex,
  matches,
  type Row,
  withIds,
} from '../support/record-oracle.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/* Totals of ranges come from the counted entries of an index, which are kept up to date while rows are written. */

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** Enough for several parts of counted entries, and for one that is divided again. */
const ROWS = 3_000
const BATCH = 500

const arbitraryScene = arbitraryFields.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    rows: fc.array(arbitraryData(fields), { minLength: 1, maxLength: 30 }),
    indexes: fc.array(arbitraryIndex(fields), { minLength: 1, maxLength: 4 }),
    filters: fc.array(arbitraryFilter(fields), { minLength: 6, maxLength: 10 }),
    writes: fc.array(
      fc.record({
        kind: fc.constantFrom('create', 'batch', 'patch', 'delete', 'restore', 'ask'),
        at: fc.nat(ROWS),
        data: arbitraryData(fields),
      }),
      { minLength: 5, maxLength: 12 },
    ),
  }),
)

const placesOf = (structure: string, columns: readonly string[]) => {
  const structurePk = service.ctx.db.sql.scalar<number>('SELECT pk FROM structures WHERE id = ?', structure)
  return columns.map((column) => ({ structurePk, column }))
}

const countsOf = ({ structurePk, column }: { structurePk: number; column: string }) => {
  const texts = findDefinitionTexts(service.ctx.db, structurePk)
  const targets = (texts && indexTargets(definitionOf(texts), column)) ?? []
  return entryCountsOf(service.ctx.db).get(autoIndexTable(structurePk, targets).name)
}

/** A row many times, in batches. */
async function fill(name: string, data: readonly Record<string, unknown>[]): Promise<Row[]> {
  const rows: Row[] = []
  for (let made = 0; made < ROWS; made += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, at) => data[(made + at) % data.length] ?? {})
    rows.push(...(await write(service, name, ...batch)))
    service.clock.advance(1)
  }
  return rows
}

let scenes = 0

test(
  'whatever is written after the entries were counted, every total is that of a plain count',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async ({ fields, rows: data, indexes, filters, writes }) => {
        const name = `scene ${++scenes}`
        const { id } = await declare(service, name, fields)
        let rows = await fill(name, data)
        const places = placesOf(id, [...new Set(indexes)])
        for (const place of places) {
          await buildAutoIndex(service.ctx, place)
          expect(await countEntries(service.ctx, place)).toBe(true)
        }
        const wanted = filters.map((filter) => withIds(filter, rows.slice(0, 20)))
        const check = async () => {
          for (const filter of wanted) {
            const { body } = await list(service, name, { filter, limit: 1 })
            const total = rows.filter((row) => matches(row, fields, filter)).length
            expect({ filter, ...body, records: 0 }).toEqual({
              filter,
              total,
              records: 0,
              has_more: total > 1,
            })
          }
        }
        await check()
        const gone: Row[] = []
        for (const { kind, at, data: sent } of writes) {
          service.clock.advance(1)
          const row = rows[at % rows.length] as Row
          if (kind === 'create') rows.push(...(await write(service, name, sent)))
          if (kind === 'batch')
            rows.push(...(await write(service, name, ...Array.from({ length: BATCH }, () => sent))))
          if (kind === 'patch') {
            const { body } = await service.patch(`/v1/records/${row.id}`, { data: sent })
            rows = rows.map((one) => (one === row ? body.record : one))
          }
          if (kind === 'delete') {
            await service.delete(`/v1/records/${row.id}`)
            rows = rows.filter((one) => one !== row)
            gone.push(row)
          }
          const back = kind === 'restore' ? gone.pop() : undefined
          if (back) rows.push((await service.post(`/v1/records/${back.id}/restore`)).body.record)
          if (kind === 'ask') await check()
        }
        await check()
        for (const place of places) expect(countsOf(place)).toBeDefined()
      }),
      { numRuns: runs(12, 300) },
    )
  },
  RANDOM_CASES_MS,
)

test('a range is not counted again, also after a write', async () => {
  const { id } = await declare(service, 'entries', [
    { key: 'kind', type: 'select' },
    { key: 'n', type: 'number' },
  ])
  const sent = Array.from({ length: 50 }, (_, at) => ({ kind: at % 2 === 0 ? 'Odd' : 'even', n: at }))
  await fill('entries', sent)
  const [place] = placesOf(id, ['f1,f2'])
  if (!place) throw new Error('there is no structure')
  await buildAutoIndex(service.ctx, place)
  await countEntries(service.ctx, place)
  const total = async (kind: string) => {
    const filter = [
      { field: 'kind', op: 'eq', value: kind },
      { field: 'n', op: 'gte', value: 10 },
    ]
    return (await list(service, 'entries', { filter, limit: 1 })).body.total
  }
  expect(await total('even')).toBe(1_200)
  expect(await total('Odd')).toBe(1_200)
  expect(await total('odd')).toBe(0)
  // Only counting would notice that an entry was taken away.
  await service.ctx.db.write((tx): void =>
    tx.sql.script(`DELETE FROM rows_${place.structurePk}_by_f1_and_f2 WHERE pk = 12`),
  )
  await write(service, 'entries', { kind: 'even', n: 11 })
  expect(await total('even')).toBe(1_201)
})
