import { memoize, memoizeByObject } from '../../lib/bounded-cache.ts'
import { type FieldValue, type RecordState, valueIn } from '../../lib/record-data.ts'
import { isNegated, type Positive, positiveOf, type RowOperator } from '../operators.ts'
import { columnValue, type RowPart, searchText, type TypedField } from './field-types.ts'
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
    if (typeof value === 'string') return days.has(dayIn(value))
    return ranges.some((range) => within(value, range))
  }
}

/** Compares with the first operand; never true for a row without a value. */
const ordered =
  (test: (value: string | number, operand: Operand) => boolean) =>
  ([operand]: readonly Operand[]): Test =>
  (value) =>
    value !== undefined && operand !== undefined && test(value, operand)

type SetOperator = 'has_any' | 'has_all'

/** The tests of one value. A row without one passes the negation of every test. */
const TESTS: Record<
  Exclude<Positive<RowOperator>, 'contains' | SetOperator>,
  (operands: readonly Operand[]) => Test
> = {
  eq: isAmong,
  in: isAmong,
  gt: ordered((value, { high }) => value > high),
  gte: ordered((value, { low }) => value >= low),
  lt: ordered((value, { low }) => value < low),
  lte: ordered((value, { high }) => value <= high),
  not_empty: () => (value) => value !== undefined,
}

type SetTest = (values: readonly string[], wanted: ReadonlySet<unknown>) => boolean

/** The tests of fields with several values; a row without one has an empty list. */
const SET_TESTS: Record<SetOperator, SetTest> = {
  has_any: (values, wanted) => values.some((value) => wanted.has(value)),
  has_all: (values, wanted) => values.filter((value) => wanted.has(value)).length === wanted.size,
}

const isSetOperator = (op: Positive<RowOperator>): op is SetOperator => Object.hasOwn(SET_TESTS, op)

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
  const test = positiveTest(target, positiveOf(op), operands)
  return isNegated(op) ? (row) => !test(row) : test
}

function positiveTest(
  target: TypedField | RowPart,
  op: Positive<RowOperator>,
  operands: readonly Operand[],
): RowTest {
  if (op === 'contains') {
    const needle = String(operands[0]?.low)
    return (row) => (target === '*' || typeof target !== 'string') && contains(row, target, needle)
  }
  if (isSetOperator(op)) {
    const wanted = new Set<unknown>(operands.map(({ low }) => low))
    const test = SET_TESTS[op]
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
