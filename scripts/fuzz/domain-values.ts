import {
  ALL_ROW_OPERATORS,
  GROUP_MATCHES,
  NOTE_FIELDS,
  NOTE_OPERATORS,
  type NoteField,
  ROW_OPERATORS,
  TAG_OPERATORS,
  type ValueKind,
} from '../../src/filter/operators.ts'
import type { Random } from '../lib/random.ts'
import { isObject, type KnownObjects, type Members } from './known-objects.ts'
import { aDate, anInstant, aPhrase, aWord } from './texts.ts'

/*
 * Values that depend on the objects in the workspace, which a schema cannot express, keyed by the member or parameter.
 */

export interface FuzzContext {
  readonly random: Random
  readonly objects: KnownObjects
}

/** Each key always has the same type, so that values are valid in every structure. */
const FIELDS: Members[] = [
  { key: 'what', type: 'text', required: true },
  { key: 'code', type: 'text', unique: true },
  { key: 'amount', type: 'number', unit: 'EUR', min: -100, max: 1e6 },
  { key: 'due', type: 'date' },
  { key: 'at', type: 'time' },
  { key: 'seen', type: 'datetime' },
  { key: 'done', type: 'bool' },
  { key: 'state', type: 'select', options: ['open', 'closed', 'straße'] },
  { key: 'about', type: 'note' },
  { key: 'source', type: 'file' },
  { key: 'parent', type: 'record' },
  { key: 'owner', type: 'user' },
  { key: 'states', type: 'select', multiple: true, options: ['open', 'closed', 'straße'] },
  { key: 'abouts', type: 'note', multiple: true },
  { key: 'owners', type: 'user', multiple: true },
  { key: 'twice', type: 'formula', expression: '{amount} * 2', result: 'number' },
  { key: 'shout', type: 'formula', expression: 'UPPER({what}) & {amount}', result: 'text' },
]

const PROPERTIES: Members[] = [
  { key: 'due', type: 'date' },
  { key: 'weight', type: 'number' },
  { key: 'done', type: 'bool' },
  { key: 'state', type: 'select', options: ['open', 'closed'] },
  { key: 'extra', type: 'json' },
  { key: 'author', type: 'text' },
]

const textOf = (object: Members | undefined, member: string): string | undefined => {
  const value = object?.[member]
  return typeof value === 'string' ? value : undefined
}

function fieldsOf(structure: Members | undefined): Members[] {
  const fields = Array.isArray(structure?.fields) ? structure.fields.filter(isObject) : []
  return fields.length > 0 ? fields : FIELDS
}

/** The kind of a field's values, as the table of operators names it. */
const kindOf = ({ type, result, multiple }: Members): unknown => (multiple ? 'multiple' : (result ?? type))

function fieldValue(context: FuzzContext, { type, result, multiple }: Members): unknown {
  const { random } = context
  if (!multiple) return singleValue(context, result ?? type)
  const values = random.list(4, () => singleValue(context, type))
  // A value that occurs twice is refused.
  return random.chance(0.9) ? [...new Set(values)] : values
}

function singleValue(context: FuzzContext, type: unknown): unknown {
  const { random, objects } = context
  switch (type) {
    case 'number':
      return random.pick([0, -1, 1.5, 7, 474, 1e6, -0.1])
    case 'date':
      return aDate(random)
    case 'time':
      return random.pick(['00:00', '23:59:59', '09:30'])
    case 'datetime':
      return anInstant(random)
    case 'bool':
      return random.chance(0.5)
    case 'select':
      return random.pick(['open', 'closed'])
    case 'note':
    case 'file':
    case 'record':
    case 'user':
      return objects.any(type)?.id ?? null
    case 'json':
      return random.pick<unknown>([1, 'a', null, [1, 'a'], { a: { b: [1] } }, { length: 1 }])
    default:
      return aPhrase(random, 3)
  }
}

/** Returns a row for the structure of the request. */
export function aRow(context: FuzzContext): Members {
  const fields = fieldsOf(context.objects.any('structure'))
  const chosen = fields.filter(
    (field) => isWritten(field) && (field.required === true || context.random.chance(0.5)),
  )
  return Object.fromEntries(chosen.map((field) => [String(field.key), fieldValue(context, field)]))
}

/** Formulas and roll-ups are computed. */
const isWritten = ({ type }: Members): boolean => type !== 'formula' && type !== 'rollup'

/** Returns new values for members that the record of the request already has. */
function rowChanges(context: FuzzContext): Members {
  const held = context.objects.any('record')?.data
  const chosen = FIELDS.filter((field) => isWritten(field) && isObject(held) && String(field.key) in held)
  const changed = context.random.some(chosen, 2)
  return Object.fromEntries(changed.map((field) => [String(field.key), fieldValue(context, field)]))
}

