import { OPERATORS, type SourceOperator } from '../../../../filter/operators.ts'

/** The conditions of a source, as stored by the server. */
export type When = readonly Record<string, unknown>[]

/** A condition while it is edited. */
export interface ConditionInput {
  /** Unique among the conditions; a key for rendering. */
  readonly id: number
  readonly of: 'event' | 'path' | 'header'
  /** A JSON pointer or header name; empty for the event type. */
  readonly operand: string
  readonly op: string
  readonly value: string
}

export const SUBJECTS: Readonly<Record<ConditionInput['of'], string>> = {
  event: 'Event type',
  path: 'Value at',
  header: 'Header',
}

export const OPERATOR_LABELS: Readonly<Record<SourceOperator, string>> = {
  eq: 'is',
  neq: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  exists: 'exists',
  starts_with: 'starts with',
}

const operandsOf = (op: string) => OPERATORS[op as SourceOperator]?.takes

export const takesValue = (op: string): boolean => operandsOf(op) !== 'none'
export const takesList = (op: string): boolean => operandsOf(op) === 'list'

export const conditionInputs = (when: When): ConditionInput[] =>
  when.map(({ path, header, op, value }, id) => ({
    id,
    of: path !== undefined ? 'path' : header !== undefined ? 'header' : 'event',
    operand: String(path ?? header ?? ''),
    op: String(op),
    value: Array.isArray(value) ? value.map(valueText).join(', ') : valueText(value),
  }))

/** A number, boolean or quoted string. Other text that looks like one must be quoted. */
const LITERAL = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|".*")$/s

function valueText(value: unknown): string {
  if (value === undefined) return ''
  const text = String(value)
  const isPlain = text === text.trim() && text !== '' && !/^"|[,\\]/.test(text) && !LITERAL.test(text)
  return typeof value === 'string' && !isPlain ? JSON.stringify(text) : text
}

/** The edited conditions in the server's format. */
export const whenOf = (inputs: readonly ConditionInput[]): When =>
  inputs.map(({ of, operand, op, value }) => ({
    ...(of === 'event' ? { event: true } : { [of]: operand.trim() }),
    op,
    ...(takesValue(op) && {
      value: takesList(op) ? parts(value).map(parsed(of)) : singleValue(of, op, value),
    }),
  }))

/** Splits a list at its commas, except those in quotes. */
function parts(list: string): string[] {
  const found = ['']
  let isQuoted = false
  for (const piece of list.match(/\\.|./gs) ?? []) {
    if (piece === '"') isQuoted = !isQuoted
    if (piece === ',' && !isQuoted) found.push('')
    else found.push(`${found.pop()}${piece}`)
  }
  return found.map((part) => part.trim()).filter(Boolean)
}

const singleValue = (of: ConditionInput['of'], op: string, value: string): unknown =>
  op === 'starts_with' ? unquoted(value.trim()) : parsed(of)(value.trim())

/** Headers and event types are strings; values of the body may also be numbers or booleans. */
const parsed =
  (of: ConditionInput['of']) =>
  (text: string): unknown =>
    of === 'path' && LITERAL.test(text) ? literal(text) : unquoted(text)

function literal(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const unquoted = (text: string): unknown => (/^".*"$/s.test(text) ? literal(text) : text)

/** The conditions, extended to accept one more event type. */
export function withType(inputs: readonly ConditionInput[], type: string): ConditionInput[] {
  const known = inputs.find(({ of, op }) => of === 'event' && (op === 'in' || op === 'eq'))
  if (known)
    return inputs.map((input) =>
      input === known ? { ...input, op: 'in', value: `${input.value}, ${valueText(type)}` } : input,
    )
  return [...inputs, { id: nextId(inputs), of: 'event', operand: '', op: 'in', value: valueText(type) }]
}

/** True if a condition on types accepts the type. */
export const acceptsType = (when: When, type: string): boolean =>
  when.some(
    ({ event, op, value }) =>
      event === true && (op === 'in' ? (value as string[]).includes(type) : op === 'eq' && value === type),
  )

export const nextId = (inputs: readonly ConditionInput[]): number =>
  Math.max(-1, ...inputs.map(({ id }) => id)) + 1
