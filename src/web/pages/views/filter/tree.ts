import type { components } from '../../../data/api-types.d.ts'

export type Tree = components['schemas']['FilterTree']
export type Group = components['schemas']['FilterGroup']
export type Condition = Exclude<Tree, Group>
export type Tag = components['schemas']['Tag']
export type Property = components['schemas']['Property']
export type Operator = components['schemas']['PropertyCondition']['op']
export type ValueKind = Property['type']

/** The tags and properties that conditions can name. */
export interface Definitions {
  readonly tags: readonly Tag[]
  readonly properties: readonly Property[]
}

const TEXT: readonly Operator[] = [
  'contains',
  'not_contains',
  'eq',
  'neq',
  'starts_with',
  'ends_with',
  'in',
  'not_in',
  'empty',
  'not_empty',
]

/** The operators of each type of value, the initial one first. */
export const OPERATORS: Readonly<Record<string, readonly Operator[]>> = {
  text: TEXT,
  select: [
    'eq',
    'neq',
    'in',
    'not_in',
    'contains',
    'not_contains',
    'starts_with',
    'ends_with',
    'empty',
    'not_empty',
  ],
  number: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between', 'empty', 'not_empty'],
  date: ['within', 'on', 'before', 'after', 'on_or_before', 'on_or_after', 'between', 'empty', 'not_empty'],
  bool: ['eq', 'empty', 'not_empty'],
  json: ['has_key', 'contains', 'empty', 'not_empty'],
}

/** The maximum number of nested groups. */
export const MAX_DEPTH = 4

/** The subject of a condition: `tags`, a field of the note, or `property <id>`. */
export function subjectOf(condition: Condition): string {
  if (condition.type === 'tags') return 'tags'
  return condition.type === 'field' ? condition.field : `property ${condition.def_id}`
}

export function kindOf(condition: Condition, { properties }: Definitions): string {
  if (condition.type === 'field') return condition.field === 'title' ? 'text' : 'date'
  if (condition.type === 'tags') return 'tags'
  return properties.find(({ id }) => id === condition.def_id)?.type ?? 'text'
}

/** The initial value for an operator. */
export function initialValue(kind: string, op: Operator, options: readonly string[] = []): unknown {
  if (op === 'empty' || op === 'not_empty') return undefined
  if (op === 'in' || op === 'not_in') return []
  if (kind === 'date') {
    const today = { relative: { n: 0, unit: 'day' } }
    const lastWeek = { relative: { n: -7, unit: 'day' } }
    if (op === 'between') return [lastWeek, today]
    return op === 'within' ? lastWeek : today
  }
  if (kind === 'number') return op === 'between' ? [0, 10] : 0
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
    const kind = subject === 'title' ? 'text' : 'date'
    const op = (OPERATORS[kind] as readonly Operator[])[0] as Operator
    return {
      type: 'field',
      field: subject as 'title' | 'created_at' | 'updated_at',
      op,
      value: initialValue(kind, op),
    }
  }
  const property = properties.find((one) => one.id === id)
  const kind = property?.type ?? 'text'
  const op = (OPERATORS[kind] as readonly Operator[])[0] as Operator
  return { type: 'property', def_id: id, op, value: initialValue(kind, op, property?.options ?? []) }
}

/** The condition with another operator, keeping its value if possible. */
export function withOperator(
  condition: Exclude<Condition, { type: 'tags' }>,
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
