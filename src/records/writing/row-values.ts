import { may } from '../../access/rights.ts'
import type { FieldValue, RecordData } from '../../changes/record-data.ts'
import { type InWorkspace, placeFor } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import { findFile } from '../../files/store.ts'
import type { FieldType } from '../../filter/record/operators.ts'
import { normalised, TYPE_WORDS } from '../../filter/record/values.ts'
import { codePointLength, quoteList } from '../../lib/text.ts'
import { fail, type Refusal, refused } from '../../refusal.ts'
import { type Definition, type FieldDefinition, findStructureByPk } from '../../structures/store.ts'
import { findRecordHead } from '../store.ts'

/** The fields that a write sends: each with its new value, or null to remove it. */
export type FieldChanges = ReadonlyMap<FieldDefinition, FieldValue | null>

/** Checks the values that are sent against their fields; null and an absent key both mean no value. */
export function checkedChanges(
  definition: Definition,
  sent: Readonly<Record<string, unknown>>,
): FieldChanges {
  const changes = new Map<FieldDefinition, FieldValue | null>()
  for (const key of Object.keys(sent)) {
    const field =
      definition.byKey.get(key) ??
      fail(refused(`"${key}" is not a field of this structure; remove it or check its spelling.`))
    const value = sent[key]
    changes.set(field, value === null ? checkedNull(field) : checkedValue(field, value))
  }
  return changes
}

function checkedNull({ key, required }: FieldDefinition): null {
  if (required) throw refused(`"${key}" is required and cannot be without a value.`)
  return null
}

/** Refuses a whole row that lacks a required field. */
export function refuseMissing({ fields }: Definition, data: RecordData): void {
  for (const { key, required } of fields) {
    if (required && !Object.hasOwn(data, key)) throw refused(`"${key}" is required; give it a value.`)
  }
}

/** The value in its stored form; refuses one that does not fit the field's type, options or bounds. */
function checkedValue(field: FieldDefinition, sent: unknown): FieldValue {
  const { key, type, options } = field
  const value = normalised(type, sent) ?? fail(refused(`The field "${key}" must be ${TYPE_WORDS[type]}.`))
  if (options !== null && !options.includes(String(value)))
    throw refused(`The field "${key}" must be one of ${quoteList(options)}.`)
  if (field.min !== null || field.max !== null) refuseOutOfBounds(field, value)
  return value
}

function refuseOutOfBounds({ key, type, min, max }: FieldDefinition, value: FieldValue): void {
  const measured = type === 'text' ? codePointLength(String(value)) : value
  const unit = type === 'text' ? ' characters' : ''
  if (min !== null && measured < min) throw refused(`The field "${key}" must be at least ${min}${unit}.`)
  if (max !== null && measured > max) throw refused(`The field "${key}" must be at most ${max}${unit}.`)
}

/** The row after the changes, its keys in the order of the fields. */
export function mergedData({ fields }: Definition, before: RecordData, changes: FieldChanges): RecordData {
  const data: RecordData = {}
  for (const field of fields) {
    const { key } = field
    const change = changes.get(field)
    const value = change === undefined ? (Object.hasOwn(before, key) ? before[key] : undefined) : change
    if (value !== undefined && value !== null) data[key] = value
  }
  return data
}

type Exists = (reader: Reader, caller: InWorkspace, id: string, field: FieldDefinition) => boolean

/** How the object that a reference names is looked up, by the type of the field. */
const REFERENCES: Partial<Record<FieldType, Exists>> = {
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
}

/**
 * Refuses a reference to something that is not in the workspace, or is trashed or deleted. `found` collects the
 * references that exist, so that a batch looks each up once.
 */
export function refuseBrokenReferences(
  reader: Reader,
  caller: InWorkspace,
  changes: FieldChanges,
  found = new Set<string>(),
): void {
  for (const [field, value] of changes) {
    const exists = REFERENCES[field.type]
    if (!exists || value === null) continue
    const reference = `${field.column} ${value}`
    if (found.has(reference)) continue
    if (!exists(reader, caller, String(value), field)) throw brokenReference(field, String(value))
    found.add(reference)
  }
}

function brokenReference({ key, type, structure }: FieldDefinition, id: string): Refusal {
  const kind = type === 'record' && structure !== null ? 'live record of its structure' : type
  return refused(`The field "${key}" names ${id}, and there is no such ${kind} in this workspace.`)
}
