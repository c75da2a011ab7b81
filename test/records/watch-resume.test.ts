import { afterAll, beforeAll, expect, test } from 'bun:test'
import { lastChange } from '../../src/changes/log.ts'
import { TooLongForMainThread } from '../../src/db/worker/client.ts'
import { pastPageQuery } from '../../src/records/watch/pages.ts'
import { callerOf } from '../support/cli.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/* A page as it was, read from rows or old values that are too long for the main thread. */

/** A hundred characters count as a row. */
const MAX_ROWS = 1_000
const FIELDS = Array.from({ length: 20 }, (_, at) => ({ key: `f${at}`, type: 'text' }))
const long = Object.fromEntries(FIELDS.map(({ key }) => [key, 'x'.repeat(9_000)]))
const short = Object.fromEntries(FIELDS.map(({ key }) => [key, null]))

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const position = () => lastChange(service.ctx.db, callerOf(service).workspacePk)

function pastPage(structure: string, at: number, rows = Number.POSITIVE_INFINITY) {
  const { db } = service.ctx
  const input = { caller: callerOf(service), request: { structure, filter: [] }, position: at }
  return db.sql.withRowLimit(
    rows,
    () => new TooLongForMainThread(),
    () => pastPageQuery.run(db, input),
  )
}

test.each([
  ['rows that have not changed', { f0: 'a' }, long, {}],
  ['rows that have become long', { f0: 'a' }, { f0: 'b' }, long],
  ['old values', long, { f0: 'b' }, short],
])('%s that are very long are left to the worker', async (name, first, second, change) => {
  await declare(service, name, FIELDS)
  const [one, other] = await write(service, name, first, second)
  const before = position()
  await service.patch(`/v1/records/${one.id}`, { data: change })
  service.clock.advance(1)
  if (Object.keys(change).length === 0) await service.delete(`/v1/records/${one.id}`)
  const versions = [other, one].map(({ id, updated_at }) => [id, Date.parse(updated_at)] as const)
  expect(pastPage(name, before)).toEqual(new Map(versions))
  expect(pastPage(name, before, 20 * MAX_ROWS)).toEqual(new Map(versions))
  expect(() => pastPage(name, before, MAX_ROWS)).toThrow(TooLongForMainThread)
})
