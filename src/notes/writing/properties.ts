import type { Caller } from '../../context.ts'
import { atPlace, type Refusal, refused } from '../../lib/refusal.ts'
import { fold, withCommas } from '../../lib/text.ts'
import { mayLink } from '../../lib/wiki-links.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { logAttribute, wholeNoteJson } from '../events.ts'
import { indexAllLinks } from '../links/indexing.ts'
import { type Options, type PropertyType, refusalOfValue } from '../property-values.ts'
import { type NoteSummary, touchNote } from '../store.ts'

export interface PropertyRule {
  pk: number
  key: string
  type: PropertyType
}

export type PropertyValues = Record<string, unknown>

const OPTIONS = 'SELECT value FROM json_each((SELECT options FROM properties WHERE pk = ?))'

export const optionsOf = ({ sql }: Reader, { pk }: PropertyRule): Options => ({
  has: (value) => sql.get(`${OPTIONS} WHERE value = ? LIMIT 1`, pk, value) !== undefined,
  list: () => sql.column(OPTIONS, pk),
})

/** The refusal of a value that does not fit the property's type; undefined if it fits. */
export const valueRefusal = (reader: Reader, rule: PropertyRule, value: unknown): Refusal | undefined =>
  refusalOfValue(rule, value, optionsOf(reader, rule))

/** A valid value in its database form: JSON as text, yes or no as 1 or 0. */
function storedValue(type: PropertyType, value: unknown): string | number {
  if (type === 'json') return JSON.stringify(value)
  if (type === 'bool') return value === true ? 1 : 0
  return value as string | number
}

/** A stored value as JSON. */
export function presentedValue(type: PropertyType, stored: string | number): unknown {
  if (type === 'json') return JSON.parse(String(stored))
  return type === 'bool' ? stored === 1 : stored
}

/** Finds a property definition by key, ignoring case. */
export const findPropertyRule = ({ sql }: Reader, workspace: number, key: string): PropertyRule | undefined =>
  sql.get('SELECT pk, key, type FROM properties WHERE workspace = ? AND key = ?', workspace, fold(key))

/** The key of a property; undefined if it has been deleted. */
export const findPropertyKey = ({ sql }: Reader, pk: number): string | undefined =>
  sql.get<{ key: string }>('SELECT key FROM properties WHERE pk = ?', pk)?.key

/** The values of a note by key, in definition order. Values of a deleted property may still be stored. */
export function readProperties({ sql }: Reader, note: number): PropertyValues {
  const stored = sql.all<{ property: number; value: string | number }>(
    'SELECT property, value FROM note_properties WHERE note = ?',
    note,
  )
  const values = stored.flatMap(({ property, value }) => {
    const rule = sql.get<Pick<PropertyRule, 'pk' | 'key' | 'type'> & { position: number }>(
      'SELECT pk, key, type, position FROM properties WHERE pk = ?',
      property,
    )
    return rule ? [{ ...rule, value }] : []
  })
  values.sort((left, right) => left.position - right.position || left.pk - right.pk)
  return Object.fromEntries(values.map(({ key, type, value }) => [key, presentedValue(type, value)]))
}

/**
 * Sets values by key; null clears. Refuses unknown keys and values that do not fit their types before writing anything.
 * Returns the changes with the old values, null for an absent value.
 */
export const writeProperties = (
  tx: Tx,
  caller: Caller,
  note: NoteKey,
  values: PropertyValues,
): PropertyValues => writeChecked(tx, caller, note, checkedValues(tx, caller.workspacePk, values))

/** Sets values as `writeProperties` does; refuses a request that would exceed the limit of values on the note. */
export function writeSentProperties(
  tx: Tx,
  caller: Caller,
  note: NoteKey,
  values: PropertyValues,
): PropertyValues {
  if (Object.keys(values).length > MAX_PROPERTIES) throw tooMany('One call sets')
  const checked = checkedValues(tx, caller.workspacePk, values)
  if (checked.length > 0) refuseTooMuch(tx, note.pk, checked)
  return writeChecked(tx, caller, note, checked)
}

interface NoteKey {
  readonly pk: number
  readonly id: string
}

function writeChecked(
  tx: Tx,
  { workspacePk: workspace }: Caller,
  { pk: note }: NoteKey,
  checked: readonly CheckedValue[],
): PropertyValues {
  const previous: PropertyValues = {}
  let hasLinks = false
  for (const { rule, value } of checked) {
    const before = readValue(tx, note, rule)
    const isChanged = value === null ? clearValue(tx, note, rule) : setValue(tx, note, rule, value)
    if (!isChanged) continue
    previous[rule.key] = before
    hasLinks ||= mayLink(before) || mayLink(value)
  }
  if (hasLinks) indexAllLinks(tx, { workspace, note })
  return previous
}

