import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Change } from '../change-feed/schema.ts'
import type { MirroredChange } from '../changes/append-mirrored.ts'
import { CHANGE_KINDS, CHANGE_OPERATIONS, type ChangeKind } from '../changes/entries.ts'
import { choice, text } from '../http/schema/types.ts'
import { validationRefusal } from '../http/validation.ts'
import { memoize } from '../lib/bounded-cache.ts'
import { isId } from '../lib/ids.ts'
import { refused } from '../refusal.ts'
import {
  asSent,
  completed,
  ESSENTIAL,
  ESSENTIAL_OF_CHANGES,
  ESSENTIAL_WITHIN,
  isStrict,
} from './missing-attributes.ts'
import { SCHEMAS } from './object-schemas.ts'

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

const ID = text({ check: isId, says: 'an id' })
const INSTANT = text({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  check: (at) => Number.isFinite(Date.parse(at)),
  says: 'an instant such as 2026-11-21T09:30:00.000Z',
})

/**
 * The schema with the rules that responses are only documented to obey: the forms of ids and instants, and lists of
 * words. Of the attributes that it names only the essential ones are required; those that it does not name are for
 * `knownObject`.
 */
function strictly(schema: TSchema, essential = ESSENTIAL_WITHIN): TSchema {
  if (schema.format === 'uuid') return ID
  if (schema.format === 'date-time') return INSTANT
  if (schema[Kind] === 'String' && Array.isArray(schema.enum)) return choice(schema.enum)
  if (schema[Kind] === 'Array') return { ...schema, items: strictly(schema.items) }
  if (schema[Kind] === 'Union') return { ...schema, anyOf: schema.anyOf.map((one: TSchema) => strictly(one)) }
  if (schema[Kind] !== 'Object' || !isStrict(schema)) return schema
  const { additionalProperties: _, required = [], ...open } = schema
  const properties = Object.entries(schema.properties as Record<string, TSchema>)
  return {
    ...open,
    required: (required as string[]).filter((key) => essential.includes(key)),
    properties: Object.fromEntries(properties.map(([key, value]) => [key, strictly(value)])),
  } as unknown as TSchema
}

type Form = ChangeKind | 'change'

/** Each is compiled when it is first needed. */
const checkerOf = memoize((form: Form) =>
  TypeCompiler.Compile(
    form === 'change' ? strictly(Change, ESSENTIAL_OF_CHANGES) : strictly(SCHEMAS[form], ESSENTIAL[form]),
  ),
)

function check(form: Form, value: unknown): void {
  const checker = checkerOf(form)
  if (checker.Check(value)) return
  const { message } = validationRefusal('body', checker.Errors(value))
  throw refused(
    `The remote sent a ${form.replaceAll('_', ' ')} that does not have the form of one: ${message}`,
  )
}

/** Refuses an object that no daybook could have stored. */
export function checkObject(kind: ChangeKind, structureId: unknown, object: RemoteObject): void {
  check(kind, object)
  if (kind === 'record' && !(typeof structureId === 'string' && isId(structureId)))
    throw refused('The remote sent a record without the id of its structure.')
}

/** An object with the attributes that an older remote lacks. */
export const completedObject = (kind: ChangeKind, object: RemoteObject): RemoteObject =>
  completed(SCHEMAS[kind], object, kind) as RemoteObject

/** An object of the copy without the attributes that the remote lacks. */
export const objectAsSent = (kind: ChangeKind, sent: RemoteObject, own: RemoteObject): RemoteObject =>
  asSent(SCHEMAS[kind], sent, own) as RemoteObject

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

/** What an older remote may leave out of a change. */
const NO_CHANGE = {
  structure_id: null,
  changed: [],
  previous: {},
  actor: { surface: 'api', user_id: null, key_id: null, name: null },
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
  const change = knownChange({ ...NO_CHANGE, ...received }, isOfThisVersion)
  check('change', change)
  const { kind, id, structure_id, object } = change
  if (object === null || object === undefined) return change
  checkObject(kind, structure_id, object)
  if (object.id === id) return change
  throw refused(`The remote sent a change of the ${kind.replaceAll('_', ' ')} ${id} with another.`)
}
