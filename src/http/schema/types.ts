import {
  Kind,
  type ObjectOptions,
  type Static,
  type TOptional,
  type TProperties,
  type TSchema,
} from '@sinclair/typebox'
import { t as base } from 'elysia'
import { DEFAULT_LIMIT } from '../../lib/pagination.ts'
import { withCommas } from '../../lib/text.ts'
import { UNCHECKED } from '../validation.ts'

/*
 * The building blocks of every schema. Texts, integers and choices are custom TypeBox kinds, because their rules go
 * beyond the standard ones: lengths count code points, not UTF-16 units, and refusals state each rule in words.
 */

interface Described {
  description?: string
  examples?: unknown[]
}

export interface TextOptions extends Described {
  minLength?: number
  maxLength?: number
  /** Trims the text before its length is counted. */
  trimmed?: boolean
  /** No control characters. */
  singleLine?: boolean
  /** A name needs a visible character, else it is `refused`. */
  isName?: boolean
  /** Further characters that a single line must not contain; needs `says`. */
  without?: string
  /** A regular expression that the value must match; needs `says`. */
  pattern?: string
  /**
   * Published for generated clients, which parse the value as an instant; the rule itself is in `check` or in the
   * service.
   */
  format?: 'date-time'
  /** A further rule that JSON Schema cannot state; needs `says`. */
  check?: (value: string) => boolean
  /** The whole rule in words, for refusals: "a colour such as #1E90FF". */
  says?: string
  /** Also accepts `null`. */
  nullable?: boolean
}

export interface IntegerOptions extends Described {
  minimum?: number
  maximum?: number
  default?: number
  nullable?: boolean
}

export type Rules = TextOptions & IntegerOptions & { values?: readonly string[] }

/** A schema with its rules, which it states in words for refusals ("… must be <words>."). */
export interface RuleSchema extends TSchema {
  words: string
  rules: Rules
}

const orNull = (rules: Rules, words: string) => (rules.nullable ? `${words}, or null` : words)
function textWords({ minLength = 0, maxLength, singleLine, says }: Rules): string {
  if (says) return says
  const base = minLength > 0 ? 'a text that is not empty' : 'a text'
  const range = minLength > 0 ? `of ${withCommas(minLength)} to` : 'of at most'
  const length = maxLength === undefined ? base : `a text ${range} ${withCommas(maxLength)} characters`
  return singleLine ? `${length} without control characters` : length
}

function integerWords({ minimum, maximum }: Rules): string {
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return `an integer from ${withCommas(minimum)} to ${withCommas(maximum)}`
  return minimum === undefined ? 'an integer' : `an integer of ${withCommas(minimum)} or more`
}

function ruleSchema(kind: string, jsonType: string, words: string, rules: Rules, schema: object) {
  return {
    [Kind]: kind,
    type: rules.nullable ? [jsonType, 'null'] : jsonType,
    words: orNull(rules, words),
    rules,
    ...schema,
    ...(rules.description && { description: rules.description }),
    ...(rules.examples && { examples: rules.examples }),
  }
}

/** The control characters, in a notation that all dialects of regular expressions share. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f'

/** The published pattern: the pattern itself, or that of a single line. */
function patternOf({ pattern, singleLine, without = '', trimmed, minLength = 0 }: Rules): string | undefined {
  if (pattern !== undefined || !singleLine) return pattern
  const allowed = `[^${without}${CONTROL}]`
  return trimmed && minLength > 0 ? `^${allowed}*[^\\s${without}${CONTROL}]${allowed}*$` : `^${allowed}*$`
}

export const text = (rules: TextOptions = {}) => {
  const { format, minLength, maxLength } = rules
  const pattern = patternOf(rules)
  return base.Unsafe<string>(
    ruleSchema('DaybookText', 'string', textWords(rules), rules, {
      ...(format !== undefined && { format }),
      ...(minLength !== undefined && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
      ...(pattern !== undefined && { pattern }),
    }),
  )
}

export const nullableText = (rules: TextOptions = {}) =>
  base.Unsafe<string | null>(text({ ...rules, nullable: true }))

/** A type or null; `rules` may be just the description. */
export const nullable = <Type extends TSchema>(type: Type, rules: string | object = {}) =>
  base.Union([type, base.Null()], typeof rules === 'string' ? { description: rules } : rules)

export const integer = (rules: IntegerOptions = {}) => {
  const { minimum, maximum } = rules
  return base.Unsafe<number>(
    ruleSchema('DaybookInteger', 'integer', integerWords(rules), rules, {
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      ...(rules.default !== undefined && { default: rules.default }),
    }),
  )
}

export const flag = (rules: Described & { nullable?: boolean } = {}) =>
  base.Unsafe<boolean>(ruleSchema('DaybookFlag', 'boolean', 'true or false', rules, {}))

/** One of a fixed list of words. */
export const choice = <const Value extends string>(
  values: readonly Value[],
  rules: Described & { nullable?: boolean } = {},
) =>
  base.Unsafe<Value>(
    ruleSchema(
      'DaybookChoice',
      'string',
      `one of ${values.map((value) => `"${value}"`).join(', ')}`,
      { ...rules, values },
      {
        enum: rules.nullable ? [...values, null] : values,
      },
    ),
  )

/** An object of exactly these members; other members are refused by name. */
export const strict = <Properties extends TProperties>(properties: Properties, options: ObjectOptions = {}) =>
  base.Object(properties, { additionalProperties: false, ...options })

/** Optional members of an object. */
export const optional = <Properties extends TProperties>(properties: Properties) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, base.Optional(schema)])) as {
    [Name in keyof Properties]: TOptional<Properties[Name]>
  }

