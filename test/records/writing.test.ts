import { afterEach, beforeEach, expect, test } from 'bun:test'
import { RECORD_EVENTS } from '../../src/log/message.ts'
import { contentOf, declare, field, lastChange, list, write } from '../support/records.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'
import { payloadsOf } from '../support/webhooks.ts'

const NOW = '2026-11-21T09:30:00.000Z'
const NOWHERE = '01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'
let service: TestService

beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const post = (structure: string, body: Record<string, unknown>) =>
  service.post('/v1/records', { structure, ...body })
const patch = (id: string, data: unknown) => service.patch(`/v1/records/${id}`, { data })

/** Expects a refusal that changed no row and logged no change. */
async function expectRefusal(
  structure: string,
  call: () => Promise<Answer>,
  code: string,
  says: RegExp | string,
) {
  const before = await contentOf(service, structure)
  const end = await lastChange(service)
  const { status, body } = await call()
  const sentence = typeof says === 'string' ? says : expect.stringMatching(says)
  expect({ status, body }).toEqual({ status: 400, body: { error: sentence, code } })
  expect(await contentOf(service, structure)).toEqual(before)
  expect(await lastChange(service)).toBe(end)
}

test('one row and a batch are returned in the order sent, keys in the order of the fields', async () => {
  await declare(service, 'X', [field('a', 'text'), field('b', 'number')])
  const one = await post('X', { data: { b: 1, a: 'x' } })
  const record = {
    id: one.body.records[0].id,
    data: { a: 'x', b: 1 },
    created_at: NOW,
    updated_at: NOW,
    deleted_at: null,
  }
  expect({ status: one.status, body: one.body }).toEqual({
    status: 201,
    body: { written: 1, inserted: 1, updated: 0, records: [record] },
  })
  expect(JSON.stringify(one.body.records[0].data)).toBe('{"a":"x","b":1}')
  const batch = await post('x', { rows: [{ data: { a: 'y' } }, { data: {} }, { data: { b: null } }] })
  expect(batch.body).toMatchObject({ written: 3, inserted: 3, updated: 0 })
  expect(batch.body.records.map(({ data }: { data: unknown }) => data)).toEqual([{ a: 'y' }, {}, {}])
  expect((await list(service, 'X', { direction: 'asc' })).body.records).toEqual([
    record,
    ...batch.body.records,
  ])
})

