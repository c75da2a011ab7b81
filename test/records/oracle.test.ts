import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { placeOf } from '../../src/context.ts'
import { pksInOrder, rowsInList } from '../../src/records/query/list.ts'
import { parseRequest } from '../../src/records/query/row-query.ts'
import {
  autoIndexStart,
  autoIndexTable,
  findAutoIndexes,
  indexTargets,
} from '../../src/structures/storage/auto-index.ts'
import { type IndexTable, indexFill, indexSort, isCorrect } from '../../src/structures/storage/index-table.ts'
import { definitionOf, findDefinitionTexts } from '../../src/structures/store.ts'
import { callerOf } from '../support/cli.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { newFolder } from '../support/process.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  arbitraryIndex,
  matches,
  type Row,
  sorted,
  withIds,
} from '../support/record-oracle.ts'
import { declare, type FieldSpec, giveTable, list, takeTable } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let count = 0

/** On a file, where reads have a connection of their own that must follow every change of a table. */
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
    sort: fc.constantFrom('created_at', 'updated_at', ...fields.map(({ key }) => key)),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 12 }),
    offset: fc.nat(24),
  })

/**
 * Indexes are built while rows change. Each is somewhere on its way, from not being there to being ready; `work` says
 * how many tasks of a build run in a step of the scene.
 */
const arbitraryBuild = (fields: readonly FieldSpec[]) =>
  fc.record({ column: arbitraryIndex(fields), work: fc.array(fc.nat(4), { minLength: 1, maxLength: 4 }) })

/** What happens to a table: rows come, change, move and go while the clock moves, sometimes backwards. */
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

const pkOf = (structure: string) =>
  service.ctx.db.sql.scalar<number>('SELECT pk FROM structures WHERE id = ?', structure)

/** Runs the next task of building an index each time it is called. */
function indexBuild(structure: string, column: string) {
  const place = { structurePk: pkOf(structure), column }
  const { worker, clock } = service.ctx
  let table: IndexTable | boolean | undefined
  let from: number | 'lost' | 'done' = 'lost'
  return async (): Promise<void> => {
    if (table === undefined) table = await worker.write(autoIndexStart, { ...place, now: clock.now() })
    else if (typeof table === 'boolean' || from === 'done') return
    else if (from === 'lost') {
      await worker.write(indexSort, table)
      from = 0
    } else from = await worker.write(indexFill, { table, from, maxRows: 3 })
  }
}

async function play({ fields, steps, builds }: Scene) {
  const name = `scene ${++count}`
  const { id } = await declare(service, name, fields)
  const running = builds.map(({ column, work }) => ({ next: indexBuild(id, column), work }))
  let rows: Row[] = []
  for (const [at, { moves, isSmall, rows: sent, change, remove }] of steps.entries()) {
    if (isSmall !== null) await (isSmall ? takeTable : giveTable)(service, name)
    for (const { next, work } of running)
      for (let task = 0; task < (work[at % work.length] ?? 0); task++) await next()
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
  return { name, rows, structurePk: pkOf(id) }
}

/** The ids of all rows of a list in its order. */
function readAll(
  structure: string,
  query: { filter: unknown; sort: string; direction: 'asc' | 'desc' },
): string[] {
  const request = parseRequest({ ...query, structure, filter: JSON.stringify(query.filter) })
  const input = { caller: placeOf(callerOf(service)), request }
  const pks = [...pksInOrder(service.ctx.db, input)]
  return Array.from(rowsInList(service.ctx.db, input, pks), ({ id }) => id)
}

/** Every index that is ready has exactly the entries of the rows. */
function expectIndexesMatch(structurePk: number): void {
  const { db } = service.ctx
  const texts = findDefinitionTexts(db, structurePk)
  for (const name of findAutoIndexes(db, structurePk)) {
    const targets = (texts && indexTargets(definitionOf(texts), name)) ?? []
    expect([name, isCorrect(db, autoIndexTable(structurePk, targets))]).toEqual([name, true])
  }
}

test(
  'every filter, sort and page, and reading on to the end, returns what a plain scan of the rows returns',
  async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScene, async (scene) => {
        const { name, rows, structurePk } = await play(scene)
        for (const { filter: places, sort, direction, limit, offset } of scene.queries) {
          const filter = withIds(places, rows)
          const found = rows.filter((row) => matches(row, scene.fields, filter))
          const records = sorted(found, { key: sort, direction }).slice(offset, offset + limit)
          const answer = await list(service, name, { filter, sort, direction, limit, offset })
          const has_more = records.length > 0 && offset + records.length < found.length
          expect(answer.body).toEqual({ records, total: found.length, has_more })
          const all = sorted(found, { key: sort, direction }).map(({ id }) => id)
          expect(readAll(name, { filter, sort, direction })).toEqual(all)
        }
        expectIndexesMatch(structurePk)
      }),
      { numRuns: runs(50, 1000) },
    )
  },
  RANDOM_CASES_MS,
)
