import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { newFolder } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const folder = newFolder()
afterAll(() => folder.remove())

const convert = (body: object, structure = 'Things') =>
  service.post(`/v1/records/structures/${structure}/convert`, body)
const valuesOf = async (key: string) =>
  (await service.get('/v1/records?structure=Things&direction=asc&limit=500')).body.records.map(
    ({ data }: { data: Record<string, unknown> }) => data[key],
  )

describe('a conversion', () => {
  const READ: [to: string, more: object, values: unknown[], read: unknown[]][] = [
    [
      'number',
      {},
      ['12', ' -3.5 ', '1,234', '007', 'n/a', '1.2.3', null],
      [12, -3.5, 1234, 7, undefined, undefined, undefined],
    ],
    ['bool', {}, ['true', 'FALSE', 'yes', null], [true, false, undefined, undefined]],
    [
      'date',
      {},
      ['2026-11-21', '2026/11/21', '2026-13-01', 'soon'],
      ['2026-11-21', '2026-11-21', undefined, undefined],
    ],
    ['datetime', {}, ['2026-11-21 09:30', 'soon'], ['2026-11-21T09:30:00.000Z', undefined]],
    ['select', { options: ['a', 'b'] }, ['a', 'c'], ['a', undefined]],
    ['select', {}, ['a', 'c'], ['a', 'c']],
    ['record', {}, ['no id'], [undefined]],
  ]
  test.each(READ)('to %s %p reads %p as an import does', async (type, more, values, read) => {
    await declare(service, 'Things', [{ key: 'old', type: 'text', label: 'Old', required: false }])
    const records = await write(service, 'Things', ...values.map((old) => ({ old })))
    const body = { field: 'old', key: 'fresh', type, ...more }
    const tried = await convert({ ...body, dry_run: true })
    expect(await valuesOf('fresh')).toEqual(values.map(() => undefined))
    const done = await convert(body)
    expect([tried.status, done.status]).toEqual([200, 200])
    const { updated_at: _, ...structure } = done.body.structure
    expect(tried.body).toEqual({ ...done.body, structure: { ...structure, updated_at: expect.any(String) } })
    expect(await valuesOf('fresh')).toEqual(read)
    expect(await valuesOf('old')).toEqual(values.map((value) => value ?? undefined))
    const failures = values.flatMap((value, at) =>
      value !== null && read[at] === undefined ? [{ record_id: records[at].id, value }] : [],
    )
    expect(done.body).toMatchObject({
      converted: read.filter((value) => value !== undefined).length,
      empty: values.filter((value) => value === null).length,
      failed: failures.length,
      failures,
    })
    const [old, fresh] = done.body.structure.fields
    expect([old.hidden, fresh.hidden, fresh.type, done.body.structure.fields.length]).toEqual([
      true,
      false,
      type,
      2,
    ])
  })

  test('writes all rows in one transaction, each with its entry in the log', async () => {
    await declare(service, 'Things', [{ key: 'old', type: 'number', required: true }])
    await write(service, 'Things', { old: 1 }, { old: 2.5 })
    const start = (await service.get('/v1/changes?after=now')).body.cursor
    await convert({ field: 'old', key: 'fresh', type: 'text', label: 'Fresh' })
    const { changes } = (await service.get(`/v1/changes?after=${start}`)).body
    const first = changes[0].transaction
    expect(
      changes.map(({ kind, op, changed, transaction }: Record<string, unknown>) => [
        kind,
        op,
        changed,
        transaction,
      ]),
    ).toEqual([
      ['structure', 'updated', ['fields'], first],
      ['record', 'updated', ['fresh'], first],
      ['record', 'updated', ['fresh'], first],
    ])
    expect((await service.post('/v1/records', { structure: 'Things', data: { fresh: 'x' } })).status).toBe(
      201,
    )
  })

  test('names at most 200 of the invalid values', async () => {
    await declare(service, 'Things', [{ key: 'old', type: 'text' }])
    await write(service, 'Things', ...Array.from({ length: 201 }, (_, at) => ({ old: `x${at}` })))
    const { body } = await convert({ field: 'old', key: 'fresh', type: 'number' })
    expect([body.converted, body.failed, body.failures.length]).toEqual([0, 201, 200])
  })

  const REFUSED: [body: object, status: number, code: string][] = [
    [{ field: 'none', key: 'fresh', type: 'text' }, 400, 'refused'],
    [{ field: 'old', key: 'old', type: 'text' }, 400, 'refused'],
    [{ field: 'old', key: 'other', type: 'text' }, 400, 'refused'],
    [{ field: 'old', key: 'Fresh', type: 'text' }, 400, 'invalid_request'],
    [{ field: 'old', key: 'fresh', type: 'colour' }, 400, 'invalid_request'],
    [{ field: 'old', key: 'fresh', type: 'text', options: ['a'] }, 400, 'refused'],
    [{ field: 'old', key: 'fresh', type: 'text', more: 1 }, 400, 'invalid_request'],
  ]
  test.each(REFUSED)('%p is refused, and nothing changes', async (body, status, code) => {
    const before = await declare(service, 'Things', [
      { key: 'old', type: 'text' },
      { key: 'other', type: 'text' },
    ])
    for (const more of [{}, { dry_run: true }]) {
      const answer = await convert({ ...body, ...more })
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
    expect((await service.get('/v1/records/structures/Things')).body.structure).toEqual(before)
    await service.patch('/v1/records/structures/Things', { immutable: true })
    expect((await convert({ field: 'old', key: 'fresh', type: 'text' })).body.code).toBe('immutable')
    expect((await convert({}, 'None')).status).toBe(400)
    expect((await convert({ field: 'old', key: 'fresh', type: 'text' }, 'None')).status).toBe(404)
  })
})

test('a conversion in a database file runs beside other requests', async () => {
  service.close()
  service = await startService({ file: folder.file('convert.db') })
  await declare(service, 'Things', [{ key: 'old', type: 'text' }])
  for (let batch = 0; batch < 4; batch++)
    await write(
      service,
      'Things',
      ...Array.from({ length: 500 }, (_, at) => ({ old: String(batch * 500 + at) })),
    )
  const trial = await convert({ field: 'old', key: 'fresh', type: 'number', dry_run: true })
  const running = convert({ field: 'old', key: 'fresh', type: 'number' })
  expect((await service.get('/v1/records?structure=Things')).status).toBe(200)
  expect([trial.body.converted, (await running).body.converted]).toEqual([2_000, 2_000])
  const filter = encodeURIComponent('[{"field":"fresh","op":"gte","value":1000}]')
  expect((await service.get(`/v1/records?structure=Things&filter=${filter}`)).body.total).toBe(1_000)
})

describe('dates and numbers of other notations', () => {
  const CASES: [to: string, more: object, values: string[], read: unknown[]][] = [
    ['date', {}, ['21.11.2026', '1.2.26', '3.4.70'], ['2026-11-21', '2026-02-01', '1970-04-03']],
    ['date', {}, ['11/21/2026', '2026-01-02'], ['2026-11-21', '2026-01-02']],
    ['date', {}, ['25/12/05'], ['2005-12-25']],
    ['date', { date_format: 'mdy' }, ['1/2/2026'], ['2026-01-02']],
    ['date', { date_format: 'dmy' }, ['1/2/2026'], ['2026-02-01']],
    ['date', {}, ['26/1/2', '99-12-31'], ['2026-01-02', '1999-12-31']],
    [
      'datetime',
      { date_format: 'mdy' },
      ['1/2/2026 12:05 AM', '1/2/2026, 3:00:01 pm'],
      ['2026-01-02T00:05:00.000Z', '2026-01-02T15:00:01.000Z'],
    ],
    ['number', {}, ['1.234,5', '7,25'], [1234.5, 7.25]],
    ['number', { decimal: ',' }, ['1.234'], [1234]],
  ]
  test.each(CASES)('to %s with %p, %p are read as %p', async (type, more, values, read) => {
    await declare(service, 'Things', [{ key: 'old', type: 'text' }])
    await write(service, 'Things', ...values.map((old) => ({ old })))
    expect(await convert({ field: 'old', key: 'fresh', type, ...more })).toMatchObject({
      status: 200,
      body: { failed: 0 },
    })
    expect(await valuesOf('fresh')).toEqual(read)
  })

  test('values that no notation reads leave that of the others', async () => {
    await declare(service, 'Things', [{ key: 'old', type: 'text' }])
    await write(service, 'Things', { old: '13/2/2026' }, { old: 'soon' }, { old: '7,25' })
    expect((await convert({ field: 'old', key: 'day', type: 'date' })).body.failed).toBe(2)
    expect((await convert({ field: 'old', key: 'amount', type: 'number' })).body.failed).toBe(2)
    expect(await valuesOf('day')).toEqual(['2026-02-13', undefined, undefined])
    expect(await valuesOf('amount')).toEqual([undefined, undefined, 7.25])
  })

  test('days that may begin with the month or the day are refused until the caller says', async () => {
    await declare(service, 'Things', [{ key: 'old', type: 'text' }])
    await write(service, 'Things', { old: '1/2/2026' }, { old: '03/04/26' })
    const before = await service.get('/v1/records/structures/Things')
    for (const dry_run of [true, false])
      expect(await convert({ field: 'old', key: 'fresh', type: 'date', dry_run })).toMatchObject({
        status: 400,
        body: { code: 'refused', error: expect.stringContaining('date_format') },
      })
    expect((await service.get('/v1/records/structures/Things')).body).toEqual(before.body)
  })
})
