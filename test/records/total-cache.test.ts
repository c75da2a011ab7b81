import { afterEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
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

/* A total that was counted once is brought up to date by the rows written since, instead of being counted again. */

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
