import type { FieldType } from '../filter/record/operators.ts'
import { normalised, TYPE_WORDS } from '../filter/record/values.ts'
import { quoteList } from '../lib/text.ts'
import { fail, refused } from '../refusal.ts'
import type { FieldDefinition } from './definition.ts'

/** A field as it is sent (`service.md`, Structure). */
export interface FieldInput {
  key: string
  type: FieldType
  label?: string | null
  required?: boolean
  unit?: string | null
  hidden?: boolean
  unique?: boolean
  min?: number | string | null
  max?: number | string | null
  options?: string[] | null
  structure?: string | null
}

/** Answers the id of the structure that a `record` field names by id or name; undefined for none. */
export type FindStructureId = (nameOrId: string) => string | undefined

type Bound = number | string | null

/** What `min` and `max` are for each type that has them. */
const BOUND_WORDS: Partial<Record<FieldType, string>> = {
  number: TYPE_WORDS.number,
  text: 'a whole number of characters, 0 or more',
  date: TYPE_WORDS.date,
  time: TYPE_WORDS.time,
  datetime: TYPE_WORDS.datetime,
}

/**
 * The whole new list of fields. A field sent again keeps `unique`, `unit`, `label`, `hidden`, and with its type also
 * `min` and `max`, where they are left out; `required`, `options` and `structure` fall back to their defaults.
 */
export function plannedFields(
  sent: readonly FieldInput[],
  before: readonly FieldDefinition[],
  findStructureId: FindStructureId,
): FieldDefinition[] {
  refuseRepeated(sent)
  let nextColumn = before.reduce((most, { column }) => Math.max(most, column), 0) + 1
  return sent.map((input, at) => {
    const known = before.find(({ key }) => key === input.key)
    const ofType = known?.type === input.type ? known : undefined
    const column = ofType?.column ?? nextColumn++
    const structure = targetOf(input, at, ofType, findStructureId)
    return plannedField(input, at, { known, ofType, column, structure })
  })
}

function refuseRepeated(sent: readonly FieldInput[]): void {
  const keys = sent.map(({ key }) => key)
  const repeated = keys.find((key, at) => keys.indexOf(key) < at)
  if (repeated !== undefined) throw refused(`"fields" names "${repeated}" twice; a key stands once.`)
}

/** A target that was deleted meanwhile stands until another one is named. */
function targetOf(
  { type, structure }: FieldInput,
  at: number,
  known: FieldDefinition | undefined,
  find: FindStructureId,
): string | null {
  if (structure === undefined || structure === null) return null
  if (structure === known?.structure) return structure
  if (type !== 'record')
    throw refused(`"fields[${at}].structure" belongs to a field of type "record", and this one is "${type}".`)
  return (
    find(structure) ??
    fail(refused(`"fields[${at}].structure" names "${structure}", and there is no such structure here.`))
  )
}

const keep = <Value>(sent: Value | undefined, known: Value | undefined, otherwise: Value): Value =>
  sent === undefined ? (known ?? otherwise) : sent

/** What stands already for a field that is sent. */
interface Basis {
  /** The field of this key before; `ofType` only if it had this type. */
  readonly known: FieldDefinition | undefined
  readonly ofType: FieldDefinition | undefined
  readonly column: number
  readonly structure: string | null
}

function plannedField(
  input: FieldInput,
  at: number,
  { known, ofType, column, structure }: Basis,
): FieldDefinition {
  const min = keep(bound(input, 'min', at), ofType?.min, null)
  const max = keep(bound(input, 'max', at), ofType?.max, null)
  if (min !== null && max !== null && min > max)
    throw refused(`"fields[${at}]": "min" is above "max"; no value of "${input.key}" could fit both.`)
  return {
    key: input.key,
    type: input.type,
    label: labelOf(keep(input.label, known?.label, null), input.key),
    required: input.required ?? false,
    unit: keep(input.unit, known?.unit, null),
    hidden: keep(input.hidden, known?.hidden, false),
    unique: keep(input.unique, known?.unique, false),
    min,
    max,
    options: optionsOf(input, at),
    structure,
    column,
  }
}

/** A label that only repeats the key is none: a definition sent back as it was read changes nothing. */
const labelOf = (label: string | null, key: string): string | null => (label === key ? null : label)

function bound({ type, ...input }: FieldInput, name: 'min' | 'max', at: number): Bound | undefined {
  const sent = input[name]
  if (sent === undefined || sent === null) return sent
  const words = BOUND_WORDS[type]
  if (words === undefined)
    throw refused(`"fields[${at}].${name}" cannot be given: a field of type "${type}" has no bounds.`)
  const kept = type === 'text' ? lengthOf(sent) : normalised(type, sent)
  if (kept === undefined || typeof kept === 'boolean')
    throw refused(`"fields[${at}].${name}" must be ${words} for a field of type "${type}".`)
  return kept
}

const lengthOf = (sent: number | string): number | undefined =>
  typeof sent === 'number' && Number.isSafeInteger(sent) && sent >= 0 ? sent : undefined

function optionsOf({ type, options }: FieldInput, at: number): string[] | null {
  if (options === undefined || options === null) return null
  if (type !== 'select')
    throw refused(`"fields[${at}].options" belong to a field of type "select", and this one is "${type}".`)
  if (new Set(options).size < options.length)
    throw refused(`"fields[${at}].options" name one option twice; name each once.`)
  return options.length === 0 ? null : options
}

/** Fields of `before` that `after` no longer has under their key and type. */
export const lostFields = (
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): FieldDefinition[] =>
  before.filter((old) => !after.some(({ key, type }) => key === old.key && type === old.type))

/** Once rows exist, deleted ones included, fields are only added, relabelled or hidden (`service.md`, rule 5). */
export function refuseLossOfFields(
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): void {
  const [lost] = lostFields(before, after)
  if (!lost) return
  const now = after.find(({ key }) => key === lost.key)
  if (now) {
    throw refused(
      `The field "${lost.key}" is of type "${lost.type}" and cannot become "${now.type}" once the structure has had rows; add a field of another key.`,
    )
  }
  throw refused(
    `The field "${lost.key}" cannot be removed or renamed once the structure has had rows; send it again, with "hidden": true if it should not be shown.`,
  )
}

/** Checks that `label_field` names a field. */
export function checkedLabelField(labelField: string | null, fields: readonly FieldDefinition[]) {
  if (labelField === null || fields.some(({ key }) => key === labelField)) return labelField
  throw refused(`"label_field" names "${labelField}", and the structure has no such field.`)
}

/** Checks sets of two or more different fields each, no set given twice. */
export function checkedUniqueTogether(sets: readonly string[][], fields: readonly FieldDefinition[]) {
  const seen = new Set<string>()
  for (const [at, keys] of sets.entries()) {
    const place = `"unique_together[${at}]"`
    if (new Set(keys).size < keys.length) throw refused(`${place} names one field twice; name each once.`)
    const unknown = keys.filter((wanted) => !fields.some(({ key }) => key === wanted))
    if (unknown.length > 0)
      throw refused(`${place} names ${quoteList(unknown)}, and the structure has no such field.`)
    const sorted = [...keys].sort().join(' ')
    if (seen.has(sorted)) throw refused(`${place} names the fields of an earlier set; give each set once.`)
    seen.add(sorted)
  }
  return sets
}
