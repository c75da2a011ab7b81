import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { buildIndexes } from '../support/indexes.ts'
import { newFolder } from '../support/process.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  arbitraryIndex,
  matches,
  type Row,
  sorted,
  sortKeys,
  withIds,
} from '../support/record-oracle.ts'
import { declare, type FieldSpec, giveTable, list, takeTable } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let count = 0

/** On a file, where reads use a separate connection that must follow every change of a table. */
const folder = newFolder()

beforeAll(async () => {
  service = await startService({ file: folder.file('oracle.db') })
})
afterAll(() => {
  service.close()
  folder.remove()
})

const arbitraryQuery = (fields: readonly FieldSpec[]) =>
  fc.record({
    filter: arbitraryFilter(fields),
    sort: fc.constantFrom(...sortKeys(fields)),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 12 }),
    offset: fc.nat(24),
  })

/** An index that is built at some step of the scene, or never. */
const arbitraryBuild = (fields: readonly FieldSpec[]) =>
  fc.record({ column: arbitraryIndex(fields), step: fc.nat(4) })

/**
 * The history of a table: rows are created, changed, moved and deleted while the clock moves, sometimes backwards.
 */
const arbitraryScene = arbitraryFields.chain((fields) =>
  fc.record({
    fields: fc.constant(fields),
    steps: fc.array(
      fc.record({
        moves: fc.constantFrom(0, 0, 1, 2, -3),
        isSmall: fc.option(fc.boolean()),
        rows: fc.array(arbitraryData(fields), { maxLength: 8 }),
        change: fc.option(fc.tuple(fc.nat(20), arbitraryData(fields))),
        remove: fc.option(fc.nat(20), { freq: 3 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    queries: fc.array(arbitraryQuery(fields), { minLength: 6, maxLength: 8 }),
    builds: fc.array(arbitraryBuild(fields), { maxLength: 3 }),
  }),
)

type Scene = typeof arbitraryScene extends fc.Arbitrary<infer Value> ? Value : never

async function play({ fields, steps, builds }: Scene) {
  const name = `scene ${++count}`
  const { id } = await declare(service, name, fields)
  let rows: Row[] = []
  for (const [at, { moves, isSmall, rows: sent, change, remove }] of steps.entries()) {
    if (isSmall !== null) await (isSmall ? takeTable : giveTable)(service, name)
    for (const { column, step } of builds) if (step === at) await buildIndexes(service, id, column)
    service.clock.advance(moves)
    if (sent.length > 0) {
      const { body } = await service.post('/v1/records', {
        structure: name,
        rows: sent.map((data) => ({ data })),
      })
      rows.push(...body.records)
    }
    const changed = change && rows[change[0] % rows.length]
    if (changed) {
      const { body } = await service.patch(`/v1/records/${changed.id}`, { data: change[1] })
      rows = rows.map((row) => (row === changed ? body.record : row))
    }
    const removed = remove !== null && rows[remove % rows.length]
    if (removed) {
      await service.delete(`/v1/records/${removed.id}`)
      rows = rows.filter((row) => row !== removed)
    }
  }
  return { name, rows }
}

test(
  'every filter, sort and page returns the result of a plain scan',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async (scene) => {
        const { name, rows } = await play(scene)
        for (const { filter: places, sort, direction, limit, offset } of scene.queries) {
          const filter = withIds(places, rows)
          const found = rows.filter((row) => matches(row, scene.fields, filter))
          const records = sorted(found, { key: sort, direction }).slice(offset, offset + limit)
          const answer = await list(service, name, { filter, sort, direction, limit, offset })
          const has_more = records.length > 0 && offset + records.length < found.length
          expect(answer.body).toEqual({ records, total: found.length, has_more })
        }
      }),
      { numRuns: runs(50, 1000) },
    )
  },
  RANDOM_CASES_MS,
)
