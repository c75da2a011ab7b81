import fc from 'fast-check'
import type { FieldSpec } from './records.ts'

/*
 * A second, plain implementation of every read of records, written from the documentation of the API alone: it shares
 * no code with the service. Rows are the records as the service returned them after each write.
 */

export interface Row {
  id: string
  data: Record<string, string | number | boolean | readonly string[]>
  created_at: string
  updated_at: string
}

export interface Condition {
  field: string
  op: string
  value?: unknown
}

export interface Sort {
  key: string
  direction: 'asc' | 'desc'
}

const TEXTS = [
  '',
  'a',
  'A',
  'b',
  'É',
  'é',
  'e\u0301',
  'Σ',
  'ς',
  'σ',
  'İ',
  'i',
  'ß',
  'ẞ',
  '日本',
  '😀',
  '\uffee',
  '𐐀',
  '𐐨',
  '%',
  '_',
  "'",
  '0.1',
  'true',
]
const NUMBERS = [0, -0, 1, -1, 5, 0.1, -2.5, 1e21, 1e-7, 123456789.125, 2 ** 53, 2 ** 60, 10]
const DATES = ['0000-01-01', '1999-12-31', '2024-02-29', '2026-11-21', '2026-11-22', '9999-12-31']
const TIMES = ['00:00', '00:00:00', '09:30', '09:30:01', '23:59:59']
const INSTANTS = [
  '2026-11-21T00:00:00Z',
  '2026-11-21T23:59:59.999Z',
  '2026-11-22T00:30:00+02:00',
  '2026-11-22T00:00:00.0005Z',
  '1950-06-01T12:00:00-05:00',
]

/** The values to draw from, by kind of field. */
export type ValuesByType = Readonly<Record<string, readonly unknown[]>>

const VALUES: ValuesByType = {
  text: TEXTS,
  select: TEXTS,
  number: NUMBERS,
  date: DATES,
  time: TIMES,
  datetime: INSTANTS,
  bool: [true, false],
  several: ['a', 'A', 'b', '","', 'x"y', '\\', 'Ü', '😀', '0.1'],
}

/** The kind of a field's values: `several` for arrays, for a formula the type of its result. */
export const kindOf = ({ type, multiple, result }: FieldSpec): string =>
  multiple ? 'several' : String(result ?? type)

/** The keys by which rows can be sorted. */
export const sortKeys = (fields: readonly FieldSpec[]): string[] => [
  'created_at',
  'updated_at',
  ...fields.filter(({ multiple }) => !multiple).map(({ key }) => key),
]

const ORDERED = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'is_empty', 'not_empty']
const OPERATORS: Record<string, string[]> = {
  text: ['eq', 'neq', 'contains', 'in', 'not_in', 'is_empty', 'not_empty'],
  select: ['eq', 'neq', 'in', 'not_in', 'is_empty', 'not_empty'],
  number: ORDERED,
  date: ORDERED,
  time: ORDERED,
  datetime: ORDERED,
  bool: ['eq', 'neq', 'is_empty', 'not_empty'],
  several: ['has_any', 'has_all', 'has_none', 'is_empty', 'not_empty'],
}

export const arbitraryFields: fc.Arbitrary<FieldSpec[]> = fc
  .array(fc.constantFrom(...Object.keys(VALUES)), { minLength: 1, maxLength: 6 })
  .map((kinds) =>
    kinds.map((kind, at) => ({
      key: at === 0 ? 'constructor' : `${kind}_${at}`,
      ...(kind === 'several' ? { type: 'select', multiple: true } : { type: kind }),
    })),
  )

const anyOf = (kind: string, values: ValuesByType): fc.Arbitrary<unknown> => {
  const one = fc.constantFrom(...(values[kind] ?? []))
  return kind === 'several' ? fc.uniqueArray(one, { minLength: 1, maxLength: 4 }) : one
}

export const arbitraryData = (
  fields: readonly FieldSpec[],
  values: ValuesByType = VALUES,
): fc.Arbitrary<Record<string, unknown>> => {
  const written = fields.filter(({ type }) => type !== 'formula')
  return fc
    .tuple(...written.map((field) => fc.option(anyOf(kindOf(field), values), { freq: 3, nil: null })))
    .map((drawn) => Object.fromEntries(written.map(({ key }, at) => [key, drawn[at]])))
}

