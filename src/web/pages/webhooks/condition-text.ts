import type { Webhook } from '../../data/webhooks.ts'

export type Condition = Extract<Webhook['filter'], readonly unknown[]>[number]

/** The conditions on rows; empty for webhooks of notes and files. */
export const conditionsOf = ({ filter }: Pick<Webhook, 'filter'>): readonly Condition[] =>
  Array.isArray(filter) ? filter : []

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

/** The typed text as a value for the operator and field type; undefined if the operator takes none. */
export function parseValue(text: string, op: string, type: string | undefined): unknown {
  if (!needsValue(op)) return undefined
  if (op === 'in' || op === 'not_in') return text.split(',').map((part) => parseItem(part.trim(), type))
  return parseItem(text, type)
}

function parseItem(text: string, type: string | undefined): unknown {
  if (type === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
