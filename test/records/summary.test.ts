import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findTimeZone } from '../../src/lib/time-zones.ts'
import { RANDOM_CASES_MS, runs } from '../support/counts.ts'
import { buildIndexes } from '../support/indexes.ts'
import { arbitraryFilter, matches, type Row } from '../support/record-oracle.ts'
import { declare, summary, write } from '../support/records.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let count = 0

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'America/St_Johns',
]

const FIELDS = [
  { key: 'amount', type: 'number' },
  { key: 'day', type: 'date' },
  { key: 'at', type: 'datetime' },
  { key: 'status', type: 'select' },
  { key: 'done', type: 'bool' },
]

const bucket = (
  period: string | null,
  value: unknown,
  rows: number,
  sum: number | null = null,
  average: number | null = null,
  min: number | null = null,
  max: number | null = null,
) => ({ period, value, count: rows, sum, average, min, max })

async function scene(...rows: Record<string, unknown>[]): Promise<string> {
  const name = `summary ${++count}`
  await declare(service, name, FIELDS)
  if (rows.length > 0) await write(service, name, ...rows)
  return name
}

test('the whole set is exactly one bucket, also when it is empty', async () => {
  const empty = await scene()
  expect((await summary(service, empty)).body).toEqual({ buckets: [bucket(null, null, 0)] })
  expect((await summary(service, empty, { field: 'amount' })).body).toEqual({
    buckets: [bucket(null, null, 0, 0)],
  })
  expect((await summary(service, empty, { period: 'day' })).body).toEqual({ buckets: [] })
  const name = await scene({ amount: 1 }, { amount: 3.5 }, {})
  expect((await summary(service, name)).body).toEqual({ buckets: [bucket(null, null, 3)] })
  expect((await summary(service, name, { field: 'amount' })).body).toEqual({
    buckets: [bucket(null, null, 3, 4.5, 2.25, 1, 3.5)],
  })
})

test('per value: ordered ignoring case, rows without one last', async () => {
  const name = await scene(
    { status: 'b', amount: 1 },
    { status: 'A' },
    { amount: 7 },
    { status: 'b', amount: 2 },
    { done: false },
    { done: true },
  )
  expect((await summary(service, name, { by: 'status', field: 'amount' })).body.buckets).toEqual([
    bucket(null, 'A', 1, 0),
    bucket(null, 'b', 2, 3, 1.5, 1, 2),
    bucket(null, null, 3, 7, 7, 7, 7),
  ])
  expect((await summary(service, name, { by: 'done' })).body.buckets).toEqual([
    bucket(null, false, 1),
    bucket(null, true, 1),
    bucket(null, null, 4),
  ])
  expect(
    (await summary(service, name, { by: 'amount' })).body.buckets.map(
      ({ value }: { value: unknown }) => value,
    ),
  ).toEqual([1, 2, 7, null])
})

test('calendar dates are not shifted by a zone; weeks start on Monday', async () => {
  const name = await scene({ day: '2026-11-22' }, { day: '2026-11-23' }, { day: '2024-12-31' }, {})
  const periods = async (period: string) =>
    (await summary(service, name, { period, date: 'day', tz: 'Pacific/Apia' })).body.buckets.map(
      (one: { period: string }) => one.period,
    )
  expect(await periods('day')).toEqual(['2024-12-31', '2026-11-22', '2026-11-23', null])
  expect(await periods('week')).toEqual(['2024-12-30', '2026-11-16', '2026-11-23', null])
  expect(await periods('month')).toEqual(['2024-12-01', '2026-11-01', null])
  expect(await periods('year')).toEqual(['2024-01-01', '2026-01-01', null])
})

