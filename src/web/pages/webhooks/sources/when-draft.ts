import { SOURCE_OPERATORS, type SourceOperator, takesList, takesValue } from '../../../../filter/operators.ts'
import type { Draft, FilterLanguage } from '../../../components/conditions/language.ts'
import { listParts, quotedPart, unquoted } from '../../../components/conditions/list-text.ts'
import { TextValue } from '../../../components/conditions/text-value.tsx'

/** The conditions of a source, as stored by the server. */
export type When = readonly Record<string, unknown>[]

/** The language of a source's conditions. The value of a draft is its text. */
export const WHEN_LANGUAGE: FilterLanguage = {
  fields: [
    ['path', 'Value at'],
    ['event', 'Event type'],
    ['header', 'Header'],
  ],
  operandOf: (field) =>
    field === 'path'
      ? { label: 'Path', placeholder: '/data/status', initial: '/' }
      : field === 'header'
        ? { label: 'Header', placeholder: 'X-Name', initial: '' }
        : undefined,
  operatorsOf: () => SOURCE_OPERATORS,
  valueFor: (_field, _op, before = '') => before,
  renderValue: TextValue,
}

export const draftsOf = (when: When): readonly Draft[] =>
  when.map(({ path, header, op, value }) => ({
    field: path !== undefined ? 'path' : header !== undefined ? 'header' : 'event',
    operand: String(path ?? header ?? ''),
    op: op as SourceOperator,
    value: [value].flat().map(valueText).join(', '),
  }))

/** A number or boolean. Strings that look like one must be quoted. */
const LITERAL = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

function valueText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  return LITERAL.test(value) ? JSON.stringify(value) : quotedPart(value)
}

/** The edited conditions in the server's format. */
export const whenOf = (drafts: readonly Draft[]): When =>
  drafts.map(({ field, operand = '', op, value }) => ({
    ...(field === 'event' ? { event: true } : { [field]: operand.trim() }),
    op,
    ...(takesValue(op) && {
      value: takesList(op)
        ? listParts(String(value)).map(parsed(field))
        : singleValue(field, op, String(value)),
    }),
  }))

const singleValue = (field: string, op: string, value: string): unknown =>
  op === 'starts_with' ? unquoted(value.trim()) : parsed(field)(value.trim())

/** Headers and event types are strings; values of the body may also be numbers or booleans. */
const parsed =
  (field: string) =>
  (text: string): unknown =>
    field === 'path' && LITERAL.test(text) ? JSON.parse(text) : unquoted(text)

/** The conditions, extended to accept one more event type. */
export function withType(drafts: readonly Draft[], type: string): readonly Draft[] {
  const known = drafts.find(({ field, op }) => field === 'event' && (op === 'in' || op === 'eq'))
  if (!known) return [...drafts, { field: 'event', op: 'in', value: valueText(type) }]
  return drafts.map((draft) =>
    draft === known ? { ...draft, op: 'in', value: `${draft.value}, ${valueText(type)}` } : draft,
  )
}

/** True if a condition on types accepts the type. */
export const acceptsType = (when: When, type: string): boolean =>
  when.some(
    ({ event, op, value }) =>
      event === true && (op === 'in' ? (value as string[]).includes(type) : op === 'eq' && value === type),
  )