function arbitraryCondition(field: FieldSpec, values: ValuesByType): fc.Arbitrary<Condition> {
  const { key } = field
  const kind = kindOf(field)
  const days = kind === 'datetime' ? fc.constantFrom('2026-11-21', '2026-11-22') : anyOf(kind, values)
  const value = fc.oneof(anyOf(kind, values), days)
  return fc.constantFrom(...(OPERATORS[kind] ?? [])).chain((op): fc.Arbitrary<Condition> => {
    if (op.endsWith('empty')) return fc.constant({ field: key, op })
    if (op.endsWith('in'))
      return fc.array(value, { maxLength: 4 }).map((list) => ({ field: key, op, value: list }))
    return value.map((one) => ({ field: key, op, value: one }))
  })
}

const arbitrarySearch: fc.Arbitrary<Condition> = fc
  .constantFrom(
    'a',
    'É',
    'E\u0301',
    'σ',
    'Σ',
    'I',
    '0',
    '.1',
    '1e',
    '-',
    '5.0',
    'tru',
    'e',
    't00',
    'Z',
    ':',
    '%',
    '_',
    "'",
    '日',
    '😀',
    '𐐀',
  )
  .map((value) => ({ field: '*', op: 'contains', value }))

const arbitraryMoment: fc.Arbitrary<Condition> = fc.record({
  field: fc.constantFrom('created_at', 'updated_at'),
  op: fc.constantFrom('eq', 'neq', 'gt', 'gte', 'lt', 'lte'),
  value: fc.constantFrom(
    '2026-11-21',
    '2026-11-20',
    '2026-11-21T09:30:00.003Z',
    '2026-11-21T10:30:00.0035+01:00',
  ),
})

/** Draws ids as row indexes, because the rows do not exist yet (`withIds`). */
export const arbitraryFilter = (
  fields: readonly FieldSpec[],
  values: ValuesByType = VALUES,
): fc.Arbitrary<Condition[]> => {
  const ofField = fc.constantFrom(...fields).chain((field) => arbitraryCondition(field, values))
  const one = fc.oneof(
    { weight: 5, arbitrary: ofField },
    { weight: 2, arbitrary: arbitrarySearch },
    { weight: 1, arbitrary: arbitraryMoment },
    { weight: 1, arbitrary: arbitraryPlaces },
  )
  return fc.array(one, { maxLength: 3 })
}

const arbitraryPlaces: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    field: fc.constant('id'),
    op: fc.constantFrom('eq', 'neq'),
    value: fc.nat(20),
  }),
  fc.record({
    field: fc.constant('id'),
    op: fc.constantFrom('in', 'not_in'),
    value: fc.array(fc.nat(20), { maxLength: 5 }),
  }),
)

/** Replaces row indexes in the filter with ids. An index without a row becomes an id that matches nothing. */
export function withIds(filter: readonly Condition[], rows: readonly Row[]): Condition[] {
  const idAt = (place: unknown) => rows[Number(place)]?.id ?? 'nothing'
  return filter.map((condition) => {
    if (condition.field !== 'id') return condition
    const { value } = condition
    return { ...condition, value: Array.isArray(value) ? value.map(idAt) : idAt(value) }
  })
}

const foldedTexts = new Map<string, string>()

/** Normalizes to NFC, then lower-cases each code point to exactly one code point. */
function folded(text: string): string {
  const known = foldedTexts.get(text)
  if (known !== undefined) return known
  const points = Array.from(text.normalize('NFC'), (point) => Array.from(point.toLowerCase())[0] ?? '')
  const lower = points.join('')
  foldedTexts.set(text, lower)
  return lower
}

const points = (text: string) => Array.from(text, (point) => point.codePointAt(0) ?? 0)

function comparePoints(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] ?? 0) - (b[at] ?? 0)
  return a.length - b.length
}