test('instants fall into the days of the zone, across both clock changes', async () => {
  const name = await scene(
    { at: '2026-03-28T22:59:59.999Z' },
    { at: '2026-03-28T23:00:00Z' },
    { at: '2026-03-29T21:59:59.999Z' },
    { at: '2026-03-29T22:00:00Z' },
    { at: '2026-10-24T22:00:00Z' },
    { at: '2026-10-25T22:59:59.999Z' },
    { at: '2026-10-25T23:00:00Z' },
  )
  const { body } = await summary(service, name, { period: 'day', date: 'at', tz: 'Europe/Berlin' })
  expect(body.buckets).toEqual([
    bucket('2026-03-28', null, 1),
    bucket('2026-03-29', null, 2),
    bucket('2026-03-30', null, 1),
    bucket('2026-10-25', null, 2),
    bucket('2026-10-26', null, 1),
  ])
})

describe('a period outside the years 0001 to 9999 is null', () => {
  const periods = ['day', 'week', 'month', 'year'] as const

  test.each(periods)('%s after the end of the calendar', async (period) => {
    const name = await scene({ at: '9999-12-31T23:00:00Z' }, { at: '9999-12-30T23:00:00Z' }, {})
    const { buckets } = (await summary(service, name, { period, date: 'at', tz: 'Asia/Tokyo' })).body
    const last = { day: '9999-12-31', week: '9999-12-27', month: '9999-12-01', year: '9999-01-01' }[period]
    expect(buckets).toEqual([bucket(last, null, 1), bucket(null, null, 2)])
  })

  test.each(periods)('%s before its beginning', async (period) => {
    const name = await scene(
      { at: '0000-01-01T00:00:00Z' },
      { at: '0001-01-01T00:00:00Z' },
      { at: '0001-01-01T12:00:00Z' },
    )
    const { buckets } = (await summary(service, name, { period, date: 'at', tz: 'America/New_York' })).body
    expect(buckets).toEqual([bucket('0001-01-01', null, 1), bucket(null, null, 2)])
  })
})

test('without a date, the time of creation dates a row', async () => {
  const name = await scene({ amount: 2 })
  expect((await summary(service, name, { period: 'month', field: 'amount' })).body.buckets).toEqual([
    bucket('2026-11-01', null, 1, 2, 2, 2, 2),
  ])
})

test('small parts of a large sum are not lost', async () => {
  const name = await scene({ amount: 1e16 }, ...Array.from({ length: 10 }, () => ({ amount: 1 })), {
    amount: -1e16,
  })
  expect((await summary(service, name, { field: 'amount' })).body.buckets[0].sum).toBe(10)
})

test('a sum is exact and rounded once, whatever the order in which rows are read', async () => {
  const amounts = [1e308, 1e308, 5, 1e16, 0.1, -1e16, -1e308, 5e-324, -1e308]
  const orders = amounts.map((_, at) => [...amounts.slice(at), ...amounts.slice(0, at)])
  for (const order of [...orders, amounts.toSorted((one, other) => one - other)]) {
    const name = await scene(...order.map((amount) => ({ amount, status: 'a' })))
    const expected = bucket(null, null, 9, 5.1, 5.1 / 9, -1e308, 1e308)
    const sums = async () => [
      (await summary(service, name, { field: 'amount' })).body.buckets,
      (await summary(service, name, { field: 'amount', by: 'status' })).body.buckets,
    ]
    expect(await sums()).toEqual([[expected], [{ ...expected, value: 'a' }]])
    const { body } = await service.get(`/v1/records/structures/${name}`)
    await buildIndexes(service, body.structure.id, 'f1')
    expect(await sums()).toEqual([[expected], [{ ...expected, value: 'a' }]])
  }
})

test('integers beyond those that a double holds exactly are added exactly', async () => {
  const most = Number.MAX_SAFE_INTEGER
  const name = await scene(...[most, 2, most, 0.5, -most, 1, -most, 3].map((amount) => ({ amount })))
  expect((await summary(service, name, { field: 'amount' })).body.buckets[0].sum).toBe(6.5)
})

test('a sum is refused only beyond the range of a number', async () => {
  const most = Number.MAX_VALUE
  const within = await scene({ amount: most }, { amount: most }, { amount: -most })
  expect((await summary(service, within, { field: 'amount' })).body.buckets[0].sum).toBe(most)
  const beyond = await scene({ amount: most }, { amount: 1e292 })
  expect((await summary(service, beyond, { field: 'amount' })).body.code).toBe('refused')
})

