import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ALL_ROW_OPERATORS, ROW_OPERATORS } from '../../src/filter/operators.ts'
import type { TypedField } from '../../src/filter/record/field-types.ts'
import { matchesFilter } from '../../src/filter/record/match.ts'
import { type Condition, checkFilter, parseConditions, parseFilter } from '../../src/filter/record/parse.ts'
import { runs } from '../support/counts.ts'
import {
  arbitraryData,
  arbitraryFields,
  arbitraryFilter,
  matches,
  type Row,
  withIds,
} from '../support/record-oracle.ts'
import type { FieldSpec } from '../support/records.ts'

const TYPES = [
  'text',
  'number',
  'date',
  'time',
  'datetime',
  'bool',
  'select',
  'note',
  'file',
  'record',
  'user',
] as const
const FIELDS = [
  ...TYPES.map((type, at): TypedField => ({ key: type, type, column: at + 1 })),
  { key: 'multiple', type: 'select', column: 20, multiple: true } satisfies TypedField,
]
const byKey = (fields: readonly TypedField[]) => new Map(fields.map((field) => [field.key, field]))

/** The operators of each kind of field. */
const ALLOWED: Record<string, string> = {
  number: 'eq neq gt gte lt lte in not_in is_empty not_empty',
  date: 'eq neq gt gte lt lte in not_in is_empty not_empty',
  time: 'eq neq gt gte lt lte in not_in is_empty not_empty',
  datetime: 'eq neq gt gte lt lte in not_in is_empty not_empty',
  text: 'eq neq contains in not_in is_empty not_empty',
  select: 'eq neq in not_in is_empty not_empty',
  note: 'eq neq in not_in is_empty not_empty',
  file: 'eq neq in not_in is_empty not_empty',
  record: 'eq neq in not_in is_empty not_empty',
  user: 'eq neq in not_in is_empty not_empty',
  bool: 'eq neq is_empty not_empty',
  multiple: 'has_any has_all has_none is_empty not_empty',
  created_at: 'eq neq gt gte lt lte',
  updated_at: 'eq neq gt gte lt lte',
  id: 'eq neq in not_in',
  '*': 'contains',
}

const SAMPLE: Record<string, unknown> = {
  number: 1,
  date: '2026-11-21',
  time: '09:30',
  datetime: '2026-11-21',
  bool: true,
  created_at: '2026-11-21',
  updated_at: '2026-11-21',
}

function valueFor(field: string, op: string): unknown {
  const one = op === 'contains' ? 'x' : (SAMPLE[field] ?? 'x')
  if (op.endsWith('empty')) return undefined
  return op === 'in' || op === 'not_in' || op.startsWith('has_') ? [one] : one
}

const checked = (filter: unknown): Condition[] => checkFilter(parseConditions(filter), byKey(FIELDS))

test.each(Object.keys(ALLOWED))('%s answers exactly its operators', (field) => {
  const answered: string[] = ALL_ROW_OPERATORS.filter((op) => {
    try {
      return checked([{ field, op, value: valueFor(field, op) }]).length === 1
    } catch (error) {
      expect(error).toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/^"filter\[0\].op" is /),
      })
      return false
    }
  })
  expect([...answered].sort()).toEqual((ALLOWED[field] ?? '').split(' ').sort())
  expect(Object.keys(ROW_OPERATORS).sort()).toEqual(Object.keys(ALLOWED).sort())
})

const MALFORMED: [string, unknown, RegExp][] = [
  ['no list', { field: 'text' }, /"filter" must be a list/],
  ['a list in a condition', [[]], /"filter\[0\]" must be an object/],
  ['null', [null], /"filter\[0\]" must be an object/],
  [
    'an unknown member',
    [{ field: 'text', op: 'eq', value: 'x', not: true }],
    /"filter\[0\].not" is not known/,
  ],
  ['a field that is no text', [{ field: 5, op: 'eq', value: 'x' }], /"filter\[0\].field" must be/],
  ['an unknown operator', [{ field: 'text', op: 'like', value: 'x' }], /"filter\[0\].op" must be one of/],
  ['no value', [{ field: 'text', op: 'eq' }], /"filter\[0\].value" is required with eq/],
  ['null as a value', [{ field: 'text', op: 'eq', value: null }], /"filter\[0\].value" is required with eq/],
  ['a value for is_empty', [{ field: 'text', op: 'is_empty', value: 'x' }], /must be omitted with is_empty/],
  ['one value for in', [{ field: 'text', op: 'in', value: 'x' }], /must be a list with in/],
  [
    '501 values',
    [{ field: 'text', op: 'in', value: Array(501).fill('x') }],
    /holds 501 values; 500 are allowed/,
  ],
  ['51 conditions', Array(51).fill({ field: 'text', op: 'is_empty' }), /holds 51 conditions; 50 are allowed/],
  ['NUL', [{ field: 'text', op: 'eq', value: 'a\0' }], /NUL character or a lone surrogate/],
  ['a lone surrogate', [{ field: 'text', op: 'in', value: ['\ud800'] }], /NUL character or a lone surrogate/],
  ['an empty search', [{ field: '*', op: 'contains', value: '' }], /1 to 200 characters/],
  [
    'a search of 201 characters',
    [{ field: '*', op: 'contains', value: '😀'.repeat(201) }],
    /1 to 200 characters/,
  ],
  ['a number to search for', [{ field: '*', op: 'contains', value: 5 }], /1 to 200 characters/],
]

