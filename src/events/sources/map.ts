import { checkOperands } from '../../filter/operands.ts'
import {
  isNegated,
  OPERATORS,
  type Positive,
  positiveOf,
  SOURCE_OPERATORS,
  type SourceOperator,
} from '../../filter/operators.ts'
import { FIELD_TYPES, type FieldType, isComputed, rulesOf } from '../../filter/record/field-types.ts'
import { isoTimestamp, utcDay } from '../../lib/dates.ts'
import { isObject } from '../../lib/json.ts'
import { knownNames } from '../../lib/near-miss.ts'
import { atPlace, fail, invalid, refused } from '../../lib/refusal.ts'
import { checkStorable } from '../../lib/storable-json.ts'
import type { Definition, FieldDefinition } from '../../records/structures/store.ts'
import {
  checkedHeader,
  checkedPath,
  keysOf,
  type Place,
  parsePlace,
  type ReadCall,
  valueAt,
} from './read-call.ts'

/** A map of a source: the origin of each field's value. */
export type SourceMap = Readonly<Record<string, unknown>>

interface Entry {
  /** The position of the value, or a constant. */
  readonly from: Place | { readonly value: unknown }
  readonly as: Conversion | undefined
  /** The fallback for a missing value. */
  readonly otherwise: unknown
}

interface Conversion {
  readonly name: string
  readonly types: readonly FieldType[]
  /** The value for a field; undefined for a value in another format. */
  readonly convert: (value: unknown, type: FieldType) => unknown
}

const TEXTS: readonly FieldType[] = FIELD_TYPES.filter((type) => rulesOf({ type }).storage === 'TEXT')
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && JSON_NUMBER.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const [FIRST_INSTANT, LAST_INSTANT] = [
  Date.parse('0000-01-01T00:00:00.000Z'),
  Date.parse('9999-12-31T23:59:59.999Z'),
]

const fromEpoch = (unitMs: number) => (value: unknown, type: FieldType) => {
  const number = numberOf(value)
  if (number === undefined) return undefined
  const instant = Math.floor(number * unitMs)
  if (instant < FIRST_INSTANT || instant > LAST_INSTANT) return undefined
  return type === 'date' ? utcDay(instant) : isoTimestamp(instant)
}

function boolOf(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  return value === false || value === 0 || value === 'false' || value === '0' ? false : undefined
}

function centsOf(value: unknown): number | undefined {
  const number = numberOf(value)
  return number === undefined ? undefined : number / 100
}

const conversion = (name: string, types: readonly FieldType[], convert: Conversion['convert']) => ({
  name,
  types,
  convert,
})

const CONVERSIONS: readonly Conversion[] = [
  conversion('text', TEXTS, (value) => (typeof value === 'object' ? undefined : String(value))),
  conversion('number', ['number'], numberOf),
  conversion('bool', ['bool'], boolOf),
  conversion('json', ['text'], (value) => JSON.stringify(value)),
  conversion('epoch_s', ['date', 'datetime'], fromEpoch(1_000)),
  conversion('epoch_ms', ['date', 'datetime'], fromEpoch(1)),
  conversion('cents', ['number'], centsOf),
]

const KEYS = ['path', 'header', 'value', 'as', 'default']

