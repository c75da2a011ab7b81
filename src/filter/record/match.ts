import { type FieldValue, type RecordState, valueIn } from '../../changes/record-change.ts'
import type { Operator, RowPart, TypedField } from './operators.ts'
import type { Condition } from './parse.ts'
import { columnValue, dayIn, dayOf, isPoint, type Operand, searchText } from './values.ts'

type Value = string | number | undefined
type Test = (value: Value, operands: readonly Operand[]) => boolean

const within = (value: Value, { low, high }: Operand) => value !== undefined && value >= low && value <= high

/** The operands of a list, in sets, so that a long list costs no more per row than a short one. */
interface OperandList {
  readonly points: ReadonlySet<Value>
  /** Whole days of a datetime field. */
  readonly days: ReadonlySet<string>
  /** Whole days of `created_at` and `updated_at`, which take no lists. */
  readonly ranges: readonly Operand[]
}

const operandLists = new WeakMap<readonly Operand[], OperandList>()

function operandList(operands: readonly Operand[]): OperandList {
  const cached = operandLists.get(operands)
  if (cached) return cached
  const ranges = operands.filter((operand) => !isPoint(operand))
  const list = {
    points: new Set(operands.filter(isPoint).map(({ low }) => low)),
    days: new Set(ranges.filter(({ low }) => typeof low === 'string').map(dayOf)),
    ranges: ranges.filter(({ low }) => typeof low === 'number'),
  }
  operandLists.set(operands, list)
  return list
}

function isAmong(value: Value, operands: readonly Operand[]): boolean {
  const { points, days, ranges } = operandList(operands)
  if (points.has(value)) return true
  if (typeof value === 'string') return days.size > 0 && days.has(dayIn(value))
  return ranges.some((range) => within(value, range))
}

/** Compares with the first operand; never true for a row without a value. */
const ordered =
  (test: (value: string | number, operand: Operand) => boolean): Test =>
  (value, [operand]) =>
    value !== undefined && operand !== undefined && test(value, operand)

const TESTS: Record<Exclude<Operator, 'contains'>, Test> = {
  eq: isAmong,
  neq: (value, operands) => !isAmong(value, operands),
  in: isAmong,
  not_in: (value, operands) => !isAmong(value, operands),
  gt: ordered((value, { high }) => value > high),
  gte: ordered((value, { low }) => value >= low),
  lt: ordered((value, { low }) => value < low),
  lte: ordered((value, { high }) => value <= high),
  is_empty: (value) => value === undefined,
  not_empty: (value) => value !== undefined,
}

function testedValue(row: RecordState, target: TypedField | Exclude<RowPart, '*'>): Value {
  if (target === 'id') return row.id
  if (target === 'created_at') return row.createdAt
  if (target === 'updated_at') return row.updatedAt
  const value = valueIn(row.data, target.key)
  return value === undefined ? undefined : columnValue(value)
}

const foldedTexts = new WeakMap<RecordState, Map<string, string>>()

/** A value's folded text, folded once for all conditions of all subscriptions. */
function foldedText(row: RecordState, key: string, value: FieldValue): string {
  const texts = foldedTexts.get(row) ?? new Map<string, string>()
  const cached = texts.get(key)
  if (cached !== undefined) return cached
  const text = searchText(value)
  foldedTexts.set(row, texts.set(key, text))
  return text
}

/** Whether the field, or for `*` any field, contains the text. */
function contains(row: RecordState, target: TypedField | '*', needle: string): boolean {
  const keys = target === '*' ? Object.keys(row.data) : [target.key]
  return keys.some((key) => {
    const value = valueIn(row.data, key)
    return value !== undefined && foldedText(row, key, value).includes(needle)
  })
}

function meetsOne(row: RecordState, { target, op, operands }: Condition): boolean {
  if (op !== 'contains') return target !== '*' && TESTS[op](testedValue(row, target), operands)
  return (target === '*' || typeof target !== 'string') && contains(row, target, String(operands[0]?.low))
}

/** Whether a row meets every condition; always agrees with `filterSql`. */
export const meets = (row: RecordState, conditions: readonly Condition[]): boolean =>
  conditions.every((condition) => meetsOne(row, condition))
