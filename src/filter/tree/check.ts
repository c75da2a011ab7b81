import { isDay } from '../../lib/dates.ts'
import { codePointLength, fold, MAX_TEXT_LENGTH, withCommas } from '../../lib/text.ts'
import { fail, refused } from '../../refusal.ts'
import {
  type GroupMatch,
  TREE_FIELDS,
  TREE_OPERATORS_OF,
  type TreeField,
  type TreeOperator,
  type ValueKind,
} from './operators.ts'
import {
  type FieldNode,
  type FilterTree,
  type PropertyNode,
  RELATIVE_WORDS,
  relativeDay,
  type TagsNode,
} from './parse.ts'
import type { RelativeDay } from './relative-dates.ts'

/** Looks up the tags and properties that a tree refers to; undefined for one that the workspace does not have. */
export interface TreeDefinitions {
  tag(id: number): { name: string } | undefined
  property(id: string): { pk: number; key: string; type: ValueKind } | undefined
}

type Day = string | RelativeDay

export interface Bound {
  readonly at: number | Day
  /** Whether the bound itself is excluded. */
  readonly isOpen: boolean
}

/** A test on the value of a note. A missing value passes none. */
export type ValueTest =
  | { readonly by: 'presence' }
  | { readonly by: 'list'; readonly values: readonly (string | number)[] }
  | { readonly by: 'range'; readonly low?: Bound; readonly high?: Bound }
  | { readonly by: 'text'; readonly part: 'anywhere' | 'start' | 'end'; readonly folded: string }
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'content'; readonly content: unknown }

/** What a condition tests: a property, by its pk, or a field of the note. */
export type ValueTarget = { readonly property: number } | { readonly field: TreeField }

/** A tree that was checked against the definitions of a workspace. Relative days are still relative. */
export type CheckedTree =
  | { readonly kind: 'group'; readonly match: GroupMatch; readonly children: readonly CheckedTree[] }
  /** The note has at least one of these tags. */
  | { readonly kind: 'tags'; readonly tagIds: readonly number[] }
  | {
      readonly kind: 'value'
      readonly target: ValueTarget
      readonly test: ValueTest
      /** Whether the condition holds exactly for the notes that fail the test, including those without a value. */
      readonly isNegated: boolean
    }

/**
 * Checks a parsed tree against a workspace. A tag or property that does not exist, an operator that the type does not
 * have and a value that does not fit the type are `refused` with their place in the tree; `place` names the root.
 */
export function checkTree(tree: FilterTree, definitions: TreeDefinitions, place: string): CheckedTree {
  if (tree.type === 'group') {
    const children = tree.children.map((child, at) =>
      checkTree(child, definitions, `${place}.children[${at}]`),
    )
    return { kind: 'group', match: tree.match, children }
  }
  if (tree.type === 'tags') return checkTags(tree, definitions, place)
  return tree.type === 'property' ? checkProperty(tree, definitions, place) : checkField(tree, place)
}

function checkTags({ op, tag_ids }: TagsNode, definitions: TreeDefinitions, place: string): CheckedTree {
  const missing = tag_ids.findIndex((id) => !definitions.tag(id))
  if (missing !== -1)
    throw refused(
      `"${place}.tag_ids[${missing}]" names the tag ${tag_ids[missing]}, and there is no such tag in this workspace.`,
    )
  const tagIds = [...new Set(tag_ids)]
  if (op === 'has_all')
    return { kind: 'group', match: 'all', children: tagIds.map((id) => ({ kind: 'tags', tagIds: [id] })) }
  const carried: CheckedTree = { kind: 'tags', tagIds }
  return op === 'has_any' ? carried : { kind: 'group', match: 'none', children: [carried] }
}

function checkProperty(node: PropertyNode, definitions: TreeDefinitions, place: string): CheckedTree {
  const property =
    definitions.property(node.def_id) ??
    fail(refused(`"${place}.def_id" names no property of this workspace; it takes the id of one.`))
  const { type } = property
  refuseOperator(type, node.op, `the property "${property.key}", of type ${type},`, place)
  return { kind: 'value', target: { property: property.pk }, ...testOf(type, node, place) }
}

function checkField(node: FieldNode, place: string): CheckedTree {
  const kind = TREE_FIELDS[node.field]
  refuseOperator(kind, node.op, `"${node.field}"`, place)
  return { kind: 'value', target: { field: node.field }, ...testOf(kind, node, place) }
}

function refuseOperator(kind: ValueKind, op: TreeOperator, what: string, place: string): void {
  const operators: readonly TreeOperator[] = TREE_OPERATORS_OF[kind]
  if (operators.includes(op)) return
  throw refused(`"${place}.op" is "${op}", and ${what} has the operators ${operators.join(', ')}.`)
}

