import { isDay } from '../../../lib/dates.ts'
import { fold } from '../../../lib/text.ts'
import { type Options, type PropertyType, refusalOfValue } from '../../../notes/property-values.ts'
import { freeKey, MAX_KEY_LENGTH, unaccented } from '../../field-keys.ts'
import { nameOf } from './note.ts'

const VALID_KEY = /^[a-z][a-z0-9_-]{0,62}$/

/** A valid property key: `due_date` for `Due date`, `property` for a name without Latin letters or digits. */
export function keyOf(written: string): string {
  const plain = unaccented(written).trim()
  if (VALID_KEY.test(plain)) return plain
  const word = plain.replace(/[^a-z0-9-]+/g, '_').replace(/^[_-]+|(?<![_-])[_-]+$/g, '')
  if (word === '') return 'property'
  return (/^[a-z]/.test(word) ? word : `property_${word}`).slice(0, MAX_KEY_LENGTH)
}

function typeOf(value: unknown): PropertyType {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'string') return isDay(value) ? 'date' : 'text'
  return 'json'
}

/** The narrowest type that holds values of both types. */
function commonType(one: PropertyType, other: PropertyType): PropertyType {
  if (one === other) return one
  return one === 'json' || other === 'json' ? 'json' : 'text'
}

/** Numbers and booleans become text for a text or select property. */
function coerced(type: PropertyType, value: unknown): unknown {
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return isPlain && (type === 'text' || type === 'select') ? String(value) : value
}

/** A property with a wider type than its first values need. */
export interface DemotedProperty {
  readonly property: string
  readonly from: PropertyType
  readonly to: PropertyType
  /** The first note whose value does not fit the narrower type. */
  readonly place: string
}

/** A property to be defined. */
export interface NewProperty {
  readonly key: string
  readonly label: string
  readonly type: PropertyType
}

/** A defined property. */
export interface KnownProperty {
  readonly key: string
  readonly type: PropertyType
  readonly label: string | null
}

export const NO_OPTIONS: Options = { has: () => false, list: () => [] }

/** The properties that front matter keys refer to: existing ones, by key or label, and new ones. */
export class PropertyPlan<Rule extends KnownProperty> {
  readonly #known = new Map<string, Rule>()
  readonly #new = new Map<string, { readonly label: string; type: PropertyType }>()
  readonly demoted: DemotedProperty[] = []

  constructor(
    rules: readonly Rule[],
    private readonly optionsOf: (rule: Rule) => Options,
  ) {
    for (const rule of rules.toReversed()) if (rule.label !== null) this.#known.set(fold(rule.label), rule)
    for (const rule of rules) this.#known.set(rule.key, rule)
  }

  #ruleOf = (written: string): Rule | undefined => this.#known.get(fold(written).trim())

  /** Refuses values that a note cannot hold. */
  refuseUnfit(properties: ReadonlyMap<string, unknown>): void {
    for (const [written, value] of properties) {
      const refusal = this.#refusalOf(written, value)
      if (refusal) throw refusal
    }
  }

  #refusalOf(written: string, value: unknown) {
    const rule = this.#ruleOf(written)
    if (rule) return refusalOfValue(rule, coerced(rule.type, value), this.optionsOf(rule))
    const isText = typeof value === 'string'
    return isText ? refusalOfValue({ key: keyOf(written), type: 'text' }, value, NO_OPTIONS) : undefined
  }

  /** Collects properties that have no definition, with a type that fits all of their values. */
  collect(properties: ReadonlyMap<string, unknown>, place: string): void {
    for (const [written, value] of properties) {
      if (this.#ruleOf(written)) continue
      const name = fold(written).trim()
      const known = this.#new.get(name)
      if (known) this.#widen(known, typeOf(value), place)
      else this.#new.set(name, { label: nameOf(written.trim()), type: typeOf(value) })
    }
  }

  #widen(property: { readonly label: string; type: PropertyType }, type: PropertyType, place: string): void {
    const to = commonType(property.type, type)
    if (to === property.type) return
    this.demoted.push({ property: property.label, from: property.type, to, place })
    property.type = to
  }

  /** The collected properties by name, in the order of their first use. The caller must pass each one to `define`. */
  newProperties(): ReadonlyMap<string, NewProperty> {
    const taken = new Set([...this.#known.values()].map(({ key }) => key))
    return new Map(
      Array.from(this.#new, ([name, { label, type }]) => {
        const key = freeKey(keyOf(name), taken)
        taken.add(key)
        return [name, { key, label, type }]
      }),
    )
  }

  define(name: string, rule: Rule): void {
    this.#known.set(name, rule)
  }

  /** The stored values of a note without refused values. If two keys name one property, the first takes precedence. */
  valuesOf(properties: ReadonlyMap<string, unknown>): Map<Rule, unknown> {
    const values = new Map<Rule, unknown>()
    for (const [written, value] of properties) {
      const rule = this.#ruleOf(written)
      if (rule && !values.has(rule)) values.set(rule, coerced(rule.type, value))
    }
    return values
  }
}
