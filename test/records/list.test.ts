import { afterEach, beforeEach, expect, test } from 'bun:test'
import { contentOf, declare, field, list, summary, write } from '../support/records.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'

let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const valuesOf = (answer: Answer, key = 'v') =>
  answer.body.records.map(({ data }: { data: Record<string, unknown> }) => data[key])

test('without a sort the newest row comes first; pages are stable and report whether more follow', async () => {
  await declare(service, 'X', [field('v', 'number')])
  await write(service, 'X', ...Array.from({ length: 60 }, (_, v) => ({ v })))
  const first = await list(service, 'X')
  expect({ count: first.body.records.length, total: first.body.total, more: first.body.has_more }).toEqual({
    count: 50,
    total: 60,
    more: true,
  })
  const second = await list(service, 'X', { offset: 50 })
  expect({ total: second.body.total, more: second.body.has_more }).toEqual({ total: 60, more: false })
  expect([...valuesOf(first), ...valuesOf(second)]).toEqual(Array.from({ length: 60 }, (_, at) => 59 - at))
  expect((await list(service, 'X', { offset: 60 })).body).toEqual({ records: [], total: 60, has_more: false })
  expect((await list(service, 'X', { limit: 500 })).body.records.length).toBe(60)
})

test('totals of a filter are exact on every page, full or not', async () => {
  await declare(service, 'X', [field('v', 'number')])
  await write(service, 'X', ...Array.from({ length: 30 }, (_, v) => ({ v })))
  const filter = [{ field: 'v', op: 'gte', value: 10 }]
  for (const [limit, offset] of [
    [1, 0],
    [20, 0],
    [21, 0],
    [7, 14],
    [7, 19],
    [5, 20],
    [5, 400],
  ]) {
    const { body } = await list(service, 'X', { filter, limit, offset })
    expect(body.total).toBe(20)
  }
})

const ORDERS: [string, unknown[], unknown[]][] = [
  ['number', [10, 9, -1, 1e21, 0.5], [-1, 0.5, 9, 10, 1e21]],
  [
    'text',
    ['b', 'B', 'a', 'É', 'z', 'é', '', '日', '😀', '\uffee', 'Ω'],
    ['', 'a', 'b', 'B', 'z', 'É', 'é', 'Ω', '日', '\uffee', '😀'],
  ],
  ['select', ['b', 'C', 'A'], ['A', 'b', 'C']],
  ['date', ['2026-01-02', '1999-12-31', '2026-01-01'], ['1999-12-31', '2026-01-01', '2026-01-02']],
  ['time', ['09:30:01', '09:30', '23:00'], ['09:30:00', '09:30:01', '23:00:00']],
  ['bool', [true, false], [false, true]],
]

test.each(ORDERS)(
  '%s values are in their order, rows without one last in both directions',
  async (type, values, expected) => {
    await declare(service, 'X', [field('v', type)])
    await write(service, 'X', {}, ...values.map((v) => ({ v })), {})
    const none = [undefined, undefined]
    expect(valuesOf(await list(service, 'X', { sort: 'v', direction: 'asc' }))).toEqual([
      ...expected,
      ...none,
    ])
    const falling = valuesOf(await list(service, 'X', { sort: 'v', direction: 'desc' }))
    expect(falling.slice(-2)).toEqual(none)
    const fold = (value: unknown) => String(value).toLowerCase()
    expect(falling.slice(0, -2).map(fold)).toEqual([...expected].reverse().map(fold))
  },
)

test('rows with equal values are ordered by id in the same direction', async () => {
  await declare(service, 'X', [field('v', 'text')])
  const ids = (await write(service, 'X', { v: 'a' }, { v: 'A' }, { v: 'a' })).map(
    ({ id }: { id: string }) => id,
  )
  const idsOf = (answer: Answer) => answer.body.records.map(({ id }: { id: string }) => id)
  expect(idsOf(await list(service, 'X', { sort: 'v', direction: 'asc' }))).toEqual(ids)
  expect(idsOf(await list(service, 'X', { sort: 'v', direction: 'desc' }))).toEqual([...ids].reverse())
})

