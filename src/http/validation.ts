import { type TSchema, TypeRegistry } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { ValueError } from '@sinclair/typebox/errors'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { memoize, memoizeByObject } from '../lib/bounded-cache.ts'
import { knownNames } from '../lib/near-miss.ts'
import {
  invalid,
  invisibleName,
  pathOf,
  pointerTo,
  type Refusal,
  type RefusalData,
  type RefusalReason,
} from '../lib/refusal.ts'
import { codePointLength, hasControlCharacter, isInvisibleName } from '../lib/text.ts'
import type { RuleSchema, Rules } from './schema/types.ts'

/* The rules of the custom kinds of `schema/types.ts`. */

const isAllowedNull = (rules: Rules, value: unknown) => rules.nullable === true && value === null

function isText(rules: Rules, value: unknown): boolean {
  if (typeof value !== 'string') return isAllowedNull(rules, value)
  const checked = rules.trimmed ? value.trim() : value
  const length = codePointLength(checked)
  if (length < (rules.minLength ?? 0) || length > (rules.maxLength ?? Number.POSITIVE_INFINITY)) return false
  if (rules.singleLine && hasControlCharacter(checked)) return false
  if (isInvisibleName(rules, value)) return false
  if (rules.without && [...rules.without].some((character) => checked.includes(character))) return false
  if (rules.pattern !== undefined && !compiled(rules.pattern).test(checked)) return false
  return rules.check?.(checked) ?? true
}

const compiled = memoize((pattern: string) => new RegExp(pattern, 'u'))

function isInteger(rules: Rules, value: unknown): boolean {
  if (typeof value !== 'number') return isAllowedNull(rules, value)
  const minimum = rules.minimum ?? Number.MIN_SAFE_INTEGER
  const maximum = rules.maximum ?? Number.MAX_SAFE_INTEGER
  return Number.isInteger(value) && value >= minimum && value <= maximum
}

const isChoice = (rules: Rules, value: unknown) =>
  rules.values?.includes(value as string) === true || isAllowedNull(rules, value)

const isFlag = (rules: Rules, value: unknown) => typeof value === 'boolean' || isAllowedNull(rules, value)

/** The kind of a schema that is only documented, not checked. */
export const UNCHECKED = 'DaybookUnchecked'

TypeRegistry.Set<{ rules: Rules }>('DaybookText', (schema, value) => isText(schema.rules, value))
TypeRegistry.Set<{ rules: Rules }>('DaybookInteger', (schema, value) => isInteger(schema.rules, value))
TypeRegistry.Set<{ rules: Rules }>('DaybookChoice', (schema, value) => isChoice(schema.rules, value))
TypeRegistry.Set(UNCHECKED, () => true)
TypeRegistry.Set<{ rules: Rules }>('DaybookFlag', (schema, value) => isFlag(schema.rules, value))

export type QueryValues = Record<string, string | number | boolean>

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalid('The query holds malformed percent-encoding or UTF-8; encode it again.')
  }
}

/** The value converted to the type of its schema; an invalid value stays a string, and the schema refuses it. */
function typed(schema: TSchema | undefined, value: string): string | number | boolean {
  if (schema?.type === 'integer' && /^-?[0-9]+$/.test(value)) return Number(value)
  if (schema?.type === 'boolean' && value === 'true') return true
  if (schema?.type === 'boolean' && value === 'false') return false
  return value
}

/**
 * Reads a query strictly: no repeated parameter, integers only as `-?[0-9]+`, booleans only as `true` or `false`, no
 * malformed encoding, no NUL. The schema refuses unknown names.
 */
