import {
  NOTE_FIELDS,
  NOTE_OPERATORS,
  type NoteOperator,
  OPERATORS,
  type OperatorName,
  TAG_OPERATORS,
} from '../../../../filter/operators.ts'
import { shiftOf } from '../../../../filter/sentence.ts'
import {
  type Draft,
  type DraftGroup,
  type FilterLanguage,
  isGroup,
} from '../../../components/conditions/language.ts'
import type { Option } from '../../../components/select.tsx'
import type { components } from '../../../data/api-types.d.ts'
import { isChoice, NoteValue } from './value.tsx'

export type Tree = components['schemas']['FilterTree']
type Condition = Exclude<Tree, { type: 'group' }>
export type Tag = components['schemas']['Tag']
export type Property = components['schemas']['Property']
export type ValueKind = Property['type']

/** The tags and properties that conditions can name. */
export interface Definitions {
  readonly tags: readonly Tag[]
  readonly properties: readonly Property[]
}

/** The initial operator of types whose first one is rarely meant. */
const INITIAL: Partial<Record<ValueKind, NoteOperator>> = { text: 'contains', date: 'within' }

/** The operators of a type of value, the initial one first. */
function operatorsOf(kind: ValueKind): readonly NoteOperator[] {
  const all: readonly NoteOperator[] = NOTE_OPERATORS[kind]
  const initial = INITIAL[kind]
  return initial === undefined ? all : [initial, ...all.filter((op) => op !== initial)]
}

const TAGS = 'tags'
const PROPERTY = /^property /

const NOTE_OPTIONS: readonly Option[] = [
  ['title', 'Title'],
  ['alias', 'Alias'],
  ['created_at', 'Created'],
  ['updated_at', 'Last edited'],
]

/** The language of filter trees over notes. A field is `tags`, a field of the note, or `property <id>`. */
export function noteLanguage({ tags, properties }: Definitions): FilterLanguage {
  const propertyOf = (field: string) => properties.find(({ id }) => field === `property ${id}`)
  const kindOf = (field: string): ValueKind =>
    NOTE_FIELDS[field as keyof typeof NOTE_FIELDS] ?? propertyOf(field)?.type ?? 'text'
  const optionsOf = (field: string) => propertyOf(field)?.options ?? []
  return {
    fields: [
      ...NOTE_OPTIONS,
      ...(tags.length > 0 ? [[TAGS, 'Tags'] as const] : []),
      ...properties.map(({ id, label }) => [`property ${id}`, label] as const),
    ],
    operatorsOf: (field) =>
      field === TAGS
        ? ['has_any', ...TAG_OPERATORS.filter((op) => op !== 'has_any')]
        : operatorsOf(kindOf(field)),
    valueFor: (field, op, before) => {
      if (field === TAGS) return isTags(before) ? before : tags.slice(0, 1).map(({ id }) => id)
      const kind = kindOf(field)
      const options = optionsOf(field)
      return fits(kind, op, options, before) ? before : initialValue(kind, op, options)
    },
    renderValue: (props) => {
      const { field } = props.draft
      return NoteValue({
        ...props,
        tags,
        kind: field === TAGS ? TAGS : kindOf(field),
        options: optionsOf(field),
      })
    },
  }
}

/** The initial value for an operator. */
function initialValue(kind: ValueKind, op: OperatorName, options: readonly string[]): unknown {
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
  return isChoice(kind, op, options) ? options[0] : ''
}

const isTags = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === 'number')

const isDay = (value: unknown) => shiftOf(value) !== undefined || /^\d{4}-\d\d-\d\d$/.test(String(value))

/** Whether an operator accepts the value of another one. */
function fits(kind: ValueKind, op: OperatorName, options: readonly string[], value: unknown): boolean {
  const { takes } = OPERATORS[op]
  if (takes === 'none' || value === undefined) return false
  if (takes === 'list') return Array.isArray(value) && value.every((one) => typeof one === 'string')
  if (takes === 'pair')
    return Array.isArray(value) && value.length === 2 && value.every((one) => isSingle(kind, one))
  if (op === 'within') return shiftOf(value) !== undefined
  if (isChoice(kind, op, options)) return options.includes(value as string)
  return isSingle(kind, value)
}

function isSingle(kind: ValueKind, value: unknown): boolean {
  if (kind === 'date') return isDay(value)
  if (kind === 'number') return typeof value === 'number'
  if (kind === 'bool') return typeof value === 'boolean'
  return kind === 'json' || typeof value === 'string'
}

function draftOf(condition: Condition): Draft {
  if (condition.type === 'tags') return { field: TAGS, op: condition.op, value: condition.tag_ids }
  const { op, value } = condition
  return { field: condition.type === 'field' ? condition.field : `property ${condition.def_id}`, op, value }
}

function conditionOf({ field, op, value }: Draft): Condition {
  if (field === TAGS) return { type: 'tags', op, tag_ids: value } as Condition
  const about = PROPERTY.test(field)
    ? { type: 'property', def_id: field.replace(PROPERTY, '') }
    : { type: 'field', field }
  return { ...about, op, ...(value !== undefined && { value }) } as Condition
}

const nodeOf = (tree: Tree): Draft | DraftGroup =>
  tree.type === 'group' ? { match: tree.match, children: tree.children.map(nodeOf) } : draftOf(tree)

const treeOf = (node: Draft | DraftGroup): Tree =>
  isGroup(node)
    ? { type: 'group', match: node.match, children: node.children.map(treeOf) }
    : conditionOf(node)

/** A filter as a group, which the editor needs; a single condition becomes a group of one. */
export function asGroup(tree: Tree | null): DraftGroup {
  const node = tree && nodeOf(tree)
  return node && isGroup(node) ? node : { match: 'all', children: node ? [node] : [] }
}

/** The filter of a group; null if it matches all notes. */
export const asFilter = (group: DraftGroup): Tree | null =>
  group.children.length === 0 && group.match !== 'any' ? null : treeOf(group)
