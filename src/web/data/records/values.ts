import { joinedValues, splitValues } from '../../../lib/csv-cells.ts'
import { formatNumber } from '../formats.ts'
import { preferences } from '../preferences.ts'
import { readNumber } from '../typed-values.ts'
import { formatDay, formatInstant } from '../value-formats.ts'
import type { Field, Value } from './model.ts'
import { readTyped } from './typed-text.ts'

/** Also true for an inherited member, if an empty field is named like one, such as `constructor`. */
const isEmpty = (value: Value): value is undefined => value === undefined || typeof value === 'function'

interface NumberFormat {
  readonly style: string
  readonly decimals?: number
  readonly currency?: string
}

/** A number in the format of its field. Without decimals, a currency has its usual ones and a number those it has. */
function numberIn({ style, decimals, currency }: NumberFormat, value: number): string {
  const digits =
    decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const money = style === 'currency' && currency !== undefined
  return new Intl.NumberFormat(preferences.value.numbers, {
    ...(money ? { style: 'currency', currency } : { maximumFractionDigits: 20 }),
    ...(style === 'percent' && { style: 'percent' }),
    ...(style === 'plain' && { useGrouping: false }),
    ...digits,
  }).format(value)
}

const DAY_LENGTH = 10

/** A value as display text, except references, which `Reference` shows by label. */
export function showValue(field: Pick<Field, 'type' | 'format'>, value: Value): string {
  if (isEmpty(value)) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return field.format ? numberIn(field.format, value) : formatNumber(value)
  if (typeof value === 'object') return value.join(', ')
  if (field.type === 'rollup') return value.length === DAY_LENGTH ? formatDay(value) : formatInstant(value)
  if (field.type === 'datetime') return formatInstant(value)
  return field.type === 'date' ? formatDay(value) : value
}

/** A value as editable text, also for copying. `parseValue` is the inverse. */
export function editText(value: Value): string {
  if (isEmpty(value)) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? joinedValues(value) : String(value)
}

/** A value to send, null for empty; or an error. */
export type Parsed =
  | { readonly value: string | number | boolean | readonly string[] | null }
  | { readonly error: string }

const YES = new Set(['yes', 'true', '1', 'y', 'on', 'x'])
const NO = new Set(['no', 'false', '0', 'n', 'off'])

function parseBool(label: string, text: string): Parsed {
  const word = text.toLowerCase()
  if (YES.has(word)) return { value: true }
  if (NO.has(word)) return { value: false }
  return { error: `${label} must be yes or no.` }
}

function parseNumber(label: string, text: string): Parsed {
  const number = Number(text.replaceAll(/[\s\u00a0\u202f']/g, ''))
  const value = Number.isFinite(number) ? number : readNumber(text, preferences.value)
  return value !== undefined ? { value } : { error: `${label} must be a number, such as 12 or 4.5.` }
}

/** A day, optionally with a time and offset. Other formats are ambiguous, such as 03/04. */
const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d?:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:\d\d)?)?$/i

/** True for days that exist. `Date` alone accepts 30 February as 2 March. */
const isDay = (day = ''): boolean => new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(8))

function parseInstant(label: string, text: string): Parsed {
  const [, day, time = '00:00', offset = ''] = INSTANT.exec(text) ?? []
  const instant = new Date(`${day}T${time.replace(/^\d:/, '0$&')}${offset.toUpperCase()}`)
  if (!isDay(day) || Number.isNaN(instant.getTime()))
    return { error: `${label} must be a date and time, such as 2026-11-21 09:30.` }
  return { value: instant.toISOString() }
}

/** Only days in words and of the form 2026-11-21: others are ambiguous, such as 03/04. */
function parseDay(label: string, text: string): Parsed {
  const day = /\p{L}/u.test(text) || /^\d{4}-/.test(text) ? readTyped('date', text) : text
  return /^\d{4}-\d\d-\d\d$/.test(day) && isDay(day)
    ? { value: day }
    : { error: `${label} must be a date, such as 2026-11-21, 21 Nov or tomorrow.` }
}

/** Parses typed text as a value of a field. The server checks the rules of the structure. */
export function parseValue(
  field: { readonly type: string; readonly label: string; readonly multiple?: true },
  text: string,
): Parsed {
  const trimmed = text.trim()
  if (trimmed === '') return { value: null }
  if (field.multiple) return { value: [...new Set(splitValues(text))] }
  if (field.type === 'bool') return parseBool(field.label, trimmed)
  if (field.type === 'number') return parseNumber(field.label, trimmed)
  if (field.type === 'date') return parseDay(field.label, trimmed)
  if (field.type === 'datetime') return parseInstant(field.label, trimmed)
  return { value: field.type === 'text' ? text : trimmed }
}

/** An instant in the format of `<input type="datetime-local">`. */
export function localInstant(value: string): string {
  const instant = new Date(value)
  if (Number.isNaN(instant.getTime())) return ''
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  date: 'date',
  time: 'time',
  datetime: 'datetime-local',
}

/** The attributes of an input for values of a type. */
export const inputKind = (type: string): object => ({
  type: INPUT_TYPES[type] ?? 'text',
  step: type === 'time' || type === 'datetime' ? 1 : undefined,
  inputMode: type === 'number' ? 'decimal' : undefined,
})
