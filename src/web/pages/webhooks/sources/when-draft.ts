/** The conditions of a source, as the server stores them. */
export type When = readonly Record<string, unknown>[]

/** A condition as it is typed. */
export interface ConditionInput {
  /** Identifies it among the others while they are edited. */
  readonly id: number
  readonly of: 'event' | 'path' | 'header'
  /** The pointer or the name of the header; empty for the type of the event. */
  readonly place: string
  readonly op: string
  readonly value: string
}

/** What a condition is about. */
export const SUBJECTS: Readonly<Record<ConditionInput['of'], string>> = {
  event: 'The type of the event',
  path: 'The value at',
  header: 'The header',
}

/** The operators as one says them. */
export const OPERATORS: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  exists: 'is there',
  starts_with: 'begins with',
}

const isList = (op: string): boolean => op === 'in' || op === 'not_in'

/** Conditions as they are typed. */
export const conditionInputs = (when: When): ConditionInput[] =>
  when.map(({ path, header, op, value }, id) => ({
    id,
    of: path !== undefined ? 'path' : header !== undefined ? 'header' : 'event',
    place: String(path ?? header ?? ''),
    op: String(op),
    value: Array.isArray(value) ? value.map(typed).join(', ') : typed(value),
  }))

/** A number, a bool or a text in quotes, which another text must not be taken for. */
const LITERAL = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|".*")$/s

function typed(value: unknown): string {
  if (value === undefined) return ''
  const text = String(value)
  const isPlain = text === text.trim() && text !== '' && !/^"|[,\\]/.test(text) && !LITERAL.test(text)
  return typeof value === 'string' && !isPlain ? JSON.stringify(text) : text
}

/** The conditions that were typed, as the server takes them. */
export const whenOf = (inputs: readonly ConditionInput[]): When =>
  inputs.map(({ of, place, op, value }) => ({
    ...(of === 'event' ? { event: true } : { [of]: place.trim() }),
    op,
    ...(op !== 'exists' && { value: isList(op) ? parts(value).map(parsed(of)) : oneOf(of, op, value) }),
  }))

/** The parts of a list between its commas; one in quotes may hold commas. */
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

const oneOf = (of: ConditionInput['of'], op: string, value: string): unknown =>
  op === 'starts_with' ? unquoted(value.trim()) : parsed(of)(value.trim())

/** Headers and types are texts; a value of the body may be a number or a bool as well. */
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

/** These conditions, and only events of one more type. */
export function withType(inputs: readonly ConditionInput[], type: string): ConditionInput[] {
  const known = inputs.find(({ of, op }) => of === 'event' && (op === 'in' || op === 'eq'))
  if (known)
    return inputs.map((one) =>
      one === known ? { ...one, op: 'in', value: `${one.value}, ${typed(type)}` } : one,
    )
  return [...inputs, { id: nextId(inputs), of: 'event', place: '', op: 'in', value: typed(type) }]
}

/** Whether events of a type pass the conditions on types. */
export const takesType = (when: When, type: string): boolean =>
  when.some(
    ({ event, op, value }) =>
      event === true && (op === 'in' ? (value as string[]).includes(type) : op === 'eq' && value === type),
  )

export const nextId = (inputs: readonly ConditionInput[]): number =>
  Math.max(-1, ...inputs.map(({ id }) => id)) + 1
