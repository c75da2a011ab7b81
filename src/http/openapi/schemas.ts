import type { TSchema } from '@sinclair/typebox'
import type { RuleSchema } from '../schema/types.ts'

/** A JSON Schema in the document. */
export type JsonSchema = Record<string, unknown>

/** The published keywords; `words`, `rules` and `$id` are not. */
const KEYWORDS = [
  'type',
  'format',
  'enum',
  'const',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'default',
  'deprecated',
  'examples',
] as const

/** Collects named schemas (`$id`) while others are written with references to them. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {}

  /** The schema as JSON Schema 2020-12; a named one becomes a component and a reference to it. */
  write(schema: TSchema): JsonSchema {
    if (typeof schema.$ref === 'string') return { $ref: referenceTo(schema.$ref) }
    if (schema.$id === undefined) return this.#writeInline(schema)
    if (!(schema.$id in this.schemas)) {
      this.schemas[schema.$id] = {}
      this.schemas[schema.$id] = this.#writeInline(schema)
    }
    return { $ref: referenceTo(schema.$id) }
  }

  #writeInline(schema: TSchema): JsonSchema {
    const written: JsonSchema = {}
    for (const keyword of KEYWORDS) {
      if (schema[keyword] !== undefined) written[keyword] = schema[keyword]
    }
    const description = describe(schema as TSchema & Partial<RuleSchema>)
    if (description !== undefined) written.description = description
    if (schema.oneOf) return this.#writeAlternatives(schema, written)
    if (schema.properties) written.properties = this.#writeAll(schema.properties)
    if (schema.items) written.items = this.write(schema.items)
    this.#writeAdditional(schema, written)
    if (schema.anyOf) this.#writeUnion(schema.anyOf, written)
    return written
  }

  #writeAll(schemas: Record<string, TSchema>): Record<string, JsonSchema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.write(schema)]))
  }

  #writeAdditional({ additionalProperties }: TSchema, written: JsonSchema): void {
    if (typeof additionalProperties === 'boolean') written.additionalProperties = additionalProperties
    else if (additionalProperties) written.additionalProperties = this.write(additionalProperties)
  }

  /** Alternatives that the document shows in place of the members that the service checks. */
  #writeAlternatives({ oneOf, discriminator }: TSchema, { description, examples }: JsonSchema): JsonSchema {
    const options = (oneOf as TSchema[]).map((option) => ({ option, reference: this.write(option) }))
    return {
      ...(description !== undefined && { description }),
      ...(examples !== undefined && { examples }),
      oneOf: options.map(({ reference }) => reference),
      ...(typeof discriminator === 'string' && {
        discriminator: { propertyName: discriminator, mapping: mappingOf(discriminator, options) },
      }),
    }
  }

  /** `X or null` is one schema of two types if X has a plain type; any other union stays one. */
  #writeUnion(options: TSchema[], written: JsonSchema): void {
    const others = options.filter(({ type }) => type !== 'null')
    const [only] = others
    if (others.length < options.length && others.length === 1 && isPlain(only)) {
      const inner = this.write(only)
      Object.assign(written, { ...inner, ...written, type: [inner.type, 'null'] })
      if (Array.isArray(inner.enum)) written.enum = [...inner.enum, null]
      return
    }
    written.anyOf = options.map((option) => this.write(option))
  }
}

/** Maps each value of the discriminating member to its named schema. */
const mappingOf = (member: string, options: { option: TSchema; reference: JsonSchema }[]) =>
  Object.fromEntries(
    options.map(({ option, reference }) => [option.properties[member].enum[0], reference.$ref]),
  )

/** The description, including rules that JSON Schema cannot state. */
function describe({ description, words, rules }: TSchema & Partial<RuleSchema>): string | undefined {
  if (!(rules?.says || rules?.singleLine || rules?.trimmed)) return description
  return [description, `Must be ${words}.`].filter(Boolean).join(' ')
}

const referenceTo = (name: string) => `#/components/schemas/${name}`

const isPlain = (schema: TSchema | undefined): schema is TSchema =>
  schema !== undefined && typeof schema.type === 'string' && schema.$id === undefined

/** A valid value, composed from the `examples` of the schema. */
export function exampleOf(schema: TSchema): unknown {
  const [example] = schema.examples ?? []
  if (example !== undefined) return example
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return exampleOfUnion(schema.anyOf)
  return exampleOfType(schema)
}

/** An example of the first option that has one; else null if allowed. */
function exampleOfUnion(options: TSchema[]): unknown {
  const chosen = options.find(({ examples }) => examples) ?? options.find(({ type }) => type === 'null')
  return exampleOf(chosen ?? (options[0] as TSchema))
}

function exampleOfType(schema: TSchema): unknown {
  const types: string[] = [schema.type].flat()
  if (types.includes('null')) return null
  if (types.includes('object')) return exampleOfObject(schema)
  if (types.includes('array')) return exampleOfList(schema)
  if (types.includes('boolean')) return false
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1
  return types.includes('string') ? 'text' : null
}

function exampleOfObject({ properties = {} }: TSchema): unknown {
  const members = Object.entries(properties as Record<string, TSchema>)
  return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)]))
}

function exampleOfList({ items, maxItems }: TSchema): unknown {
  return items && maxItems !== 0 ? [exampleOf(items)] : []
}