const LIST_OPERATORS: ReadonlySet<string> = new Set(['in', 'not_in', 'has_any', 'has_all', 'has_none'])
const withoutOperand = (op: string) => op.endsWith('empty')

function condition(context: FuzzContext): Members {
  const { random, objects } = context
  const field = random.pick<Members>([
    ...fieldsOf(objects.any('structure')),
    { key: 'created_at', type: 'created_at' },
    { key: 'id', type: 'id' },
    { key: '*', type: '*' },
  ])
  const { key } = field
  const op = random.pick(ROW_OPERATORS[kindOf(field) as keyof typeof ROW_OPERATORS] ?? ALL_ROW_OPERATORS)
  if (withoutOperand(op)) return { field: key, op }
  const operand = () => {
    if (key === 'created_at') return random.chance(0.5) ? aDate(random) : anInstant(random)
    if (key === 'id') return objects.any('record')?.id ?? 'x'
    if (key === '*') return aWord(random)
    if (field.type === 'user' && random.chance(0.3)) return 'me'
    return singleValue(context, field.result ?? field.type)
  }
  return { field: key, op, value: LIST_OPERATORS.has(op) ? random.list(3, operand) : operand() }
}

function treeDate({ random }: FuzzContext): unknown {
  const unit = random.pick(['day', 'week', 'month', 'year'])
  return random.chance(0.5) ? aDate(random) : { relative: { n: random.between(-40, 40), unit } }
}

function treeOperand(context: FuzzContext, type: string, op: string): unknown {
  const { random } = context
  if (op === 'in' || op === 'not_in') return random.list(3, () => singleValue(context, type))
  const one = () => (type === 'date' ? treeDate(context) : singleValue(context, type))
  if (op === 'between') return [one(), one()]
  if (op === 'within') return { relative: { n: random.between(-9, 9), unit: 'day' } }
  return op === 'has_key' ? random.pick(['a', 'length', '__proto__']) : one()
}

function operation(context: FuzzContext, type: ValueKind): Members {
  const op = context.random.pick(NOTE_OPERATORS[type])
  return withoutOperand(op) ? { op } : { op, value: treeOperand(context, type, op) }
}

function leaf(context: FuzzContext): Members {
  const { random, objects } = context
  const property = objects.any('property')
  const kind = random.pick(property ? ['tags', 'field', 'property', 'property'] : ['tags', 'field'])
  if (kind === 'tags') {
    const tagIds = random.some(objects.all('tag'), 3).map(({ id }) => id)
    return {
      type: 'tags',
      op: random.pick(TAG_OPERATORS),
      tag_ids: tagIds.length > 0 ? tagIds : [objects.any('tag')?.id ?? 1],
    }
  }
  if (kind === 'property' && property)
    return { type: 'property', def_id: property.id, ...operation(context, property.type as ValueKind) }
  const field = random.pick(Object.keys(NOTE_FIELDS) as NoteField[])
  return { type: 'field', field, ...operation(context, NOTE_FIELDS[field]) }
}

function tree(context: FuzzContext, depth = 4): Members {
  const { random } = context
  if (depth === 0 || random.chance(0.4)) return leaf(context)
  const children = random.list(3, () => tree(context, depth - 1))
  return { type: 'group', match: random.pick(GROUP_MATCHES), children }
}

function body({ random, objects }: FuzzContext): string {
  const note = objects.any('note')
  const parts = [
    aPhrase(random, 30),
    `[[${textOf(note, 'title') ?? aWord(random)}]]`,
    `[[${textOf(note, 'id') ?? 'x'}|${aWord(random)}]]`,
    `## ${aWord(random)}\n\n${aPhrase(random)}`,
    `\`\`\`\n[[${aWord(random)}]]\n\`\`\``,
    `[[file:${textOf(objects.any('file'), 'id') ?? 'x'}|${aWord(random)}]]`,
  ]
  return random.some(parts, 4).join(random.pick(['\n', '\n\n', ' ', '\r\n']))
}

function passage({ random, objects }: FuzzContext): string {
  const content = textOf(objects.any('note'), 'content') ?? ''
  const from = random.below(content.length + 1)
  return content.slice(from, from + random.between(1, 12))
}

const fieldKey = ({ random, objects }: FuzzContext) =>
  String(random.pick(fieldsOf(objects.any('structure'))).key)
const propertyKey = ({ random, objects }: FuzzContext) =>
  textOf(objects.any('property'), 'key') ?? String(random.pick(PROPERTIES).key)

