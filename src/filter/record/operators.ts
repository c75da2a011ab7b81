export const FIELD_TYPES = [
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
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

export const OPERATORS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'in',
  'not_in',
  'is_empty',
  'not_empty',
] as const
export type Operator = (typeof OPERATORS)[number]

/** Parts of a row besides fields that a condition can test; `*` is the text of all fields. */
export type RowPart = 'created_at' | 'updated_at' | 'id' | '*'

const ORDERED: Operator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'is_empty', 'not_empty']
const CHOSEN: Operator[] = ['eq', 'neq', 'in', 'not_in', 'is_empty', 'not_empty']
const TIMES: Operator[] = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte']

/** The operators of each kind. */
export const OPERATORS_OF: Record<FieldType | RowPart, readonly Operator[]> = {
  number: ORDERED,
  date: ORDERED,
  time: ORDERED,
  datetime: ORDERED,
  text: ['eq', 'neq', 'contains', 'in', 'not_in', 'is_empty', 'not_empty'],
  select: CHOSEN,
  note: CHOSEN,
  file: CHOSEN,
  record: CHOSEN,
  bool: ['eq', 'neq', 'is_empty', 'not_empty'],
  created_at: TIMES,
  updated_at: TIMES,
  id: ['eq', 'neq', 'in', 'not_in'],
  '*': ['contains'],
}

/** The part of a field's definition that filters and values need. */
export interface TypedField {
  readonly key: string
  readonly type: FieldType
  /** The number in the names of its columns (`storage/row-table-names.ts`). */
  readonly column: number
}
