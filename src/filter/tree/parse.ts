import { isObject, type JsonObject } from '../../lib/json.ts'
import { atPlace, fail, invalid, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import { checkOperands } from '../operands.ts'
import {
  ALL_NOTE_OPERATORS,
  GROUP_MATCHES,
  type GroupMatch,
  isNegated,
  NOTE_FIELDS,
  NOTE_OPERATORS,
  type NoteField,
  type NoteOperator,
  OPERATORS,
  operatorRules,
  type Positive,
  positiveOf,
  TAG_OPERATORS,
  type TagOperator,
  type ValueKind,
} from '../operators.ts'
import { columnValue, rulesOf } from '../record/field-types.ts'
import { DATE_UNITS, type RelativeDay } from './relative-dates.ts'

/** The refusal of a malformed value at a path. */
const malformed = (place: string, rule: string) => invalid(`"${place}" ${rule}`, atPlace(place))
/** The refusal of a well-formed value that breaks a rule. */
const unfit = (place: string, rule: string) => refused(`"${place}" ${rule}`, atPlace(place))

/*
 * A filter tree is parsed when it is sent (`parseTree`), and checked against the tags and properties of a workspace
 * whenever it is stored or evaluated (`checkTree`).
 */

interface GroupNode {
  type: 'group'
  match: GroupMatch
  children: FilterTree[]
}

interface TagsNode {
  type: 'tags'
  op: TagOperator
  tag_ids: number[]
}

interface PropertyNode {
  type: 'property'
  def_id: string
  op: NoteOperator
  value?: unknown
}

interface FieldNode {
  type: 'field'
  field: NoteField
  op: NoteOperator
  value?: unknown
}

/** A well-formed filter tree, as sent in requests and stored in views and lenses. */
export type FilterTree = GroupNode | TagsNode | PropertyNode | FieldNode

const MAX_TREE_DEPTH = 4
const MAX_TREE_CONDITIONS = 50
/** Groups without conditions are allowed, so the number of conditions alone does not limit the size of a tree. */
const MAX_NODES = 500
/** Keeps every shift within the range of JavaScript dates. */
const MAX_SHIFT = 100_000

interface Counts {
  conditions: number
  nodes: number
}

/**
 * Parses a tree: nodes, operators, lists, at most 4 levels of groups and 50 conditions. Refuses an invalid one with
 * `invalid_request` and the path in the tree; `place` names the root.
 */
export function parseTree(value: unknown, place: string): FilterTree {
  const counts = { conditions: 0, nodes: 0 }
  const tree = parseNode(value, place, 1, counts)
  if (counts.conditions > MAX_TREE_CONDITIONS)
    throw malformed(place, `holds ${counts.conditions} conditions; ${MAX_TREE_CONDITIONS} are allowed.`)
  return tree
}

/** Parses a tree or null, which means every note; undefined if none is sent. */
export const parseOptionalTree = (value: unknown, place: string): FilterTree | null | undefined =>
  value === undefined || value === null ? value : parseTree(value, place)

/** The ids of the tags and properties that a tree refers to. None of them may be deleted while the tree is stored. */
export function treeReferences(tree: FilterTree): { tagIds: number[]; propertyIds: string[] } {
  const tagIds = new Set<number>()
  const propertyIds = new Set<string>()
  const visit = (node: FilterTree): void => {
    if (node.type === 'group') node.children.forEach(visit)
    else if (node.type === 'tags') for (const id of node.tag_ids) tagIds.add(id)
    else if (node.type === 'property') propertyIds.add(node.def_id)
  }
  visit(tree)
  return { tagIds: [...tagIds], propertyIds: [...propertyIds] }
}

/** Parses `{relative: {n, unit}}`; undefined for any other value. */
function relativeDay(value: unknown): RelativeDay | undefined {
  if (!isObject(value) || !isObject(value.relative)) return undefined
  const { n, unit } = value.relative
  const known = DATE_UNITS.find((name) => name === unit)
  const isExact = Object.keys(value).length === 1 && Object.keys(value.relative).length === 2
  const isShift = typeof n === 'number' && Number.isInteger(n) && Math.abs(n) <= MAX_SHIFT
  return known && isExact && isShift ? { n, unit: known } : undefined
}

const RELATIVE_WORDS = `{relative: {n, unit}} with an integer n between -${MAX_SHIFT} and ${MAX_SHIFT} and a unit of ${DATE_UNITS.join(', ')}`

const PARSERS = { group: parseGroup, tags: parseTags, property: parseProperty, field: parseField }
const NODE_TYPES = Object.keys(PARSERS) as (keyof typeof PARSERS)[]

function parseNode(value: unknown, place: string, depth: number, counts: Counts): FilterTree {
  if (!isObject(value)) throw malformed(place, 'must be a node: an object with a "type".')
  counts.nodes += 1
  if (counts.nodes > MAX_NODES) throw invalid(`A filter tree may have at most ${MAX_NODES} nodes.`)
  return PARSERS[oneOf(NODE_TYPES, value.type, `${place}.type`)](value, place, depth, counts)
}

function parseGroup(node: JsonObject, place: string, depth: number, counts: Counts): GroupNode {
  refuseUnknown(node, ['type', 'match', 'children'], place)
  const match = oneOf(GROUP_MATCHES, node.match, `${place}.match`)
  if (depth > MAX_TREE_DEPTH)
    throw malformed(place, `is a group on level ${depth}; ${MAX_TREE_DEPTH} levels of groups are allowed.`)
  const { children } = node
  if (!Array.isArray(children) || children.length > MAX_NODES)
    throw malformed(`${place}.children`, `must be a list of at most ${MAX_NODES} nodes.`)
  return {
    type: 'group',
    match,
    children: children.map((child, at) => parseNode(child, `${place}.children[${at}]`, depth + 1, counts)),
  }
}

function parseTags(node: JsonObject, place: string, _depth: number, counts: Counts): TagsNode {
  counts.conditions += 1
  refuseUnknown(node, ['type', 'op', 'tag_ids'], place)
  const op = oneOf(TAG_OPERATORS, node.op, `${place}.op`)
  checkOperands(op, node.tag_ids, `${place}.tag_ids`, { least: 1 })
  return {
    type: 'tags',
    op,
    tag_ids: (node.tag_ids as unknown[]).map((id, at) =>
      Number.isSafeInteger(id)
        ? (id as number)
        : fail(malformed(`${place}.tag_ids[${at}]`, 'must be the id of a tag, an integer.')),
    ),
  }
}

function parseProperty(node: JsonObject, place: string, _depth: number, counts: Counts): PropertyNode {
  counts.conditions += 1
  refuseUnknown(node, ['type', 'def_id', 'op', 'value'], place)
  if (typeof node.def_id !== 'string') throw malformed(`${place}.def_id`, 'must be the id of a property.')
  const op = oneOf(ALL_NOTE_OPERATORS, node.op, `${place}.op`)
  return { type: 'property', def_id: node.def_id, op, ...operand(op, node.value, place) }
}

function parseField(node: JsonObject, place: string, _depth: number, counts: Counts): FieldNode {
  counts.conditions += 1
  refuseUnknown(node, ['type', 'field', 'op', 'value'], place)
  const fields = Object.keys(NOTE_FIELDS) as NoteField[]
  const field = oneOf(fields, node.field, `${place}.field`)
  const op = oneOf(ALL_NOTE_OPERATORS, node.op, `${place}.op`)
  return { type: 'field', field, op, ...operand(op, node.value, place) }
}

/** `within` takes a relative day. */
function operand(op: NoteOperator, value: unknown, place: string): { value?: unknown } {
  const at = `${place}.value`
  checkOperands(op, value, at, { takesNull: true })
  if (OPERATORS[op].takes === 'none') return {}
  if (op === 'within' && !relativeDay(value)) throw malformed(at, `must be ${RELATIVE_WORDS} with within.`)
  return { value }
}

function refuseUnknown(node: JsonObject, known: readonly string[], place: string): void {
  const unknown = Object.keys(node).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalid(
      `"${place}.${unknown}" is not known here; a ${node.type} node has ${known.join(', ')}.`,
      atPlace(place, unknown),
    )
}

const oneOf = <Name extends string>(names: readonly Name[], value: unknown, place: string): Name =>
  names.find((name) => name === value) ?? fail(malformed(place, `must be one of ${names.join(', ')}.`))

/** Looks up the tags and properties of a tree; undefined for one that the workspace does not have. */
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

/** A test of a note's value. A missing value passes none. */
export type ValueTest =
  | { readonly by: 'presence' }
  | { readonly by: 'list'; readonly values: readonly (string | number)[] }
  | { readonly by: 'range'; readonly low?: Bound; readonly high?: Bound }
  | { readonly by: 'text'; readonly part: 'anywhere' | 'start' | 'end'; readonly folded: string }
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'content'; readonly content: unknown }