test('more than 10,000 buckets are refused, 10,000 are returned', async () => {
  const name = await scene()
  for (let from = 0; from < 10_000; from += 500)
    await write(service, name, ...Array.from({ length: 500 }, (_, at) => ({ amount: from + at })))
  expect((await summary(service, name, { by: 'amount' })).body.buckets).toHaveLength(10_000)
  await write(service, name, {})
  const { status, body } = await summary(service, name, { by: 'amount' })
  expect({ status, code: body.code, error: body.error }).toEqual({
    status: 400,
    code: 'refused',
    error: expect.stringMatching(/more than 10,000 buckets/),
  })
})

test('values that are too long in total are refused as groups and as columns of a board', async () => {
  await declare(service, 'Long', [{ key: 'value', type: 'select' }])
  const long = (at: number) => ({ value: `${at} `.padEnd(100_000, 'x') })
  for (const from of [0, 80])
    await write(service, 'Long', ...Array.from({ length: 80 }, (_, at) => long(from + at)))
  expect((await summary(service, 'Long', { by: 'value' })).body.buckets).toHaveLength(160)
  await write(service, 'Long', long(160))
  const refused = [
    await summary(service, 'Long', { by: 'value' }),
    await service.get('/v1/records/board?structure=Long&group_by=value'),
  ]
  for (const { status, body } of refused) {
    expect([status, body.code]).toEqual([400, 'refused'])
    expect(body.error).toContain('longer than 16,000,000 characters')
  }
})

test.each([
  ['an unknown field', { field: 'x' }, 'refused', /"field" names "x"/],
  ['a field that is no number', { field: 'day' }, 'refused', /only a number field/],
  ['an unknown by', { by: 'x' }, 'refused', /"by" names "x"/],
  ['an unknown date', { date: 'x', period: 'day' }, 'refused', /"date" names "x"/],
  ['a date that is none', { date: 'amount' }, 'refused', /only a date or datetime field/],
  ['an unknown period', { period: 'quarter' }, 'invalid_request', /"period" must be one of/],
  ['an unknown zone', { tz: 'Europe/Atlantis' }, 'invalid_request', /"tz" must be/],
  ['an offset as a zone', { tz: '+02:00' }, 'invalid_request', /"tz" must be/],
  ['a limit', { limit: 5 }, 'invalid_request', /"limit" is not known/],
])('a summary with %s is refused', async (_, parameters, code, says) => {
  const { status, body } = await summary(service, await scene({}), parameters)
  expect({ status, body }).toEqual({ status: 400, body: { error: expect.stringMatching(says), code } })
})

test("local time is that of the runtime's calendar at any instant, transitions included", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), arbitraryInstant, (name, instant) => {
      const zone = findTimeZone(name)
      expect(new Date(instant + (zone?.offsetAt(instant) ?? Number.NaN)).toISOString().slice(0, 19)).toBe(
        wallClock(name, instant),
      )
    }),
    { numRuns: runs(500, 50_000) },
  )
}, 60_000)

const arbitraryInstant = fc.oneof(
  fc.integer({ min: Date.parse('1900-01-01T00:00:00Z'), max: Date.parse('2100-01-01T00:00:00Z') }),
  fc
    .constantFrom(
      '2026-03-29T01:00:00Z',
      '2026-10-25T01:00:00Z',
      '2011-12-30T10:00:00Z',
      '2026-04-04T15:00:00Z',
    )
    .chain((text) => fc.integer({ min: -2, max: 2 }).map((step) => Date.parse(text) + step)),
)

const clocks = new Map<string, Intl.DateTimeFormat>()

/** `YYYY-MM-DDTHH:MM:SS` in a time zone, according to the platform's date formatter. */
function wallClock(zone: string, instant: number): string {
  const format =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  clocks.set(zone, format)
  return format.format(instant).replace(' ', 'T')
}