const KEPT: [string, unknown, unknown][] = [
  ['text', '', ''],
  ['text', ' A\n"\\\u2028😀 ', ' A\n"\\\u2028😀 '],
  ['number', 1e21, 1e21],
  ['number', 0.1, 0.1],
  ['date', '2024-02-29', '2024-02-29'],
  ['time', '09:30', '09:30:00'],
  ['time', '23:59:59', '23:59:59'],
  ['datetime', '2026-11-21T00:30:00.1239+02:00', '2026-11-20T22:30:00.123Z'],
  ['datetime', '2026-11-21T00:30+02:00', '2026-11-20T22:30:00.000Z'],
  ['datetime', '9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ['bool', false, false],
  ['select', 'anything', 'anything'],
]

test.each(KEPT)('a %s of %j is stored as %j', async (type, sent, kept) => {
  await declare(service, 'X', [field('v', type)])
  const [{ data }] = await write(service, 'X', { v: sent })
  expect(data).toEqual({ v: kept })
  expect((await list(service, 'X', { filter: [{ field: 'v', op: 'eq', value: sent }] })).body.total).toBe(1)
})

const UNFIT: [string, unknown, string][] = [
  ['text', 5, 'a text of at most 100,000 characters'],
  ['text', '😀'.repeat(100_001), 'a text of at most 100,000 characters'],
  ['number', '5', 'a finite number'],
  ['date', '2026-02-29', 'an existing day in the format YYYY-MM-DD'],
  ['date', '2026-1-1', 'an existing day in the format YYYY-MM-DD'],
  ['time', '24:00', 'a time of day in the format HH:MM or HH:MM:SS'],
  ['time', '9:30', 'a time of day in the format HH:MM or HH:MM:SS'],
  [
    'datetime',
    '2026-11-21T09:30:00',
    'a date and time with offset, such as 2026-11-21T09:30:00Z, in the years 0000 to 9999',
  ],
  [
    'datetime',
    '9999-12-31T23:59:59-01:00',
    'a date and time with offset, such as 2026-11-21T09:30:00Z, in the years 0000 to 9999',
  ],
  ['bool', 1, 'true or false'],
  ['select', ['a'], 'a text of at most 100,000 characters'],
  ['note', 'abc', 'the id of a note'],
  ['record', 7, 'the id of a record'],
  ['text', { a: 1 }, 'a text of at most 100,000 characters'],
]

test.each(UNFIT)('a %s refuses %j', async (type, value, words) => {
  await declare(service, 'X', [field('v', type)])
  await expectRefusal(
    'X',
    () => post('X', { data: { v: value } }),
    'refused',
    `The field "v" must be ${words}.`,
  )
})

const OUT_OF_BOUNDS: [string, Record<string, unknown>, unknown, string][] = [
  ['text', { min: 2 }, '😀', 'The field "v" must be at least 2 characters.'],
  ['text', { max: 2 }, 'abc', 'The field "v" must be at most 2 characters.'],
  ['number', { min: 0 }, -0.5, 'The field "v" must be at least 0.'],
  ['date', { max: '2026-01-31' }, '2026-02-01', 'The field "v" must be at most 2026-01-31.'],
  ['time', { min: '09:00' }, '08:59:59', 'The field "v" must be at least 09:00:00.'],
  [
    'datetime',
    { max: '2026-01-01T00:00:00Z' },
    '2026-01-01T00:00:00.001Z',
    'The field "v" must be at most 2026-01-01T00:00:00.000Z.',
  ],
  ['select', { options: ['a', 'b'] }, 'A', 'The field "v" must be one of "a" and "b".'],
]

test.each(OUT_OF_BOUNDS)('a %s with %j refuses %j', async (type, rules, value, sentence) => {
  await declare(service, 'X', [field('v', type, rules)])
  await expectRefusal('X', () => post('X', { data: { v: value } }), 'refused', sentence)
})

test('bounds are inclusive', async () => {
  await declare(service, 'X', [
    field('t', 'text', { min: 1, max: 2 }),
    field('n', 'number', { min: -1, max: 1 }),
  ])
  expect(
    (await post('X', { rows: [{ data: { t: '😀', n: -1 } }, { data: { t: '😀b', n: 1 } }] })).status,
  ).toBe(201)
})

test('a required field needs a value; a key that is no field is refused', async () => {
  await declare(service, 'X', [field('a', 'text', { required: true })])
  await expectRefusal('X', () => post('X', { data: {} }), 'refused', '"a" is required; give it a value.')
  await expectRefusal('X', () => post('X', { data: { a: null } }), 'refused', /"a" is required/)
  await expectRefusal(
    'X',
    () => post('X', { data: { a: 'x', constructor: 'y' } }),
    'refused',
    /"constructor" is not a field/,
  )
  const [{ id }] = await write(service, 'X', { a: '' })
  await expectRefusal('X', () => patch(id, { a: null }), 'refused', /"a" is required/)
})

test('references name existing, undeleted objects of the workspace', async () => {
  const other = service.as(await service.newWorkspace('Other'))
  const foreign = (await other.post('/v1/notes', { title: 'Theirs' })).body.note.id
  const note = (await service.post('/v1/notes', { title: 'Mine' })).body.note.id
  const { id: structure } = await declare(service, 'People', [field('name', 'text')])
  await declare(service, 'Things', [field('name', 'text')])
  const [person] = await write(service, 'People', { name: 'Ada' })
  const [thing] = await write(service, 'Things', { name: 'Engine' })
  await declare(service, 'X', [
    field('n', 'note'),
    field('p', 'record', { structure }),
    field('any', 'record'),
    field('f', 'file'),
  ])
  expect((await post('X', { data: { n: note, p: person.id, any: thing.id } })).status).toBe(201)
  for (const data of [{ n: foreign }, { n: NOWHERE }, { p: thing.id }, { any: note }, { f: note }]) {
    await expectRefusal('X', () => post('X', { data }), 'refused', /names .*, and there is no such/)
  }
  await service.delete(`/v1/notes/${note}`)
  await service.delete(`/v1/records/${thing.id}`)
  await expectRefusal('X', () => post('X', { data: { n: note } }), 'refused', /"n" names/)
  await expectRefusal('X', () => post('X', { data: { any: thing.id } }), 'refused', /"any" names/)
})

test('values that a patch does not name stay, even if they are no longer valid', async () => {
  await declare(service, 'X', [
    field('s', 'select', { options: ['a', 'b'] }),
    field('n', 'number'),
    field('late', 'text'),
  ])
  const note = (await service.post('/v1/notes', { title: 'Gone soon' })).body.note.id
  const [{ id }] = await write(service, 'X', { s: 'a', n: 50 })
  await service.patch('/v1/records/structures/X', {
    fields: [
      field('s', 'select', { options: ['b'] }),
      field('n', 'number', { max: 9 }),
      field('late', 'text', { required: true }),
      field('ref', 'note'),
    ],
  })
  expect((await patch(id, { ref: note })).body.record.data).toEqual({ s: 'a', n: 50, ref: note })
  await service.delete(`/v1/notes/${note}`)
  expect((await patch(id, { late: 'x' })).body.record.data).toEqual({ s: 'a', n: 50, late: 'x', ref: note })
  await expectRefusal('X', () => patch(id, { s: 'a' }), 'refused', /"s" must be one of "b"/)
  await expectRefusal('X', () => patch(id, { ref: note }), 'refused', /"ref" names/)
})

test('a patch merges, null removes, and updated_at grows also within a millisecond', async () => {
  await declare(service, 'X', [field('a', 'text'), field('b', 'number'), field('c', 'bool')])
  const [record] = await write(service, 'X', { a: 'x', b: 1 })
  const first = await patch(record.id, { b: null, c: true })
  expect(first.body).toEqual({
    record: { ...record, data: { a: 'x', c: true }, updated_at: '2026-11-21T09:30:00.001Z' },
  })
  const second = await patch(record.id, { a: 'y' })
  expect(second.body.record.updated_at).toBe('2026-11-21T09:30:00.002Z')
  expect((await list(service, 'X')).body.records).toEqual([second.body.record])
})

test('a write that changes nothing writes nothing and logs no change', async () => {
  await declare(service, 'X', [field('a', 'text', { unique: true }), field('b', 'time')])
  const [record] = await write(service, 'X', { a: 'x', b: '09:30' })
  const end = await lastChange(service)
  service.clock.advance(1000)
  expect((await patch(record.id, { b: '09:30:00', a: 'x' })).body).toEqual({ record })
  expect((await patch(record.id, {})).body).toEqual({ record })
  const same = await post('X', { data: { a: 'x' }, on_conflict: 'update' })
  expect(same.body).toEqual({ written: 1, inserted: 0, updated: 1, records: [record] })
  expect(await lastChange(service)).toBe(end)
})

test('a batch that fails in its last row leaves nothing, and the refusal names the row', async () => {
  await declare(service, 'X', [field('n', 'number', { unique: true })])
  const rows = Array.from({ length: 500 }, (_, at) => ({ data: { n: at } }))
  rows[499] = { data: { n: 7 } }
  await expectRefusal(
    'X',
    () => post('X', { rows }),
    'unique_violation',
    'Row 500: The field "n" is unique, and row 8 of this call already has this value; change one of the two.',
  )
  await expectRefusal(
    'X',
    () => post('X', { rows: [{ data: {} }, { data: { n: 'x' } }] }),
    'refused',
    'Row 2: The field "n" must be a finite number.',
  )
})

test.each([0, 250])('names the first row of a batch that cannot be written, beside %d rows', async (held) => {
  await declare(service, 'X', [field('n', 'number', { unique: true })], { max_rows: held + 3 })
  if (held > 0) await write(service, 'X', ...Array.from({ length: held }, (_, at) => ({ n: 1_000 + at })))
  const rowsOf = (...values: unknown[]) => ({ rows: values.map((n) => ({ data: { n } })) })
  const taken =
    'The field "n" is unique, and row 1 of this call already has this value; change one of the two.'
  const full = `"X" holds ${held + 3} of at most ${held + 3} rows; delete a row or raise "max_rows".`
  for (const [values, code, says] of [
    [[1, 1, 'x'], 'unique_violation', `Row 2: ${taken}`],
    [[1, 'x', 1], 'refused', 'Row 2: The field "n" must be a finite number.'],
    [[1, 2, 1, 3, 4], 'unique_violation', `Row 3: ${taken}`],
    [[1, 2, 3, 1], 'unique_violation', `Row 4: ${taken}`],
    [[1, 2, 3, 4, 'x'], 'max_rows_reached', `Row 4: ${full}`],
  ] as const)
    await expectRefusal('X', () => post('X', rowsOf(...values)), code, says)
})

test.each([
  ['neither data nor rows', {}, /exactly one of "data", one row, and "rows"/],
  ['both', { data: {}, rows: [{ data: {} }] }, /exactly one of/],
  ['no rows', { rows: [] }, /"rows" must be a list of 1 to 500/],
  ['501 rows', { rows: Array(501).fill({ data: {} }) }, /"rows" must be a list of 1 to 500/],
  ['an unknown member', { data: {}, upsert: true }, /"upsert" is not known/],
  ['another on_conflict', { data: {}, on_conflict: 'replace' }, /"on_conflict" must be one of/],
  ['data that is no object', { data: [] }, /"data" must be an object/],
])('a write of %s is refused for its shape', async (_, body, says) => {
  await declare(service, 'X', [field('a', 'text')])
  await expectRefusal('X', () => post('X', body), 'invalid_request', says)
})

test('missing objects and those of other workspaces are not found', async () => {
  const other = service.as(await service.newWorkspace('Other'))
  const structure = await declare(service, 'X', [field('a', 'text')])
  const [{ id }] = await write(service, 'X', { a: 'x' })
  const before = await contentOf(service, 'X')
  const answers = await Promise.all([
    post('Nothing', { data: {} }),
    post(NOWHERE, { data: {} }),
    other.post('/v1/records', { structure: structure.id, data: {} }),
    other.patch(`/v1/records/${id}`, { data: { a: 'y' } }),
    other.delete(`/v1/records/${id}`),
    other.post(`/v1/records/${id}/restore`),
    patch('not-an-id', {}),
    service.delete(`/v1/records/${NOWHERE}`),
    list(other, structure.id),
  ])
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(9).fill([404, 'not_found']))
  expect(await contentOf(service, 'X')).toEqual(before)
})

