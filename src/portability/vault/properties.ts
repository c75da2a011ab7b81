import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { isDay } from '../../lib/dates.ts'
import { fold } from '../../lib/text.ts'
import { type PropertyRule, type PropertyType, valueRefusal } from '../../notes/writing/properties.ts'
import { createProperty, getPropertyRow, propertyKind } from '../../properties/service.ts'
import { refused } from '../../refusal.ts'
import { freeKey, MAX_KEY_LENGTH, unaccented } from '../field-keys.ts'
import { nameOf } from './note.ts'

const VALID_KEY = /^[a-z][a-z0-9_-]{0,62}$/

/** A valid property key: `due_date` for `Due date`, `property` for a name without Latin letters or digits. */
function keyOf(written: string): string {
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

/** The narrowest type that holds values of both. */
function commonType(one: PropertyType, other: PropertyType): PropertyType {
  if (one === other) return one
  return one === 'json' || other === 'json' ? 'json' : 'text'
}

/** Numbers and booleans become text for a text or select property. */
function coerced(type: PropertyType, value: unknown): unknown {
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return isPlain && (type === 'text' || type === 'select') ? String(value) : value
}

const NEW_TEXT_PROPERTY: Omit<PropertyRule, 'key'> = { pk: 0, type: 'text' }

/** A property that got a wider type than its first values have. */
export interface DemotedProperty {
  readonly property: string
  readonly from: PropertyType
  readonly to: PropertyType
  /** The first note whose value does not fit the narrower type. */
  readonly place: string
}

/** A property that has no definition yet. */
interface NewProperty {
  readonly label: string
  type: PropertyType
}

/** The properties that front matter keys refer to: existing ones, by key or label, and new ones. */
export class VaultProperties {
  readonly #known = new Map<string, PropertyRule>()
  readonly #new = new Map<string, NewProperty>()
  readonly demoted: DemotedProperty[] = []

  constructor(
    private readonly reader: Reader,
    caller: Caller,
  ) {
    const rows = propertyKind.rows(reader, caller.workspacePk)
    for (const row of rows.toReversed()) if (row.label !== null) this.#known.set(fold(row.label), row)
    for (const row of rows) this.#known.set(row.key, row)
  }

  #ruleOf = (written: string): PropertyRule | undefined => this.#known.get(fold(written).trim())

  /** Refuses values that a note cannot hold. */
  refuseUnfit(properties: ReadonlyMap<string, unknown>): void {
    for (const [written, value] of properties) {
      const rule =
        this.#ruleOf(written) ??
        (typeof value === 'string' ? { ...NEW_TEXT_PROPERTY, key: keyOf(written) } : undefined)
      const refusal = rule && valueRefusal(this.reader, rule, coerced(rule.type, value))
      if (refusal) throw refused(refusal.message)
    }
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

  #widen(property: NewProperty, type: PropertyType, place: string): void {
    const to = commonType(property.type, type)
    if (to === property.type) return
    this.demoted.push({ property: property.label, from: property.type, to, place })
    property.type = to
  }

  /** Defines the collected properties, in the order in which they were first seen. Returns their number. */
  defineNew(tx: Tx, caller: Caller): number {
    const taken = new Set([...this.#known.values()].map(({ key }) => key))
    for (const [name, { label, type }] of this.#new) {
      const key = freeKey(keyOf(name), taken)
      taken.add(key)
      createProperty(tx, caller, { key, type, ...(label !== key && { label }) })
      this.#known.set(name, getPropertyRow(tx, caller, key))
    }
    return this.#new.size
  }

  /** The values of a note, none of which was refused, as they are stored. Of two keys for one property the first counts. */
  valuesOf(properties: ReadonlyMap<string, unknown>): Map<PropertyRule, unknown> {
    const values = new Map<PropertyRule, unknown>()
    for (const [written, value] of properties) {
      const rule = this.#ruleOf(written)
      if (rule && !values.has(rule)) values.set(rule, coerced(rule.type, value))
    }
    return values
  }
}
