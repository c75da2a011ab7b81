import { afterAll, afterEach, expect, spyOn, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { createStructure } from '../../src/structures/service.ts'
import { callerOf } from '../support/cli.ts'
import { newFolder } from '../support/process.ts'
import { declare, field, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

/*
 * A structure may have many unique sets. What a write does for each of them is a lookup and an entry: it prepares no
 * statement for each, and writes no files beside the database. Others are served while the indexes are made.
 */

const folder = newFolder()
let files = 0
let service: TestService

afterEach(() => service.close())
afterAll(() => folder.remove())

const open = async () => {
  service = await startService()
}
/** With a connection for reads, and threads, of which one writes records if `inWorker`. */
async function openFile(inWorker = false): Promise<string> {
  const file = folder.file(`${++files}.db`)
  const maxWriteLength = inWorker ? 0 : Number.MAX_SAFE_INTEGER
  service = await startService({ file, worker: { maxWriteLength } })
  return file
}

const KEYS = Array.from({ length: 100 }, (_, at) => `f${at}`)
const FIELDS = KEYS.map((key) => field(key, 'text', { unique: true }))
const PAIRS = KEYS.slice(0, 50).map((key, at) => [key, `f${at + 1}`])
const rowOf = (mark: string, keys = KEYS) => Object.fromEntries(keys.map((key) => [key, `${mark} ${key}`]))

/** What the main thread prepares on the connection that writes, while `run` does. */
async function preparedBy(run: () => Promise<unknown>): Promise<string[]> {
  const spy = spyOn(service.ctx.db.sql.database, 'prepare')
  await run()
  const texts = spy.mock.calls.map(([text]) => text)
  spy.mockRestore()
  return texts
}

const update = (rows: Record<string, string>[]) =>
  service.post('/v1/records', {
    structure: 'Wide',
    on_conflict: 'update',
    rows: rows.map((data) => ({ data })),
  })

test('a structure has at most 200 fields in its unique sets', async () => {
  await open()
  const most = await declare(service, 'Most', FIELDS, { unique_together: PAIRS })
  expect(most.unique_together).toEqual(PAIRS)
  const refusal = {
    code: 'refused',
    error: expect.stringMatching(/would be 201 in all.* at most 200, so leave some out/),
  }
  const [first = [], ...others] = PAIRS
  const tooMany = { fields: FIELDS, unique_together: [[...first, 'f2'], ...others] }
  const created = await service.post('/v1/records/structures', { name: 'More', ...tooMany })
  expect([created.status, created.body]).toEqual([400, refusal])
  const patched = await service.patch('/v1/records/structures/Most', tooMany)
  expect([patched.status, patched.body]).toEqual([400, refusal])
  expect((await service.get('/v1/records/structures/Most')).body.structure).toEqual(most)
})

test('rows are inserted by the same statements, however many unique sets there are', async () => {
  await open()
  await declare(service, 'Plain', [field('f0', 'text')])
  await declare(service, 'Wide', FIELDS, { unique_together: PAIRS })
  const insert = (structure: string) => () =>
    write(service, structure, rowOf(structure, ['f0']), rowOf(`${structure} 2`, ['f0']))
  await insert('Plain')()
  await service.delete(`/v1/records/${(await write(service, 'Plain', rowOf('x', ['f0'])))[0].id}`)
  const forNew = (texts: string[]) => texts.filter((text) => /rows_/.test(text))
  expect(forNew(await preparedBy(insert('Wide')))).toEqual([expect.stringMatching(/^INSERT INTO rows_2 /)])
})

test('any fields of a row with many unique sets are looked up by one statement and updated by one', async () => {
  await open()
  await declare(service, 'Wide', FIELDS, { unique_together: PAIRS })
  await write(service, 'Wide', ...['a', 'b', 'c'].map((mark) => rowOf(mark)))
  const rows = KEYS.slice(1, 60).map((key, at) => ({ f0: 'a f0', [key]: `new ${at}`, f99: `${at}` }))
  const texts = await preparedBy(async () => expect((await update(rows)).status).toBe(201))
  const ofTable = texts.filter((text) => /rows_1/.test(text)).map((text) => text.slice(0, 13))
  expect(ofTable.sort()).toEqual(['SELECT (SELEC', 'UPDATE rows_1'])
})

test('an update of a row with many unique sets leaves the entries that stay as they are', async () => {
  await open()
  await declare(service, 'Wide', FIELDS, { unique_together: PAIRS })
  await write(service, 'Wide', rowOf('a'), rowOf('b'))
  const { sql } = service.ctx.db
  const changesOf = (run: () => Promise<unknown>) => {
    const count = () => sql.scalar<number>('SELECT total_changes()')
    const before = count()
    return run().then(() => count() - before)
  }
  const one = await changesOf(() => update([{ f0: 'a f0', f70: 'x' }]))
  const most = await changesOf(() => update([{ f0: 'a f0', ...rowOf('y', KEYS.slice(50)) }]))
  // An entry is removed and another one made: of `f70` alone, and of 50 fields and one pair.
  expect(most - one).toBe(2 * (50 + 1) - 2)
  const refused = await update([{ f0: 'a f0', f70: 'b f70' }])
  expect([refused.status, refused.body.code]).toEqual([400, 'unique_violation'])
})

const IO = '/proc/self/io'
const writtenBytes = () => Number(/^wchar: (\d+)/m.exec(readFileSync(IO, 'utf8'))?.[1])

test.if(existsSync(IO))(
  'a worker that writes a batch writes no more than what is then in the log',
  async () => {
    await openFile(true)
    await declare(service, 'Wide', FIELDS, { unique_together: PAIRS })
    const batch = (mark: string) =>
      write(service, 'Wide', ...Array.from({ length: 200 }, (_, at) => rowOf(`${mark} ${at}`)))
    await batch('first')
    const before = writtenBytes()
    await batch('second')
    // Without the pages that each statement would need to be undone alone: 120 MB.
    expect(writtenBytes() - before).toBeLessThan(30_000_000)
  },
  60_000,
)

test('more fields in unique sets than a structure may have now stay where they were', async () => {
  await open()
  const sets = [KEYS.slice(0, 99), KEYS.slice(1)]
  await service.ctx.db.write((tx): void => {
    createStructure(tx, callerOf(service), { name: 'Old', fields: FIELDS as never, unique_together: sets })
  })
  const patch = async (change: object) => (await service.patch('/v1/records/structures/Old', change)).status
  expect(await patch({ description: 'As before' })).toBe(200)
  expect(await patch({ unique_together: [...sets, ['f0', 'f1']] })).toBe(400)
  expect(await patch({ unique_together: sets.slice(1) })).toBe(200)
  expect(await patch({ unique_together: sets })).toBe(400)
})

test('of long texts that many unique sets hold, so many rows are written at once as take a tenth of a second', async () => {
  await open()
  const sets = KEYS.slice(1, 40).map((key) => ['f0', key])
  const fields = KEYS.slice(0, 40).map((key) => field(key, 'text'))
  await declare(service, 'Long', fields, { unique_together: sets })
  const text = 'x'.repeat(99_990)
  const rows = Array.from({ length: 6 }, (_, at) => ({ data: { f0: text + at } }))
  const send = (count: number) =>
    service.post('/v1/records', { structure: 'Long', rows: rows.slice(0, count) })
  expect((await send(5)).status).toBe(400)
  expect((await send(5)).body).toEqual({
    code: 'invalid_request',
    error: expect.stringMatching(/fewer rows/),
  })
  expect((await send(4)).body.inserted).toBe(4)
})