const arbitrarySummaryRow = fc.record({
  amount: fc.option(
    fc.integer({ min: -50, max: 50 }).map((quarters) => quarters / 4),
    { freq: 3 },
  ),
  day: fc.option(fc.constantFrom('2026-11-30', '2026-12-01', '2027-01-01', '2027-01-03', '2027-01-04')),
  at: fc.option(arbitraryInstant.map((instant) => new Date(instant).toISOString())),
  status: fc.option(fc.constantFrom('open', 'Open', 'done', 'É')),
  done: fc.option(fc.boolean()),
})

test(
  'random summaries return the result of a plain scan',
  async () => {
    const arbitraryCase = fc.record({
      rows: fc.array(arbitrarySummaryRow, { minLength: 1, maxLength: 25 }),
      filter: arbitraryFilter(FIELDS.filter(({ key }) => key !== 'at')),
      field: fc.constantFrom('amount', undefined),
      period: fc.constantFrom('day', 'week', 'month', 'year', undefined),
      by: fc.constantFrom('status', 'done', 'amount', undefined),
      date: fc.constantFrom('day', 'at', 'created_at'),
      tz: fc.constantFrom(...ZONES),
    })
    await fc.assert(
      fc.asyncProperty(arbitraryCase, async ({ rows: sent, filter, ...query }) => {
        const name = `summary ${++count}`
        await declare(service, name, FIELDS)
        const rows: Row[] = await write(service, name, ...sent)
        const usable = filter.filter(({ field }) => field !== 'id')
        const found = rows.filter((row) => matches(row, FIELDS, usable))
        const { body } = await summary(service, name, { ...query, filter: usable })
        const key = (one: { period: unknown; value: unknown }) => JSON.stringify([one.period, one.value])
        expect(Object.fromEntries(body.buckets.map((one: never) => [key(one), one]))).toEqual(
          expectedBuckets(found, query),
        )
        expect(new Set(body.buckets.map(key)).size).toBe(body.buckets.length)
      }),
      { numRuns: runs(40, 2_000) },
    )
  },
  RANDOM_CASES_MS,
)

interface Query {
  field: string | undefined
  period: string | undefined
  by: string | undefined
  date: string
  tz: string
}

function periodOf(row: Row, { period, date, tz }: Query): string | null {
  if (period === undefined) return null
  const held = date === 'created_at' ? row.created_at : row.data[date]
  if (held === undefined) return null
  const day = date === 'day' ? String(held) : wallClock(tz, Date.parse(String(held))).slice(0, 10)
  const first = new Date(`${day}T00:00:00Z`)
  if (period === 'month' || period === 'year') first.setUTCDate(1)
  if (period === 'year') first.setUTCMonth(0)
  while (period === 'week' && first.getUTCDay() !== 1) first.setUTCDate(first.getUTCDate() - 1)
  return first.toISOString().slice(0, 10)
}

function expectedBuckets(rows: readonly Row[], query: Query) {
  const groups = new Map<string, { period: string | null; value: unknown; rows: Row[] }>()
  if (query.period === undefined && query.by === undefined)
    groups.set('[null,null]', { period: null, value: null, rows: [] })
  for (const row of rows) {
    const period = periodOf(row, query)
    const value = query.by === undefined ? null : (row.data[query.by] ?? null)
    const key = JSON.stringify([period, value])
    const group = groups.get(key) ?? { period, value, rows: [] }
    groups.set(key, { ...group, rows: [...group.rows, row] })
  }
  return Object.fromEntries(
    [...groups].map(([key, { period, value, rows: held }]) => [
      key,
      expectedBucket(period, value, held, query.field),
    ]),
  )
}

function expectedBucket(
  period: string | null,
  value: unknown,
  rows: readonly Row[],
  field: string | undefined,
) {
  if (field === undefined) return bucket(period, value, rows.length)
  const numbers = rows.flatMap(({ data }) => (data[field] === undefined ? [] : [Number(data[field])]))
  const sum = numbers.reduce((total, number) => total + number, 0)
  if (numbers.length === 0) return bucket(period, value, rows.length, 0)
  return bucket(
    period,
    value,
    rows.length,
    sum,
    sum / numbers.length,
    Math.min(...numbers),
    Math.max(...numbers),
  )
}
