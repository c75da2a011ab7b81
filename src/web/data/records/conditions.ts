import { OPERATORS, ROW_OPERATORS, type RowOperator } from '../../../filter/operators.ts'
import type { Field, Structure } from './model.ts'

/** A condition of a filter, in the API's format. */
export interface Condition {
  readonly field: string
  readonly op: string
  readonly value?: unknown
}

/** The initial operator of types whose first one is rarely meant. */
const INITIAL: Readonly<Record<string, RowOperator>> = { text: 'contains', instant: 'gt' }

/** The operators allowed for a type of column, the initial one first. */
export function operatorsOf(type: string): readonly RowOperator[] {
  const all: readonly RowOperator[] =
    ROW_OPERATORS[type === 'instant' ? 'created_at' : (type as keyof typeof ROW_OPERATORS)] ?? []
  const initial = INITIAL[type]
  return initial === undefined ? all : [initial, ...all.filter((op) => op !== initial)]
}

const LABELS: Readonly<Record<RowOperator, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'contains',
  has_any: 'has any of',
  has_all: 'has all of',
  has_none: 'has none of',
  is_empty: 'is empty',
  not_empty: 'is not empty',
}
const TIME_LABELS: Readonly<Record<RowOperator, string>> = {
  ...LABELS,
  gt: 'is after',
  gte: 'is on or after',
  lt: 'is before',
  lte: 'is on or before',
}

const isTime = (type: string) => ['date', 'time', 'datetime', 'instant'].includes(type)

export const operatorLabel = (type: string, op: string): string =>
  (isTime(type) ? TIME_LABELS : LABELS)[op as RowOperator] ?? op

const operandsOf = (op: string) => OPERATORS[op as RowOperator]?.takes

export const takesValue = (op: string): boolean => operandsOf(op) !== 'none'
export const takesList = (op: string): boolean => operandsOf(op) === 'list'

/** The type that determines the operators of a field. */
export const columnType = ({
  type,
  multiple,
  result,
}: Pick<Field, 'type' | 'multiple' | 'result'>): string => (multiple ? 'multiple' : (result ?? type))

/** A column to filter and sort by: a field, or the time a row was created or edited. */
export interface Column {
  readonly key: string
  readonly label: string
  readonly type: string
  readonly options: readonly string[] | null
  /** Undefined for the times of a row. */
  readonly field?: Field
}

const INSTANTS: readonly Column[] = [
  { key: 'created_at', label: 'Created', type: 'instant', options: null },
  { key: 'updated_at', label: 'Edited', type: 'instant', options: null },
]

export const columnsOf = ({ fields }: Structure): readonly Column[] => [
  ...fields
    .filter(({ type }) => type !== 'rollup')
    .map((field: Field) => {
      const { key, label, options } = field
      return { key, label, type: columnType(field), options, field }
    }),
  ...INSTANTS,
]

/** Parses the conditions in an address; invalid text has none. */
export function readConditions(text: string | null): readonly Condition[] {
  if (text === null || text === '') return []
  try {
    const list = JSON.parse(text) as unknown
    return Array.isArray(list) ? (list as Condition[]) : []
  } catch {
    return []
  }
}
