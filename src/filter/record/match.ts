import { type FieldValue, type RecordState, valueIn } from '../../changes/record-change.ts'
import { fold } from '../../lib/text.ts'
import type { Operator, RowPart, TypedField } from './operators.ts'
import type { Condition } from './parse.ts'
import { columnValue, type Operand, searchText } from './values.ts'

type Value = string | number | undefined
type Test = (value: Value, operands: readonly Operand[]) => boolean

const within = (value: Value, { low, high }: Operand) => value !== undefined && value >= low && value <= high

/** The operands of a list. Points are in a set, so that a long list costs no more per row than a short one. */
interface OperandList {
  readonly points: ReadonlySet<Value>
  readonly ranges: readonly Operand[]
}

const operandLists = new WeakMap<readonly Operand[], OperandList>()

function operandList(operands: readonly Operand[]): OperandList {
  const cached = operandLists.get(operands)
  if (cached) return cached
  const points = new Set(operands.filter(({ low, high }) => low === high).map(({ low }) => low))
  const list = { points, ranges: operands.filter(({ low, high }) => low !== high) }
  operandLists.set(operands, list)
  return list
}

function isAmong(value: Value, operands: readonly Operand[]): boolean {
  const { points, ranges } = operandList(operands)
  return points.has(value) || ranges.some((range) => within(value, range))
}

/** Compares with the first operand; never true for a row without a value. */
const ordered =
  (test: (value: string | number, operand: Operand) => boolean): Test =>
  (value, [operand]) =>
    value !== undefined && operand !== undefined && test(value, operand)

const TESTS: Record<Operator, Test> = {
  eq: isAmong,
  neq: (value, operands) => !isAmong(value, operands),
  in: isAmong,
  not_in: (value, operands) => !isAmong(value, operands),
  gt: ordered((value, { high }) => value > high),
  gte: ordered((value, { low }) => value >= low),
  lt: ordered((value, { low }) => value < low),
  lte: ordered((value, { high }) => value <= high),
  contains: ordered((value, { low }) => fold(String(value)).includes(String(low))),
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

const holdsText = (values: readonly FieldValue[], needle: string) =>
  values.some((value) => searchText(value).includes(needle))

/** Whether a row meets every condition; always agrees with `filterSql`. */
export const meets = (row: RecordState, conditions: readonly Condition[]): boolean =>
  conditions.every(({ target, op, operands }) =>
    target === '*'
      ? holdsText(Object.values(row.data), String(operands[0]?.low))
      : TESTS[op](testedValue(row, target), operands),
  )
