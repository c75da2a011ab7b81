import { type FieldValue, type RecordState, valueIn } from '../../changes/record-change.ts'
import { fold } from '../../lib/text.ts'
import type { Operand } from './operands.ts'
import type { Operator, RowPart, TypedField } from './operators.ts'
import type { Condition } from './parse.ts'
import { columnValue, searchText } from './values.ts'

type Held = string | number | undefined
type Test = (held: Held, operands: readonly Operand[]) => boolean

const within = (held: Held, { low, high }: Operand) => held !== undefined && held >= low && held <= high

/** The values of a list: single ones are looked up, so that a long list costs each row no more than a short one. */
interface Values {
  readonly points: ReadonlySet<Held>
  readonly ranges: readonly Operand[]
}

const valuesOf = new WeakMap<readonly Operand[], Values>()

function listed(operands: readonly Operand[]): Values {
  const known = valuesOf.get(operands)
  if (known) return known
  const points = new Set(operands.filter(({ low, high }) => low === high).map(({ low }) => low))
  const values = { points, ranges: operands.filter(({ low, high }) => low !== high) }
  valuesOf.set(operands, values)
  return values
}

function isAmong(held: Held, operands: readonly Operand[]): boolean {
  const { points, ranges } = listed(operands)
  return points.has(held) || ranges.some((range) => within(held, range))
}

/** Orders a held value against the first operand; one that is absent stands in no order. */
const ordered =
  (test: (held: string | number, operand: Operand) => boolean): Test =>
  (held, [operand]) =>
    held !== undefined && operand !== undefined && test(held, operand)

const TESTS: Record<Operator, Test> = {
  eq: isAmong,
  neq: (held, operands) => !isAmong(held, operands),
  in: isAmong,
  not_in: (held, operands) => !isAmong(held, operands),
  gt: ordered((held, { high }) => held > high),
  gte: ordered((held, { low }) => held >= low),
  lt: ordered((held, { low }) => held < low),
  lte: ordered((held, { high }) => held <= high),
  contains: ordered((held, { low }) => fold(String(held)).includes(String(low))),
  is_empty: (held) => held === undefined,
  not_empty: (held) => held !== undefined,
}

function heldBy(row: RecordState, target: TypedField | Exclude<RowPart, '*'>): Held {
  if (target === 'id') return row.id
  if (target === 'created_at') return row.createdAt
  if (target === 'updated_at') return row.updatedAt
  const value = valueIn(row.data, target.key)
  return value === undefined ? undefined : columnValue(value)
}

const holdsText = (values: readonly FieldValue[], needle: string) =>
  values.some((value) => searchText(value).includes(needle))

/** Whether one row meets every condition: the same answer as `filterSql` gives over a table. */
export const meets = (row: RecordState, conditions: readonly Condition[]): boolean =>
  conditions.every(({ target, op, operands }) =>
    target === '*'
      ? holdsText(Object.values(row.data), String(operands[0]?.low))
      : TESTS[op](heldBy(row, target), operands),
  )
