import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../context.ts'
import { isComputed, rulesOf, valueTypeOf } from '../../filter/record/field-types.ts'
import { atPlace, fail, Refusal, refused } from '../../lib/refusal.ts'
import { listed, quoteList } from '../../lib/text.ts'
import type { Reader } from '../../storage/reader.ts'
import { usageOfField } from '../field-usage.ts'
import { checkedFormat, type FieldFormat } from './formats.ts'
import { rollupOf } from './rollups.ts'
import type { SentField } from './schema.ts'
import type { FieldDefinition } from './store.ts'

export type FieldInput = Static<typeof SentField>

/** The id of the structure that a `record` field references by id or name; undefined if there is none. */
export type FindStructureId = (nameOrId: string) => string | undefined

/** Runs the check of a rule, which throws its refusal; `field` is the key of the field concerned, if any. */
export type Check = <Result>(field: string | null, run: () => Result) => Result | undefined

/** A part of a change that would be refused, and the key of the field concerned, if any. */
export interface FoundRefusal {
  readonly refusal: Refusal
  readonly field: string | null
}

type Bound = number | string | null

/**
 * The new list of fields. An existing field keeps `unique`, `unit`, `label` and `hidden` if they are omitted. If its
 * type is unchanged, it also keeps `min`, `max` and `format`. `required`, `options`, `structure` and `multiple` return
 * to their defaults.
 */
export function fieldDefinitions(
  sent: readonly FieldInput[],
  before: readonly FieldDefinition[],
  findStructureId: FindStructureId,
  check: Check = (_, run) => run(),
): FieldDefinition[] {
  check(null, () => refuseRepeated(sent))
  let nextColumn = before.reduce((highest, { column }) => Math.max(highest, column), 0) + 1
  return sent.map((input, at) => {
    const { key, type } = input
    const existing = before.find((field) => field.key === key)
    const isSame = existing?.type === type && (existing.multiple ?? false) === (input.multiple ?? false)
    const ofType = isSame ? existing : undefined
    const basis = { existing, ofType, column: ofType?.column ?? nextColumn++ }
    const define = () => {
      const structure = referencedStructure(input, at, ofType, findStructureId)
      return fieldDefinition(input, at, { ...basis, structure })
    }
    return (
      check(key, define) ??
      fieldDefinition({ key, type, ...NOT_COMPUTED[type] }, at, { ...basis, structure: null })
    )
  })
}

/** Stand for refused ones while further refusals are collected. */
const NOT_COMPUTED: Readonly<Record<string, Partial<FieldInput>>> = {
  formula: { expression: '0' },
  rollup: { via: { structure: '', field: '' }, function: 'count' },
}

function refuseRepeated(sent: readonly FieldInput[]): void {
  const keys = sent.map(({ key }) => key)
  const repeated = keys.find((key, at) => keys.indexOf(key) < at)
  if (repeated !== undefined)
    throw refused(`"fields" names "${repeated}" twice; give each key once.`, atPlace('fields'))
}

/** A structure that was deleted in the meantime remains referenced until another one is named. */
function referencedStructure(
  { type, structure }: FieldInput,
  at: number,
  existing: FieldDefinition | undefined,
  find: FindStructureId,
): string | null {
  if (structure === undefined || structure === null) return null
  if (structure === existing?.structure) return structure
  if (type !== 'record')
    throw refused(
      `"fields[${at}].structure" belongs to a field of type "record", and this one is "${type}".`,
      atPlace(`fields[${at}].structure`),
    )
  return (
    find(structure) ??
    fail(
      refused(
        `"fields[${at}].structure" names "${structure}", and there is no such structure here.`,
        atPlace(`fields[${at}].structure`),
      ),
    )
  )
}

const sentOr = <Value>(sent: Value | undefined, existing: Value | undefined, otherwise: Value): Value =>
  sent === undefined ? (existing ?? otherwise) : sent

interface Basis {
  /** The existing field of this key; `ofType` is set only if its type is unchanged. */
  readonly existing: FieldDefinition | undefined
  readonly ofType: FieldDefinition | undefined
  readonly column: number
  readonly structure: string | null
}

