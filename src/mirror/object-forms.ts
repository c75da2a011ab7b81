import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Change } from '../change-feed/schema.ts'
import type { MirroredChange } from '../changes/append-mirrored.ts'
import { CHANGE_KINDS, CHANGE_OPERATIONS, type ChangeKind } from '../changes/entries.ts'
import { isMimeType } from '../files/extraction/kinds.ts'
import { FileWithOutlineResponse } from '../files/schema.ts'
import { MAX_FILE_BYTES } from '../files/size-limit.ts'
import { choice, integer, members, nullableText, strict, text, timestamp } from '../http/schema/types.ts'
import { validationRefusal } from '../http/validation.ts'
import { Lens } from '../lenses/schema.ts'
import { memoizeByObject } from '../lib/bounded-cache.ts'
import { isId } from '../lib/ids.ts'
import { Note } from '../notes/schema.ts'
import { Preset } from '../presets/schema.ts'
import { Property, propertyKey } from '../properties/schema.ts'
import { QuickAccessItem } from '../quick-access/schema.ts'
import { RecordObject } from '../records/schema.ts'
import { refused } from '../refusal.ts'
import { RowView } from '../row-views/schema.ts'
import { Source } from '../sources/schema.ts'
import { fieldKey, Structure } from '../structures/schema.ts'
import { Tag } from '../tags/schema.ts'
import { View } from '../views/schema.ts'
import { Webhook } from '../webhooks/schema.ts'

/** An object as the remote's API returns it. */
export interface RemoteObject {
  readonly id: string | number
  readonly [attribute: string]: unknown
}

/** A change as the remote's feed returns it, with the current state of its object. */
export interface RemoteChange extends MirroredChange {
  readonly cursor: string
  readonly object: RemoteObject | null
}

/** A line of the remote's snapshot that holds an object. */
export interface SnapshotObject {
  readonly kind: ChangeKind
  readonly structure_id: string | null
  readonly object: RemoteObject
}

/*
 * A remote is believed no more than any other caller: what it sends is checked against the schemas of the responses,
 * and names against the rules under which they were written.
 */

const name = () => text({ singleLine: true })
const nullableName = () => nullableText({ singleLine: true })
const file = FileWithOutlineResponse.properties.file

const FIELD_VALUES = 'MirrorFieldValues'
TypeRegistry.Set(FIELD_VALUES, (_, data) => isFieldValues(data))

function isFieldValues(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false
  for (const key in data) {
    const type = typeof (data as Record<string, unknown>)[key]
    if (type !== 'string' && type !== 'number' && type !== 'boolean') return false
  }
  return true
}

/** The objects of each kind. */
const SCHEMAS: Record<ChangeKind, TSchema> = {
  note: strict({
    ...Note.properties,
    title: name(),
    alias: nullableName(),
    edited_at: Type.Optional(timestamp()),
    properties: members(),
  }),
  record: strict({
    ...RecordObject.properties,
    data: Type.Unsafe({
      [Kind]: FIELD_VALUES,
      type: 'object',
      words: 'an object of texts, numbers and booleans',
    }),
  }),
  tag: strict({ ...Tag.properties, name: name() }),
  property: strict({ ...Property.properties, key: propertyKey(), label: name() }),
  structure: strict({
    ...Structure.properties,
    // Absent for a key that may not read the rows.
    record_count: Type.Optional(Structure.properties.record_count),
    name: name(),
    fields: Type.Array(
      strict({ ...Structure.properties.fields.items.properties, key: fieldKey(), label: name() }),
    ),
  }),
  preset: strict({ ...Preset.properties, name: name() }),
  view: strict({ ...View.properties, name: name() }),
  lens: strict({ ...Lens.properties, name: name() }),
  quick_access_item: QuickAccessItem,
  file: strict({
    ...file.properties,
    file_name: name(),
    mime_type: text({ check: isMimeType, says: 'a media type such as text/plain' }),
    size: integer({ minimum: 0, maximum: MAX_FILE_BYTES }),
  }),
  webhook: Webhook,
  source: strict({ ...Source.properties, name: name() }),
  row_view: strict({ ...RowView.properties, name: name() }),
  // Shares stay where they are.
  share: Type.Never(),
}

const ID = text({ check: isId, says: 'an id' })
const INSTANT = text({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  check: (at) => Number.isFinite(Date.parse(at)),
  says: 'an instant such as 2026-11-21T09:30:00.000Z',
})

/**
 * The schema with the rules that responses are only documented to obey: the forms of ids and instants, and lists of
 * words. Attributes that it does not name are for `knownObject`.
 */
