import { isDay } from '../lib/dates.ts'
import { atPlace, type Refusal, refused } from '../lib/refusal.ts'
import { codePointLength, MAX_TEXT_LENGTH, quoteList, withCommas } from '../lib/text.ts'

export const PROPERTY_TYPES = ['text', 'number', 'date', 'bool', 'select', 'json'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

/** The options of a `select`. They may be long, so they are looked up, not read with each definition. */
export interface Options {
  has(value: string): boolean
  list(): string[]
}

/** Completes "must be" if a value does not fit; undefined if it fits. */
type Check = (value: unknown, options: Options) => string | undefined

const unless = (fits: boolean, words: string) => (fits ? undefined : words)

const CHECKS: Record<PropertyType, Check> = {
  text: (value) =>
    unless(
      typeof value === 'string' && codePointLength(value) <= MAX_TEXT_LENGTH,
      `a text of at most ${withCommas(MAX_TEXT_LENGTH)} characters`,
    ),
  number: (value) => unless(typeof value === 'number' && Number.isFinite(value), 'a finite number'),
  date: (value) =>
    unless(typeof value === 'string' && isDay(value), 'an existing day in the format YYYY-MM-DD'),
  bool: (value) => unless(typeof value === 'boolean', 'true or false'),
  select: (value, options) =>
    typeof value === 'string' && options.has(value) ? undefined : wordsOfOptions(options.list()),
  json: () => undefined,
}

const wordsOfOptions = (options: readonly string[]) =>
  options.length === 0 ? 'one of its options, and it has none' : `one of ${quoteList(options)}`

/** The refusal of a value that does not fit the property's type; undefined if it fits. */
export function refusalOfValue(
  { key, type }: { readonly key: string; readonly type: PropertyType },
  value: unknown,
  options: Options,
): Refusal | undefined {
  const words = CHECKS[type](value, options)
  return words === undefined
    ? undefined
    : refused(`The property "${key}" must be ${words}.`, atPlace('', key))
}
