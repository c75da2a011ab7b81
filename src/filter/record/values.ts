import type { FieldValue } from '../../changes/record-change.ts'
import { isDay, isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { isId } from '../../lib/ids.ts'
import { codePointLength, fold } from '../../lib/text.ts'
import type { FieldType } from './operators.ts'

/** The longest text a record holds, in characters (contract, section 1). */
export const MAX_TEXT = 100_000

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z')

const text = (value: unknown) =>
  typeof value === 'string' && (value.length <= MAX_TEXT || codePointLength(value) <= MAX_TEXT)
    ? value
    : undefined

function time(value: unknown): string | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined
  return value.length === 5 ? `${value}:00` : value
}

function datetime(value: unknown): string | undefined {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  if (instant === undefined) return undefined
  const kept = Math.floor(instant)
  return kept < FIRST_INSTANT || kept > LAST_INSTANT ? undefined : isoTimestamp(kept)
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

/** What a value of each type is, for refusals: "… must be <words>." */
export const TYPE_WORDS: Record<FieldType, string> = {
  text: `a text of at most ${MAX_TEXT.toLocaleString('en-US')} characters`,
  number: 'a finite number',
  date: 'a real day in the form YYYY-MM-DD',
  time: 'a time of day in the form HH:MM or HH:MM:SS',
  datetime: 'a date and time with offset, such as 2026-11-21T09:30:00Z, in the years 0000 to 9999',
  bool: 'true or false',
  select: `a text of at most ${MAX_TEXT.toLocaleString('en-US')} characters`,
  note: 'the id of a note',
  file: 'the id of a file',
  record: 'the id of a record',
}

/** The value as it is kept: times to the second, instants in UTC with milliseconds. Undefined when it does not fit. */
export const normalised = (type: FieldType, value: unknown): FieldValue | undefined =>
  NORMALISERS[type](value)

/** A value as its column holds it: yes/no as 1 or 0. */
export const columnValue = (value: FieldValue): string | number =>
  typeof value === 'boolean' ? Number(value) : value

/** A value as text in the form that ignores case: what search looks at. Numbers as JSON writes them. */
export const searchText = (value: FieldValue): string => fold(String(value))