function fieldDefinition(
  input: FieldInput,
  at: number,
  { existing, ofType, column, structure }: Basis,
): FieldDefinition {
  const min = sentOr(bound(input, 'min', at), ofType?.min, null)
  const max = sentOr(bound(input, 'max', at), ofType?.max, null)
  if (min !== null && max !== null && min > max)
    throw refused(
      `"fields[${at}]": "min" is above "max"; no value of "${input.key}" could fit both.`,
      atPlace(`fields[${at}]`),
    )
  const format = formatOf(input, at, ofType)
  const rollup = rollupOf(input, at)
  if (rollup) refuseWrittenRules(input, at)
  return {
    key: input.key,
    type: input.type,
    label: labelOf(sentOr(input.label, existing?.label, null), input.key),
    required: input.required ?? false,
    unit: sentOr(input.unit, existing?.unit, null),
    hidden: sentOr(input.hidden, existing?.hidden, false),
    unique: sentOr(input.unique, input.multiple ? undefined : existing?.unique, false),
    min,
    max,
    options: optionsOf(input, at),
    structure,
    ...(format && { format }),
    ...expressionOf(input, at),
    ...(isMultiple(input, at) && { multiple: true }),
    ...(rollup && { rollup }),
    column,
  }
}

/** Refuses the rules of values that are written. */
function refuseWrittenRules(
  { type, required, unique }: Pick<FieldInput, 'type' | 'required' | 'unique'>,
  at: number,
): void {
  for (const [name, value] of Object.entries({ required, unique })) {
    if (value)
      throw refused(
        `"fields[${at}].${name}" cannot be given: the server computes the values of a ${type}.`,
        atPlace(`fields[${at}].${name}`),
      )
  }
}

/** The expression of a formula, which has none of the rules of values that are written. */
function expressionOf(
  { type, expression, required, unique }: FieldInput,
  at: number,
): { readonly expression?: string } {
  if (type !== 'formula') {
    if (expression === undefined) return {}
    throw refused(
      `"fields[${at}].expression" belongs to a field of type "formula", and this one is "${type}".`,
      atPlace(`fields[${at}].expression`),
    )
  }
  refuseWrittenRules({ type, required, unique }, at)
  if (expression !== undefined) return { expression }
  throw refused(
    `"fields[${at}].expression" is required for a field of type "formula".`,
    atPlace(`fields[${at}]`),
  )
}

/** A label equal to the key is not stored, so sending a definition back unchanged changes nothing. */
const labelOf = (label: string | null, key: string): string | null => (label === key ? null : label)

function bound({ type, ...input }: FieldInput, name: 'min' | 'max', at: number): Bound | undefined {
  const sent = input[name]
  if (sent === undefined || sent === null) return sent
  const { bounds, normalise, words } = rulesOf({ type })
  if (bounds === undefined)
    throw refused(
      `"fields[${at}].${name}" cannot be given: a field of type "${type}" has no bounds.`,
      atPlace(`fields[${at}].${name}`),
    )
  const value = bounds === 'length' ? lengthOf(sent) : normalise(sent)
  if (typeof value !== 'number' && typeof value !== 'string')
    throw refused(
      `"fields[${at}].${name}" must be ${bounds === 'length' ? 'a whole number of characters, 0 or more' : words} for a field of type "${type}".`,
      atPlace(`fields[${at}].${name}`),
    )
  return value
}

function isMultiple({ type, multiple, unique }: FieldInput, at: number): boolean {
  if (!multiple) return false
  if (!rulesOf({ type }).mayBeMultiple)
    throw refused(
      `"fields[${at}].multiple" belongs to a field of type select, note, file, record or user, and this one is "${type}".`,
      atPlace(`fields[${at}].multiple`),
    )
  if (unique)
    throw refused(
      `"fields[${at}].unique" goes only with one value, and this field has several; leave it out.`,
      atPlace(`fields[${at}].unique`),
    )
  return true
}

/** Undefined without a format, so it is absent from the stored field. */
function formatOf(
  { type, format }: FieldInput,
  at: number,
  ofType: FieldDefinition | undefined,
): FieldFormat | undefined {
  if (format === undefined) return ofType?.format
  return format === null ? undefined : checkedFormat(type, format, at)
}

const lengthOf = (sent: number | string): number | undefined =>
  typeof sent === 'number' && Number.isSafeInteger(sent) && sent >= 0 ? sent : undefined

function optionsOf({ type, options }: FieldInput, at: number): string[] | null {
  if (options === undefined || options === null) return null
  if (type !== 'select')
    throw refused(
      `"fields[${at}].options" belong to a field of type "select", and this one is "${type}".`,
      atPlace(`fields[${at}].options`),
    )
  if (new Set(options).size < options.length)
    throw refused(
      `"fields[${at}].options" name one option twice; name each once.`,
      atPlace(`fields[${at}].options`),
    )
  return options.length === 0 ? null : options
}

