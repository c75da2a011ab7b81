import { isObject, type JsonObject } from '../../lib/json.ts'
import { fail, invalid } from '../../refusal.ts'
import {
  GROUP_MATCHES,
  type GroupMatch,
  TAG_OPERATORS,
  type TagOperator,
  TREE_FIELDS,
  TREE_OPERATORS,
  type TreeField,
  type TreeOperator,
} from './operators.ts'
import { DATE_UNITS, type RelativeDay } from './relative-dates.ts'

export interface GroupNode {
  type: 'group'
  match: GroupMatch
  children: FilterTree[]
}

export interface TagsNode {
  type: 'tags'
  op: TagOperator
  tag_ids: number[]
}

export interface PropertyNode {
  type: 'property'
  def_id: string
  op: TreeOperator
  value?: unknown
}

export interface FieldNode {
  type: 'field'
  field: TreeField
  op: TreeOperator
  value?: unknown
}

/** A filter tree of valid form, as requests send it and views and lenses store it. */
export type FilterTree = GroupNode | TagsNode | PropertyNode | FieldNode

const MAX_TREE_DEPTH = 4
const MAX_TREE_CONDITIONS = 50
/** The most tags or values that one condition may list. */
const MAX_LISTED = 500
/** Groups without conditions are allowed, so the number of conditions alone does not limit the size of a tree. */
const MAX_NODES = 500
/** Keeps every shift within the range of JavaScript dates. */
const MAX_SHIFT = 100_000

interface Counts {
  conditions: number
  nodes: number
}

/**
 * Parses a tree: nodes, operators, lists, at most 4 levels of groups and 50 conditions. An invalid one is refused
 * with `invalid_request` and the place in the tree; `place` names the root. No database is needed: `checkTree` tests
 * the result against the tags and properties of a workspace.
 */
export function parseTree(value: unknown, place: string): FilterTree {
  const counts = { conditions: 0, nodes: 0 }
  const tree = parseNode(value, place, 1, counts)
  if (counts.conditions > MAX_TREE_CONDITIONS)
    throw invalid(`"${place}" holds ${counts.conditions} conditions; ${MAX_TREE_CONDITIONS} are allowed.`)
  return tree
}

/** Parses a tree where null means every note; undefined when none is sent. */
export const parseOptionalTree = (value: unknown, place: string): FilterTree | null | undefined =>
  value === undefined || value === null ? value : parseTree(value, place)

/** The tags and properties that a tree refers to, by id. While it is stored, none of them may be deleted. */
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
export function relativeDay(value: unknown): RelativeDay | undefined {
  if (!isObject(value) || !isObject(value.relative)) return undefined
  const { n, unit } = value.relative
  const known = DATE_UNITS.find((name) => name === unit)
  const isExact = Object.keys(value).length === 1 && Object.keys(value.relative).length === 2
  const isShift = typeof n === 'number' && Number.isInteger(n) && Math.abs(n) <= MAX_SHIFT
  return known && isExact && isShift ? { n, unit: known } : undefined
}

export const RELATIVE_WORDS = `{relative: {n, unit}} with an integer n between -${MAX_SHIFT} and ${MAX_SHIFT} and a unit of ${DATE_UNITS.join(', ')}`

const PARSERS = { group: parseGroup, tags: parseTags, property: parseProperty, field: parseField }
const NODE_TYPES = Object.keys(PARSERS) as (keyof typeof PARSERS)[]

function parseNode(value: unknown, place: string, depth: number, counts: Counts): FilterTree {
  if (!isObject(value)) throw invalid(`"${place}" must be a node: an object with a "type".`)
  counts.nodes += 1
  if (counts.nodes > MAX_NODES) throw invalid(`A filter tree may have at most ${MAX_NODES} nodes.`)
  return PARSERS[oneOf(NODE_TYPES, value.type, `${place}.type`)](value, place, depth, counts)
}

function parseGroup(node: JsonObject, place: string, depth: number, counts: Counts): GroupNode {
  refuseUnknown(node, ['type', 'match', 'children'], place)
  const match = oneOf(GROUP_MATCHES, node.match, `${place}.match`)
  if (depth > MAX_TREE_DEPTH)
    throw invalid(`"${place}" is a group on level ${depth}; ${MAX_TREE_DEPTH} levels of groups are allowed.`)
  const children = list(node.children, `${place}.children`, MAX_NODES, 'nodes')
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
  const ids = list(node.tag_ids, `${place}.tag_ids`, MAX_LISTED, 'tags')
  if (ids.length === 0) throw invalid(`"${place}.tag_ids" must name at least one tag.`)
  return {
    type: 'tags',
    op,
    tag_ids: ids.map((id, at) =>
      Number.isSafeInteger(id)
        ? (id as number)
        : fail(invalid(`"${place}.tag_ids[${at}]" must be the id of a tag, an integer.`)),
    ),
  }
}

function parseProperty(node: JsonObject, place: string, _depth: number, counts: Counts): PropertyNode {
  counts.conditions += 1
  refuseUnknown(node, ['type', 'def_id', 'op', 'value'], place)
  if (typeof node.def_id !== 'string') throw invalid(`"${place}.def_id" must be the id of a property.`)
  const op = oneOf(TREE_OPERATORS, node.op, `${place}.op`)
  return { type: 'property', def_id: node.def_id, op, ...operand(op, node.value, place) }
}

function parseField(node: JsonObject, place: string, _depth: number, counts: Counts): FieldNode {
  counts.conditions += 1
  refuseUnknown(node, ['type', 'field', 'op', 'value'], place)
  const fields = Object.keys(TREE_FIELDS) as TreeField[]
  const field = oneOf(fields, node.field, `${place}.field`)
  const op = oneOf(TREE_OPERATORS, node.op, `${place}.op`)
  return { type: 'field', field, op, ...operand(op, node.value, place) }
}

/** `empty` and `not_empty` take no value, `in` and `not_in` a list, `between` a pair, `within` a relative day, others one value. */
function operand(op: TreeOperator, value: unknown, place: string): { value?: unknown } {
  const at = `${place}.value`
  if (op === 'empty' || op === 'not_empty') {
    if (value !== undefined && value !== null) throw invalid(`"${at}" must be left out with ${op}.`)
    return {}
  }
  if (value === undefined) throw invalid(`"${at}" is required with ${op}.`)
  if (op === 'in' || op === 'not_in') list(value, at, MAX_LISTED, 'values')
  if (op === 'between' && !(Array.isArray(value) && value.length === 2))
    throw invalid(`"${at}" must be a list [low, high] with between.`)
  if (op === 'within' && !relativeDay(value)) throw invalid(`"${at}" must be ${RELATIVE_WORDS} with within.`)
  return { value }
}

function refuseUnknown(node: JsonObject, known: readonly string[], place: string): void {
  const unknown = Object.keys(node).find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalid(`"${place}.${unknown}" is not known here; a ${node.type} node has ${known.join(', ')}.`)
}

function list(value: unknown, place: string, most: number, what: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(`"${place}" must be a list of ${what}.`)
  if (value.length > most) throw invalid(`"${place}" holds ${value.length} ${what}; ${most} are allowed.`)
  return value
}

const oneOf = <Name extends string>(names: readonly Name[], value: unknown, place: string): Name =>
  names.find((name) => name === value) ?? fail(invalid(`"${place}" must be one of ${names.join(', ')}.`))