test('a collision is refused, or under update merged into the row it collides with', async () => {
  await declare(
    service,
    'X',
    [field('a', 'text', { unique: true }), field('b', 'text'), field('c', 'number', { required: true })],
    { unique_together: [['b', 'c']] },
  )
  const [one, two] = await write(service, 'X', { a: 'A', b: 'x', c: 1 }, { a: 'a', b: 'x', c: 2 })
  await expectRefusal(
    'X',
    () => post('X', { data: { a: 'A', c: 5 } }),
    'unique_violation',
    `The field "a" is unique, and the record ${one.id} already has this value; change one of the two.`,
  )
  await expectRefusal(
    'X',
    () => post('X', { data: { b: 'x', c: 2 } }),
    'unique_violation',
    `The fields "b" and "c" are unique together, and the record ${two.id} already has these values; change one of the two.`,
  )
  await expectRefusal(
    'X',
    () => post('X', { data: { a: 'A', b: 'x', c: 2 }, on_conflict: 'update' }),
    'unique_violation',
    /collides with two different rows/,
  )
  await expectRefusal(
    'X',
    () => patch(one.id, { c: 2 }),
    'unique_violation',
    /"b" and "c" are unique together/,
  )
  await expectRefusal(
    'X',
    () => post('X', { data: { a: 'A', c: null }, on_conflict: 'update' }),
    'refused',
    /"c" is required/,
  )
  // Only named fields are checked and changed: "c" is required but not named.
  const merged = await post('X', { data: { a: 'A', b: null }, on_conflict: 'update' })
  expect(merged.body).toMatchObject({
    written: 1,
    inserted: 0,
    updated: 1,
    records: [{ id: one.id, data: { a: 'A', c: 1 } }],
  })
  // A merge may make the row collide with a third one.
  await write(service, 'X', { b: 'y', c: 1 })
  const inTheWay = () => post('X', { data: { a: 'A', b: 'y' }, on_conflict: 'update' })
  await expectRefusal('X', inTheWay, 'unique_violation', /"b" and "c" are unique together/)
  expect((await post('X', { data: { a: 'new', c: 3 }, on_conflict: 'update' })).body).toMatchObject({
    inserted: 1,
    updated: 0,
  })
})

