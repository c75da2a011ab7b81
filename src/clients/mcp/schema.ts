import { type TSchema, Type } from '@sinclair/typebox'
import { choice, flag, integer, members, text } from '../../http/schema/types.ts'

/* The common parts of the tools' schemas. */

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)

export const limit = (usual: number, maximum: number) =>
  optional(integer({ minimum: 1, maximum, description: `${usual} unless given` }))

export const offset = () => optional(integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

export const name = (description?: string) => text({ minLength: 1, description })

export const direction = () => optional(choice(['asc', 'desc']))

export const dryRun = () => optional(flag({ description: 'check only, write nothing' }))

export const ifUnchanged = () => optional(text({ description: 'the updated_at that was read' }))

/** The conditions on rows in the API's format, except that they are not JSON text. */
export const recordFilter = () =>
  optional(
    Type.Array(
      Type.Object(
        { field: Type.String(), op: Type.String(), value: optional(Type.Unknown()) },
        { additionalProperties: false },
      ),
      {
        description:
          'all must hold; op: eq neq gt gte lt lte in not_in contains is_empty not_empty; has_any has_all has_none for several values; field "*" contains searches every value',
      },
    ),
  )

/** Values by key; the service checks them. */
export const values = (description?: string) => members({ description })

/** The output schema of a tool: it guarantees the members, but not their content. */
export const output = (properties: Record<string, TSchema>) => Type.Object(properties)

export const list = () => Type.Array(Type.Object({}))
export const object = () => Type.Object({})
export const page = (items: string) =>
  output({ [items]: list(), total: Type.Integer(), has_more: Type.Boolean() })
export const transaction = () => Type.Union([Type.String(), Type.Null()])

/** The published keywords; patterns and similar ones would only lengthen the list of tools. */
const PUBLISHED = new Set([
  'type',
  'enum',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxLength',
  'required',
  'description',
  'additionalProperties',
])

/** A schema as standard JSON Schema. */
export function published(schema: TSchema): Record<string, unknown> {
  const written: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties')
      written.properties = Object.fromEntries(
        Object.entries(value as Record<string, TSchema>).map(([key, member]) => [key, published(member)]),
      )
    else if (keyword === 'items') written.items = published(value as TSchema)
    else if (keyword === 'anyOf') written.anyOf = (value as TSchema[]).map(published)
    else if (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER) continue
    else if (
      PUBLISHED.has(keyword) &&
      value !== undefined &&
      (typeof value !== 'object' || Array.isArray(value))
    )
      written[keyword] = value
  }
  return written
}
