export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))

/** The most recently formatted days, each at its number modulo the length, because `toISOString` is slow. */
const writtenDays = Array.from({ length: 1_024 }, () => ({ number: Number.NaN, text: '' }))

/** `YYYY-MM-DDT` of a day, given by its number since 1970. */
function dayText(number: number): string {
  const day = writtenDays[Math.abs(number) % writtenDays.length]
  if (day?.number === number) return day.text
  const text = new Date(number * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length)
  if (day) Object.assign(day, { number, text })
  return text
}

/** ISO 8601, UTC, milliseconds: the only timestamp format in responses. */
export function isoTimestamp(instant: number): string {
  const day = Math.floor(instant / DAY_MS)
  const rest = instant - day * DAY_MS
  const seconds = Math.floor(rest / 1000)
  const minutes = Math.floor(seconds / 60)
  const time = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`
  return `${dayText(day)}${time}.${THREE_DIGITS[rest % 1000]}Z`
}

export const isoOrNull = (instant: number | null): string | null =>
  instant === null ? null : isoTimestamp(instant)

/** The UTC day of an instant, `YYYY-MM-DD`. */
export const utcDay = (instant: number): string => isoTimestamp(instant).slice(0, 'YYYY-MM-DD'.length)

const SHORTEST_MONTH = 28

const isRealDay = (year: number, month: number, day: number): boolean =>
  year >= 0 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  (day <= SHORTEST_MONTH || day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate())

const ZERO = 0x30
const HYPHEN = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const COLON = 0x3a
const LOWER_T = 0x74
const LOWER_Z = 0x7a
const TO_LOWER = 0x20

/** The number written as digits in a part of the text; NaN if the part holds anything else. */
function numberAt(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO
    if (digit < 0 || digit > 9) return Number.NaN
    value = 10 * value + digit
  }
  return value
}

const beginsWithDay = (text: string): boolean =>
  text.charCodeAt(4) === HYPHEN &&
  text.charCodeAt(7) === HYPHEN &&
  isRealDay(numberAt(text, 0, 4), numberAt(text, 5, 7), numberAt(text, 8, 10))

/** Whether `text` is `YYYY-MM-DD` and a real day. */
export const isDay = (text: string): boolean => text.length === 10 && beginsWithDay(text)

/** The offset that ends the text; undefined for anything else. */
function offsetMinutes(text: string, at: number): number | undefined {
  const sign = text.charCodeAt(at)
  if ((sign | TO_LOWER) === LOWER_Z && text.length === at + 1) return 0
  if ((sign !== PLUS && sign !== HYPHEN) || text.length !== at + 6 || text.charCodeAt(at + 3) !== COLON)
    return undefined
  const hours = numberAt(text, at + 1, at + 3)
  const minutes = numberAt(text, at + 4, at + 6)
  return hours <= 23 && minutes <= 59 ? (sign === HYPHEN ? -1 : 1) * (hours * 60 + minutes) : undefined
}

/** The finest fraction that a double can hold up to the year 9999, so that finer digits are never lost. */
const FINEST_MS = 1 / 16

function milliseconds(decimals: string): number {
  const finer = Number(`0.${decimals.slice(3) || '0'}`)
  const fraction = finer === 0 ? 0 : Math.min(Math.max(finer, FINEST_MS), 1 - FINEST_MS)
  return Number(decimals.slice(0, 3).padEnd(3, '0')) + fraction
}

const MAX_DECIMALS = 9

/** The fraction of a second in milliseconds, and the place after it; undefined for too many digits or none. */
function fractionAt(text: string, from: number): { fraction: number; end: number } | undefined {
  let end = from
  while (numberAt(text, end, end + 1) >= 0) end++
  const isValid = end > from && end - from <= MAX_DECIMALS
  return isValid ? { fraction: milliseconds(text.slice(from, end)), end } : undefined
}

const DAYS_IN_400_YEARS = 146_097

/** The first instant of a day. `Date.UTC` would read the years 0 to 99 as 1900 to 1999. */
const dayStart = (year: number, month: number, day: number): number =>
  Date.UTC(2000 + (year % 400), month - 1, day) + (Math.floor(year / 400) - 5) * DAYS_IN_400_YEARS * DAY_MS

/**
 * Parses an ISO 8601 date-time with an offset; seconds are optional. Returns milliseconds since 1970, with finer
 * digits as a fraction, or undefined if the text is not such a date-time. Without a regular expression, because imports
 * parse millions.
 */
export function parseInstant(text: string): number | undefined {
  const isTimed = (text.charCodeAt(10) | TO_LOWER) === LOWER_T && text.charCodeAt(13) === COLON
  if (!isTimed || !beginsWithDay(text)) return undefined
  const hasSeconds = text.charCodeAt(16) === COLON
  const second = hasSeconds ? numberAt(text, 17, 19) : 0
  const hasFraction = hasSeconds && text.charCodeAt(19) === POINT
  const decimals = hasFraction ? fractionAt(text, 20) : { fraction: 0, end: hasSeconds ? 19 : 16 }
  const { fraction = 0, end = Number.NaN } = decimals ?? {}
  const offset = offsetMinutes(text, end)
  const hour = numberAt(text, 11, 13)
  const minute = numberAt(text, 14, 16)
  if (offset === undefined || !(hour <= 23 && minute <= 59 && second <= 59)) return undefined
  const day = dayStart(numberAt(text, 0, 4), numberAt(text, 5, 7), numberAt(text, 8, 10))
  return day + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction
}