type Test = { test: ValueTest; isNegated: boolean }
type Condition = { op: TreeOperator; value?: unknown }

const holds = (test: ValueTest): Test => ({ test, isNegated: false })
const holdsNot = (test: ValueTest): Test => ({ test, isNegated: true })

function testOf(kind: ValueKind, { op, value }: Condition, place: string): Test {
  const at = `${place}.value`
  if (op === 'empty') return holdsNot({ by: 'presence' })
  if (op === 'not_empty') return holds({ by: 'presence' })
  if (kind === 'number') return numberTest(op, value, at)
  if (kind === 'date') return holds(dateTest(op, value, at))
  if (kind === 'bool') return holds({ by: 'list', values: [boolValue(value, at)] })
  return kind === 'json' ? holds(jsonTest(op, value, at)) : textTest(op, value, at)
}

function textTest(op: TreeOperator, value: unknown, at: string): Test {
  if (op === 'in' || op === 'not_in') {
    const values = (value as unknown[]).map((member, index) => textValue(member, `${at}[${index}]`))
    return { test: { by: 'list', values }, isNegated: op === 'not_in' }
  }
  const text = textValue(value, at)
  if (op === 'eq' || op === 'neq') return { test: { by: 'list', values: [text] }, isNegated: op === 'neq' }
  // Every text contains the empty text.
  if (text === '') return { test: { by: 'presence' }, isNegated: op === 'not_contains' }
  const part = op === 'starts_with' ? 'start' : op === 'ends_with' ? 'end' : 'anywhere'
  return { test: { by: 'text', part, folded: fold(text) }, isNegated: op === 'not_contains' }
}

function numberTest(op: TreeOperator, value: unknown, at: string): Test {
  if (op === 'between') return holds(rangeTest(op, pair(value, at, numberValue)))
  const number = numberValue(value, at)
  if (op === 'eq' || op === 'neq') return { test: { by: 'list', values: [number] }, isNegated: op === 'neq' }
  return holds(rangeTest(op, [number, number]))
}

function dateTest(op: TreeOperator, value: unknown, at: string): ValueTest {
  if (op === 'between') return rangeTest(op, pair(value, at, dayValue))
  const day = dayValue(value, at)
  if (op !== 'within' || typeof day === 'string') return rangeTest(op, [day, day])
  const today: RelativeDay = { n: 0, unit: 'day' }
  return rangeTest(op, day.n < 0 ? [day, today] : [today, day])
}

const IS_OPEN = new Set<TreeOperator>(['gt', 'lt', 'before', 'after'])
const ONLY_LOW = new Set<TreeOperator>(['gt', 'gte', 'after', 'on_or_after'])
const ONLY_HIGH = new Set<TreeOperator>(['lt', 'lte', 'before', 'on_or_before'])

function rangeTest(op: TreeOperator, [low, high]: readonly [Bound['at'], Bound['at']]): ValueTest {
  const isOpen = IS_OPEN.has(op)
  return {
    by: 'range',
    ...(!ONLY_HIGH.has(op) && { low: { at: low, isOpen } }),
    ...(!ONLY_LOW.has(op) && { high: { at: high, isOpen } }),
  }
}

const jsonTest = (op: TreeOperator, value: unknown, at: string): ValueTest =>
  op === 'has_key' ? { by: 'key', key: textValue(value, at) } : { by: 'content', content: value }

function pair<Value>(
  value: unknown,
  at: string,
  read: (value: unknown, at: string) => Value,
): [Value, Value] {
  const [low, high] = value as [unknown, unknown]
  return [read(low, `${at}[0]`), read(high, `${at}[1]`)]
}

const textValue = (value: unknown, at: string): string =>
  typeof value === 'string' && codePointLength(value) <= MAX_TEXT_LENGTH
    ? value
    : fail(refused(`"${at}" must be a text of at most ${withCommas(MAX_TEXT_LENGTH)} characters.`))

const numberValue = (value: unknown, at: string): number =>
  typeof value === 'number' && Number.isFinite(value)
    ? value
    : fail(refused(`"${at}" must be a finite number.`))

const boolValue = (value: unknown, at: string): number =>
  typeof value === 'boolean' ? Number(value) : fail(refused(`"${at}" must be true or false.`))

const dayValue = (value: unknown, at: string): Day =>
  typeof value === 'string' && isDay(value)
    ? value
    : (relativeDay(value) ??
      fail(refused(`"${at}" must be a real day in the form YYYY-MM-DD, or ${RELATIVE_WORDS}.`)))
