import { type FuzzContext, freeMembers, valueFor } from './domain-values.ts'
import type { Document, Schema } from './openapi.ts'
import { aHostileText, aPhrase, aWord } from './texts.ts'

export interface Place {
  readonly operationId: string
  readonly isQuery: boolean
}

const DEPTH = 6

/** Generates values that are valid for a schema, preferring values that the server is likely to accept. */
export class SchemaValues {
  constructor(
    readonly context: FuzzContext,
    readonly schemas: Document['components']['schemas'],
  ) {}

  /** Returns a value for the member or parameter `name`. */
  named(name: string, schema: Schema, place: Place, depth = DEPTH): unknown {
    const isArray = this.resolve(schema).type === 'array'
    const special = this.context.random.chance(0.9)
      ? valueFor(this.context, { ...place, isArray }, name)
      : undefined
    return special === undefined ? this.valid(schema, place, depth) : special
  }

  valid(given: Schema, place: Place, depth = DEPTH): unknown {
    const { random } = this.context
    const schema = this.resolve(given)
    const choices = schema.anyOf ?? schema.oneOf
    if (schema.enum) return random.pick(schema.enum)
    if (choices) return this.valid(random.pick(choices), place, depth)
    switch (this.#typeOf(schema)) {
      case 'object':
        return this.#object(schema, place, depth)
      case 'array':
        return this.#array(schema, place, depth)
      case 'string':
        return this.#text(schema)
      case 'integer':
      case 'number':
        return this.#number(schema)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      default:
        return schema.examples ? random.pick(schema.examples) : random.pick<unknown>([null, 1, 'a', [], {}])
    }
  }

  resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema
    return this.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}
  }

  #typeOf({ type }: Schema): string | undefined {
    if (!Array.isArray(type)) return type
    const { random } = this.context
    return type.includes('null') && random.chance(0.8)
      ? type.find((one) => one !== 'null')
      : random.pick(type)
  }

  #object({ properties, required = [], additionalProperties }: Schema, place: Place, depth: number): unknown {
    if (!properties) return additionalProperties === false ? {} : freeMembers(this.context)
    if (depth === 0) return {}
    const wanted = Object.entries(properties).filter(
      ([name]) => required.includes(name) || this.context.random.chance(0.4),
    )
    return Object.fromEntries(
      wanted.map(([name, schema]) => [name, this.named(name, schema, place, depth - 1)]),
    )
  }

  #array({ items = {}, minItems = 0, maxItems = 3 }: Schema, place: Place, depth: number): unknown {
    const length =
      depth === 0
        ? minItems
        : this.context.random.between(minItems, Math.max(minItems, Math.min(maxItems, 3)))
    return Array.from({ length }, () => this.valid(items, place, depth - 1))
  }

  #text({ pattern, minLength = 0, maxLength = 1000, examples = [] }: Schema): string {
    const { random } = this.context
    const candidates = [aWord(random), aPhrase(random), aHostileText(random), ...examples.map(String)]
    const fits = (text: string) =>
      text.length >= minLength &&
      text.length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(text))
    const usable = candidates.filter(fits)
    return usable.length > 0 ? random.pick(usable) : aWord(random)
  }

  #number({ minimum, maximum }: Schema): number {
    const { random } = this.context
    const low = minimum ?? -1000
    const high = maximum ?? low + 1000
    return random.pick([low, high, random.between(low, Math.min(high, low + 50)), Math.min(high, low + 1)])
  }
}
