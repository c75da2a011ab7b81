import { ROW_OPERATORS, type RowOperator } from '../../../filter/operators.ts'
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

export const isTime = (type: string): boolean => ['date', 'time', 'datetime', 'instant'].includes(type)

/** The type that determines the operators of a field. */
const columnType = ({ type, multiple, result }: Pick<Field, 'type' | 'multiple' | 'result'>): string =>
  multiple ? 'multiple' : (result ?? type)

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