/** The subject of a condition: a property, by its pk, or a field of the note. */
export type ValueTarget = { readonly property: number } | { readonly field: NoteField }

/** A tree that was checked against the definitions of a workspace. Relative days are still relative. */
export type CheckedTree =
  | { readonly kind: 'group'; readonly match: GroupMatch; readonly children: readonly CheckedTree[] }
  /** The note has at least one of these tags. */
  | { readonly kind: 'tags'; readonly tagIds: readonly number[] }
  | {
      readonly kind: 'value'
      readonly target: ValueTarget
      readonly test: ValueTest
      /** Whether the condition matches exactly the notes that fail the test, including those without a value. */
      readonly isNegated: boolean
    }

/**
 * Checks a parsed tree against a workspace. Unknown tags and properties, operators that the type does not have and
 * invalid values are `refused` with their path in the tree; `place` names the root.
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
    throw unfit(
      `${place}.tag_ids[${missing}]`,
      `names the tag ${tag_ids[missing]}, and there is no such tag in this workspace.`,
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
    fail(unfit(`${place}.def_id`, 'names no property of this workspace; it takes the id of one.'))
  const { type } = property
  refuseOperator(type, node.op, `the property "${property.key}", of type ${type},`, place)
  return { kind: 'value', target: { property: property.pk }, ...testOf(type, node, place) }
}

function checkField(node: FieldNode, place: string): CheckedTree {
  const kind = NOTE_FIELDS[node.field]
  refuseOperator(kind, node.op, `"${node.field}"`, place)
  return { kind: 'value', target: { field: node.field }, ...testOf(kind, node, place) }
}

function refuseOperator(kind: ValueKind, op: NoteOperator, what: string, place: string): void {
  const operators: readonly NoteOperator[] = NOTE_OPERATORS[kind]
  if (operators.includes(op)) return
  throw unfit(`${place}.op`, `is "${op}", and ${what} has the operators ${operators.join(', ')}.`)
}

type Condition = { op: NoteOperator; value?: unknown }

const testOf = (kind: ValueKind, { op, value }: Condition, place: string) => ({
  test: positiveTest(kind, positiveOf(op), value, `${place}.value`),
  isNegated: isNegated(op),
})

type PositiveOperator = Positive<NoteOperator>

function positiveTest(kind: ValueKind, op: PositiveOperator, value: unknown, at: string): ValueTest {
  if (OPERATORS[op].takes === 'none') return { by: 'presence' }
  if (kind === 'number') return numberTest(op, value, at)
  if (kind === 'date') return dateTest(op, value, at)
  if (kind === 'bool') return { by: 'list', values: [boolValue(value, at)] }
  return kind === 'json' ? jsonTest(op, value, at) : textTest(op, value, at)
}

function textTest(op: PositiveOperator, value: unknown, at: string): ValueTest {
  if (OPERATORS[op].takes === 'list')
    return {
      by: 'list',
      values: (value as unknown[]).map((member, index) => textValue(member, `${at}[${index}]`)),
    }
  const text = textValue(value, at)
  if (op === 'eq') return { by: 'list', values: [text] }
  // Every text contains the empty text.
  if (text === '') return { by: 'presence' }
  const part = op === 'starts_with' ? 'start' : op === 'ends_with' ? 'end' : 'anywhere'
  return { by: 'text', part, folded: fold(text) }
}

function numberTest(op: PositiveOperator, value: unknown, at: string): ValueTest {
  if (op === 'between') return rangeTest(op, pair(value, at, numberValue))
  const number = numberValue(value, at)
  return op === 'eq' ? { by: 'list', values: [number] } : rangeTest(op, [number, number])
}

function dateTest(op: PositiveOperator, value: unknown, at: string): ValueTest {
  if (op === 'between') return rangeTest(op, pair(value, at, dayValue))
  const day = dayValue(value, at)
  if (op !== 'within' || typeof day === 'string') return rangeTest(op, [day, day])
  const today: RelativeDay = { n: 0, unit: 'day' }
  return rangeTest(op, day.n < 0 ? [day, today] : [today, day])
}

function rangeTest(op: PositiveOperator, [from, to]: readonly [Bound['at'], Bound['at']]): ValueTest {
  const { low, high } = operatorRules(op)
  return {
    by: 'range',
    ...(low && { low: { at: from, isOpen: low === 'open' } }),
    ...(high && { high: { at: to, isOpen: high === 'open' } }),
  }
}

const jsonTest = (op: PositiveOperator, value: unknown, at: string): ValueTest =>
  op === 'has_key' ? { by: 'key', key: textValue(value, at) } : { by: 'content', content: value }

function pair<Value>(
  value: unknown,
  at: string,
  read: (value: unknown, at: string) => Value,
): [Value, Value] {
  const [low, high] = value as [unknown, unknown]
  return [read(low, `${at}[0]`), read(high, `${at}[1]`)]
}

/** A value in the form in which rows store it; refuses one of another type. */
const operandOf = (type: 'text' | 'number' | 'bool', value: unknown, at: string) => {
  const { normalise, words } = rulesOf({ type })
  return normalise(value) ?? fail(unfit(at, `must be ${words}.`))
}

const textValue = (value: unknown, at: string) => operandOf('text', value, at) as string
const numberValue = (value: unknown, at: string) => operandOf('number', value, at) as number
const boolValue = (value: unknown, at: string) => columnValue(operandOf('bool', value, at))

const DATE = rulesOf({ type: 'date' })
const dayValue = (value: unknown, at: string): Day =>
  (DATE.normalise(value) as string | undefined) ??
  relativeDay(value) ??
  fail(unfit(at, `must be ${DATE.words}, or ${RELATIVE_WORDS}.`))