test('two rows of one batch that collide: the later one updates the earlier one', async () => {
  await declare(service, 'X', [field('a', 'text', { unique: true }), field('n', 'number')])
  const { body } = await post('X', {
    on_conflict: 'update',
    rows: [{ data: { a: 'x', n: 1 } }, { data: { a: 'y' } }, { data: { a: 'x', n: 2 } }],
  })
  expect(body).toMatchObject({ written: 3, inserted: 2, updated: 1 })
  expect(body.records.map(({ data }: { data: unknown }) => data)).toEqual([
    { a: 'x', n: 2 },
    { a: 'y' },
    { a: 'x', n: 2 },
  ])
  expect((await list(service, 'X')).body.total).toBe(2)
})

test('a unique value is free again when its row is deleted', async () => {
  await declare(service, 'X', [field('a', 'text', { unique: true })])
  const [old] = await write(service, 'X', { a: 'x' })
  await service.delete(`/v1/records/${old.id}`)
  await write(service, 'X', { a: 'x' })
  await expectRefusal(
    'X',
    () => service.post(`/v1/records/${old.id}/restore`),
    'unique_violation',
    /"a" is unique/,
  )
})

test('of many writers of one value exactly one wins each round', async () => {
  await declare(service, 'X', [field('n', 'number', { unique: true })])
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('X', { data: { n: round } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(400)])
  }
  expect((await list(service, 'X')).body.total).toBe(20)
})

