import { type InWorkspace, placeFor } from '../../../context.ts'
import { findFile } from '../../../files/store.ts'
import { isComputed, rulesOf, type TypeRules } from '../../../filter/record/field-types.ts'
import { may } from '../../../kernel/caller.ts'
import { knownNames } from '../../../lib/near-miss.ts'
import { type FieldValue, type RecordData, valueIn } from '../../../lib/record-data.ts'
import { atFields, fail, type Refusal, refused } from '../../../lib/refusal.ts'
import { codePointLength, quoteList } from '../../../lib/text.ts'
import { isWritableCopy } from '../../../log/mirror-guard.ts'
import type { Reader } from '../../../storage/reader.ts'
import { violatedFormat } from '../../structures/formats.ts'
import { withFormulas } from '../../structures/formulas.ts'
import { type Definition, type FieldDefinition, findStructureByPk } from '../../structures/store.ts'
import { dataOf, findRecordHead, type RecordRow } from '../store.ts'

type FieldChange = FieldValue | null | undefined

/** The values of a write, in field order: a value, null to remove it, undefined to leave it unchanged. */
export type FieldChanges = readonly FieldChange[]

/** Checks sent values against their fields; null and an absent key both mean no value. */
export function checkedChanges(
  definition: Definition,
  sent: Readonly<Record<string, unknown>>,
): FieldChanges {
  const { fields, positions } = definition
  const changes: FieldChange[] = new Array(fields.length)
  for (const key of Object.keys(sent)) {
    const at = positions.get(key) ?? fail(unknownField(key, definition))
    const field = fields[at] as FieldDefinition
    if (isComputed(field)) throw computedField(field)
    const value = sent[key]
    changes[at] = value === null ? checkedNull(field) : checkedValue(field, value)
  }
  return changes
}

const unknownField = (key: string, { fields }: Definition): Refusal => {
  const known = fields.map((field) => field.key)
  return refused(`"${key}" is not a field of this structure; ${knownNames(key, known)}`, {
    ...atFields(key),
    reason: 'unknown_name',
  })
}

const computedField = ({ key, type }: FieldDefinition): Refusal =>
  refused(
    `"${key}" is a ${type}: the server computes it, and nobody can write it; leave it out.`,
    atFields(key),
  )

/** The values that can be written, out of those that a row had. */
export const writableData = <Data extends Readonly<Record<string, unknown>>>(
  { byKey, formulas }: Definition,
  data: Data,
): Data => {
  if (formulas.length === 0) return data
  const isWritable = (key: string) => {
    const field = byKey.get(key)
    return field === undefined || !isComputed(field)
  }
  return Object.fromEntries(Object.entries(data).filter(([key]) => isWritable(key))) as Data
}

function checkedNull({ key, required }: FieldDefinition): null {
  if (required)
    throw refused(`"${key}" is required and cannot be without a value.`, {
      ...atFields(key),
      reason: 'missing',
    })
  return null
}

/** Refuses a whole row that lacks a required field. */
export function refuseMissing({ fields }: Definition, data: RecordData): void {
  for (const { key, required } of fields) {
    if (required && !Object.hasOwn(data, key))
      throw refused(`"${key}" is required; give it a value.`, { ...atFields(key), reason: 'missing' })
  }
}

/**
 * The value in its stored form. Refuses one that violates the field's type, options, format or bounds, and names it as given.
 */
export function checkedValue(field: FieldDefinition, sent: unknown, name?: string): FieldValue {
  const { options, min, max, format } = field
  const { normalise, words, bounds } = rulesOf(field)
  const value = normalise(sent) ?? fail(unfit(field, `be ${words}`, name))
  if (options !== null && !valuesOf(value).every((one) => options.includes(one)))
    throw unfit(field, `be ${field.multiple ? 'values out of' : 'one of'} ${quoteList(options)}`, name)
  const violated = format && violatedFormat(format, value)
  if (violated !== undefined) throw unfit(field, `be ${violated}`, name)
  if (min === null && max === null) return value
  const measured = bounds === 'length' ? codePointLength(String(value)) : value
  const unit = bounds === 'length' ? ' characters' : ''
  if (min !== null && measured < min) throw unfit(field, `be at least ${min}${unit}`, name)
  if (max !== null && measured > max) throw unfit(field, `be at most ${max}${unit}`, name)
  return value
}

