import { memoize, memoizeByObject } from '../../lib/bounded-cache.ts'
import { type FieldValue, type RecordState, valueIn } from '../../lib/record-data.ts'
import type { Operator, RowPart, TypedField } from './field-types.ts'
import { columnValue, searchText } from './field-types.ts'
import type { Condition } from './parse.ts'
import { dayIn, dayOf, isPoint, type Operand } from './values.ts'

type Value = string | number | undefined
/** Tests a value against a condition, or against several on the same part of a row. */
type Test = (value: Value) => boolean

const within = (value: Value, { low, high }: Operand) => value !== undefined && value >= low && value <= high

/** Looks up the operands in sets, so that a long list costs no more per row than a short one. */
function isAmong(operands: readonly Operand[]): Test {
  const points = new Set<Value>(operands.filter(isPoint).map(({ low }) => low))
  const others = operands.filter((operand) => !isPoint(operand))
  /** Whole days of a datetime field. */
  const days = new Set(others.filter(({ low }) => typeof low === 'string').map(dayOf))
  /** Whole days of `created_at` and `updated_at`, which do not accept lists. */
  const ranges = others.filter(({ low }) => typeof low === 'number')
  if (others.length === 0) return (value) => points.has(value)
  return (value) => {
    if (points.has(value)) return true
    if (typeof value === 'string') return days.size > 0 && days.has(dayIn(value))
    return ranges.some((range) => within(value, range))
  }
}

function isNotAmong(operands: readonly Operand[]): Test {
  const isOne = isAmong(operands)
  return (value) => !isOne(value)
}

/** Compares with the first operand; never true for a row without a value. */
const ordered =
  (test: (value: string | number, operand: Operand) => boolean) =>
  ([operand]: readonly Operand[]): Test =>
  (value) =>
    value !== undefined && operand !== undefined && test(value, operand)

const TESTS: Record<Exclude<Operator, 'contains' | ListOperator>, (operands: readonly Operand[]) => Test> = {
  eq: isAmong,
  neq: isNotAmong,
  in: isAmong,
  not_in: isNotAmong,
  gt: ordered((value, { high }) => value > high),
  gte: ordered((value, { low }) => value >= low),
  lt: ordered((value, { low }) => value < low),
  lte: ordered((value, { high }) => value <= high),
  is_empty: () => (value) => value === undefined,
  not_empty: () => (value) => value !== undefined,
}

type ListOperator = 'has_any' | 'has_all' | 'has_none'
type ListTest = (values: readonly string[], wanted: ReadonlySet<unknown>) => boolean

const hasAny: ListTest = (values, wanted) => values.some((value) => wanted.has(value))

/** Tests of fields with several values; a row without one has an empty list. */
const LIST_TESTS: Record<ListOperator, ListTest> = {
  has_any: hasAny,
  has_all: (values, wanted) => values.filter((value) => wanted.has(value)).length === wanted.size,
  has_none: (values, wanted) => !hasAny(values, wanted),
}

const isListOperator = (op: Operator): op is ListOperator => Object.hasOwn(LIST_TESTS, op)

const valuesOf = (value: FieldValue | undefined): readonly string[] =>
  typeof value === 'object' ? value : []

type Target = TypedField | Exclude<RowPart, '*'>

function testedValue(row: RecordState, target: Target): Value {
  if (target === 'id') return row.id
  if (target === 'created_at') return row.createdAt
  if (target === 'updated_at') return row.updatedAt
  const value = valueIn(row.data, target.key)
  return value === undefined ? undefined : columnValue(value)
}

/** The folded text of a value by its key, shared by all conditions of all subscriptions. */
const foldedTexts = memoizeByObject((row: RecordState) =>
  memoize((key: string) => {
    const value = valueIn(row.data, key)
    return value === undefined ? undefined : searchText(value)
  }),
)

/** Whether the field, or for `*` any field, contains the text. */
function contains(row: RecordState, target: TypedField | '*', needle: string): boolean {
  const keys = target === '*' ? Object.keys(row.data) : [target.key]
  return keys.some((key) => foldedTexts(row)(key)?.includes(needle))
}

type RowTest = (row: RecordState) => boolean

function testOf({ target, op, operands }: Condition): RowTest {
  if (op === 'contains') {
    const needle = String(operands[0]?.low)
    return (row) => (target === '*' || typeof target !== 'string') && contains(row, target, needle)
  }
  if (isListOperator(op)) {
    const wanted = new Set<unknown>(operands.map(({ low }) => low))
    const test = LIST_TESTS[op]
    return (row) => typeof target !== 'string' && test(valuesOf(valueIn(row.data, target.key)), wanted)
  }
  const test = TESTS[op](operands)
  return (row) => target !== '*' && test(testedValue(row, target))
}

/** Cached by filter, because each is applied to many rows. */
const testsOf = memoizeByObject((conditions: readonly Condition[]): readonly RowTest[] =>
  conditions.map(testOf),
)

/** Whether a row meets every condition; always agrees with `filterSql`. */
export function matchesFilter(row: RecordState, conditions: readonly Condition[]): boolean {
  return testsOf(conditions).every((test) => test(row))
}