test('the row past max_rows is refused, also in the middle of a batch', async () => {
  await declare(service, 'X', [field('a', 'text', { unique: true })], { max_rows: 2 })
  const rows = ['a', 'b', 'c'].map((a) => ({ data: { a } }))
  await expectRefusal(
    'X',
    () => post('X', { rows }),
    'max_rows_reached',
    'Row 3: "X" holds 2 of at most 2 rows; delete a row or raise "max_rows".',
  )
  const [one] = await write(service, 'X', { a: 'a' }, { a: 'b' })
  await expectRefusal(
    'X',
    () => post('X', { data: { a: 'c' } }),
    'max_rows_reached',
    /"X" holds 2 of at most 2/,
  )
  expect((await post('X', { data: { a: 'a' }, on_conflict: 'update' })).status).toBe(201)
  await service.delete(`/v1/records/${one.id}`)
  await write(service, 'X', { a: 'c' })
  await expectRefusal(
    'X',
    () => service.post(`/v1/records/${one.id}/restore`),
    'max_rows_reached',
    /"X" holds 2 of at most 2/,
  )
})

test('under max_rows 1 a write replaces the row, and may reuse its values', async () => {
  await declare(service, 'X', [field('a', 'text', { unique: true })], { max_rows: 1 })
  const [first] = await write(service, 'X', { a: 'x' })
  const { cursor } = (await service.get('/v1/changes?after=now')).body
  const second = await post('X', { data: { a: 'x' }, on_conflict: 'update' })
  expect(second.body).toMatchObject({ written: 1, inserted: 1, updated: 0 })
  const { changes } = (await service.get(`/v1/changes?after=${cursor}`)).body
  expect(changes.map(({ op, id }: { op: string; id: string }) => [op, id])).toEqual([
    ['deleted', first.id],
    ['created', second.body.records[0].id],
  ])
  expect((await list(service, 'X')).body).toMatchObject({ total: 1, records: second.body.records })
  await expectRefusal(
    'X',
    () => post('X', { rows: [{ data: {} }, { data: {} }] }),
    'max_rows_reached',
    /holds one row.*2 rows were sent/,
  )
  await expectRefusal('X', () => post('X', { data: { a: 5 } }), 'refused', /"a" must be a text/)
  await expectRefusal(
    'X',
    () => service.post(`/v1/records/${first.id}/restore`),
    'unique_violation',
    /unique/,
  )
})