function parseEntry(sent: unknown, field: FieldDefinition): Entry {
  const { key, type } = field
  const where = `"map.${key}"`
  if (!isObject(sent)) return { from: parsePlace(sent, where), as: undefined, otherwise: undefined }
  const unknown = Object.keys(sent).find((name) => !KEYS.includes(name))
  if (unknown !== undefined)
    throw invalid(
      `"map.${key}.${unknown}" is not known here; ${knownNames(unknown, KEYS)}`,
      atPlace(`map.${key}`, unknown),
    )
  if (['path', 'header', 'value'].filter((name) => sent[name] !== undefined).length !== 1)
    throw invalid(`${where} must have exactly one of "path", "header" and "value".`)
  const as = sent.as === undefined ? undefined : CONVERSIONS.find(({ name }) => name === sent.as)
  if (sent.as !== undefined && !as?.types.includes(type)) {
    const fitting = CONVERSIONS.filter(({ types }) => types.includes(type)).map(({ name }) => name)
    throw invalid(
      `"map.${key}.as" must be ${fitting.length > 0 ? `one of ${fitting.join(', ')}` : 'left out'}: the field is of type "${type}".`,
      atPlace(`map.${key}.as`),
    )
  }
  const rules = rulesOf(field)
  const constant = sent.value === undefined || as ? sent.default : sent.value
  if (constant !== undefined && constant !== null && rules.normalise(constant) === undefined)
    throw invalid(`${where}: the value must be ${rules.words}.`)
  return { from: fromOf(sent, where), as, otherwise: sent.default }
}

function fromOf({ path, header, value }: Readonly<Record<string, unknown>>, where: string): Entry['from'] {
  if (path !== undefined) return checkedPath(path, where)
  return header === undefined ? { value } : checkedHeader(header, where)
}

/** Refuses a map that does not match the structure. */
export function checkMap(map: SourceMap, { byKey }: Pick<Definition, 'byKey'>): void {
  for (const [key, sent] of Object.entries(map)) {
    const field = byKey.get(key)
    if (!field)
      throw invalid(`"map" names "${key}", and the structure has no such field.`, atPlace('map', key))
    if (isComputed(field))
      throw invalid(`"map" names "${key}", a ${field.type}, which the server computes.`, atPlace('map', key))
    parseEntry(sent, field)
  }
}

/**
 * The values of a row, by field key, without fields whose value is missing. Refuses values that cannot be converted or
 * stored.
 */
export function mappedData(map: SourceMap, { byKey }: Definition, call: ReadCall): Record<string, unknown> {
  if (Object.keys(map).length === 0)
    throw refused('The source maps no field yet; say where the values of a row are.')
  const data: Record<string, unknown> = {}
  for (const [key, sent] of Object.entries(map)) {
    const field = byKey.get(key)
    if (!field)
      throw refused(`"map" names "${key}", and the structure no longer has this field.`, atPlace('map'))
    const value = mappedValue(parseEntry(sent, field), field, call)
    if (value !== undefined && value !== null) data[key] = value
  }
  checkStorable(data, 'The event')
  return data
}

function mappedValue(
  { from, as, otherwise }: Entry,
  { key, type, multiple }: FieldDefinition,
  call: ReadCall,
): unknown {
  const found = ('value' in from ? from.value : valueAt(from, call)) ?? undefined
  if (found === undefined || !as) return found ?? otherwise
  if (as.name === 'json' && 'path' in from && call.text !== undefined && hasNumberKeys(call.text)) {
    call.ordered ??= new OrderedJson(call.text)
    return call.ordered.at(keysOf(from.path))
  }
  if (multiple) {
    const values = (Array.isArray(found) ? found : [found]).map((value) => as.convert(value, type))
    if (!values.includes(undefined)) return values.length === 0 ? undefined : values
  }
  const converted = multiple ? undefined : as.convert(found, type)
  if (converted !== undefined) return converted
  throw refused(`The value of "${key}" cannot be read as ${as.name}.`)
}

/* The conditions of a source: they select the calls that become rows. */

export const MAX_CONDITIONS = 20

type Scalar = string | number | boolean

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const isText = (value: unknown) => typeof value === 'string'

/** Refuses a value that an operator cannot compare. */
function checkValue(op: SourceOperator, value: unknown, place: string): void {
  checkOperands(op, value, place, { least: 1, most: Number.POSITIVE_INFINITY })
  const count = OPERATORS[op].takes
  const refuse = (rule: string): never => {
    throw invalid(`"${place}" must be ${rule} with "${op}".`, atPlace(place))
  }
  if (count === 'none' && value === null) refuse('omitted')
  if (op === 'starts_with' && !isText(value)) refuse('a text')
  if (count === 'one' && !isScalar(value)) refuse('a text, a number, true or false')
  if (count === 'list' && !(value as unknown[]).every(isScalar))
    refuse('a list of texts, numbers, true or false')
}

