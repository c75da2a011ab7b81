import type { Field, Structure } from './model.ts'

/** A condition of a filter, in the API's format. */
export interface Condition {
  readonly field: string
  readonly op: string
  readonly value?: unknown
}

const EQUALITY = ['eq', 'neq', 'in', 'not_in', 'is_empty', 'not_empty']
const ORDERED = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'is_empty', 'not_empty']
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  number: ORDERED,
  date: ORDERED,
  time: ORDERED,
  datetime: ORDERED,
  text: ['contains', 'eq', 'neq', 'in', 'not_in', 'is_empty', 'not_empty'],
  select: EQUALITY,
  note: EQUALITY,
  file: EQUALITY,
  record: EQUALITY,
  bool: ['eq', 'neq', 'is_empty', 'not_empty'],
  user: EQUALITY,
  multiple: ['has_any', 'has_all', 'has_none', 'is_empty', 'not_empty'],
  instant: ['gt', 'gte', 'lt', 'lte', 'eq', 'neq'],
}

/** The operators allowed for a field type, in display order. */
export const operatorsOf = (type: string): readonly string[] => OPERATORS[type] ?? EQUALITY

const LABELS: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'more than',
  gte: 'at least',
  lt: 'less than',
  lte: 'at most',
  in: 'is one of',
  not_in: 'is none of',
  contains: 'contains',
  has_any: 'has any of',
  has_all: 'has all of',
  has_none: 'has none of',
  is_empty: 'is empty',
  not_empty: 'is not empty',
}
const TIME_LABELS: Readonly<Record<string, string>> = {
  ...LABELS,
  gt: 'after',
  gte: 'on or after',
  lt: 'before',
  lte: 'on or before',
}

const isTime = (type: string) => ['date', 'time', 'datetime', 'instant'].includes(type)

export const operatorLabel = (type: string, op: string): string =>
  (isTime(type) ? TIME_LABELS : LABELS)[op] ?? op

export const takesValue = (op: string): boolean => op !== 'is_empty' && op !== 'not_empty'
const LISTS: ReadonlySet<string> = new Set(['in', 'not_in', 'has_any', 'has_all', 'has_none'])
export const takesList = (op: string): boolean => LISTS.has(op)

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
      const { key, label, type, options, multiple } = field
      return { key, label, type: multiple ? 'multiple' : type, options, field }
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
