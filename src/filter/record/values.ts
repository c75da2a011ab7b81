import { DAY_MS, isDay, isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import type { FieldValue } from '../../lib/record-data.ts'
import { codePointLength, fold, MAX_TEXT_LENGTH, withCommas } from '../../lib/text.ts'
import type { FieldType, RowPart } from './operators.ts'

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

const number = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined
const date = (value: unknown) => (typeof value === 'string' && isDay(value) ? value : undefined)
const id = (value: unknown) => (typeof value === 'string' && isId(value) ? value : undefined)

const NORMALISERS: Record<FieldType, (value: unknown) => FieldValue | undefined> = {
  text,
  number,
  date,
  time,
  datetime,
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  select: text,
  note: id,
  file: id,
  record: id,
}

/** Completes the refusal "… must be <words>." for a value of each type. */
export const TYPE_WORDS: Record<FieldType, string> = {
  text: `a text of at most ${withCommas(MAX_TEXT_LENGTH)} characters`,
  number: 'a finite number',
  date: 'an existing day in the format YYYY-MM-DD',
  time: 'a time of day in the format HH:MM or HH:MM:SS',
  datetime: 'a date and time with offset, such as 2026-11-21T09:30:00Z, in the years 0000 to 9999',
  bool: 'true or false',
  select: `a text of at most ${withCommas(MAX_TEXT_LENGTH)} characters`,
  note: 'the id of a note',
  file: 'the id of a file',
  record: 'the id of a record',
}

/**
 * The stored form of a value: times to the second, instants in UTC with milliseconds. Undefined for an invalid value.
 */
export const normalised = (type: FieldType, value: unknown): FieldValue | undefined =>
  NORMALISERS[type](value)

/** The value in the row table's column: booleans are 1 or 0. */
export const columnValue = (value: FieldValue): string | number =>
  typeof value === 'boolean' ? Number(value) : value

/** The folded text of a value, which `contains` searches; numbers as written in JSON. */
export const searchText = (value: FieldValue): string => fold(String(value))

type Comparable = string | number

/** The operand of a condition: a single value (`low` equals `high`), or a whole day, both ends included. */
export interface Operand {
  readonly low: Comparable
  readonly high: Comparable
}

export const isPoint = ({ low, high }: Operand): boolean => low === high

/** The day of an operand that is a whole day of a datetime field. */
export const dayOf = ({ low }: Operand): string => dayIn(String(low))

/** The day of an instant in stored form. */
export const dayIn = (instant: string): string => instant.slice(0, DAY_LENGTH)

/** The length of `YYYY-MM-DD`. */
export const DAY_LENGTH = 10

/** Without an operand, `words` complete the refusal "… must be <words>." */
interface ParsedOperand {
  readonly operand: Operand | undefined
  readonly words: string
}

const REFERENCES: ReadonlySet<string> = new Set(['note', 'file', 'record', 'id'])

const point = (value: Comparable): Operand => ({ low: value, high: value })
const ifText = (value: unknown) => (typeof value === 'string' ? point(value) : undefined)

/** An instant, or the whole UTC day of a plain date. */
function instantOperand(value: unknown): Operand | undefined {
  if (typeof value !== 'string') return undefined
  if (isDay(value)) {
    const start = Date.parse(`${value}T00:00:00.000Z`)
    return { low: start, high: start + DAY_MS - 1 }
  }
  const instant = parseInstant(value)
  return instant === undefined ? undefined : point(instant)
}

function datetimeDay(value: unknown): Operand | undefined {
  if (typeof value !== 'string' || !isDay(value)) return undefined
  return { low: `${value}T00:00:00.000Z`, high: `${value}T23:59:59.999Z` }
}

function typed(type: FieldType, value: unknown): Operand | undefined {
  const stored = normalised(type, value)
  return stored === undefined ? undefined : point(columnValue(stored))
}

/**
 * A filter value in the format of column values. Any text is accepted as an id, and matches nothing if it is none. A
 * plain date compared with an instant means that whole UTC day.
 */
export function operandOf(kind: FieldType | RowPart, value: unknown): ParsedOperand {
  if (kind === 'created_at' || kind === 'updated_at')
    return {
      operand: instantOperand(value),
      words: 'a plain date or an instant such as 2026-11-21T09:30:00.000Z',
    }
  if (REFERENCES.has(kind)) return { operand: ifText(value), words: 'an id' }
  const type = kind as FieldType
  if (type === 'datetime')
    return {
      operand: datetimeDay(value) ?? typed(type, value),
      words: `a plain date, or ${TYPE_WORDS.datetime}`,
    }
  return { operand: typed(type, value), words: TYPE_WORDS[type] }
}
