import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parseFilter } from '../../src/filter/record/parse.ts'
import { listQuery } from '../../src/records/query/list.ts'
import { callerOf } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { declare, list, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * Matching rows that are all at one end of the order: their last page may pass over all others from either side, so it
 * is read in the worker, where it can be stopped. Here the worker's time limit is 0, so that a read that runs there is
 * refused, and one that does not succeeds.
 */

const ROWS = 4_000
/** Too many to be found through an index at once. */
const MATCHES = 2_400
const LIMIT = 50
const NEW = [{ field: 'status', op: 'eq', value: 'new' }]

const folder = newFolder()
let service: TestService

beforeAll(async () => {
  service = await startService({
    file: folder.file('clustered.db'),
    worker: { manyRows: 2_000, timeLimitMs: 0 },
  })
  for (const [name, isMatch] of [
    ['newest', (at: number) => at >= ROWS - MATCHES],
    ['oldest', (at: number) => at < MATCHES],
  ] as const) {
    await declare(service, name, [{ key: 'status', type: 'select' }])
    for (let start = 0; start < ROWS; start += 500)
      await write(
        service,
        name,
        ...Array.from({ length: 500 }, (_, at) => ({ status: isMatch(start + at) ? 'new' : 'done' })),
      )
  }
})
afterAll(() => {
  service.close()
  folder.remove()
})

/** Counts the rows without a time limit, after which the total is known. */
function count(structure: string): number {
  const request = { structure, filter: parseFilter(JSON.stringify(NEW)), limit: LIMIT }
  const { db } = service.ctx
  return listQuery.run(db, listQuery.plan(db, { caller: callerOf(service), request })).page.total
}

test.each(['newest', 'oldest'].flatMap((name) => ['asc', 'desc'].map((way) => [name, way] as const)))(
  'the last page of the %s rows, %s, is read in the worker',
  async (structure, direction) => {
    expect(count(structure)).toBe(MATCHES)
    const page = { filter: NEW, direction, limit: LIMIT, offset: MATCHES - LIMIT }
    expect((await list(service, structure, page)).body.code).toBe('refused')
    expect((await list(service, structure, { direction, limit: LIMIT, offset: ROWS - LIMIT })).status).toBe(
      200,
    )
  },
)
