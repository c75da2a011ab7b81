import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { ValueError } from '@sinclair/typebox/errors'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { invalid, type Refusal } from '../refusal.ts'
import type { RuleSchema } from './schema/types.ts'

type Part = 'body' | 'query'

/** `/tags/0` as a caller writes it: `tags[0]`. */
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

function sentenceFor(part: Part, error: ValueError): string {
  if (error.path === '') return `The ${part} must be a JSON object.`
  const place = placeOf(error.path)
  const name = part === 'query' ? `The query parameter "${place}"` : `"${place}"`
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return `${name} is not known here; remove it or check its spelling.`
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${name} is required.`
  return `${name} must be ${wordsOf(error.schema)}.`
}

const MAX_ERRORS = 100

/**
 * The refusal for a body or query that breaks its schema: it names the first unknown member, or else the first
 * error. A list that is too long ends the search, because it may have millions of items.
 */
export function validationRefusal(part: Part, errors: Iterable<ValueError>): Refusal {
  let first: ValueError | undefined
  let count = 0
  for (const error of errors) {
    first ??= error
    if (error.type === ValueErrorType.ObjectAdditionalProperties) return invalid(sentenceFor(part, error))
    if (error.type === ValueErrorType.ArrayMaxItems || ++count === MAX_ERRORS) break
  }
  return invalid(first ? sentenceFor(part, first) : `The ${part} does not have the right form.`)
}

/** Refuses a value whose form is not that of its schema. */
export type FormCheck = (value: unknown) => void

/** The check of a body or a query, compiled when it is first needed: there are many schemas, and few are used at once. */
export function createCheck(part: Part, schema: TSchema): FormCheck {
  let compiled: TypeCheck<TSchema> | undefined
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema)
    if (!compiled.Check(value)) throw validationRefusal(part, compiled.Errors(value))
  }
}