export function readQuery(search: string, schema: TSchema | undefined): QueryValues {
  const values: QueryValues = {}
  if (search === '') return values
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    if (Object.hasOwn(values, name))
      throw invalid(`The query parameter "${name}" is given twice; give it once.`, inQuery(name))
    if (value.includes('\0') || name.includes('\0'))
      throw invalid(`The query parameter "${name}" holds a NUL character.`, inQuery(name))
    const known: TSchema | undefined = schema?.properties?.[name]
    Object.defineProperty(values, name, {
      value: typed(known, value),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return values
}

type Part = 'body' | 'query'

const inQuery = (name: string): RefusalData => ({ in: 'query', pointer: pointerTo([name]) })

/** The notation used in requests: `tags[0]` for `/tags/0`. */
function placeOf(pointer: string): string {
  return pathOf(pointer).reduce((place, name) => {
    if (place === '') return name
    return /^\d+$/.test(name) ? `${place}[${name}]` : `${place}.${name}`
  }, '')
}

/** The rule of this schema, in words. */
function wordsOf(schema: ValueError['schema']): string {
  const { words } = schema as Partial<RuleSchema>
  if (words) return words
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(wordsOf).join(', or ')
  if (schema.type === 'array') return `a list${countOf(schema)}`
  if (schema.type === 'object') return 'an object'
  if (schema.type === 'number') return 'a finite number'
  if (schema.type === 'string') return 'a text'
  if (schema.type === 'null') return 'null'
  return schema.type === undefined ? 'another value' : `a value of type ${schema.type}`
}

function countOf({ minItems, maxItems }: ValueError['schema']): string {
  if (minItems !== undefined && maxItems !== undefined) return ` of ${minItems} to ${maxItems} entries`
  if (maxItems !== undefined) return ` of at most ${maxItems} entries`
  return minItems === undefined ? '' : ` of at least ${minItems} entries`
}

const namesIn = ({ properties = {} }: ValueError['schema']): string[] => Object.keys(properties)

const REASONS: Partial<Record<ValueErrorType, RefusalReason>> = {
  [ValueErrorType.ObjectAdditionalProperties]: 'unknown_name',
  [ValueErrorType.ObjectRequiredProperty]: 'missing',
}

function refusalOf(part: Part, error: ValueError): Refusal {
  const sentence = sentenceFor(part, error)
  if (error.path === '') return invalid(sentence)
  const reason = REASONS[error.type]
  const place = part === 'query' ? inQuery(pathOf(error.path)[0] ?? '') : { pointer: error.path }
  const { rules } = error.schema as Partial<RuleSchema>
  if (rules && isInvisibleName(rules, error.value)) return invisibleName(`"${placeOf(error.path)}"`, place)
  return invalid(sentence, { ...place, ...(reason && { reason }) })
}

function sentenceFor(part: Part, error: ValueError): string {
  if (error.path === '') return `The ${part} must be a JSON object.`
  const place = placeOf(error.path)
  const name = part === 'query' ? `The query parameter "${place}"` : `"${place}"`
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return `${name} is not known here; ${knownNames(pathOf(error.path).at(-1) ?? '', namesIn(error.schema))}`
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${name} is required.`
  return `${name} must be ${wordsOf(error.schema)}.`
}

/** The index of the only alternative that fits a list or an object: for `columns` or null, the list. */
function meantAlternative({ schema, value }: ValueError): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const type = Array.isArray(value) ? 'array' : 'object'
  const fitting = (schema.anyOf as TSchema[]).flatMap((alternative, at) =>
    alternative.type === type ? [at] : [],
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Yields the most specific errors: those inside the intended alternative, if there is one. */
function* inner(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const meant = error.type === ValueErrorType.Union ? meantAlternative(error) : undefined
    const within = meant === undefined ? [] : inner(error.errors[meant] ?? [])
    let isWithin = false
    for (const found of within) {
      if (found.path === error.path) break
      isWithin = true
      yield found
    }
    if (!isWithin) yield error
  }
}

const MAX_ERRORS = 100

/**
 * The refusal of a body or query that violates its schema: it names the first unknown member, or else the first
 * error. A list that is too long ends the search, because it may have millions of items.
 */
export function validationRefusal(part: Part, errors: Iterable<ValueError>): Refusal {
  let first: ValueError | undefined
  let count = 0
  for (const error of inner(errors)) {
    first ??= error
    if (error.type === ValueErrorType.ObjectAdditionalProperties) return refusalOf(part, error)
    if (error.type === ValueErrorType.ArrayMaxItems || ++count === MAX_ERRORS) break
  }
  return first ? refusalOf(part, first) : invalid(`The ${part} does not match its schema.`)
}

/** Refuses a value that does not match its schema. */
export type SchemaCheck = (value: unknown) => void

/**
 * Compiles a schema on its first use: there are many, and few are used at once. All services of a process, and several
 * endpoints, have the same schemas.
 */
const compiledFrom = memoizeByObject((schema: TSchema) => TypeCompiler.Compile(schema))

/** The check of a body or a query. */
export function createCheck(part: Part, schema: TSchema): SchemaCheck {
  return (value) => {
    const check = compiledFrom(schema)
    if (!check.Check(value)) throw validationRefusal(part, check.Errors(value))
  }
}