/** The values of a field as texts, one or several. */
export const valuesOf = (value: FieldValue): readonly string[] =>
  typeof value === 'object' ? value : [String(value)]

const unfit = ({ key }: FieldDefinition, rule: string, name = `The field "${key}"`): Refusal =>
  refused(`${name} must ${rule}.`, atFields(key))

/** The row after the changes and with its formulas, with its keys in field order. */
export function mergedData(definition: Definition, before: RecordData, changes: FieldChanges): RecordData {
  const { fields } = definition
  const data: RecordData = {}
  for (let at = 0; at < fields.length; at++) {
    const { key } = fields[at] as FieldDefinition
    const value = changes[at] === undefined ? valueIn(before, key) : changes[at]
    if (value !== undefined && value !== null) data[key] = value
  }
  return definition.formulas.length === 0 ? data : withFormulas(definition, data)
}

type Exists = (reader: Reader, caller: InWorkspace, id: string, field: FieldDefinition) => boolean

/** Looks up the referenced object, by its kind. */
const REFERENCES: Record<NonNullable<TypeRules['references']>, Exists> = {
  note: ({ sql }, caller, id) =>
    sql.get(
      'SELECT 1 FROM notes WHERE id = ? AND workspace = ? AND deleted_at IS NULL',
      id,
      placeFor(caller, 'notes').workspacePk,
    ) !== undefined,
  record: (reader, caller, id, { structure: required }) => {
    const row = findRecordHead(reader, id)
    const structure = row?.deletedAt === null ? findStructureByPk(reader, caller, row.structure) : undefined
    if (structure === undefined || !may(caller.rights, structure.id, 'read')) return false
    return required === null || structure.id === required
  },
  file: (reader, caller, id) => findFile(reader, caller, id) !== undefined,
  // A copy does not know the members of its remote, which checks the ids when it receives the row.
  user: (reader, { workspacePk }, id) =>
    reader.sql.get(
      'SELECT 1 FROM members WHERE workspace = ? AND user = (SELECT pk FROM users WHERE id = ?)',
      workspacePk,
      id,
    ) !== undefined || isWritableCopy(reader),
}

/** A value of a field as a `found` reference. */
export const referenceKey = ({ column }: FieldDefinition, id: string): string => `${column} ${id}`

/** The members that a row named before, as references: one who was removed stays as the id. */
export const heldMembers = ({ fields }: Definition, data: Readonly<Record<string, unknown>>): Set<string> =>
  new Set(
    fields
      .filter(({ type, key }) => type === 'user' && Object.hasOwn(data, key))
      .flatMap((field) => [data[field.key]].flat().map((id) => referenceKey(field, String(id)))),
  )

/** The members that a stored row names; undefined without fields for members. */
export const membersIn = (definition: Definition, row: RecordRow): Set<string> | undefined =>
  definition.fields.some(({ type }) => type === 'user') ? heldMembers(definition, dataOf(row)) : undefined

/**
 * Refuses references to objects outside the workspace, or trashed or deleted ones. `found` collects existing
 * references, so a batch looks each up once; `members` are those that the row names already.
 */
export function refuseBrokenReferences(
  reader: Reader,
  caller: InWorkspace,
  { fields }: Definition,
  changes: FieldChanges,
  found = new Set<string>(),
  members?: ReadonlySet<string>,
): void {
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as FieldDefinition
    const { references } = rulesOf(field)
    const value = changes[at]
    if (!references || value === undefined || value === null) continue
    for (const id of valuesOf(value)) {
      const reference = referenceKey(field, id)
      if (found.has(reference) || members?.has(reference)) continue
      if (!REFERENCES[references](reader, caller, id, field)) throw brokenReference(field, id)
      found.add(reference)
    }
  }
}

function brokenReference({ key, type, structure }: FieldDefinition, id: string): Refusal {
  const isTyped = type === 'record' && structure !== null
  const kind = isTyped ? 'live record of its structure' : type === 'user' ? 'member' : type
  return refused(
    `The field "${key}" names ${id}, and there is no such ${kind} in this workspace.`,
    atFields(key),
  )
}