test('created_at orders by entry and by the rows of a batch, within one instant too', async () => {
  await declare(service, 'X', [field('v', 'number')])
  const values = Array.from({ length: 300 }, (_, at) => at)
  await write(service, 'X', { v: -2 })
  await write(service, 'X', { v: -1 })
  await write(service, 'X', ...values.map((v) => ({ v })))
  const order = { sort: 'created_at', direction: 'asc', limit: 500 }
  expect(valuesOf(await list(service, 'X', order))).toEqual([-2, -1, ...values])
  const filter = [{ field: 'v', op: 'gte', value: 0 }]
  expect(valuesOf(await list(service, 'X', { ...order, filter }))).toEqual(values)
})

test('the order of creation holds when the clock is set back', async () => {
  await declare(service, 'X', [field('v', 'number')])
  const start = service.clock.now()
  for (const [v, at] of [
    [1, 10],
    [2, 20],
    [3, 5],
    [4, 20],
  ] as const) {
    service.clock.set(start + at)
    await write(service, 'X', { v })
  }
  expect(valuesOf(await list(service, 'X', { sort: 'created_at', direction: 'asc' }))).toEqual([3, 1, 2, 4])
  expect(valuesOf(await list(service, 'X'))).toEqual([4, 2, 1, 3])
})

test('updated_at orders by the last change', async () => {
  await declare(service, 'X', [field('v', 'number')])
  const [one] = await write(service, 'X', { v: 1 }, { v: 2 })
  service.clock.advance(10)
  await service.patch(`/v1/records/${one.id}`, { data: { v: 3 } })
  expect(valuesOf(await list(service, 'X', { sort: 'updated_at' }))).toEqual([3, 2])
})

test('a search covers every value in its JSON form, hidden ones and references too', async () => {
  const note = (await service.post('/v1/notes', { title: 'N' })).body.note.id
  await declare(service, 'X', [
    field('t', 'text', { hidden: true }),
    field('n', 'number'),
    field('b', 'bool'),
    field('ref', 'note'),
    field('d', 'datetime'),
  ])
  await write(
    service,
    'X',
    { t: 'Straße 100%_' },
    { n: 5 },
    { n: 1.5e-7 },
    { b: false },
    { ref: note },
    { d: '2026-11-21T09:30:00Z' },
  )
  const found = async (value: string) =>
    (await list(service, 'X', { filter: [{ field: '*', op: 'contains', value }] })).body.total
  expect(await found('STRASSE')).toBe(0)
  expect(await found('STRAßE 100%_')).toBe(1)
  expect(await found('%')).toBe(1)
  expect(await found('5.0')).toBe(0)
  expect(await found('1.5E-7')).toBe(1)
  expect(await found('ALSE')).toBe(1)
  expect(await found(note.slice(5).toUpperCase())).toBe(1)
  expect(await found('t09:30:00.000z')).toBe(1)
  expect(await found('b')).toBe(note.includes('b') ? 1 : 0)
})

test('a plain date means the whole UTC day', async () => {
  await declare(service, 'X', [field('v', 'datetime')])
  await write(
    service,
    'X',
    { v: '2026-11-20T23:59:59.999Z' },
    { v: '2026-11-21T00:00:00Z' },
    { v: '2026-11-21T23:59:59.999Z' },
    { v: '2026-11-22T00:00:00Z' },
    {},
  )
  const count = async (op: string, value: unknown, name = 'v') =>
    (await list(service, 'X', { filter: [{ field: name, op, value }] })).body.total
  const day = '2026-11-21'
  const counts = [
    await count('eq', day),
    await count('neq', day),
    await count('gt', day),
    await count('gte', day),
    await count('lt', day),
    await count('lte', day),
  ]
  expect(counts).toEqual([2, 3, 1, 3, 1, 3])
  expect([await count('in', [day, '2026-11-22T00:00:00Z']), await count('not_in', [day])]).toEqual([3, 3])
  expect([
    await count('eq', day, 'created_at'),
    await count('lt', day, 'created_at'),
    await count('lte', day, 'updated_at'),
  ]).toEqual([5, 0, 5])
})

