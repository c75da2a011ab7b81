import { Database } from 'bun:sqlite'
import { afterEach, expect, spyOn, test } from 'bun:test'
import type { Reader } from '../../src/db/reader.ts'
import { Sql } from '../../src/db/sql.ts'
import { discardPrepared, prepareRow } from '../../src/records/writing/long-row.ts'
import { withValues } from '../../src/records/writing/patch-and-delete.ts'
import { callerOf } from '../support/cli.ts'
import { declare, field } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * What takes long of a write of very long rows, and needs no lock, is done before the transaction for which other writes
 * wait: nothing is read from the row, parsed or written as JSON in it.
 */

let service: TestService
let path: string

const LONG = 'Äußere дом Ha! '.repeat(4_000)
const KEYS = ['a', 'b', 'c']
const long = (mark: string) => Object.fromEntries(KEYS.map((key) => [key, `${mark} ${key} ${LONG}`]))
const isLong = (value: unknown) =>
  typeof value === 'string'
    ? value.length >= LONG.length
    : Object.values(value ?? {}).some((one) => typeof one === 'string' && one.length >= LONG.length)

afterEach(() => {
  discardPrepared()
  service.close()
})

async function open(maxWriteLength: number): Promise<void> {
  service = await startService({ worker: { maxWriteLength } })
  await declare(service, 'Long', [...KEYS.map((key) => field(key, 'text')), field('n', 'number')])
  const made = await service.post('/v1/records', { structure: 'Long', data: long('first') })
  path = `/v1/records/${made.body.records[0].id}`
}

/** What is done with long texts in the transactions of a write. */
async function doneInTransaction(run: () => Promise<{ status: number }>): Promise<string[]> {
  const { database } = service.ctx.db.sql
  const done: string[] = []
  const { parse, stringify } = JSON
  const note = (what: string, value: unknown) => {
    if (database.inTransaction && isLong(value)) done.push(what)
  }
  const spies = [
    spyOn(JSON, 'parse').mockImplementation((text, ...rest) => {
      note('parse', text)
      return parse(text, ...rest)
    }),
    spyOn(JSON, 'stringify').mockImplementation(((value: unknown, ...rest: []) => {
      note('stringify', value)
      return stringify(value, ...rest)
    }) as typeof JSON.stringify),
  ]
  try {
    expect((await run()).status).toBeLessThan(300)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return done
}

test('long rows are parsed and written as JSON before the transaction', async () => {
  await open(0)
  const rows = ['x', 'y'].map((mark) => ({ data: long(mark) }))
  expect(await doneInTransaction(() => service.post('/v1/records', { structure: 'Long', rows }))).toEqual([])
  expect(await doneInTransaction(() => service.patch(path, { data: long('second') }))).toEqual([])
  expect(await doneInTransaction(() => service.patch(path, { data: { a: 'short' } }))).toEqual([])
  expect(await doneInTransaction(() => service.delete(path))).toEqual([])
  expect(await doneInTransaction(() => service.post(`${path}/restore`))).toEqual([])
  const { versions } = (await service.get(`${path}/history`)).body
  const to = versions.at(-1).cursor
  expect(await doneInTransaction(() => service.post(`${path}/revert`, { to }))).toEqual([])
  expect((await service.get(path)).body.record.data).toEqual(long('first'))
})

test('a row that was changed after it was prepared is read again', async () => {
  await open(Number.MAX_SAFE_INTEGER)
  const id = path.slice('/v1/records/'.length)
  const prepare = () => prepareRow(service.ctx.db, callerOf(service), id, withValues({ n: 1 }))
  const inTurn = async (...steps: (() => Promise<{ status: number }>)[]) => {
    for (const step of steps) expect((await step()).status).toBe(200)
  }
  const patch = (data: object) => () => service.patch(path, { data })
  const remove = () => service.delete(path)
  const restore = () => service.post(`${path}/restore`)
  const data = async () => (await service.get(path)).body.record.data

  prepare()
  await inTurn(patch({ b: 'meanwhile' }), patch({ n: 1 }))
  expect(await data()).toEqual({ ...long('first'), b: 'meanwhile', n: 1 })
  await inTurn(remove)
  prepare()
  await inTurn(restore, patch({ c: 'later' }), remove, restore)
  expect(await data()).toEqual({ ...long('first'), b: 'meanwhile', c: 'later', n: 1 })
})

/** Reads in one database and, after this many reads, in another. */
function changingAfter(reads: number, before: Sql, after: Sql): Reader {
  let read = 0
  const next = () => (read++ < reads ? before : after)
  const get: Sql['get'] = (...statement) => next().get(...statement)
  const column: Sql['column'] = (...statement) => next().column(...statement)
  return { sql: { get, column } as Sql }
}

test('a deleted row that changes between the reads that prepare it is read again', async () => {
  await open(Number.MAX_SAFE_INTEGER)
  const id = path.slice('/v1/records/'.length)
  const { sql } = service.ctx.db
  for (const reads of [1, 2]) {
    await service.delete(path)
    const before = new Sql(Database.deserialize(sql.database.serialize(), { strict: true }))
    await service.post(`${path}/restore`)
    await service.patch(path, { data: { b: `meanwhile ${reads}` } })
    await service.delete(path)
    prepareRow(changingAfter(reads, before, sql), callerOf(service), id, withValues({ n: 1 }))
    await service.post(`${path}/restore`)
    expect((await service.get(path)).body.record.data.b).toBe(`meanwhile ${reads}`)
  }
})
