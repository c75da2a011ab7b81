const TEXT = [
  'eq',
  'neq',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'in',
  'not_in',
  'empty',
  'not_empty',
] as const
const NUMBER = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between', 'empty', 'not_empty'] as const
const DATE = [
  'on',
  'before',
  'after',
  'on_or_before',
  'on_or_after',
  'between',
  'within',
  'empty',
  'not_empty',
] as const
const BOOL = ['eq', 'empty', 'not_empty'] as const
const JSON_OPERATORS = ['has_key', 'contains', 'empty', 'not_empty'] as const

/** The operators of each type of value. */
export const TREE_OPERATORS_OF = {
  text: TEXT,
  select: TEXT,
  number: NUMBER,
  date: DATE,
  bool: BOOL,
  json: JSON_OPERATORS,
} as const
export type ValueKind = keyof typeof TREE_OPERATORS_OF
export type TreeOperator = (typeof TREE_OPERATORS_OF)[ValueKind][number]

export const TREE_OPERATORS: readonly TreeOperator[] = [
  ...new Set(Object.values(TREE_OPERATORS_OF).flat() as TreeOperator[]),
]

/** The fields of a note that a condition may test besides tags and properties, with the type of each. */
export const TREE_FIELDS = { title: 'text', alias: 'text', created_at: 'date', updated_at: 'date' } as const
export type TreeField = keyof typeof TREE_FIELDS

export const TAG_OPERATORS = ['has_all', 'has_any', 'has_none'] as const
export type TagOperator = (typeof TAG_OPERATORS)[number]

export const GROUP_MATCHES = ['all', 'any', 'none'] as const
export type GroupMatch = (typeof GROUP_MATCHES)[number]
