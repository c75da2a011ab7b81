import type { TSchema } from '@sinclair/typebox'
import type { ChangeKind } from '../changes/entries.ts'
import { FileWithOutlineResponse } from '../files/schema.ts'
import { members, strict } from '../http/schema/types.ts'
import { Lens } from '../lenses/schema.ts'
import { Note } from '../notes/schema.ts'
import { Preset } from '../presets/schema.ts'
import { Property } from '../properties/schema.ts'
import { QuickAccessItem } from '../quick-access/schema.ts'
import { RecordObject } from '../records/schema.ts'
import { Structure } from '../structures/schema.ts'
import { Tag } from '../tags/schema.ts'
import { View } from '../views/schema.ts'
import { Webhook } from '../webhooks/schema.ts'
import type { RemoteChange, RemoteObject } from './remote-objects.ts'

/*
 * A remote of a newer minor version may send attributes that this program does not know. They are left out: the copy has
 * no place for them, and every object would seem to differ from the remote's.
 */

const SCHEMAS: Record<ChangeKind, TSchema> = {
  note: strict({ ...Note.properties, properties: members() }),
  record: RecordObject,
  tag: Tag,
  property: Property,
  structure: Structure,
  preset: Preset,
  view: View,
  lens: Lens,
  quick_access_item: QuickAccessItem,
  file: FileWithOutlineResponse.properties.file,
  webhook: Webhook,
}

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