/** The tests of the operators that negate none. A missing value is undefined. */
const TESTS: Readonly<Record<Positive<SourceOperator>, (found: unknown, value: unknown) => boolean>> = {
  eq: (found, value) => found === value,
  in: (found, value) => (value as Scalar[]).includes(found as Scalar),
  exists: (found) => found !== undefined,
  starts_with: (found, value) => typeof found === 'string' && found.startsWith(value as string),
}

export interface Condition {
  readonly path?: string
  readonly header?: string
  readonly event?: true
  readonly op: SourceOperator
  readonly value?: unknown
}

const CONDITION_KEYS = ['path', 'header', 'event', 'op', 'value']

/** Refuses conditions with an invalid format; `where` is the place of the list. */
export function checkWhen(sent: readonly unknown[], where = 'when'): void {
  for (const [index, condition] of sent.entries()) checkCondition(condition, `${where}[${index}]`)
}

function checkCondition(sent: unknown, where: string): void {
  if (!isObject(sent)) throw invalid(`"${where}" must be an object.`, atPlace(where))
  const unknown = Object.keys(sent).find((key) => !CONDITION_KEYS.includes(key))
  if (unknown !== undefined)
    throw invalid(
      `"${where}.${unknown}" is not known here; ${knownNames(unknown, CONDITION_KEYS)}`,
      atPlace(where, unknown),
    )
  if (['path', 'header', 'event'].filter((key) => sent[key] !== undefined).length !== 1)
    throw invalid(`"${where}" must have exactly one of "path", "header" and "event".`, atPlace(where))
  if (sent.path !== undefined) checkedPath(sent.path, `"${where}.path"`)
  if (sent.header !== undefined) checkedHeader(sent.header, `"${where}.header"`)
  if (sent.event !== undefined && sent.event !== true)
    throw invalid(`"${where}.event" must be true.`, atPlace(`${where}.event`))
  const op =
    SOURCE_OPERATORS.find((known) => known === sent.op) ??
    fail(invalid(`"${where}.op" must be one of ${SOURCE_OPERATORS.join(', ')}.`, atPlace(`${where}.op`)))
  checkValue(op, sent.value, `${where}.value`)
}

/** Whether a call matches all conditions. */
export const holdsFor = (conditions: readonly Condition[], call: ReadCall): boolean =>
  conditions.every(({ op, event, value, ...place }) => {
    const found = event ? (call.event ?? undefined) : valueAt(place as Place, call)
    return TESTS[positiveOf(op)](found, value) !== isNegated(op)
  })

/*
 * JSON with keys in their original order. JavaScript objects put numeric keys first, so such keys get a marker while
 * the text is parsed and written. An escaped quote never begins a key.
 */

const NUMBER_KEY = /(?<!\\)"(?=\d+"\s*:)/

/** Whether JavaScript would reorder some keys of a JSON text. */
export const hasNumberKeys = (text: string): boolean => NUMBER_KEY.test(text)

/** A parsed JSON text that preserves the order of keys. */
export class OrderedJson {
  /** Occurs in no text. */
  readonly #mark = crypto.randomUUID()
  readonly #value: unknown

  constructor(text: string) {
    this.#value = JSON.parse(text.replace(new RegExp(NUMBER_KEY, 'g'), `"${this.#mark}`))
  }

  /** The value at these keys, as compact JSON. */
  at(keys: readonly string[]): string {
    const memberOf = (value: unknown, key: string) =>
      (value as Record<string, unknown>)[Array.isArray(value) || !/^\d+$/.test(key) ? key : this.#mark + key]
    return JSON.stringify(keys.reduce(memberOf, this.#value)).replaceAll(`"${this.#mark}`, '"')
  }
}
