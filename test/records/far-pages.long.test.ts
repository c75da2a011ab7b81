import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/* Pages so far into a list that offsets on the way are cached (`src/records/rows/query/total-cache.ts`). */

const ROWS = 45_000
const BATCH = 500
/** One row in eleven does not match. */
const FILTER = [{ field: 'n', op: 'neq', value: 7 }]
const dataOf = (at: number) => ({ n: at % 11 })

const folder = newFolder()
let service: TestService
/** The rows, oldest first. */
const rows: { id: string; data: { n: number } }[] = []

beforeAll(async () => {
  service = await startService({ file: folder.file('far.db') })
  await declare(service, 'Far', [{ key: 'n', type: 'number' }])
  for (let written = 0; written < ROWS; written += BATCH) {
    const made = await write(
      service,
      'Far',
      ...Array.from({ length: BATCH }, (_, at) => dataOf(written + at)),
    )
    rows.push(...made)
  }
}, 60_000)
afterAll(() => {
  service.app.stop()
  service.close()
  folder.remove()
})

/** Returns the ids of the matching rows, oldest first. */
const idsOf = (isFiltered: boolean): string[] =>
  rows.filter(({ data }) => !isFiltered || data.n !== 7).map(({ id }) => id)

const arbitraryPage = fc.record({
  direction: fc.constantFrom('asc', 'desc'),
  isFiltered: fc.boolean(),
  offset: fc.oneof(fc.nat(ROWS), fc.constantFrom(10_000, 10_001, 20_000, 22_500, 34_999, 35_000)),
  limit: fc.integer({ min: 1, max: 500 }),
})

/** Reads pages, and sometimes writes or deletes a row, at the end of the list or anywhere. */
const arbitraryScene = fc.record({
  before: fc.constantFrom('nothing', 'a row comes', 'a row goes'),
  at: fc.nat(ROWS - 1_000),
  pages: fc.array(arbitraryPage, { minLength: 3, maxLength: 6 }),
})

test(
  'equal those of a list without cached offsets',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async ({ before, at, pages }) => {
        if (before === 'a row comes') rows.push(...(await write(service, 'Far', dataOf(at))))
        if (before === 'a row goes')
          for (const { id } of rows.splice(at, 1)) await service.delete(`/v1/records/${id}`)
        const known = { true: idsOf(true), false: idsOf(false) }
        for (const { direction, isFiltered, offset, limit } of pages) {
          const ids = known[`${isFiltered}`]
          const ordered = direction === 'asc' ? ids : ids.toReversed()
          const query = { direction, limit, offset, ...(isFiltered && { filter: FILTER }) }
          const { records, total, has_more } = (await list(service, 'Far', query)).body
          expect(records.map(({ id }: { id: string }) => id)).toEqual(ordered.slice(offset, offset + limit))
          expect([total, has_more]).toEqual([ids.length, offset + limit < ids.length])
        }
      }),
      { numRuns: runs(15, 300) },
    )
  },
  RANDOM_CASES_MS,
)
