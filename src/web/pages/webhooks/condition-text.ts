import type { Webhook } from '../../data/webhooks.ts'

export type Condition = Extract<Webhook['filter'], readonly unknown[]>[number]

/** The conditions on rows; none of a subscription to notes or files. */
export const conditionsOf = ({ filter }: Pick<Webhook, 'filter'>): readonly Condition[] =>
  Array.isArray(filter) ? filter : []

/** The operators as one says them. */
export const OPERATORS: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  contains: 'contains',
  in: 'is one of',
  not_in: 'is none of',
  is_empty: 'is empty',
  not_empty: 'is not empty',
}

export const needsValue = (op: string): boolean => op !== 'is_empty' && op !== 'not_empty'

export const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(', ') : value === undefined ? '' : String(value)

/** A condition as a sentence: "total is more than 0". */
export const conditionText = ({ field, op, value }: Condition): string =>
  [field === '*' ? 'any field' : field, OPERATORS[op] ?? op, valueText(value)].join(' ').trim()

/** What a person typed, as the operator and the field take it. */
export function parsedValue(text: string, op: string, type: string | undefined): unknown {
  if (!needsValue(op)) return undefined
  if (op === 'in' || op === 'not_in') return text.split(',').map((part) => parsedOne(part.trim(), type))
  return parsedOne(text, type)
}

function parsedOne(text: string, type: string | undefined): unknown {
  if (type === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
