import type { Condition, Definitions, Operator, Tree } from './tree.ts'

/** Operators in words. */
export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  eq: 'is',
  neq: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  in: 'is one of',
  not_in: 'is none of',
  empty: 'is empty',
  not_empty: 'is not empty',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  between: 'is between',
  on: 'is',
  before: 'is before',
  after: 'is after',
  on_or_before: 'is on or before',
  on_or_after: 'is on or after',
  within: 'is within',
  has_key: 'has the key',
}

export const FIELD_WORDS = {
  title: 'title',
  created_at: 'creation day',
  updated_at: 'day of the last edit',
} as const

/** The filter as a sentence, with the words that the server uses for a saved one. */
export function sentenceOf(tree: Tree | null, definitions: Definitions): string {
  if (tree === null) return 'All notes'
  const text = describe(tree, definitions)
  return text === 'all notes' || text === 'no notes' ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

function describe(tree: Tree, definitions: Definitions): string {
  if (tree.type !== 'group') return describeCondition(tree, definitions)
  const { match, children } = tree
  if (children.length === 0) return match === 'any' ? 'no notes' : 'all notes'
  const parts = children.map((child) => {
    const part = describe(child, definitions)
    return children.length > 1 && isJoined(child) ? `(${part})` : part
  })
  const joined = parts.join(match === 'all' ? ' and ' : ' or ')
  return match === 'none' ? `not (${joined})` : joined
}

/** Whether the words need brackets beside others. */
function isJoined(tree: Tree): boolean {
  if (tree.type !== 'group' || tree.match === 'none') return false
  const [only] = tree.children
  return tree.children.length === 1 && only ? isJoined(only) : tree.children.length > 1
}

function describeCondition(condition: Condition, { tags, properties }: Definitions): string {
  if (condition.type === 'tags') {
    const names = condition.tag_ids.map((id) => tags.find((tag) => tag.id === id)?.name ?? id)
    const not = condition.op === 'has_none' ? 'not ' : ''
    if (names.length <= 1) return `${not}tagged ${listed(names)}`
    const how = { has_all: 'all of', has_any: 'any of', has_none: 'none of' }[condition.op]
    return `tagged with ${how} ${listed(names)}`
  }
  const subject =
    condition.type === 'field'
      ? FIELD_WORDS[condition.field]
      : (properties.find(({ id }) => id === condition.def_id)?.key ?? 'a deleted property')
  return `${subject} ${predicate(condition.op, condition.value)}`
}

interface Shift {
  readonly n: number
  readonly unit: string
}

/** The shift of a relative day; undefined for any other value. */
export const shiftOf = (value: unknown): Shift | undefined =>
  (value as { relative?: Shift } | null | undefined)?.relative

function predicate(op: Operator, value: unknown): string {
  const words = OPERATOR_WORDS[op]
  if (op === 'empty' || op === 'not_empty') return words
  if (Array.isArray(value))
    return op === 'between' ? `${words} ${value.map(plain).join(' and ')}` : `${words} ${listed(value)}`
  const shift = shiftOf(value)
  if (op === 'within' && shift) {
    if (shift.n === 0) return 'is today'
    const length = Math.abs(shift.n) === 1 ? shift.unit : amount(shift)
    return `${words} the ${shift.n < 0 ? 'last' : 'next'} ${length}`
  }
  return `${words} ${shift || op === 'on' || op.includes('before') || op.includes('after') ? plain(value) : quoted(value)}`
}

const amount = ({ n, unit }: Shift) => `${Math.abs(n)} ${unit}${Math.abs(n) === 1 ? '' : 's'}`

const NEAR_DAYS = new Map([
  [0, 'today'],
  [1, 'tomorrow'],
  [-1, 'yesterday'],
])

function plain(value: unknown): string {
  const shift = shiftOf(value)
  if (!shift) return typeof value === 'string' ? value : quoted(value)
  const near = shift.n === 0 || shift.unit === 'day' ? NEAR_DAYS.get(shift.n) : undefined
  return near ?? (shift.n < 0 ? `the day ${amount(shift)} ago` : `the day in ${amount(shift)}`)
}

const quoted = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

const listed = (values: readonly unknown[]): string =>
  values.length === 0 ? 'nothing' : values.map(quoted).join(', ')
