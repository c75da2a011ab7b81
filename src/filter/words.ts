import type { OperatorName } from './operators.ts'

/** The words of each operator, in the sentences of the server and in the application. */
export const OPERATOR_WORDS: Readonly<Record<OperatorName, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  has_key: 'has the key',
  in: 'is one of',
  not_in: 'is none of',
  on: 'is',
  before: 'is before',
  after: 'is after',
  on_or_before: 'is on or before',
  on_or_after: 'is on or after',
  between: 'is between',
  within: 'is within',
  is_empty: 'is empty',
  empty: 'is empty',
  not_empty: 'is not empty',
  exists: 'exists',
  has_any: 'has any of',
  has_all: 'has all of',
  has_none: 'has none of',
}

/** Comparisons of points in time, which read as those of days do. */
const TIME_WORDS: Readonly<Partial<Record<OperatorName, string>>> = {
  gt: OPERATOR_WORDS.after,
  gte: OPERATOR_WORDS.on_or_after,
  lt: OPERATOR_WORDS.before,
  lte: OPERATOR_WORDS.on_or_before,
}

export const operatorWords = (op: OperatorName, isTime = false): string =>
  (isTime ? TIME_WORDS[op] : undefined) ?? OPERATOR_WORDS[op] ?? op