test('a list that mixes days and instants finds what each of its values finds', async () => {
  await declare(service, 'X', [field('v', 'datetime')])
  const instants = [1, 2, 3, 4].map((day) => `2026-11-0${day}T12:00:00.000Z`)
  await write(service, 'X', ...instants.map((v) => ({ v })))
  const value = ['2026-11-01', instants[2], '2026-11-04T12:01:00Z', '2026-12-01']
  const found = await list(service, 'X', { filter: [{ field: 'v', op: 'in', value }], direction: 'asc' })
  expect(valuesOf(found)).toEqual([instants[0], instants[2]])
  expect(valuesOf(await list(service, 'X', { filter: [{ field: 'v', op: 'not_in', value }] }))).toEqual([
    instants[3],
    instants[1],
  ])
})

const BAD_QUERIES: [string, Record<string, unknown>, string, RegExp][] = [
  ['no structure', { structure: undefined }, 'invalid_request', /"structure" is required/],
  ['limit 501', { limit: 501 }, 'invalid_request', /"limit" must be an integer from 1 to 500/],
  ['limit 0', { limit: 0 }, 'invalid_request', /"limit" must be/],
  ['a negative offset', { offset: -1 }, 'invalid_request', /"offset" must be/],
  ['another direction', { direction: 'up' }, 'invalid_request', /"direction" must be one of/],
  ['an unknown parameter', { order: 'v' }, 'invalid_request', /"order" is not known/],
  ['a filter that is no JSON', { filter: 'v=1' }, 'invalid_request', /encoded as JSON/],
  ['an unknown sort', { sort: 'colour' }, 'refused', /"sort" names "colour"/],
  ['sorting by id', { sort: 'id' }, 'refused', /"sort" names "id"/],
  [
    'an operator of another kind',
    { filter: [{ field: 'v', op: 'contains', value: '1' }] },
    'refused',
    /"v", of type number, allows only eq, neq/,
  ],
]

test.each(BAD_QUERIES)('a list with %s is refused', async (_, parameters, code, says) => {
  await declare(service, 'X', [field('v', 'number')])
  const { status, body } = await list(service, 'X', parameters)
  expect({ status, body }).toEqual({ status: 400, body: { error: expect.stringMatching(says), code } })
})

test('the parameters of a query are checked before the structure is looked up', async () => {
  expect((await list(service, 'Nothing', { filter: '[' })).body.code).toBe('invalid_request')
  expect((await summary(service, 'Nothing', { tz: 'Mars/Olympus' })).body.code).toBe('invalid_request')
  expect((await list(service, 'Nothing', { sort: 'colour' })).body.code).toBe('not_found')
})

test('a field added to a table with rows is filtered, sorted, searched and unique like any other', async () => {
  await declare(service, 'X', [field('v', 'number')])
  const [one] = await write(service, 'X', { v: 1 }, { v: 2 })
  await list(service, 'X', { sort: 'v' })
  await service.patch('/v1/records/structures/X', {
    fields: [field('v', 'number'), field('w', 'text', { unique: true })],
  })
  await service.patch(`/v1/records/${one.id}`, { data: { w: 'New' } })
  expect(
    valuesOf(await list(service, 'X', { filter: [{ field: 'w', op: 'contains', value: 'nEW' }] })),
  ).toEqual([1])
  expect(valuesOf(await list(service, 'X', { filter: [{ field: 'w', op: 'is_empty' }] }))).toEqual([2])
  expect(
    valuesOf(await list(service, 'X', { filter: [{ field: '*', op: 'contains', value: 'new' }], sort: 'w' })),
  ).toEqual([1])
  expect((await service.post('/v1/records', { structure: 'X', data: { w: 'New' } })).body.code).toBe(
    'unique_violation',
  )
})

test('two workspaces with structures of one name never see each other', async () => {
  const other = service.as(await service.newWorkspace('Other'))
  await declare(service, 'X', [field('v', 'text')])
  await declare(other, 'X', [field('v', 'text')])
  const [mine] = await write(service, 'X', { v: 'mine' })
  const theirs = await contentOf(other, 'X')
  expect((await list(other, 'X', { filter: [{ field: 'id', op: 'neq', value: mine.id }] })).body.total).toBe(
    0,
  )
  await service.patch(`/v1/records/${mine.id}`, { data: { v: 'changed' } })
  await service.delete(`/v1/records/${mine.id}`)
  expect(await contentOf(other, 'X')).toEqual(theirs)
})
