import type { TSchema } from '@sinclair/typebox'
import type { ChangeKind } from '../changes/entries.ts'
import { SCHEMAS } from './object-forms.ts'
import type { RemoteChange, RemoteObject } from './remote-objects.ts'

/*
 * A remote of a newer minor version may send attributes that this program does not know. They are left out: the copy has
 * no place for them, and every object would seem to differ from the remote's.
 */

/** The object with the attributes of this version alone. */
export const knownObject = (kind: ChangeKind, object: RemoteObject): RemoteObject =>
  known(SCHEMAS[kind], object) as RemoteObject

/** The change, and its object, with the attributes of this version alone. */
export function knownChange(change: RemoteChange): RemoteChange {
  const { kind, changed, previous } = change
  const object = change.object && knownObject(kind, change.object)
  // Those of a record are the fields of its structure.
  if (kind === 'record') return { ...change, object }
  const attributes: Readonly<Record<string, TSchema>> = SCHEMAS[kind].properties
  const isKnown = (name: string) => attributes[name] !== undefined
  return { ...change, object, changed: changed.filter(isKnown), previous: pick(attributes, previous) }
}

function known(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value)) return schema.items ? value.map((item) => known(schema.items, item)) : value
  if (value === null || typeof value !== 'object' || schema.additionalProperties !== false) return value
  return pick(schema.properties, value)
}

const pick = (attributes: Readonly<Record<string, TSchema>>, object: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const schema = attributes[name]
      return schema ? [[name, known(schema, value)]] : []
    }),
  )