/** The start and end, in milliseconds, of a time in a filter: a plain date covers its whole UTC day. */
function span(value: string): [number, number] {
  if (value.length === 10) return [Date.parse(value), Date.parse(value) + 86_399_999]
  const [, whole = '', decimals = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(value) ?? []
  const instant = Date.parse(`${whole}${zone}`) + Number(`0.${decimals || '0'}`) * 1000
  return [instant, instant]
}

/** Converts a value and a filter value to comparable JavaScript values; the filter value has a start and an end. */
function comparable(
  type: string,
  held: unknown,
  asked: unknown,
): { held: string | number; from: string | number; to: string | number } {
  if (type === 'moment') {
    const [from, to] = span(String(asked))
    return { held: Date.parse(String(held)), from, to }
  }
  if (type === 'datetime') {
    const [from, to] = span(String(asked)).map(Math.floor) as [number, number]
    return { held: Date.parse(String(held)), from, to }
  }
  const value = type === 'time' && String(asked).length === 5 ? `${asked}:00` : asked
  const plain = typeof value === 'boolean' ? String(value) : (value as string | number)
  return {
    held: typeof held === 'boolean' ? String(held) : (held as string | number),
    from: plain,
    to: plain,
  }
}

function holds(type: string, op: string, held: unknown, asked: unknown): boolean {
  if (op === 'is_empty') return held === undefined
  if (op === 'not_empty') return held !== undefined
  if (op === 'neq') return !holds(type, 'eq', held, asked)
  if (op === 'not_in') return !holds(type, 'in', held, asked)
  if (op === 'has_none') return !holds(type, 'has_any', held, asked)
  if (held === undefined) return false
  if (op === 'has_any') return (asked as unknown[]).some((one) => (held as unknown[]).includes(one))
  if (op === 'has_all') return (asked as unknown[]).every((one) => (held as unknown[]).includes(one))
  if (op === 'in') return (asked as unknown[]).some((one) => holds(type, 'eq', held, one))
  if (op === 'contains') return folded(String(held)).includes(folded(String(asked)))
  const it = comparable(type, held, asked)
  if (op === 'eq') return it.held >= it.from && it.held <= it.to
  if (op === 'gt') return it.held > it.to
  if (op === 'gte') return it.held >= it.from
  if (op === 'lt') return it.held < it.from
  return it.held <= it.to
}

export function matches(row: Row, fields: readonly FieldSpec[], filter: readonly Condition[]): boolean {
  return filter.every(({ field, op, value }) => {
    if (field === '*')
      return Object.values(row.data)
        .flat()
        .some((held) => holds('text', 'contains', held, value))
    if (field === 'id') return holds('text', op, row.id, value)
    if (field === 'created_at' || field === 'updated_at') return holds('moment', op, row[field], value)
    const held = Object.hasOwn(row.data, field) ? row.data[field] : undefined
    const asked = fields.find(({ key }) => key === field)
    return holds(asked ? kindOf(asked) : '', op, held, value)
  })
}

const sortKey = (row: Row, key: string) => {
  if (key === 'created_at' || key === 'updated_at') return row[key]
  return Object.hasOwn(row.data, key) ? row.data[key] : undefined
}

/** The sort key of a row, computed once per row instead of in each comparison. */
interface Place {
  readonly row: Row
  /** The code points of a folded text, a number, or nothing. */
  readonly held: readonly number[] | number | undefined
  readonly id: readonly number[]
}

function placeOf(row: Row, key: string): Place {
  const held = sortKey(row, key)
  const order = held === undefined ? held : typeof held === 'string' ? points(folded(held)) : Number(held)
  return { row, held: order, id: points(row.id) }
}

function compareHeld(left: Place['held'], right: Place['held']): number {
  if (Array.isArray(left) && Array.isArray(right)) return comparePoints(left, right)
  return Number(left) - Number(right)
}

export function sorted(rows: readonly Row[], { key, direction }: Sort): Row[] {
  const sign = direction === 'asc' ? 1 : -1
  const places = rows.map((row) => placeOf(row, key))
  places.sort((one, other) => {
    const [left, right] = [one.held, other.held]
    if ((left === undefined) !== (right === undefined)) return left === undefined ? 1 : -1
    const byValue = left === undefined ? 0 : compareHeld(left, right)
    return sign * (byValue || comparePoints(one.id, other.id))
  })
  return places.map(({ row }) => row)
}

/** Draws the name of an automatic index on one or two columns. */
export const arbitraryIndex = (fields: readonly FieldSpec[]): fc.Arbitrary<string> =>
  fc
    .uniqueArray(
      fc.constantFrom(
        'created_at',
        'updated_at',
        ...fields.flatMap(({ multiple }, at) => (multiple ? [] : `f${at + 1}`)),
      ),
      { minLength: 1, maxLength: 2 },
    )
    .map((columns) => columns.join(','))
