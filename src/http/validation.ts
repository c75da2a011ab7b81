import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { ValueError } from '@sinclair/typebox/errors'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { invalid, type Refusal } from '../refusal.ts'
import type { Kinded } from './schema/types.ts'

type Part = 'body' | 'query'

/** `/tags/0` as a caller would write it: `tags[0]`. */
function placeOf(pointer: string): string {
  const parts = pointer.split('/').slice(1)
  const names = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce((place, name) => {
    if (place === '') return name
    return /^\d+$/.test(name) ? `${place}[${name}]` : `${place}.${name}`
  }, '')
}

/** What a value of this schema must be, in words. */
function wordsOf(schema: ValueError['schema']): string {
  const { words } = schema as Partial<Kinded>
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

function sentenceFor(part: Part, error: ValueError): string {
  if (error.path === '') return `The ${part} must be a JSON object.`
  const place = placeOf(error.path)
  const name = part === 'query' ? `The query parameter "${place}"` : `"${place}"`
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return `${name} is not known here; remove it or check its spelling.`
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${name} is required.`
  return `${name} must be ${wordsOf(error.schema)}.`
}

const FAULTS_LOOKED_AT = 100

/**
 * The refusal for a body or query that breaks its schema: an unknown name before all else, else the first fault. What
 * is in a list that is too long is not looked at: there may be millions of it.
 */
export function validationRefusal(part: Part, errors: Iterable<ValueError>): Refusal {
  let first: ValueError | undefined
  let looked = 0
  for (const error of errors) {
    first ??= error
    if (error.type === ValueErrorType.ObjectAdditionalProperties) return invalid(sentenceFor(part, error))
    if (error.type === ValueErrorType.ArrayMaxItems || ++looked === FAULTS_LOOKED_AT) break
  }
  return invalid(first ? sentenceFor(part, first) : `The ${part} does not have the right form.`)
}

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>()

function checkOf(schema: TSchema): TypeCheck<TSchema> {
  const check = checks.get(schema) ?? TypeCompiler.Compile(schema)
  checks.set(schema, check)
  return check
}

/**
 * Refuses a body or query that breaks its schema, if there is one. Elysia would refuse it too, but it first writes
 * everything that was sent into a message: of a large body that takes seconds, and more than a gigabyte of memory.
 */
export function checkForm(part: Part, schema: TSchema | undefined, value: unknown): void {
  if (schema === undefined) return
  const check = checkOf(schema)
  if (!check.Check(value)) throw validationRefusal(part, check.Errors(value))
}
