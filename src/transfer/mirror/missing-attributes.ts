import { Kind, type TSchema } from '@sinclair/typebox'
import { isObject, type JsonObject } from '../../lib/json.ts'
import type { ChangeKind } from '../../storage/schema/changes.ts'

/*
 * A remote of an earlier version lacks later attributes. Whatever its version, an object without them is accepted and
 * gets the values of an object that was created without them.
 */

/** The attributes that identify an object of a kind or that it cannot be stored without. */
export const ESSENTIAL: Record<ChangeKind, readonly string[]> = {
  note: ['id', 'title'],
  record: ['id', 'data'],
  tag: ['id', 'name'],
  property: ['id', 'key', 'type'],
  structure: ['id', 'name', 'fields'],
  preset: ['id', 'name'],
  view: ['id', 'name'],
  lens: ['id', 'name'],
  quick_access_item: ['id', 'note_id'],
  file: ['id', 'file_name', 'size'],
  webhook: ['id', 'url', 'structure'],
  source: ['id', 'name', 'structure', 'provider'],
  row_view: ['id', 'structure_id', 'name'],
  share: ['id'],
  comment: ['id', 'note_id', 'record_id', 'text'],
}

export const ESSENTIAL_OF_CHANGES: readonly string[] = ['cursor', 'at', 'transaction', 'kind', 'op', 'id']

/** The same for nested objects, such as a field of a structure or a condition of a filter. */
export const ESSENTIAL_WITHIN: readonly string[] = ['id', 'key', 'type', 'field', 'op']

const EPOCH = '1970-01-01T00:00:00.000Z'

type Derive = (object: JsonObject) => unknown

const createdAt: Derive = ({ updated_at }) => updated_at ?? EPOCH
const updatedAt: Derive = ({ created_at }) => created_at ?? EPOCH
const key: Derive = (object) => object.key

/** Defaults other than the natural empty values, by `kind.attribute`; within objects, by the attribute alone. */
const DEFAULTS: Readonly<Record<string, Derive>> = {
  created_at: createdAt,
  updated_at: updatedAt,
  label: key,
  level: () => 1,
  page: () => 1,
  links: () => true,
  orphans: () => true,
  arrows: () => true,
  direction: () => 'desc',
  'view.sort': () => ({ field: 'updated_at', direction: 'desc' }),
  'view.show_tags': () => true,
  'file.mime_type': () => 'application/octet-stream',
  'file.status': ({ pages, error }) => {
    if (pages !== null) return 'ready'
    return typeof error === 'string' ? 'failed' : 'processing'
  },
  'file.pages': ({ status = 'ready' }) => (status === 'ready' ? 0 : null),
  'webhook.status': () => 'disabled',
  'webhook.filter': ({ structure }) => (structure === null ? null : []),
  'row_view.direction': () => null,
}

const isNullable = (schema: TSchema): boolean =>
  schema.rules?.nullable === true || (schema.anyOf as TSchema[] | undefined)?.some(isNull) === true
const isNull = (schema: TSchema): boolean => schema[Kind] === 'Null'

function emptyValue(schema: TSchema): unknown {
  if (isNullable(schema)) return null
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.type === 'array') return []
  if (schema.type === 'object') return completed(schema, {})
  if (schema.type === 'boolean') return false
  if (schema.type === 'integer' || schema.type === 'number') return 0
  return schema.type === 'string' ? '' : null
}

/** Whether a schema, or a nested one, describes objects that may lack attributes. */
function hasAttributes(schema: TSchema): boolean {
  if (schema.type === 'array') return hasAttributes(schema.items ?? {})
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(hasAttributes)
  return isStrict(schema)
}

export const isStrict = (schema: TSchema): boolean =>
  schema.type === 'object' && schema.additionalProperties === false

/** The alternative of a schema that describes a value; the schema itself if it has no alternatives. */
export function meantSchema(schema: TSchema, value: unknown): TSchema {
  if (!Array.isArray(schema.anyOf)) return schema
  const type = Array.isArray(value) ? 'array' : 'object'
  return schema.anyOf.find((alternative: TSchema) => alternative.type === type) ?? schema
}

/**
 * Adds the attributes that its schema requires and the value lacks. A complete value is returned unchanged: there may
 * be millions.
 */
export function completed(schema: TSchema, value: unknown, kind?: ChangeKind): unknown {
  const meant = meantSchema(schema, value)
  if (Array.isArray(value)) {
    if (!hasAttributes(meant)) return value
    const items = value.map((item) => completed(meant.items, item))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  if (!isObject(value) || !isStrict(meant)) return value
  return completedObject(meant, value, kind)
}

function completedObject(schema: TSchema, object: JsonObject, kind: ChangeKind | undefined): JsonObject {
  const required = schema.required as string[] | undefined
  let result: Record<string, unknown> | undefined
  for (const [name, attribute] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const value = object[name]
    const isMissing = value === undefined && required?.includes(name) === true
    const whole = isMissing
      ? defaultOf(name, attribute, object, kind)
      : hasAttributes(attribute)
        ? completed(attribute, value)
        : value
    if (whole === value) continue
    result ??= { ...object }
    result[name] = whole
  }
  return result ?? object
}

function defaultOf(name: string, schema: TSchema, object: JsonObject, kind: ChangeKind | undefined): unknown {
  const derive = DEFAULTS[`${kind}.${name}`] ?? DEFAULTS[name]
  return derive ? derive(object) : emptyValue(schema)
}

/** Attributes that every object of a copy has although responses may lack them. */
const ALWAYS_SHOWN: readonly string[] = ['edited_at', 'record_count']

/**
 * The comparable part of an object of the copy: without attributes that the remote lacks although every object has
 * them.
 */
export function asSent(schema: TSchema, sent: unknown, own: unknown): unknown {
  const meant = meantSchema(schema, sent)
  if (Array.isArray(sent) && Array.isArray(own))
    return meant.items ? own.map((item, at) => asSent(meant.items, sent[at], item)) : own
  if (!isObject(sent) || !isObject(own) || !isStrict(meant)) return own
  const always = [...ALWAYS_SHOWN, ...((meant.required as string[] | undefined) ?? [])]
  const attributes = meant.properties as Record<string, TSchema>
  return Object.fromEntries(
    Object.entries(own)
      .filter(([name]) => Object.hasOwn(sent, name) || !always.includes(name))
      .map(([name, value]) => [name, attributes[name] ? asSent(attributes[name], sent[name], value) : value]),
  )
}
