import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../refusal.ts'

export type QueryValues = Record<string, string | number | boolean>

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalid('The query holds malformed percent-encoding or UTF-8; encode it again.')
  }
}

/** The value in the type of its schema; one that does not fit stays a string, and the schema refuses it. */
function typed(schema: TSchema | undefined, value: string): string | number | boolean {
  if (schema?.type === 'integer' && /^-?[0-9]+$/.test(value)) return Number(value)
  if (schema?.type === 'boolean' && value === 'true') return true
  if (schema?.type === 'boolean' && value === 'false') return false
  return value
}

/**
 * Reads a query strictly: no parameter twice, integers only as `-?[0-9]+`, booleans only as `true` or
 * `false`, no malformed encoding, no NUL. Unknown names are left for the schema to refuse.
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
      throw invalid(`The query parameter "${name}" is given twice; give it once.`)
    if (value.includes('\0') || name.includes('\0'))
      throw invalid(`The query parameter "${name}" holds a NUL character.`)
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
