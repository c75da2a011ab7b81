import type { FieldValue, RecordData } from '../../changes/record-change.ts'
import { normalised, TYPE_WORDS } from '../../filter/record/values.ts'
import { codePointLength, quoteList } from '../../lib/text.ts'
import { fail, refused } from '../../refusal.ts'
import type { Definition, FieldDefinition } from '../../structures/definition.ts'

/** What a write names: a value for a field, or null to take it away. */
export type FieldChanges = ReadonlyMap<FieldDefinition, FieldValue | null>

/** Checks the values that are sent against their fields; null and an absent key mean no value (contract, section 5). */
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
    changes.set(field, value === null ? absent(field) : checkedValue(field, value))
  }
  return changes
}

function absent({ key, required }: FieldDefinition): null {
  if (required) throw refused(`"${key}" is required and cannot be without a value.`)
  return null
}

/** Refuses a whole row that lacks a required field. */
export function refuseMissing({ fields }: Definition, data: RecordData): void {
  for (const { key, required } of fields) {
    if (required && !Object.hasOwn(data, key)) throw refused(`"${key}" is required; give it a value.`)
  }
}

/** The value as it is kept; refuses one that does not fit the field's type, options or bounds. */
export function checkedValue(field: FieldDefinition, value: unknown): FieldValue {
  const { key, type, options } = field
  const kept = normalised(type, value) ?? fail(refused(`The field "${key}" must be ${TYPE_WORDS[type]}.`))
  if (options !== null && !options.includes(String(kept)))
    throw refused(`The field "${key}" must be one of ${quoteList(options)}.`)
  if (field.min !== null || field.max !== null) refuseOutOfBounds(field, kept)
  return kept
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