/** An object with members of any name and value, which the service checks. */
export const members = (options: ObjectOptions = {}) =>
  base.Unsafe<Record<string, unknown>>(base.Object({}, { additionalProperties: base.Unknown(), ...options }))

/** The body of an endpoint without input; `{}` is accepted. */
export const NoBody = strict({})

/** The query of an endpoint without parameters. */
export const NoQuery = strict({})

/** The query of a page that reads it in its own script. */
export const AnyQuery = base.Object({}, { additionalProperties: true })

/** The body of an endpoint that reads it without a check. */
export const RawBody = base.Unsafe<undefined>({ [Kind]: UNCHECKED })

/** The body of an open endpoint: its handler reads the bytes once it knows the sender. */
export const BytesBody = base.Unsafe<{ bytes(key: string, most?: number): Promise<Uint8Array> }>({
  [Kind]: UNCHECKED,
})

/** The query of an endpoint that ignores it. */
export const IgnoredQuery = base.Unsafe<unknown>({ [Kind]: UNCHECKED, type: 'object', properties: {} })

/** `limit` and `offset` of a paged list. */
export const paging = (maximum: number) => ({
  limit: base.Optional(
    integer({ minimum: 1, maximum, default: DEFAULT_LIMIT, description: 'The maximum number of results.' }),
  ),
  offset: base.Optional(
    integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'The number of results to skip.',
    }),
  ),
})

/** `cursor` and `total` of a list that is also paged by cursor (`storage/page-cursors.ts`). */
export const cursorPaging = () =>
  optional({
    cursor: text({
      description:
        'Pages that neither repeat nor skip a result while others write: `start` for the first one, then the `next_cursor` of the page before. Repeat everything else unchanged, and leave `offset` out.',
    }),
    total: flag({
      description: 'Whether a page by `cursor` has `total`; a page by `offset` always has it.',
      examples: [false],
    }),
  })

/**
 * The members of a page beside its items. Generated clients get one type for pages by offset and by cursor: most
 * generators cannot tell two apart.
 */
export const page = (total: string) => ({
  total: integer({
    description: `${total} Pages by \`cursor\` have it only with \`total=true\`.`,
    examples: [1],
  }),
  has_more: base.Boolean({ description: 'Whether results follow.', examples: [false] }),
  next_cursor: base.Optional(
    nullable(base.String(), {
      description:
        'In a page by `cursor`: the `cursor` of the next page, at most 500 URL-safe characters; null on the last page.',
    }),
  ),
})

/*
 * Response schemas are promised to clients and checked by tests, not at run time: checking a response would cost as
 * much as creating it.
 */

/** The body of a response: an object of exactly these members. */
export const response = <Properties extends TProperties>(
  properties: Properties,
  options: ObjectOptions = {},
) => {
  const schema = base.Object(properties, { additionalProperties: false, ...options })
  return base.Unsafe<Static<typeof schema>>({ ...schema, [Kind]: UNCHECKED })
}

const content = (contentMediaType: string, more: object) =>
  base.Unsafe<Response>({ [Kind]: UNCHECKED, type: 'string', contentMediaType, ...more })

/** A response of Server-Sent Events; `example` is the lines of one event. */
export const eventStreamText = (example: readonly string[]) =>
  content('text/event-stream', { examples: [`${example.join('\n')}\n`] })

/** A response of plain text; `example` is its lines. */
export const plainText = (example: readonly string[]) =>
  content('text/plain', { examples: [`${example.join('\n')}\n`] })

/** A response of JSON objects, one per line. */
export const lineStreamText = (example: readonly string[]) =>
  content('application/x-ndjson', { examples: [`${example.join('\n')}\n`] })

/** A response of arbitrary bytes, written by `downloadResponse`. */
export const binaryContent = () => content('application/octet-stream', { format: 'binary' })

/** An instant in responses: ISO 8601, UTC, milliseconds. */
export const timestamp = (description?: string) =>
  base.Unsafe<string>({
    [Kind]: UNCHECKED,
    type: 'string',
    format: 'date-time',
    description,
    examples: ['2026-11-21T09:30:00.000Z'],
  })

export const id = (description?: string) =>
  base.Unsafe<string>({
    [Kind]: UNCHECKED,
    type: 'string',
    format: 'uuid',
    description,
    examples: ['01939f3e-7a5c-7000-8f1e-5b2c9d3e4f60'],
  })

/** The response to a deletion: the id of the deleted object. */
export const deletedResponse = (description?: string) =>
  response({ deleted: base.Boolean({ examples: [true] }), id: id(description) })

/** An object that refers to another one (`notes/usage.ts`). */
export const usedBy = () => strict({ id: id(), name: base.String({ examples: ['Open work'] }) })

/* The appearance of an object in the application. */

export const color = () =>
  nullableText({ pattern: '^#[0-9A-Fa-f]{6}$', says: 'a colour such as #1E90FF', examples: ['#1E90FF'] })

export const icon = () => nullableText({ minLength: 1, maxLength: 100, singleLine: true, examples: ['book'] })

export const coverUrl = () =>
  nullableText({
    maxLength: 2_048,
    singleLine: true,
    pattern: `^[Hh][Tt][Tt][Pp][Ss]?://[^${CONTROL}]*$`,
    check: (value) => URL.canParse(value),
    says: 'an http or https URL of at most 2,048 characters',
    examples: ['https://example.com/cover.png'],
  })

/** The vocabulary of schemas: the types of Elysia, and those of this file. */
export const t = Object.assign({}, base, {
  text,
  nullable,
  nullableText,
  integer,
  flag,
  choice,
  strict,
  optional,
  members,
  paging,
  cursorPaging,
  page,
  response,
  deletedResponse,
  eventStreamText,
  plainText,
  lineStreamText,
  binaryContent,
  timestamp,
  id,
  usedBy,
  color,
  icon,
  coverUrl,
})
