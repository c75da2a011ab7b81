import { operatorLabel, takesList, takesValue } from '../../data/records/conditions.ts'
import type { Webhook } from '../../data/webhooks.ts'

export type Condition = Extract<Webhook['filter'], readonly unknown[]>[number]

/** The conditions on rows; empty for webhooks of notes and files. */
export const conditionsOf = ({ filter }: Pick<Webhook, 'filter'>): readonly Condition[] =>
  Array.isArray(filter) ? filter : []

export const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(', ') : value === undefined ? '' : String(value)

/** A condition as a sentence: "total is more than 0". */
export const conditionText = ({ field, op, value }: Condition): string =>
  [field === '*' ? 'any field' : field, operatorLabel('', op), valueText(value)].join(' ').trim()

/** The typed text as a value for the operator and field type; undefined if the operator takes none. */
export function parseValue(text: string, op: string, type: string | undefined): unknown {
  if (!takesValue(op)) return undefined
  if (takesList(op)) return text.split(',').map((part) => parseItem(part.trim(), type))
  return parseItem(text, type)
}

function parseItem(text: string, type: string | undefined): unknown {
  if (type === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'bool' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