interface CheckedValue {
  readonly rule: PropertyRule
  readonly value: unknown
}

function checkedValues(reader: Reader, workspace: number, values: PropertyValues): CheckedValue[] {
  const entries = Object.entries(values)
  const named = new Set<string>()
  return entries.map(([key, value]) => {
    if (named.has(fold(key)))
      throw refused('One property is named twice in different spelling; name it once.', atPlace('', key))
    named.add(fold(key))
    return { rule: checkedRule(reader, workspace, key, value), value }
  })
}

const MAX_PROPERTIES = 1_000
const MAX_MIB = 8
const MAX_BYTES = MAX_MIB * 1024 * 1024

const tooMany = (subject: string) =>
  refused(`${subject} at most ${withCommas(MAX_PROPERTIES)} properties; leave some out.`)

/**
 * Refuses values beyond the amount that every read and write of a note can return at once. A note that already exceeds
 * it accepts a reduction.
 */
function refuseTooMuch({ sql }: Reader, note: number, changes: readonly CheckedValue[]): void {
  const sizes = new Map(
    sql.rows<[property: number, bytes: number]>(
      `SELECT property, octet_length(value) FROM note_properties
       WHERE note = ? AND (SELECT 1 FROM properties WHERE pk = property)`,
      note,
    ),
  )
  const before = sumOf(sizes)
  const count = sizes.size
  for (const { rule, value } of changes) {
    if (value === null) sizes.delete(rule.pk)
    else sizes.set(rule.pk, Buffer.byteLength(String(storedValue(rule.type, value))))
  }
  if (sizes.size > Math.max(MAX_PROPERTIES, count)) throw tooMany('A note holds')
  if (sumOf(sizes) <= Math.max(MAX_BYTES, before)) return
  throw refused(`The properties of a note hold at most ${MAX_MIB} MiB together; send shorter values.`)
}

const sumOf = (sizes: ReadonlyMap<number, number>): number =>
  sizes.values().reduce((sum, bytes) => sum + bytes, 0)

/** The value of a note; null if it has none. */
function readValue({ sql }: Reader, note: number, { pk, type }: PropertyRule): unknown {
  const row = sql.get<{ value: string | number }>(
    'SELECT value FROM note_properties WHERE note = ? AND property = ?',
    note,
    pk,
  )
  return row ? presentedValue(type, row.value) : null
}

function checkedRule(reader: Reader, workspace: number, key: string, value: unknown): PropertyRule {
  const rule = findPropertyRule(reader, workspace, key)
  if (!rule)
    throw refused(`There is no property "${key}" in this workspace; define it first or check its spelling.`, {
      ...atPlace('', key),
      reason: 'unknown_name',
    })
  const refusal = value === null ? undefined : valueRefusal(reader, rule, value)
  if (refusal) throw refusal
  return rule
}

const clearValue = ({ sql }: Tx, note: number, { pk }: PropertyRule): boolean =>
  sql.run('DELETE FROM note_properties WHERE note = ? AND property = ?', note, pk).changes === 1

/** Sets a valid value. Returns whether that changed anything. The caller indexes the links of the note. */
export function setValue(
  { sql }: Tx,
  note: number,
  { pk, type }: Pick<PropertyRule, 'pk' | 'type'>,
  value: unknown,
): boolean {
  const { changes } = sql.run(
    `INSERT INTO note_properties (note, property, value) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value WHERE value IS NOT excluded.value`,
    note,
    pk,
    storedValue(type, value),
  )
  return changes === 1
}

/** Sets the values of an imported note. A text that is no longer an option of a select is also valid. */
export function importProperties(tx: Tx, workspace: number, note: number, values: PropertyValues): void {
  for (const [key, value] of Object.entries(values)) {
    const rule = findPropertyRule(tx, workspace, key)
    if (!rule) throw refused(`There is no property "${key}" in this workspace; define it first.`)
    const refusal = valueRefusal(tx, rule.type === 'select' ? { ...rule, type: 'text' } : rule, value)
    if (refusal) throw refusal
    setValue(tx, note, rule, value)
  }
  if (Object.values(values).some(mayLink)) indexAllLinks(tx, { workspace, note })
}

/** Sets and clears values of an active note by key, all or none; returns all resulting values. */
export function changeProperties(
  tx: Tx,
  caller: Caller,
  { pk, id, updatedAt, editedAt }: NoteSummary,
  values: PropertyValues,
): PropertyValues {
  const previous = writeSentProperties(tx, caller, { pk, id }, values)
  if (Object.keys(previous).length > 0) {
    touchNote(tx, pk)
    const replaced = { columns: { updatedAt, editedAt }, properties: previous }
    logAttribute(tx, caller, id, 'properties', previous, () => wholeNoteJson(tx, pk, replaced))
  }
  return readProperties(tx, pk)
}