function propertyValues(context: FuzzContext): Members {
  const known = context.objects.all('property')
  const chosen = context.random.some(known.length > 0 ? known : PROPERTIES, 3)
  return Object.fromEntries(chosen.map(({ key, type }) => [String(key), singleValue(context, type)]))
}

const presetEntries = (context: FuzzContext) =>
  Object.entries(propertyValues(context)).map(([key, value]) => ({ key, value }))

const idOf =
  (kind: string) =>
  ({ objects }: FuzzContext) =>
    objects.any(kind)?.id

type ValueGenerator = (context: FuzzContext) => unknown

/** Keyed by member or parameter; a generator returns undefined while no object of the kind is known. */
const VALUES: Readonly<Record<string, ValueGenerator>> = {
  note_id: idOf('note'),
  file_id: idOf('file'),
  def_id: idOf('property'),
  ignore_key_id: idOf('key'),
  structure: ({ random, objects }) => objects.any('structure')?.[random.pick(['id', 'name'])],
  tag: ({ random, objects }) => textOf(objects.any('tag'), 'name') ?? aWord(random),
  tags: ({ random }) => random.list(3, () => aWord(random)),
  linked_tag_ids: ({ random, objects }) => random.some(objects.all('tag'), 2).map(({ id }) => id),
  cover_url: ({ random }) => random.pick([null, 'https://pictures.invalid/tea.png']),
  title: ({ random }) => aPhrase(random, 2),
  name: ({ random }) => aPhrase(random, 2),
  alias: ({ random }) => (random.chance(0.2) ? null : aPhrase(random, 2)),
  content: body,
  text: body,
  heading: ({ random }) => aWord(random),
  old_str: passage,
  new_str: body,
  if_unchanged: ({ objects }) => objects.any('note')?.updated_at,
  search: ({ random }) =>
    random.pick(['', '-', '"']) + aPhrase(random, 3) + random.pick(['', '*', '"', ' -tea', ' "tea']),
  q: ({ random }) => aPhrase(random, 2),
  tz: ({ random }) => random.pick(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns']),
  field: ({ random }) => random.pick(['amount', 'amount', 'what']),
  by: fieldKey,
  expand: ({ random }) =>
    random.pick(['about', 'parent,source', 'owner,owners', 'abouts,about', 'parent.owner', 'what', '']),
  date: ({ random }) => random.pick(['due', 'seen', 'created_at']),
  key: ({ random }) => random.pick(PROPERTIES).key,
  display_properties: (context) => context.random.list(3, () => propertyKey(context)),
  property: propertyKey,
  answers: propertyValues,
  ask: presetEntries,
  scope: (context) => (context.random.chance(0.2) ? null : tree(context)),
  pages: ({ random }) => random.pick(['1', '1-2', '7-9']),
  /** A longer wait would only slow the run. */
  wait: () => 0,
}

/**
 * Returns a value for a member or parameter whose meaning may depend on the operation; undefined if its schema
 * suffices.
 */
export function valueFor(
  context: FuzzContext,
  place: { operationId: string; isQuery: boolean; isArray: boolean },
  name: string,
): unknown {
  const { random } = context
  const { operationId, isQuery, isArray } = place
  const aboutRecords = /record|structure|webhook/i.test(operationId)
  if (name === 'filter') {
    if (!aboutRecords) return random.chance(0.1) ? null : tree(context)
    const list = random.list(3, () => condition(context))
    return isQuery ? JSON.stringify(list) : list
  }
  if (name === 'data') return /^update/.test(operationId) ? rowChanges(context) : aRow(context)
  if (name === 'fields')
    return /structure/i.test(operationId)
      ? [...FIELDS.slice(0, 3), ...random.some(FIELDS.slice(3), 5)]
      : [fieldKey(context)]
  if (name === 'properties') return isArray ? presetEntries(context) : propertyValues(context)
  if (name === 'sort')
    return aboutRecords && isQuery ? random.pick([fieldKey(context), 'updated_at']) : undefined
  if (name === 'label_field') return 'what'
  if (name === 'unique_together') return random.pick<unknown>([[], [['what', 'amount']]])
  if (name === 'max_rows') return random.pick<unknown>([null, null, 1, 5, 1000])
  if (name === 'immutable') return random.chance(0.1)
  return VALUES[name]?.(context)
}

/** Returns a webhook URL whose name never resolves, so that no request leaves the machine. */
export const aReceiver = ({ random }: FuzzContext): string =>
  `https://${random.pick(['hooks', 'a.b'])}.invalid/${random.below(9)}`

/** Returns a body for operations that accept any members. */
export const freeMembers = (context: FuzzContext): Members => propertyValues(context)

/** Returns a property definition; the key determines the type. */
export const aProperty = ({ random }: FuzzContext): Members => random.pick(PROPERTIES)
