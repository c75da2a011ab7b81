import { isDay, isoTimestamp, parseInstant } from '../../lib/dates.ts'
import type { ResultType } from '../../lib/formula/values.ts'
import { isId } from '../../lib/ids.ts'
import type { FieldValue } from '../../lib/record-data.ts'
import { codePointLength, fold, MAX_TEXT_LENGTH, withCommas } from '../../lib/text.ts'
import { ROW_OPERATORS, type RowOperator } from '../operators.ts'

export const FIELD_TYPES = [
  'text',
  'number',
  'date',
  'time',
  'datetime',
  'bool',
  'select',
  'note',
  'file',
  'record',
  'user',
  'formula',
  'rollup',
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** Parts of a row besides fields that a condition can test; `*` is the text of all fields. */
export type RowPart = 'created_at' | 'updated_at' | 'id' | '*'

/** The part of a field's definition that determines its rules. */
export interface FieldKind {
  readonly type: FieldType
  /** The type of the values of a formula. */
  readonly result?: ResultType | undefined
  /** Whether a value is an array; absent for one value. */
  readonly multiple?: boolean | undefined
}

/** The part of a field's definition that filters and values need. */
export interface TypedField extends FieldKind {
  readonly key: string
  /** The number in the names of its columns (`storage/row-table-names.ts`). */
  readonly column: number
}

export type ReferenceKind = 'note' | 'file' | 'record' | 'user'

/** Everything that depends on the type of a field. A new type is one more entry of `RULES`. */
export interface TypeRules {
  /**
   * The stored form of a value: times to the second, instants in UTC with milliseconds. Undefined for an invalid value.
   */
  readonly normalise: (value: unknown) => FieldValue | undefined
  /** Completes the refusal "… must be <words>." */
  readonly words: string
  /** The type of the column in row tables. Booleans are 1 or 0. */
  readonly storage: 'TEXT' | 'REAL' | 'INTEGER'
  /**
   * The content of the companion column (`storage/row-table-names.ts`), if there is one. Values with a `folded` one are
   * sorted and indexed ignoring case.
   */
  readonly companion?: 'folded' | 'json'
  /** The kind of object that the value names by its id. */
  readonly references?: ReferenceKind
  /** Whether the rows can be shown in groups or columns by the value. */
  readonly groups?: true
  /** Whether a field of the type may have several values. */
  readonly mayBeMultiple?: true
  /** The rules of each value of a field with several. */
  readonly each?: TypeRules
  /** The quantity that `min` and `max` limit, if they can be given. */
  readonly bounds?: 'value' | 'length'
  /** The characters that folded values consist of; a text with any other character occurs in none of them. */
  readonly characters?: RegExp
  /** The type of the column in SQLite and Parquet exports. */
  readonly exported: 'text' | 'number' | 'bool' | 'day' | 'time'
  /** The type in generated TypeScript files. */
  readonly typescript: string
  /** Describes the format of values that are strings in TypeScript. */
  readonly format?: string
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')

const text = (value: unknown) =>
  typeof value === 'string' && (value.length <= MAX_TEXT_LENGTH || codePointLength(value) <= MAX_TEXT_LENGTH)
    ? value
    : undefined

function time(value: unknown): string | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined
  return value.length === 5 ? `${value}:00` : value
}

function datetime(value: unknown): string | undefined {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (instant === undefined) return undefined
  const milliseconds = Math.floor(instant)
  return milliseconds < FIRST_INSTANT || milliseconds > LAST_INSTANT ? undefined : isoTimestamp(milliseconds)
}

const TEXT = {
  normalise: text,
  words: `a text of at most ${withCommas(MAX_TEXT_LENGTH)} characters`,
  storage: 'TEXT',
  companion: 'folded',
  exported: 'text',
  typescript: 'string',
} as const

const reference = (references: ReferenceKind, typescript: string): TypeRules => ({
  normalise: (value) => (typeof value === 'string' && isId(value) ? value : undefined),
  words: `the id of a ${references === 'user' ? 'member' : references}`,
  storage: 'TEXT',
  references,
  mayBeMultiple: true,
  characters: /^[-a-f\d]*$/,
  exported: 'text',
  typescript,
})

/** Formulas have the rules of their results, without bounds. */
export type OwnType = Exclude<FieldType, 'formula'>

const RULES: Record<OwnType, TypeRules> = {
  text: {
    ...TEXT,
    bounds: 'length',
  },
  number: {
    normalise: (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined),
    words: 'a finite number',
    storage: 'REAL',
    companion: 'json',
    bounds: 'value',
    characters: /^[-+.e\d]*$/,
    exported: 'number',
    typescript: 'number',
  },
  date: {
    normalise: (value) => (typeof value === 'string' && isDay(value) ? value : undefined),
    words: 'an existing day in the format YYYY-MM-DD',
    storage: 'TEXT',
    bounds: 'value',
    characters: /^[-\d]*$/,
    exported: 'day',
    typescript: 'string',
    format: 'a day such as 2026-11-21',
  },
  time: {
    normalise: time,
    words: 'a time of day in the format HH:MM or HH:MM:SS',
    storage: 'TEXT',
    bounds: 'value',
    characters: /^[:\d]*$/,
    exported: 'text',
    typescript: 'string',
    format: 'a time such as 09:30:00',
  },
  datetime: {
    normalise: datetime,
    words: 'a date and time with offset, such as 2026-11-21T09:30:00Z, in the years 0000 to 9999',
    storage: 'TEXT',
    bounds: 'value',
    characters: /^[-:.tz\d]*$/,
    exported: 'time',
    typescript: 'string',
    format: 'an instant such as 2026-11-21T09:30:00.000Z',
  },
  bool: {
    normalise: (value) => (typeof value === 'boolean' ? value : undefined),
    words: 'true or false',
    storage: 'INTEGER',
    characters: /^[aeflrstu]*$/,
    exported: 'bool',
    typescript: 'boolean',
    groups: true,
  },
  select: { ...TEXT, groups: true, mayBeMultiple: true },
  note: reference('note', 'NoteId'),
  file: reference('file', 'FileId'),
  record: reference('record', 'Id<Name>'),
  user: { ...reference('user', 'UserId'), groups: true },
  // Never stored: its column stays empty.
  rollup: {
    normalise: () => undefined,
    words: 'left out, because the server computes it',
    storage: 'TEXT',
    characters: /^$/,
    exported: 'text',
    typescript: 'number | string',
  },
}

/** The type of a field's values: for a formula, that of its result. */
export const valueTypeOf = ({ type, result = 'text' }: FieldKind): OwnType =>
  type === 'formula' ? result : type

const computed = ({ bounds: _, ...rules }: TypeRules): TypeRules => rules

const RULES_OF_RESULT: Record<ResultType, TypeRules> = {
  text: computed(RULES.text),
  number: computed(RULES.number),
  bool: computed(RULES.bool),
  date: computed(RULES.date),
  datetime: computed(RULES.datetime),
}

/** Whether the server computes the values, so that nobody writes them. */
export const isComputed = ({ type }: FieldKind): boolean => type === 'formula' || type === 'rollup'

/** Whether rows can be sorted by the values. */
export const isSortable = ({ type, multiple }: FieldKind): boolean => type !== 'rollup' && !multiple

/** The most values of a field in a row, and in a condition on it. */
export const MAX_VALUES = 100

/** The rules of a field with several values of a type; they are stored in the order sent. */
function multipleOf(each: TypeRules): TypeRules {
  const { storage, exported, typescript, companion, references, groups } = each
  return {
    normalise: (value) => {
      if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES) return undefined
      const values = value.map((one) => each.normalise(one))
      const isFit = !values.includes(undefined) && new Set(values).size === values.length
      return isFit ? (values as string[]) : undefined
    },
    words: `an array of 1 to ${MAX_VALUES} different values, each ${each.words}`,
    storage,
    exported,
    typescript: `${typescript}[]`,
    each,
    ...(companion && { companion }),
    ...(references && { references, characters: /^[-a-f\d\n]*$/ }),
    ...(groups && { groups }),
  }
}