test('rows of an immutable structure are written, deleted and restored, never edited', async () => {
  await declare(service, 'X', [field('a', 'text', { unique: true })], { immutable: true })
  const [{ id }] = await write(service, 'X', { a: 'x' })
  await expectRefusal('X', () => patch(id, { a: 'x' }), 'immutable', /immutable/)
  await expectRefusal(
    'X',
    () => post('X', { data: { a: 'new' }, on_conflict: 'update' }),
    'immutable',
    /immutable/,
  )
  expect((await service.delete(`/v1/records/${id}`)).status).toBe(200)
  expect((await service.post(`/v1/records/${id}/restore`)).status).toBe(200)
  await service.patch('/v1/records/structures/X', { immutable: false })
  expect((await patch(id, { a: 'y' })).status).toBe(200)
  expect((await service.patch('/v1/records/structures/X', { immutable: true })).status).toBe(200)
})

test('a deleted row is not visible and is restored as it was', async () => {
  await declare(service, 'X', [field('a', 'text')])
  const [record] = await write(service, 'X', { a: 'x' })
  service.clock.advance(5)
  expect((await service.delete(`/v1/records/${record.id}`)).body).toEqual({ deleted: true, id: record.id })
  expect((await list(service, 'X')).body).toEqual({ records: [], total: 0, has_more: false })
  expect((await patch(record.id, { a: 'y' })).status).toBe(404)
  expect((await service.delete(`/v1/records/${record.id}`)).status).toBe(404)
  const restored = await service.post(`/v1/records/${record.id}/restore`)
  expect({ status: restored.status, body: restored.body }).toEqual({
    status: 200,
    body: { record: { ...record, updated_at: '2026-11-21T09:30:00.006Z' } },
  })
  expect((await list(service, 'X')).body).toEqual({
    records: [restored.body.record],
    total: 1,
    has_more: false,
  })
  expect((await service.post(`/v1/records/${record.id}/restore`)).status).toBe(404)
})

test('a row that refers to itself is restored, one that refers to a deleted object is not', async () => {
  await declare(service, 'X', [field('parent', 'record', { structure: 'X' })])
  const [root] = await write(service, 'X', {})
  const [leaf] = await write(service, 'X', { parent: root.id })
  await patch(root.id, { parent: root.id })
  for (const { id } of [leaf, root]) await service.delete(`/v1/records/${id}`)
  const restore = (id: string) => service.post(`/v1/records/${id}/restore`)
  await expectRefusal('X', () => restore(leaf.id), 'refused', /"parent" names/)
  expect((await restore(root.id)).body.record.data).toEqual({ parent: root.id })
  expect((await restore(leaf.id)).status).toBe(200)
})

test('every change is one complete event with its author', async () => {
  const structure = await declare(service, 'X', [field('a', 'text'), field('b', 'number')])
  const hook = { structure: 'X', url: 'https://hooks.example/x', events: [...RECORD_EVENTS] }
  const hooked = await service.post('/v1/webhooks', hook)
  expect(hooked.status).toBe(201)
  const [{ id }] = await write(service, 'X', { a: 'x', b: 1 })
  await patch(id, { a: 'y', b: null })
  await service.delete(`/v1/records/${id}`)
  await service.post(`/v1/records/${id}/restore`)
  const { key } = (await service.get('/v1/me')).body
  const { workspace } = (await service.get('/v1/workspace')).body
  const instant = (moved: number) => new Date(Date.parse(NOW) + moved).toISOString()
  const event = (type: string, data: object, moved: number, more: object = {}) => ({
    id: expect.any(String),
    type: `record.${type}`,
    occurred_at: instant(0),
    workspace_id: workspace.id,
    structure: { id: structure.id, name: 'X' },
    record: { id, data, created_at: instant(0), updated_at: instant(moved), deleted_at: null },
    changed: [],
    previous: {},
    source: { surface: 'api', key_id: key.id },
    ...more,
  })
  const deleted = event('deleted', { a: 'y' }, 2)
  expect(await payloadsOf(service, hooked.body.webhook.id)).toEqual([
    event('created', { a: 'x', b: 1 }, 0),
    event('updated', { a: 'y' }, 1, { changed: ['a', 'b'], previous: { a: 'x', b: 1 } }),
    { ...deleted, record: { ...deleted.record, deleted_at: instant(2) } },
    event('created', { a: 'y' }, 3),
  ])
})
