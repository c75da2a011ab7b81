import { NOTE_FIELDS, NOTE_OPERATORS, OPERATORS } from '../../../../filter/operators.ts'
import type { components } from '../../../data/api-types.d.ts'

export type Tree = components['schemas']['FilterTree']
export type Group = components['schemas']['FilterGroup']
export type Condition = Exclude<Tree, Group>
export type ValueCondition = Exclude<Condition, { type: 'tags' }>
export type Tag = components['schemas']['Tag']
export type Property = components['schemas']['Property']
export type Operator = components['schemas']['PropertyCondition']['op']
export type ValueKind = Property['type']

/** The tags and properties that conditions can name. */
export interface Definitions {
  readonly tags: readonly Tag[]
  readonly properties: readonly Property[]
}

/** The initial operator of types whose first one is rarely meant. */
const INITIAL: Partial<Record<ValueKind, Operator>> = { text: 'contains', date: 'within' }

/** The operators of a type of value, the initial one first. */
export function operatorsOf(kind: ValueKind): readonly Operator[] {
  const all: readonly Operator[] = NOTE_OPERATORS[kind]
  const initial = INITIAL[kind]
  return initial === undefined ? all : [initial, ...all.filter((op) => op !== initial)]
}

/** The maximum number of nested groups. */
export const MAX_DEPTH = 4

/** The subject of a condition: `tags`, a field of the note, or `property <id>`. */
export function subjectOf(condition: Condition): string {
  if (condition.type === 'tags') return 'tags'
  return condition.type === 'field' ? condition.field : `property ${condition.def_id}`
}

export function kindOf(condition: ValueCondition, { properties }: Definitions): ValueKind {
  if (condition.type === 'field') return NOTE_FIELDS[condition.field]
  return properties.find(({ id }) => id === condition.def_id)?.type ?? 'text'
}

/** The initial value for an operator. */
export function initialValue(kind: string, op: Operator, options: readonly string[] = []): unknown {
  const { takes } = OPERATORS[op]
  if (takes === 'none') return undefined
  if (takes === 'list') return []
  if (kind === 'date') {
    const today = { relative: { n: 0, unit: 'day' } }
    const lastWeek = { relative: { n: -7, unit: 'day' } }
    if (takes === 'pair') return [lastWeek, today]
    return op === 'within' ? lastWeek : today
  }
  if (kind === 'number') return takes === 'pair' ? [0, 10] : 0
  if (kind === 'bool') return true
  return kind === 'select' && (op === 'eq' || op === 'neq') ? (options[0] ?? '') : ''
}

function withValue<Node extends { op: Operator; value?: unknown }>(node: Node, value: unknown): Node {
  const { value: _, ...rest } = node
  return (value === undefined ? rest : { ...rest, value }) as Node
}

/** A new condition for a subject. */
export function conditionOn(subject: string, { tags, properties }: Definitions): Condition {
  if (subject === 'tags')
    return { type: 'tags', op: 'has_any', tag_ids: tags.slice(0, 1).map(({ id }) => id) }
  const [, id] = subject.split(' ')
  if (id === undefined) {
    const field = subject as keyof typeof NOTE_FIELDS
    return { type: 'field', field, ...newTest(NOTE_FIELDS[field]) }
  }
  const property = properties.find((one) => one.id === id)
  return { type: 'property', def_id: id, ...newTest(property?.type ?? 'text', property?.options) }
}

function newTest(kind: ValueKind, options?: readonly string[] | null): { op: Operator; value: unknown } {
  const op = operatorsOf(kind)[0] as Operator
  return { op, value: initialValue(kind, op, options ?? []) }
}

/** The condition with another operator, keeping its value if possible. */
export function withOperator(
  condition: ValueCondition,
  op: Operator,
  kind: string,
  options: readonly string[],
): Condition {
  const initial = initialValue(kind, op, options)
  const isCompatible =
    Array.isArray(initial) === Array.isArray(condition.value) && condition.value !== undefined
  const isWithin = op === 'within' && typeof condition.value === 'string'
  return withValue(
    { ...condition, op },
    initial === undefined || !isCompatible || isWithin ? initial : condition.value,
  )
}

/** A filter as a group, which the editor needs; a single condition becomes a group of one. */
export const asGroup = (tree: Tree | null): Group =>
  tree === null
    ? { type: 'group', match: 'all', children: [] }
    : tree.type === 'group'
      ? tree
      : { type: 'group', match: 'all', children: [tree] }

/** The filter of a group; null if it matches all notes. */
export const asFilter = (group: Group): Tree | null =>
  group.children.length === 0 && group.match !== 'any' ? null : group