test.each(MALFORMED)('a filter with %s has not the right form', (_, filter, says) => {
  expect(() => checked(filter)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(says) }),
  )
})

const UNANSWERABLE: [string, unknown, RegExp][] = [
  ['an unknown field', { field: 'colour', op: 'eq', value: 'x' }, /"filter\[0\].field" names "colour"/],
  [
    'a text for a number',
    { field: 'number', op: 'gt', value: '5' },
    /"filter\[0\].value" must be a finite number/,
  ],
  ['a list for eq', { field: 'number', op: 'eq', value: [5] }, /must be one value with eq/],
  ['no real day', { field: 'date', op: 'eq', value: '2026-02-30' }, /must be an existing day/],
  ['a day for a time', { field: 'time', op: 'lt', value: '2026-11-21' }, /must be a time of day/],
  [
    'a number among texts',
    { field: 'text', op: 'in', value: ['x', 5] },
    /"filter\[0\].value\[1\]" must be a text/,
  ],
  ['1 for yes', { field: 'bool', op: 'eq', value: 1 }, /must be true or false/],
  [
    'an instant without offset',
    { field: 'created_at', op: 'gt', value: '2026-11-21T09:30:00' },
    /must be a plain date or an instant/,
  ],
  ['a number as an id', { field: 'note', op: 'eq', value: 5 }, /must be an id/],
]

test.each(UNANSWERABLE)('%s is refused', (_, condition, says) => {
  expect(() => checked([condition])).toThrow(
    expect.objectContaining({ code: 'refused', message: expect.stringMatching(says) }),
  )
})

test('a day compared with instants means the whole day in UTC', () => {
  const at = '2026-11-21T23:59:59.999Z'
  const row = { id: 'a', data: { datetime: at }, createdAt: Date.parse(at), updatedAt: 0, deletedAt: null }
  const meets = (field: string, op: string, value: unknown) =>
    matchesFilter(row, checked([{ field, op, value }]))
  for (const field of ['datetime', 'created_at']) {
    expect([meets(field, 'eq', '2026-11-21'), meets(field, 'eq', '2026-11-22')]).toEqual([true, false])
    expect([meets(field, 'neq', '2026-11-21'), meets(field, 'neq', '2026-11-22')]).toEqual([false, true])
    expect([meets(field, 'gt', '2026-11-20'), meets(field, 'gt', '2026-11-21')]).toEqual([true, false])
    expect([meets(field, 'lte', '2026-11-21'), meets(field, 'lt', '2026-11-21')]).toEqual([true, false])
    expect([meets(field, 'eq', at), meets(field, 'eq', '2026-11-21T00:00:00Z')]).toEqual([true, false])
  }
  expect(meets('datetime', 'in', ['2026-11-20', '2026-11-21'])).toBe(true)
  expect(meets('datetime', 'in', ['2026-11-20', '2026-11-21T09:30:00Z'])).toBe(false)
  expect(meets('datetime', 'in', ['2026-11-20', at])).toBe(true)
})

test('a search of 200 emoji, 50 conditions and 500 values are within the limits', () => {
  checked([{ field: '*', op: 'contains', value: '😀'.repeat(200) }])
  checked(Array(50).fill({ field: 'text', op: 'in', value: Array(500).fill('x') }))
})

test.each(['', '{', '[', '['.repeat(60_000), 'nul', '[{"field":"text","op":"is_empty"},]'])(
  'the text %j is no filter',
  (text) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  },
)

test('matching one row gives the result of a plain test of it', () => {
  const arbitraryCase = arbitraryFields.chain((fields) =>
    fc.tuple(fc.constant(fields), arbitraryRow(fields), arbitraryFilter(fields)),
  )
  fc.assert(
    fc.property(arbitraryCase, ([fields, row, places]) => {
      const filter = withIds(places, [row])
      const typed = fields.map(({ key, type, multiple }, at) => ({
        key,
        type: type as TypedField['type'],
        ...(multiple === true && { multiple }),
        column: at + 1,
      }))
      const state = {
        ...row,
        createdAt: Date.parse(row.created_at),
        updatedAt: Date.parse(row.updated_at),
        deletedAt: null,
      }
      const conditions = checkFilter(parseConditions(filter), byKey(typed))
      expect(matchesFilter(state, conditions)).toBe(matches(row, fields, filter))
    }),
    { numRuns: runs(500, 50_000) },
  )
})

/** A row in its stored format: times and instants are normalized, and there are no nulls. */
const arbitraryRow = (fields: readonly FieldSpec[]): fc.Arbitrary<Row> =>
  fc.record({
    id: fc.constant('01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'),
    data: arbitraryData(fields).map((data) =>
      Object.fromEntries(fields.flatMap(({ key, type }) => kept(key, type, data[key]))),
    ),
    created_at: fc.constantFrom('2026-11-21T09:30:00.003Z', '2026-11-20T23:59:59.999Z'),
    updated_at: fc.constantFrom('2026-11-21T09:30:00.004Z', '2026-11-22T00:00:00.000Z'),
  })

function kept(key: string, type: string, value: unknown): [string, Row['data'][string]][] {
  if (value === null || value === undefined) return []
  if (type === 'time') return [[key, `${value}:00`.slice(0, 8)]]
  if (type === 'datetime')
    return [
      [key, new Date(Math.floor(Date.parse(String(value).replace(/(\.\d{3})\d+/, '$1')))).toISOString()],
    ]
  return [[key, Object.is(value, -0) ? 0 : (value as Row['data'][string])]]
}
