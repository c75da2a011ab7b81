import type { Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Tx } from '../../db/writes/write-queue.ts'
import { isDay } from '../../lib/dates.ts'
import { fold } from '../../lib/text.ts'
import {
  type PropertyRule,
  type PropertyType,
  setValue,
  valueRefusal,
} from '../../notes/writing/property-values.ts'
import { createProperty, listProperties } from '../../properties/service.ts'
import { freeKey, LONGEST_KEY, unaccented } from '../keys.ts'
import { nameOf } from './note.ts'

const FITTING_KEY = /^[a-z][a-z0-9_-]{0,62}$/

/** A key as notes hold it: `Due date` is `due_date`, and one of other letters `property`. */
function keyOf(written: string): string {
  const plain = unaccented(written).trim()
  if (FITTING_KEY.test(plain)) return plain
  const word = plain.replace(/[^a-z0-9-]+/g, '_').replace(/^[_-]+|[_-]+$/g, '')
  if (word === '') return 'property'
  return (/^[a-z]/.test(word) ? word : `property_${word}`).slice(0, LONGEST_KEY)
}

function typeOf(value: unknown): PropertyType {
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'string') return isDay(value) ? 'date' : 'text'
  return 'json'
}

/** The narrowest type that holds values of both. */
function widened(one: PropertyType, other: PropertyType): PropertyType {
  if (one === other) return one
  return one === 'json' || other === 'json' ? 'json' : 'text'
}

/** A value as the type takes it: numbers and yes/no have a text, too. */
function fitted(type: PropertyType, value: unknown): unknown {
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return isPlain && (type === 'text' || type === 'select') ? String(value) : value
}

const TEXT: Omit<PropertyRule, 'key'> = { pk: 0, type: 'text', options: null }

/** A property that no definition stood for when the import began. */
interface NewProperty {
  readonly label: string
  type: PropertyType
}

/** The properties that the keys of front matter mean: those defined already, by key or label, and new ones. */
export class VaultProperties {
  readonly #known = new Map<string, PropertyRule>()
  readonly #new = new Map<string, NewProperty>()

  constructor(reader: Reader, caller: Caller) {
    const rows = listProperties(reader, caller)
    for (const row of rows.toReversed()) if (row.label !== null) this.#known.set(fold(row.label), row)
    for (const row of rows) this.#known.set(row.key, row)
  }

  #ruleOf = (written: string): PropertyRule | undefined => this.#known.get(fold(written).trim())

  /** Why a note cannot hold what its front matter says, if it cannot. */
  refusalOf(properties: ReadonlyMap<string, unknown>): string | undefined {
    for (const [written, value] of properties) {
      const rule = this.#ruleOf(written)
      const judged = rule ?? (typeof value === 'string' ? { ...TEXT, key: keyOf(written) } : undefined)
      const refusal = judged && valueRefusal(judged, fitted(judged.type, value))
      if (refusal) return refusal.message
    }
    return undefined
  }

  /** Learns the types of new properties from all that is to come. */
  learn(properties: ReadonlyMap<string, unknown>): void {
    for (const [written, value] of properties) {
      if (this.#ruleOf(written)) continue
      const name = fold(written).trim()
      const known = this.#new.get(name)
      if (known) known.type = widened(known.type, typeOf(value))
      else this.#new.set(name, { label: nameOf(written.trim()), type: typeOf(value) })
    }
  }

  /** Defines what is new, in the order in which it was learnt; answers how many. */
  define(tx: Tx, caller: Caller): number {
    const taken = new Set([...this.#known.values()].map(({ key }) => key))
    for (const [name, { label, type }] of this.#new) {
      const key = freeKey(keyOf(name), taken)
      taken.add(key)
      this.#known.set(name, createProperty(tx, caller, { key, type, ...(label !== key && { label }) }))
    }
    return this.#new.size
  }

  /** Gives a new note its values, none of which was refused. Of two keys that mean one property the first counts. */
  put(tx: Tx, note: number, properties: ReadonlyMap<string, unknown>): void {
    const set = new Set<PropertyRule>()
    for (const [written, value] of properties) {
      const rule = this.#ruleOf(written)
      if (!rule || set.has(rule)) continue
      set.add(rule)
      setValue(tx, note, rule, fitted(rule.type, value))
    }
  }
}