/** The fields of `before` without a field of the same key, type and number of values in `after`. */
export const lostFields = (
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): FieldDefinition[] =>
  before.filter(
    (old) =>
      !after.some(
        ({ key, type, multiple }) => key === old.key && type === old.type && multiple === old.multiple,
      ),
  )

const typeWords = ({ type, multiple }: FieldDefinition): string =>
  `"${type}"${multiple ? ' with several values' : ''}`

/** Once a structure has had rows, even deleted ones, fields can only be added, relabelled or hidden. */
export function refuseLossOfField(lost: FieldDefinition, after: readonly FieldDefinition[]): never {
  const now = after.find(({ key }) => key === lost.key)
  if (now) {
    throw refused(
      `The field "${lost.key}" is of type ${typeWords(lost)} and cannot become ${typeWords(now)} once the structure has had rows; add a field of another key.`,
      atPlace('fields'),
    )
  }
  throw refused(
    `The field "${lost.key}" cannot be removed or renamed once the structure has had rows; send it again, with "hidden": true if it should not be shown.`,
    atPlace('fields'),
  )
}

/** References to fields of a structure, as they will be after a change. */
export interface FieldUse {
  readonly structurePk: number
  readonly labelField: string | null
  readonly uniqueTogether: readonly (readonly string[])[]
}

/** Refuses to remove or retype a field that is still referenced; the refusal names the references. */
export function refuseLossOfUsedField(
  reader: Reader,
  caller: Caller,
  { key }: FieldDefinition,
  { structurePk, labelField, uniqueTogether }: FieldUse,
): void {
  const users = [
    ...(labelField === key ? ['"label_field"'] : []),
    ...(uniqueTogether.some((keys) => keys.includes(key)) ? ['"unique_together"'] : []),
    ...usageOfField(reader, structurePk, key, caller),
  ]
  if (users.length === 0) return
  throw new Refusal(
    'in_use',
    `The field "${key}" is named by ${listed(users)} and cannot be removed, renamed or retyped; change that first.`,
  )
}

export function checkLabelField(labelField: string | null, fields: readonly FieldDefinition[]): void {
  const field = fields.find(({ key }) => key === labelField)
  if (field && isComputed(field) && valueTypeOf(field) !== 'text')
    throw refused(
      `"label_field" names "${labelField}", whose values are computed and no texts; name another field.`,
      atPlace('label_field'),
    )
  if (field?.multiple)
    throw refused(
      `"label_field" names "${labelField}", which has several values; name a field with one.`,
      atPlace('label_field'),
    )
  if (labelField === null || field) return
  throw refused(
    `"label_field" names "${labelField}", and the structure has no such field.`,
    atPlace('label_field'),
  )
}

/** Refuses sets without at least two different fields, and duplicate sets. */
export function checkUniqueTogether(sets: readonly string[][], fields: readonly FieldDefinition[]): void {
  const seen = new Set<string>()
  for (const [at, keys] of sets.entries()) {
    const place = `unique_together[${at}]`
    if (new Set(keys).size < keys.length)
      throw refused(`"${place}" names one field twice; name each once.`, atPlace(place))
    const unknown = keys.filter((wanted) => !fields.some(({ key }) => key === wanted))
    if (unknown.length > 0)
      throw refused(
        `"${place}" names ${quoteList(unknown)}, and the structure has no such field.`,
        atPlace(place),
      )
    const computed = fields.find((field) => isComputed(field) && keys.includes(field.key))
    if (computed)
      throw refused(
        `"${place}" names "${computed.key}", whose values are computed; name fields that are written.`,
        atPlace(place),
      )
    const multiple = fields.find((field) => field.multiple && keys.includes(field.key))
    if (multiple)
      throw refused(
        `"${place}" names "${multiple.key}", which has several values; name fields with one.`,
        atPlace(place),
      )
    const sorted = [...keys].sort().join(' ')
    if (seen.has(sorted))
      throw refused(`"${place}" names the fields of an earlier set; give each set once.`, atPlace(place))
    seen.add(sorted)
  }
}

/** Every write adds a row to the index of each set, and blocks other writes meanwhile. */
const MAX_UNIQUE = 200

/**
 * `count` is the number of unique fields and of the fields of all sets; the number `before` the change stays allowed.
 */
export function refuseManyUnique(count: number, before = 0): void {
  if (count <= Math.max(MAX_UNIQUE, before)) return
  throw refused(
    `The unique fields and those of "unique_together" would be ${count} in all, each counted in every set; a structure has at most ${MAX_UNIQUE}, so leave some out.`,
    atPlace('unique_together'),
  )
}
