import { splitValues, withoutProtection } from '../../lib/csv-cells.ts'
import { isDay, parseInstant } from '../../lib/dates.ts'
import type { FieldValue } from '../../lib/record-data.ts'
import { refused } from '../../lib/refusal.ts'
import { type FieldKind, type FieldType, rulesOf } from './field-types.ts'
import { monthNameParts } from './month-names.ts'

/** The notation of the cells of a file. */
export interface CellOptions {
  /**
   * Orders of day, month and year (`DATE_ORDERS`), and patterns such as `DD.MM.YYYY HH:mm`, in addition to the formats
   * that are always accepted.
   */
  readonly dateFormats: readonly string[]
  /** Undefined: a decimal point, and no thousands separators. */
  readonly decimal: '.' | ',' | undefined
  /** Cells with one of these words are empty. */
  readonly nulls: readonly string[]
  /** Whether columns of a declared type may hold yes and no, percentages and amounts of money. */
  readonly readsSigns?: boolean
}

/** Excludes `007` and `+1`: codes and telephone numbers stay text. */
const NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/
/** With thousands separators, which are removed; also `007` and `+1` if the column is declared to hold numbers. */
const GROUPED = {
  '.': /^[+-]?(?:\d+|\d{1,3}(?:[, '\u2019\u00a0\u202f]\d{3})+)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/,
  ',': /^[+-]?(?:\d+|\d{1,3}(?:[. '\u2019\u00a0\u202f]\d{3})+)?(?:,\d+)?(?:[eE][+-]?\d+)?$/,
} as const
const CODE = /^[+-]?0\d|^\+/
/** An IP address whose points are also those of a number with a decimal comma. */
const ADDRESS = /^\s*(?:(?:1?\d?\d|2[0-4]\d|25[0-5])(?:\.|\s*$)){4}$/
/**
 * Tells codes such as the gene 1E5, which would be written as 100000, from numbers: a column of numbers is one of codes
 * if it has such a cell, and none with a sign or a fraction, or if all of its cells are IP addresses.
 */
export class CodeCheck {
  #hasCodes = false
  #isMeasured = false
  #areAddresses = true

  get foundCodes(): boolean {
    return this.#areAddresses || (this.#hasCodes && !this.#isMeasured)
  }

  addNumber(cell: string): void {
    this.#areAddresses &&= ADDRESS.test(cell)
    if (this.#isMeasured) return
    this.#isMeasured = /^\s*-|[.,]/.test(cell)
    if (/\d[eE]\d/.test(cell) && Number.isSafeInteger(Number(cell))) this.#hasCodes = true
  }
}

/** Texts of fewer characters have at most 15 digits, or an exponent within the range of a double. */
const LONG_NUMBER = 17
const MAX_PRECISION = 100

/** The digits between the first and the last that is not 0. */
function significantDigits(number: string): string {
  const digits = number.replace(/[eE].*/, '').replace(/[-+.]/g, '')
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  return digits.slice(start, end)
}

/** Whether a double holds every digit of a number: of 0.12345678901234567890 it would hold 17. */
function holdsDigits(value: number, plain: string): boolean {
  if (plain.length < LONG_NUMBER && value !== 0) return true
  const digits = significantDigits(plain)
  if (digits === '' || digits.length > MAX_PRECISION) return digits === ''
  return significantDigits(value.toPrecision(digits.length)) === digits
}

/** A day with or without a time; UTC without an offset. */
const DATE_TIME =
  /^(\d{4})([-/.])(\d{2})\2(\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(?: ?(?:(Z)|([+-]\d{2}):?(\d{2})))?)?$/i

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
}

export const DATE_ORDERS = ['iso', 'mdy', 'dmy', 'ymd'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

const PARTS = { d: '(?<day>\\d{1,2})', m: '(?<month>\\d{1,2})', y: '(?<year>\\d{4}|\\d{2})' }
const CLOCK =
  '(?:,?[ T]+(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?\\s?(?<half>[ap]\\.?m\\.?)?)?'

const inOrder = ([first, second, third]: readonly string[]): RegExp =>
  new RegExp(`^${first}(?<separator>[-/.])${second}\\k<separator>${third}${CLOCK}$`, 'i')

/** The formats of an order, with times, AM and PM, and two-digit years; `iso` adds none. */
const PATTERNS_OF_ORDER: Readonly<Record<string, readonly RegExp[]>> = {
  iso: [],
  mdy: [inOrder([PARTS.m, PARTS.d, PARTS.y])],
  dmy: [inOrder([PARTS.d, PARTS.m, PARTS.y])],
  ymd: [inOrder([PARTS.y, PARTS.m, PARTS.d])],
}

/** Two-digit years are 1970 to 2069. */
const wholeYear = (year = ''): string => (year.length === 2 ? (year < '70' ? '20' : '19') + year : year)

/** The hour on a clock of 24 hours; undefined for an hour that a clock of 12 does not have. */
function hourOf(hour: string, half: string | undefined): string | undefined {
  if (half === undefined) return hour
  const number = Number(hour)
  if (number < 1 || number > 12) return undefined
  return String((number % 12) + (/^p/i.test(half) ? 12 : 0))
}

const TOKEN = /YYYY|MM?|DD?|HH?|mm|ss/g

/** A letter of a date format that stands for nothing; `T` and `Z` stand for themselves. */
export const unknownLetterIn = (format: string): string | undefined =>
  DATE_ORDERS.some((order) => order === format)
    ? undefined
    : /(?![TZ])\p{L}/u.exec(format.replace(TOKEN, ''))?.[0]

function patternOf(format: string): RegExp {
  const used: string[] = []
  const source = format
    .split(/(YYYY|MM?|DD?|HH?|mm|ss)/)
    .map((part) => {
      const token = TOKENS[part]
      if (token === undefined) return part.replace(/[^\w\s]/g, '\\$&')
      used.push(part === 'mm' ? part : part.charAt(0))
      return token
    })
    .join('')
  const isUnique = new Set(used).size === used.length
  if (isUnique && ['Y', 'M', 'D'].every((part) => used.includes(part))) return new RegExp(`^${source}$`)
  throw refused(
    `The date format "${format}" must have a year (YYYY), a month (MM or M) and a day (DD or D), each once, as in DD.MM.YYYY; a time is HH:mm or HH:mm:ss.`,
  )
}

interface DayAndTime {
  readonly day: string
  /** With seconds and offset; undefined for a day alone. */
  readonly time: string | undefined
}

/** Undefined for an hour that a clock of 12 does not have. */
function dayAndTime(parts: Readonly<Record<string, string | undefined>>): DayAndTime | undefined {
  const two = (part: string | undefined) => (part ?? '00').padStart(2, '0')
  const { year, month, day, hour: written, minute, second, half } = parts
  const hour = written === undefined ? undefined : hourOf(written, half)
  if (written !== undefined && hour === undefined) return undefined
  const time = hour === undefined ? undefined : `${two(hour)}:${two(minute)}:${two(second)}Z`
  return { day: `${wholeYear(year)}-${two(month)}-${two(day)}`, time }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])
/** Read only if the column is declared to hold yes or no. */
const YES =
  'yes ja oui sí si sim tak да ano 是 はい vrai wahr verdadero vero verdadeiro waar prawda истина'.split(' ')
const NO = 'no nein non não nao nee nie нет ne nej nei 否 いいえ faux falsch falso onwaar fałsz ложь'.split(
  ' ',
)
const GIVEN_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...[...YES, 'y', 'on', '1'].map((word): [string, boolean] => [word, true]),
  ...[...NO, 'n', 'off', '0'].map((word): [string, boolean] => [word, false]),
])
const YES_OR_NO = new Set([...YES, ...NO])

const SIGN = '(?:[A-Z]{0,2}\\p{Sc}|[A-Z]{3}|kr|zł|Kč|Ft)'
/** A currency before or after a number, or a percent sign. */
const CURRENCY = new RegExp(`^(-?)${SIGN}\\s?(?=[\\d.,-])|(?<=\\d)\\s?${SIGN}\\.?$`, 'u')
/** A negative amount, as accountants write it. */
const IN_PARENTHESES = /^\((.*)\)$/
const PERCENT = /^(.*\d)\s?%$/

/** A reading that a caller may declare for a column of such cells. */
export type GivenReading = 'yes or no' | 'percentages' | 'amounts of money'

/** The reading that a cell suggests, if it is text without one. */
export function givenReadingOf(cell: string): GivenReading | undefined {
  if (cell.length <= MAX_WORD_LENGTH && YES_OR_NO.has(cell.toLowerCase())) return 'yes or no'
  if (/^-?[\d.,]+\s?%$/.test(cell)) return 'percentages'
  const amount = cell.replace(IN_PARENTHESES, '-$1')
  return cell.length < MAX_AMOUNT_LENGTH &&
    CURRENCY.test(amount) &&
    /^-?[^\d]{1,4}?-?[\d.,]+$|^-?[\d.,]+[^\d]{1,5}$/.test(amount)
    ? 'amounts of money'
    : undefined
}

const MAX_AMOUNT_LENGTH = 30
const MAX_WORD_LENGTH = 10

/** Reads cells as values of fields. */
export class CellFormat {
  readonly #patterns: readonly RegExp[]
  readonly #decimal: CellOptions['decimal']
  readonly #nulls: ReadonlySet<string>
  readonly #readsSigns: boolean

  constructor({ dateFormats, decimal, nulls, readsSigns = false }: CellOptions) {
    this.#readsSigns = readsSigns
    this.#patterns = dateFormats.flatMap((format) => PATTERNS_OF_ORDER[format] ?? [patternOf(format)])
    this.#decimal = decimal
    this.#nulls = new Set(nulls)
  }

  isEmpty(cell: string): boolean {
    return cell === '' || (this.#nulls.size > 0 && this.#nulls.has(cell.trim()))
  }

  /**
   * An invalid cell stays text, which the field's own check refuses. `isGiven`: the type was chosen by the caller,
   * not inferred.
   */
  valueOf(field: FieldKind, cell: string, isGiven = false): FieldValue {
    const { type } = field
    if (field.multiple) return splitValues(withoutProtection(cell))
    if (type === 'text' || type === 'select') return withoutProtection(cell)
    const trimmed = cell.trim()
    if (type === 'number')
      return (
        (isGiven && this.#readsSigns ? this.#signedNumberOf(trimmed) : this.#numberOf(trimmed, isGiven)) ??
        cell
      )
    if (type === 'bool') {
      const word = trimmed.toLowerCase()
      return (
        BOOLEANS.get(word) ?? (isGiven && this.#readsSigns ? GIVEN_BOOLEANS.get(word) : undefined) ?? cell
      )
    }
    if (type === 'date') return this.#dateOf(trimmed) ?? trimmed
    if (type === 'datetime') return this.#instantOf(trimmed) ?? trimmed
    return trimmed
  }

  fits(type: FieldType, cell: string): boolean {
    return rulesOf({ type }).normalise(this.valueOf({ type }, cell)) !== undefined
  }

  /** Also with a currency, in parentheses if it is negative, or with a percent sign: 12.5% is 0.125. */
  #signedNumberOf(cell: string): number | undefined {
    const [, share] = PERCENT.exec(cell) ?? []
    if (share === undefined)
      return this.#numberOf(cell.replace(IN_PARENTHESES, '-$1').replace(CURRENCY, '$1'), true)
    const value = this.#numberOf(share, true)
    return value === undefined ? undefined : Number(`${value}e-2`)
  }

  /**
   * Undefined also for integers that a double cannot hold exactly, which are ids, and without a given type for other
   * numbers of which it cannot hold all digits.
   */
  #numberOf(cell: string, isGiven: boolean): number | undefined {
    const decimal = this.#decimal
    let plain = cell
    if (decimal !== undefined || isGiven) {
      if (!/\d/.test(cell) || !GROUPED[decimal ?? '.'].test(cell)) return undefined
      if (!isGiven && CODE.test(cell)) return undefined
      plain = cell
        .replace(decimal === ',' ? /[. '\u2019\u00a0\u202f]/g : /[, '\u2019\u00a0\u202f]/g, '')
        .replace(',', '.')
    } else if (!NUMBER.test(cell)) return undefined
    const value = Number(plain)
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value) || /[.eE]/.test(plain)
    if (!Number.isFinite(value) || !isExact) return undefined
    return isGiven || holdsDigits(value, plain) ? value : undefined
  }

  #dateOf(cell: string): string | undefined {
    if (isDay(cell)) return cell
    const found = this.#read(cell)
    return found?.time === undefined ? found?.day : undefined
  }

  #instantOf(cell: string): string | undefined {
    // The field itself validates the standard format.
    if (cell[10] === 'T' && cell.endsWith('Z')) return cell
    const found = this.#read(cell)
    if (!found) return undefined
    const text = `${found.day}T${found.time ?? '00:00:00Z'}`
    return parseInstant(text) === undefined ? undefined : text
  }

  #read(cell: string): DayAndTime | undefined {
    for (const pattern of this.#patterns) {
      const groups = pattern.exec(cell)?.groups
      const found = groups && dayAndTime(groups)
      if (found) return found
    }
    const match = DATE_TIME.exec(cell)
    if (!match) {
      const parts = monthNameParts(cell)
      return parts && dayAndTime(parts)
    }
    const [, year, , month, day, minutes, seconds = '', , offsetHours, offsetMinutes] = match
    const offset = offsetHours === undefined ? 'Z' : `${offsetHours}:${offsetMinutes}`
    const time = minutes === undefined ? undefined : `${minutes}${seconds}${offset}`
    return { day: `${year}-${month}-${day}`, time }
  }
}
