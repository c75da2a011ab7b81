/*
 * The operators of the three filter languages: filters over rows, filter trees over notes, and the conditions of
 * sources. Parsers, statements, tests in memory, the schemas of the API and the editors of the application take them
 * from these tables.
 */

interface OperatorRules {
  /** The number of values. A list has any number of values, a pair is `[low, high]`. */
  readonly takes: 'none' | 'one' | 'list' | 'pair'
  /** The operator that matches everything that this one does not match, also what has no value. */
  readonly negates?: string
  /** The ends of the range of values that match, and whether they match too. */
  readonly low?: 'open' | 'closed'
  readonly high?: 'open' | 'closed'
}

export const OPERATORS = {
  eq: { takes: 'one' },
  neq: { takes: 'one', negates: 'eq' },
  gt: { takes: 'one', low: 'open' },
  gte: { takes: 'one', low: 'closed' },
  lt: { takes: 'one', high: 'open' },
  lte: { takes: 'one', high: 'closed' },
  contains: { takes: 'one' },
  not_contains: { takes: 'one', negates: 'contains' },
  starts_with: { takes: 'one' },
  ends_with: { takes: 'one' },
  has_key: { takes: 'one' },
  in: { takes: 'list' },
  not_in: { takes: 'list', negates: 'in' },
  on: { takes: 'one', low: 'closed', high: 'closed' },
  before: { takes: 'one', high: 'open' },
  after: { takes: 'one', low: 'open' },
  on_or_before: { takes: 'one', high: 'closed' },
  on_or_after: { takes: 'one', low: 'closed' },
  between: { takes: 'pair', low: 'closed', high: 'closed' },
  within: { takes: 'one', low: 'closed', high: 'closed' },
  is_empty: { takes: 'none', negates: 'not_empty' },
  empty: { takes: 'none', negates: 'not_empty' },
  not_empty: { takes: 'none' },
  exists: { takes: 'none' },
  has_any: { takes: 'list' },
  has_all: { takes: 'list' },
  has_none: { takes: 'list', negates: 'has_any' },
} as const satisfies Record<string, OperatorRules>

export type OperatorName = keyof typeof OPERATORS
type Negative = {
  [Name in OperatorName]: (typeof OPERATORS)[Name] extends { negates: string } ? Name : never
}[OperatorName]
/** The operators of a language that negate none; the others are evaluated by them. */
export type Positive<Name extends OperatorName> = Exclude<Name, Negative>

export const operatorRules = (op: OperatorName): OperatorRules => OPERATORS[op]

/** Whether an operator, which may be an unknown one, needs a value. */
export const takesValue = (op: string): boolean => OPERATORS[op as OperatorName]?.takes !== 'none'
export const takesList = (op: string): boolean => OPERATORS[op as OperatorName]?.takes === 'list'

/** Whether an operator matches exactly what another one does not match. */
export const isNegated = (op: OperatorName): boolean => operatorRules(op).negates !== undefined

/** The operator that evaluates this one: the one that it negates, otherwise itself. */
export const positiveOf = <Name extends OperatorName>(op: Name): Positive<Name> =>
  (operatorRules(op).negates ?? op) as Positive<Name>

const EQUALITY = ['eq', 'neq'] as const
const COMPARISON = ['gt', 'gte', 'lt', 'lte'] as const
const MEMBERSHIP = ['in', 'not_in'] as const
const PRESENCE = ['is_empty', 'not_empty'] as const
const SETS = ['has_any', 'has_all', 'has_none'] as const

const ORDERED = [...EQUALITY, ...COMPARISON, ...MEMBERSHIP, ...PRESENCE] as const
const CHOSEN = [...EQUALITY, ...MEMBERSHIP, ...PRESENCE] as const
const INSTANT = [...EQUALITY, ...COMPARISON] as const

/**
 * The operators of filters over rows, by the type of a field or the part of a row. `multiple` is a field with several
 * values of any type, `*` the text of all fields. Formulas have the operators of their results, roll-ups none.
 */
export const ROW_OPERATORS = {
  text: [...EQUALITY, 'contains', ...MEMBERSHIP, ...PRESENCE],
  number: ORDERED,
  date: ORDERED,
  time: ORDERED,
  datetime: ORDERED,
  bool: [...EQUALITY, ...PRESENCE],
  select: CHOSEN,
  note: CHOSEN,
  file: CHOSEN,
  record: CHOSEN,
  user: CHOSEN,
  multiple: [...SETS, ...PRESENCE],
  created_at: INSTANT,
  updated_at: INSTANT,
  id: [...EQUALITY, ...MEMBERSHIP],
  '*': ['contains'],
} as const
export type RowOperator = (typeof ROW_OPERATORS)[keyof typeof ROW_OPERATORS][number]

const NOTE_PRESENCE = ['empty', 'not_empty'] as const
const NOTE_TEXT = [
  ...EQUALITY,
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  ...MEMBERSHIP,
  ...NOTE_PRESENCE,
] as const

/** The operators of filter trees over notes, by the type of a property. */
export const NOTE_OPERATORS = {
  text: NOTE_TEXT,
  select: NOTE_TEXT,
  number: [...EQUALITY, ...COMPARISON, 'between', ...NOTE_PRESENCE],
  date: ['on', 'before', 'after', 'on_or_before', 'on_or_after', 'between', 'within', ...NOTE_PRESENCE],
  bool: ['eq', ...NOTE_PRESENCE],
  json: ['has_key', 'contains', ...NOTE_PRESENCE],
} as const
export type ValueKind = keyof typeof NOTE_OPERATORS
export type NoteOperator = (typeof NOTE_OPERATORS)[ValueKind][number]

/** The fields of a note that a filter tree may test besides tags and properties, with the type of each. */
export const NOTE_FIELDS = { title: 'text', alias: 'text', created_at: 'date', updated_at: 'date' } as const
export type NoteField = keyof typeof NOTE_FIELDS

export const TAG_OPERATORS = ['has_all', 'has_any', 'has_none'] as const
export type TagOperator = (typeof TAG_OPERATORS)[number]

export const GROUP_MATCHES = ['all', 'any', 'none'] as const
export type GroupMatch = (typeof GROUP_MATCHES)[number]

/** The operators of a source's conditions, which compare JSON values of any type. */
export const SOURCE_OPERATORS = [...EQUALITY, ...MEMBERSHIP, 'exists', 'starts_with'] as const
export type SourceOperator = (typeof SOURCE_OPERATORS)[number]

const namesIn = <Name extends string>(lists: Readonly<Record<string, readonly Name[]>>): Name[] => [
  ...new Set(Object.values(lists).flat()),
]

/** All operators of filters over rows, in the order of the table. */
export const ALL_ROW_OPERATORS: readonly RowOperator[] = (Object.keys(OPERATORS) as OperatorName[]).filter(
  (op): op is RowOperator => namesIn<string>(ROW_OPERATORS).includes(op),
)

/** All operators of conditions on properties and fields of notes. */
export const ALL_NOTE_OPERATORS: readonly NoteOperator[] = namesIn<NoteOperator>(NOTE_OPERATORS)
