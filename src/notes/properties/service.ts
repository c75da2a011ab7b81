import type { Static } from '@sinclair/typebox'
import { count, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Caller, InWorkspace } from '../../context.ts'
import { read, write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import { atPlace, fail, invalid, nameTaken, refused } from '../../lib/refusal.ts'
import { codePointLength, fold, withCommas } from '../../lib/text.ts'
import { objectKind } from '../../log/objects/objects.ts'
import { storedObjects } from '../../log/objects/statements.ts'
import { from, orm, rowBy, rowsBy, runBy, scan, valueBy } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import { noteProperties, properties } from '../../storage/schema/properties.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { markForLinks } from '../links/indexing.ts'
import { notesLinkingBy } from '../links/property-links.ts'
import type { PropertyType } from '../property-values.ts'
import type { CreatePropertyBody } from './schema.ts'

/** The trash is small: subtracting its values is faster than checking each note that has one. */
const NOTES_WITH_VALUE = sql<number>`(SELECT count(*) FROM note_properties np
  WHERE ${scan('np.note')} AND np.property = properties.pk) -
  (SELECT count(*) FROM notes n INDEXED BY notes_trash
   CROSS JOIN note_properties np ON np.note = n.pk AND np.property = properties.pk
   WHERE ${scan('n.pk')} AND n.workspace = properties.workspace AND n.deleted_at IS NOT NULL)`

/** Properties by position; the key is the name. */
export const propertyKind = objectKind({
  kind: 'property',
  table: properties,
  read: { ...getTableColumns(properties), notesWithValue: NOTES_WITH_VALUE },
  order: [properties.position, properties.pk],
  name: properties.key,
  derived: ['notes_with_value'],
  present: (row) => ({
    id: row.id,
    key: row.key,
    type: row.type,
    label: row.label ?? row.key,
    options: row.options === null ? null : (JSON.parse(row.options) as string[]),
    position: row.position,
    is_pinned: row.isPinned === 1,
    notes_with_value: row.notesWithValue,
    created_at: isoTimestamp(row.createdAt),
    updated_at: isoTimestamp(row.updatedAt),
  }),
})

const { pk, id, key, type, label } = properties
const HEAD = { pk, id, key, type, label }

/** A property without its number of notes, which is slow to count. */
type PropertyHead = NonNullable<ReturnType<typeof findPropertyHead>>

export const { findById: findPropertyHead, findByName: findPropertyHeadByKey } = storedObjects({
  table: properties,
  read: HEAD,
  order: [pk],
  name: key,
})

export const findPropertyHeadByPk = rowBy((property: number) =>
  from(properties, HEAD).where(eq(pk, property)),
)

/** Removes a property and its values, for a copy; the resulting changes of notes are copied, too. */
export function removeProperty(tx: Tx, workspace: number, propertyId: string): void {
  const head = findPropertyHead(tx, workspace, propertyId)
  if (!head) return
  for (const note of notesLinkingBy(tx, head.pk)) markForLinks(tx, note)
  deleteValues(tx, head.pk)
  propertyKind.remove(tx, propertyId)
}

const deleteValues = runBy((property: number) =>
  orm.delete(noteProperties).where(eq(noteProperties.property, property)),
)

export const listProperties = read({
  name: 'properties.list',
  covers: 'notes',
  run: (snapshot, caller) => ({ properties: propertyKind.list(snapshot, caller) }),
})

export const getPropertyRow = (reader: Reader, caller: InWorkspace, idOrKey: string) =>
  propertyKind.getRow(reader, caller, idOrKey)

export type PropertyRow = ReturnType<typeof getPropertyRow>

/** Omits the number of notes, which is slow to count. */
export function getPropertyHead(reader: Reader, { workspacePk }: Caller, idOrKey: string): PropertyHead {
  const byId = isId(idOrKey) ? findPropertyHead(reader, workspacePk, idOrKey) : undefined
  return byId ?? findPropertyHeadByKey(reader, workspacePk, fold(idOrKey)) ?? fail(propertyKind.notFound)
}

export type NewPropertyInput = Static<typeof CreatePropertyBody>

/** Refuses overlong options, which an import may contain. */
export const createProperty = write({
  name: 'properties.create',
  covers: 'notes',
  run: (tx, caller, { body }: { body: NewPropertyInput }) => {
    refuseLongOptions(body.options)
    return { property: insertProperty(tx, caller, body) }
  },
})

export function insertProperty(tx: Tx, caller: Caller, input: NewPropertyInput) {
  const { key, type, position } = input
  refuseRepeatedOption(input.options)
  refuseTakenKey(tx, caller, key)
  const options = optionsFor(type, input.options, null)
  return propertyKind.create(tx, caller, { ...propertyKind.columnsOf(input), options }, { position })
}

export function refuseTakenKey(reader: Reader, { workspacePk }: Caller, key: string): void {
  if (!findPropertyHeadByKey(reader, workspacePk, key)) return
  throw nameTaken(`A property with the key "${key}" exists already; choose another key.`, atPlace('key'))
}

/** Equals the limit of one text value: definitions are read with every note that has a value. */
const MAX_OPTIONS_LENGTH = 100_000

/** Refuses what schemas cannot express, before any lookup. */
export function refuseRepeatedOption(options: readonly string[] = []): void {
  if (new Set(options).size < options.length)
    throw invalid('"options" names one option twice; name each once.', atPlace('options'))
}

/** Refuses options over the limit of a definition. A definition that already exceeds it may be reduced. */
export function refuseLongOptions(options: readonly string[] = [], current: string | null = null): void {
  const length = lengthOf(options)
  if (length <= MAX_OPTIONS_LENGTH || length <= lengthOf(JSON.parse(current ?? '[]'))) return
  throw invalid(
    `"options" hold more than ${withCommas(MAX_OPTIONS_LENGTH)} characters together; send fewer or shorter ones.`,
    atPlace('options'),
  )
}

const lengthOf = (options: readonly string[]): number =>
  options.reduce((sum, option) => sum + codePointLength(option), 0)

/** The stored options; only a `select` has any. If none are sent, the current ones remain. */
export function optionsFor(
  type: PropertyType,
  sent: string[] | undefined,
  current: string | null,
): string | null {
  if (type !== 'select') {
    if (sent === undefined || sent.length === 0) return null
    throw refused(
      `"options" belong to a property of type "select", and this one is of type "${type}".`,
      atPlace('options'),
    )
  }
  return sent === undefined ? (current ?? '[]') : JSON.stringify(sent)
}

/** The number of notes with a value, including trashed ones. */
export const countNotesHolding = valueBy((property: number) =>
  from(noteProperties, { value: count() }).where(eq(noteProperties.property, property)),
)

/** The total size of the values of all notes, in bytes. */
export const bytesOfValues = valueBy((property: number) =>
  from(noteProperties, { value: sql<number>`total(octet_length(value))` }).where(
    eq(noteProperties.property, property),
  ),
)

const findHolding = rowBy((property: number) =>
  from(noteProperties, { note: noteProperties.note }).where(eq(noteProperties.property, property)).limit(1),
)

export const isUsedByAnyNote = (reader: Reader, property: number): boolean =>
  findHolding(reader, property) !== undefined

/** Values of active notes that are not among the options, a JSON array, with their numbers of notes. */
export const strandedValues = rowsBy((property: number, options: string) =>
  from(sql`note_properties np CROSS JOIN notes n ON n.pk = np.note`, {
    value: sql<string>`np.value`,
    notes: count(),
  })
    .where(
      sql`np.property = ${property} AND n.deleted_at IS NULL AND np.value NOT IN (SELECT value FROM json_each(${options}))`,
    )
    .groupBy(sql`np.value`)
    .orderBy(sql`np.value`),
)
