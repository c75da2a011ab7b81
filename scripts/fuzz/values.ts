import type { Document, Schema } from './document.ts'
import { freeMembers, hintFor, type World } from './domain.ts'
import { aNastyText, aPhrase, aWord } from './texts.ts'

export interface Place {
  readonly operationId: string
  readonly isQuery: boolean
}

const DEPTH = 6

/** Values that fit a schema, and of those the ones likely to be accepted. */
export class Values {
  constructor(
    readonly world: World,
    readonly schemas: Document['components']['schemas'],
  ) {}

  /** A value for the member or parameter `name`. */
  named(name: string, schema: Schema, place: Place, depth = DEPTH): unknown {
    const isArray = this.inFull(schema).type === 'array'
    const hinted = this.world.random.chance(0.9)
      ? hintFor(this.world, { ...place, isArray }, name)
      : undefined
    return hinted === undefined ? this.fitting(schema, place, depth) : hinted
  }

  fitting(given: Schema, place: Place, depth = DEPTH): unknown {
    const { random } = this.world
    const schema = this.inFull(given)
    const choices = schema.anyOf ?? schema.oneOf
    if (schema.enum) return random.pick(schema.enum)
    if (choices) return this.fitting(random.pick(choices), place, depth)
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

  inFull(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema
    return this.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}
  }

  #typeOf({ type }: Schema): string | undefined {
    if (!Array.isArray(type)) return type
    const { random } = this.world
    return type.includes('null') && random.chance(0.8)
      ? type.find((one) => one !== 'null')
      : random.pick(type)
  }

  #object({ properties, required = [], additionalProperties }: Schema, place: Place, depth: number): unknown {
    if (!properties) return additionalProperties === false ? {} : freeMembers(this.world)
    if (depth === 0) return {}
    const wanted = Object.entries(properties).filter(
      ([name]) => required.includes(name) || this.world.random.chance(0.4),
    )
    return Object.fromEntries(
      wanted.map(([name, schema]) => [name, this.named(name, schema, place, depth - 1)]),
    )
  }

  #array({ items = {}, minItems = 0, maxItems = 3 }: Schema, place: Place, depth: number): unknown {
    const length =
      depth === 0 ? minItems : this.world.random.between(minItems, Math.max(minItems, Math.min(maxItems, 3)))
    return Array.from({ length }, () => this.fitting(items, place, depth - 1))
  }

  #text({ pattern, minLength = 0, maxLength = 1000, examples = [] }: Schema): string {
    const { random } = this.world
    const candidates = [aWord(random), aPhrase(random), aNastyText(random), ...examples.map(String)]
    const fits = (text: string) =>
      text.length >= minLength &&
      text.length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(text))
    const usable = candidates.filter(fits)
    return usable.length > 0 ? random.pick(usable) : aWord(random)
  }

  #number({ minimum, maximum }: Schema): number {
    const { random } = this.world
    const low = minimum ?? -1000
    const high = maximum ?? low + 1000
    return random.pick([low, high, random.between(low, Math.min(high, low + 50)), Math.min(high, low + 1)])
  }
}