function strictly(schema: TSchema): TSchema {
  if (schema.format === 'uuid') return ID
  if (schema.format === 'date-time') return INSTANT
  if (schema[Kind] === 'String' && Array.isArray(schema.enum)) return choice(schema.enum)
  if (schema[Kind] === 'Array') return { ...schema, items: strictly(schema.items) }
  if (schema[Kind] === 'Union') return { ...schema, anyOf: schema.anyOf.map(strictly) }
  if (schema[Kind] !== 'Object' || schema.additionalProperties !== false) return schema
  const { additionalProperties: _, ...open } = schema
  const properties = Object.entries(schema.properties as Record<string, TSchema>)
  return {
    ...open,
    properties: Object.fromEntries(properties.map(([key, value]) => [key, strictly(value)])),
  } as unknown as TSchema
}

/** Each is compiled when it is first needed. */
const checkerOf = memoizeByObject((schema: TSchema) => TypeCompiler.Compile(strictly(schema)))

function check(schema: TSchema, value: unknown, what: string): void {
  const checker = checkerOf(schema)
  if (checker.Check(value)) return
  const { message } = validationRefusal('body', checker.Errors(value))
  throw refused(`The remote sent ${what} that does not have the form of one: ${message}`)
}

/** Refuses an object that no daybook could have stored. */
export function checkObject(kind: ChangeKind, structureId: unknown, object: RemoteObject): void {
  check(SCHEMAS[kind], object, `a ${kind.replaceAll('_', ' ')}`)
  if (kind === 'record' && !(typeof structureId === 'string' && isId(structureId)))
    throw refused('The remote sent a record without the id of its structure.')
}

/*
 * A remote of a newer minor version may send attributes that this program does not know, and one that is no daybook any.
 * They are left out: the copy has no place for them, and they could be taken for columns of its tables.
 */

function knownObject(kind: ChangeKind, object: RemoteObject, isOfThisVersion: boolean): RemoteObject {
  const { properties } = SCHEMAS[kind]
  // Looking at the names takes less time than copying the object.
  const isKnown = isOfThisVersion && Object.keys(object).every((name) => Object.hasOwn(properties, name))
  return isKnown ? object : (known(SCHEMAS[kind], object) as RemoteObject)
}

/** A remote of the same version names others, too, such as secrets. */
function knownChange(change: RemoteChange, isOfThisVersion: boolean): RemoteChange {
  const { kind, changed, previous } = change
  const object = change.object && knownObject(kind, change.object, isOfThisVersion)
  // Those of a record are the fields of its structure.
  if (isOfThisVersion || kind === 'record') return { ...change, object }
  const attributes: Readonly<Record<string, TSchema>> = SCHEMAS[kind].properties
  const isKnown = (name: string) => attributes[name] !== undefined
  return { ...change, object, changed: changed.filter(isKnown), previous: pick(attributes, previous) }
}

function known(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value)) return schema.items ? value.map((item) => known(schema.items, item)) : value
  if (value === null || typeof value !== 'object' || schema.additionalProperties !== false) return value
  return pick(schema.properties, value)
}

function pick(attributes: Readonly<Record<string, TSchema>>, object: object): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    const schema = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (schema) picked[name] = known(schema, value)
  }
  return picked
}

/** A kind of object that this program does not know comes from a remote of a newer version. */
function checkKind(kind: unknown): void {
  if (CHANGE_KINDS.some((one) => one === kind)) return
  throw refused(
    `The remote has objects of the kind "${kind}", which this daybook does not know; upgrade this daybook.`,
  )
}

/** An object of a snapshot with the attributes of this version alone; refuses one that no daybook could have stored. */
export function receivedObject(line: SnapshotObject, isOfThisVersion: boolean): SnapshotObject {
  checkKind(line.kind)
  const object = knownObject(line.kind, line.object, isOfThisVersion)
  checkObject(line.kind, line.structure_id, object)
  return { ...line, object }
}

/**
 * A change of the feed with the attributes of this version alone; refuses one that no daybook could have logged, one with
 * another object than it names, and one that only a newer program understands.
 */
export function receivedChange(received: RemoteChange, isOfThisVersion: boolean): RemoteChange {
  checkKind(received.kind)
  if (!CHANGE_OPERATIONS.includes(received.op))
    throw refused(
      `The remote logs the operation "${received.op}", which this daybook does not know; upgrade this daybook.`,
    )
  const change = knownChange(received, isOfThisVersion)
  check(Change, change, 'a change')
  const { kind, id, structure_id, object } = change
  if (object === null || object === undefined) return change
  checkObject(kind, structure_id, object)
  if (object.id === id) return change
  throw refused(`The remote sent a change of the ${kind.replaceAll('_', ' ')} ${id} with another.`)
}
