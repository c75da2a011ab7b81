import type { NoteOperator } from './operators.ts'
import { OPERATOR_WORDS } from './words.ts'

/**
 * The parts of a filter tree that its description depends on; fields, operators and matches of the API are
 * compatible.
 */
type DescribedTree =
  | {
      readonly type: 'group'
      readonly match: keyof typeof JOINED_BY
      readonly children: readonly DescribedTree[]
    }
  | { readonly type: 'tags'; readonly op: keyof typeof TAG_WORDS; readonly tag_ids: readonly number[] }
  | {
      readonly type: 'property'
      readonly def_id: string
      readonly op: NoteOperator
      readonly value?: unknown
    }
  | {
      readonly type: 'field'
      readonly field: keyof typeof FIELD_WORDS
      readonly op: NoteOperator
      readonly value?: unknown
    }

type Of<Type extends DescribedTree['type']> = Extract<DescribedTree, { type: Type }>

interface Names {
  tag(id: number): { readonly name: string } | undefined
  property(id: string): { readonly key: string } | undefined
}

const EVERYTHING = 'all notes'
const NOTHING = 'no notes'

/** Describes a tree as a sentence with the current names of tags and properties; `All notes` for null. */
export function describeTree(tree: DescribedTree | null, names: Names): string {
  const sentence = tree === null ? EVERYTHING : describe(tree, names)
  return sentence === EVERYTHING || sentence === NOTHING
    ? sentence.charAt(0).toUpperCase() + sentence.slice(1)
    : sentence
}

function describe(tree: DescribedTree, names: Names): string {
  if (tree.type === 'group') return describeGroup(tree, names)
  if (tree.type === 'tags') return describeTags(tree, names)
  const subject =
    tree.type === 'field' ? FIELD_WORDS[tree.field] : (names.property(tree.def_id)?.key ?? tree.def_id)
  return `${subject} ${predicate(tree)}`
}

const JOINED_BY = { all: ' and ', any: ' or ', none: ' or ' }

function describeGroup({ match, children }: Of<'group'>, names: Names): string {
  if (children.length === 0) return match === 'any' ? NOTHING : EVERYTHING
  const parts = children.map((child) => {
    const part = describe(child, names)
    return children.length > 1 && isJoined(child) ? `(${part})` : part
  })
  const joined = parts.join(JOINED_BY[match])
  return match === 'none' ? `not (${joined})` : joined
}

/** Whether the description needs brackets when it is joined to others. */
function isJoined(tree: DescribedTree): boolean {
  if (tree.type !== 'group' || tree.match === 'none') return false
  const [only] = tree.children
  return tree.children.length === 1 && only ? isJoined(only) : tree.children.length > 1
}

const TAG_WORDS = {
  has_all: { one: 'tagged', many: 'tagged with all of' },
  has_any: { one: 'tagged', many: 'tagged with any of' },
  has_none: { one: 'not tagged', many: 'tagged with none of' },
}

function describeTags({ op, tag_ids }: Of<'tags'>, names: Names): string {
  const words = TAG_WORDS[op][tag_ids.length === 1 ? 'one' : 'many']
  return `${words} ${listed(tag_ids.map((id) => names.tag(id)?.name ?? id))}`
}

const FIELD_WORDS = {
  title: 'title',
  alias: 'alias',
  created_at: 'creation day',
  updated_at: 'day of the last edit',
}

function predicate({ op, value }: Of<'property' | 'field'>): string {
  const words = OPERATOR_WORDS[op]
  if (op === 'empty' || op === 'not_empty') return words
  if (op === 'in' || op === 'not_in') return `${words} ${listed(value as unknown[])}`
  if (op === 'between') return `${words} ${(value as unknown[]).map(dayOrValue).join(' and ')}`
  if (op === 'within') return withinWords(value as RelativeValue, words)
  const isOfDates = ON_DAYS.has(op)
  return `${words} ${isOfDates ? dayOrValue(value) : quoted(value)}`
}

const ON_DAYS = new Set<NoteOperator>(['on', 'before', 'after', 'on_or_before', 'on_or_after'])

function withinWords({ relative }: RelativeValue, words: string): string {
  const { n, unit } = relative
  if (n === 0) return 'is today'
  const length = Math.abs(n) === 1 ? unit : amountOf(relative)
  return `${words} the ${n < 0 ? 'last' : 'next'} ${length}`
}

interface Shift {
  readonly n: number
  readonly unit: string
}

/** A day relative to today. */
interface RelativeValue {
  readonly relative: Shift
}

/** The offset of a relative day; undefined for any other value. */
export const shiftOf = (value: unknown): Shift | undefined =>
  (value as RelativeValue | null | undefined)?.relative

const amountOf = ({ n, unit }: Shift) => `${Math.abs(n)} ${unit}${Math.abs(n) === 1 ? '' : 's'}`

const NEAR_DAYS = new Map([
  [0, 'today'],
  [1, 'tomorrow'],
  [-1, 'yesterday'],
])

function dayOrValue(value: unknown): string {
  const shift = shiftOf(value)
  if (!shift) return typeof value === 'string' ? value : quoted(value)
  const near = shift.n === 0 || shift.unit === 'day' ? NEAR_DAYS.get(shift.n) : undefined
  return near ?? (shift.n < 0 ? `the day ${amountOf(shift)} ago` : `the day in ${amountOf(shift)}`)
}

const LONGEST_VALUE = 100
const LONGEST_LIST = 10

/** A value as JSON, truncated if it is long. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= LONGEST_VALUE ? text : `${Array.from(text).slice(0, LONGEST_VALUE).join('')}…`
}

function listed(values: readonly unknown[]): string {
  if (values.length === 0) return 'nothing'
  const shown = values.slice(0, LONGEST_LIST).map(quoted).join(', ')
  return values.length <= LONGEST_LIST ? shown : `${shown} and ${values.length - LONGEST_LIST} more`
}