const RULES_OF_MULTIPLE = new Map(
  Object.entries(RULES).flatMap(([type, rules]): [FieldType, TypeRules][] =>
    rules.mayBeMultiple ? [[type as OwnType, multipleOf(rules)]] : [],
  ),
)

/** The rules of a field. */
export function rulesOf({ type, result = 'text', multiple }: FieldKind): TypeRules {
  if (type === 'formula') return RULES_OF_RESULT[result]
  return (multiple && RULES_OF_MULTIPLE.get(type)) || RULES[type]
}

/** The operators that a condition on a field or on another part of a row may use. */
export function operatorsOf(target: FieldKind | RowPart): readonly RowOperator[] {
  if (typeof target === 'string') return ROW_OPERATORS[target]
  const type = valueTypeOf(target)
  if (type === 'rollup') return []
  return ROW_OPERATORS[rulesOf(target).each ? 'multiple' : type]
}

/* The values of row tables. */

/** Occurs in front of each value in the column of several, and nowhere else: JSON escapes line breaks within texts. */
export const valueMark = (value: string): string => `\n${JSON.stringify(value)}`

/** The value in the row table's column: booleans are 1 or 0, several values a JSON array with one value per line. */
export function columnValue(value: FieldValue): string | number {
  if (typeof value === 'object') return `[${value.map(valueMark).join(',')}]`
  return typeof value === 'boolean' ? Number(value) : value
}

/** The folded text of a value, which `contains` searches: numbers as written in JSON, several values one per line. */
export const searchText = (value: FieldValue): string =>
  fold(typeof value === 'object' ? value.join('\n') : String(value))
