import { Kind, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Change } from '../../feed/schema.ts'
import { FIELD_TYPES } from '../../filter/record/field-types.ts'
import { choice, text } from '../../http/schema/types.ts'
import { validationRefusal } from '../../http/validation.ts'
import { memoize } from '../../lib/bounded-cache.ts'
import { isId } from '../../lib/ids.ts'
import { isObject } from '../../lib/json.ts'
import { refused } from '../../lib/refusal.ts'
import type { MirroredChange } from '../../log/append-mirrored.ts'
import { CHANGE_OPERATIONS, type ChangeKind } from '../../storage/schema/changes.ts'
import {
  asSent,
  completed,
  ESSENTIAL,
  ESSENTIAL_OF_CHANGES,
  ESSENTIAL_WITHIN,
  isStrict,
} from './missing-attributes.ts'
import { SCHEMAS } from './object-schemas.ts'
import {
  hasKnownTrees,
  isKnownKind,
  isUnknownWord,
  isWord,
  knownAttributes,
  knownDifference,
  Unknown,
} from './unknown.ts'

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
 * A schema with the rules that responses only document: the formats of ids and instants, and lists of words. Only
 * essential attributes are required; `knownObject` handles unknown ones.
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

type ObjectKind = ChangeKind | 'change'

/** Each is compiled on first use. */
const checkerOf = memoize((kind: ObjectKind) =>
  TypeCompiler.Compile(
    kind === 'change' ? strictly(Change, ESSENTIAL_OF_CHANGES) : strictly(SCHEMAS[kind], ESSENTIAL[kind]),
  ),
)

const MAX_ERRORS = 100

/** Whether a value matches its schema; false if only a newer daybook knows a word in it. Refuses any other value. */
function check(kind: ObjectKind, value: unknown): boolean {
  const checker = checkerOf(kind)
  if (checker.Check(value)) return true
  if (Iterator.from(checker.Errors(value)).take(MAX_ERRORS).every(isUnknownWord)) return false
  const { message } = validationRefusal('body', checker.Errors(value))
  throw refused(`The remote sent a ${kind.replaceAll('_', ' ')} that does not match its schema: ${message}`)
}

/** Refuses an object that no daybook could have stored. Returns false for an object that only a newer daybook knows. */
export function checkObject(kind: ChangeKind, structureId: unknown, object: RemoteObject): boolean {
  const isKnown = check(kind, object) && hasKnownTrees(object)
  if (kind === 'record' && !(typeof structureId === 'string' && isId(structureId)))
    throw refused('The remote sent a record without the id of its structure.')
  return isKnown
}

/** Adds the attributes that an older remote lacks. */
export const completedObject = (kind: ChangeKind, object: RemoteObject): RemoteObject =>
  completed(SCHEMAS[kind], object, kind) as RemoteObject

/** An object of the copy without the attributes that the remote lacks. */
export const objectAsSent = (kind: ChangeKind, sent: RemoteObject, own: RemoteObject): RemoteObject =>
  asSent(SCHEMAS[kind], sent, own) as RemoteObject

/** Removes the fields whose types only a newer daybook knows from a structure, and records them. */
function withKnownFields(structure: RemoteObject, unknown: Unknown): RemoteObject {
  if (!Array.isArray(structure.fields)) return structure
  const strange = structure.fields.filter(
    (field) => isObject(field) && isWord(field.type) && !FIELD_TYPES.some((type) => type === field.type),
  )
  const keys = new Set(strange.map(({ key }) => key))
  unknown.unknownFields.set(String(structure.id), [...keys].map(String))
  if (keys.size === 0) return structure
  unknown.note()
  const { label_field: label, unique_together: sets } = structure
  return {
    ...structure,
    fields: structure.fields.filter((field) => !strange.includes(field)),
    ...(keys.has(label) && { label_field: null }),
    ...(Array.isArray(sets) && {
      unique_together: sets.filter((set) => !Array.isArray(set) || !set.some((key) => keys.has(key))),
    }),
  }
}

/**
 * Removes everything that only a newer daybook knows from an object. Undefined for an object that only a newer daybook
 * could have stored.
 */
function knownObject(
  { kind, structure_id, object }: SnapshotObject,
  unknown: Unknown,
): RemoteObject | undefined {
  // Shares are not copied.
  if (kind === 'share') return undefined
  const shown = knownAttributes(SCHEMAS[kind], object, unknown) as RemoteObject
  const known = kind === 'structure' ? withKnownFields(shown, unknown) : shown
  if (checkObject(kind, structure_id, known)) return known
  unknown.leaveOut(kind, known.id)
  return undefined
}

/** An object of a snapshot as this version knows it; refuses one that no daybook could have stored. */
export function receivedObject(line: SnapshotObject, unknown: Unknown): SnapshotObject | undefined {
  if (!isKnownKind(line.kind)) {
    unknown.leaveOut(line.kind, line.object.id)
    return undefined
  }
  const object = knownObject(line, unknown)
  return object && { ...line, object }
}

/** Yields the unknown parts of a line of a snapshot, if it has any, and its object, if it is known. */
export function* receivedLine(line: SnapshotObject): Generator<SnapshotObject | Unknown> {
  const unknown = new Unknown()
  const object = receivedObject(line, unknown)
  if (!unknown.isEmpty) yield unknown
  if (object) yield object
}

/** The attributes that an older remote may omit from a change. */
const NO_CHANGE = {
  structure_id: null,
  changed: [],
  previous: {},
  actor: { surface: 'api', user_id: null, key_id: null, name: null },
}

/** The operation to log in place of one that only a newer daybook knows. */
function knownOperation({ op, object }: RemoteChange, unknown: Unknown): Pick<RemoteChange, 'op'> {
  if (CHANGE_OPERATIONS.includes(op) || !isWord(op)) return { op }
  unknown.note()
  return { op: object === null || object === undefined ? 'deleted' : 'updated' }
}

/**
 * A change of the feed as this version knows it; undefined for an unknown kind. Refuses a change that no daybook could
 * have logged, or whose object is not the named one. A remote of this version also names secrets, which no object
 * shows.
 */
export function receivedChange(
  received: RemoteChange,
  unknown: Unknown,
  isOfThisVersion: boolean,
): RemoteChange | undefined {
  const { kind, id, object } = received
  if (!isKnownKind(kind)) {
    unknown.leaveOut(kind, id, isObject(object))
    return undefined
  }
  const whole = { ...NO_CHANGE, ...received, ...knownOperation(received, unknown) }
  check('change', whole)
  const change = isOfThisVersion ? whole : knownDifference(kind, whole)
  const { structure_id } = change
  const known = isObject(object) ? knownObject({ kind, structure_id, object }, unknown) : null
  if (known && known.id !== id)
    throw refused(`The remote sent a change of the ${kind.replaceAll('_', ' ')} ${id} with another.`)
  // The copy deletes its object, because the remote now has one that this version does not know.
  return known === undefined ? { ...change, op: 'deleted', object: null } : { ...change, object: known }
}
