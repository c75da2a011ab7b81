export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))

/** The most recently formatted days, each at its number modulo the length, because `toISOString` is slow. */
const writtenDays = Array.from({ length: 64 }, () => ({ number: Number.NaN, text: '' }))

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

const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?([Zz]|[+-]\d{2}:\d{2})$/

const SHORTEST_MONTH = 28

const isRealDay = (year: number, month: number, day: number): boolean =>
  year >= 0 &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  (day <= SHORTEST_MONTH || day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate())

const ZERO = 0x30
const HYPHEN = 0x2d

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

/** Whether `text` is `YYYY-MM-DD` and a real day. */
export const isDay = (text: string): boolean =>
  text.length === 10 &&
  text.charCodeAt(4) === HYPHEN &&
  text.charCodeAt(7) === HYPHEN &&
  isRealDay(numberAt(text, 0, 4), numberAt(text, 5, 7), numberAt(text, 8, 10))

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}

/** The finest fraction that a double can hold up to the year 9999, so that finer digits are never lost. */
const FINEST_MS = 1 / 16

function milliseconds(decimals: string): number {
  const finer = Number(`0.${decimals.slice(3) || '0'}`)
  const fraction = finer === 0 ? 0 : Math.min(Math.max(finer, FINEST_MS), 1 - FINEST_MS)
  return Number(decimals.slice(0, 3).padEnd(3, '0')) + fraction
}

/**
 * Parses an ISO 8601 date-time with an offset; seconds are optional. Returns milliseconds since 1970, with finer
 * digits as a fraction, or undefined if the text is not such a date-time.
 */
export function parseInstant(text: string): number | undefined {
  const match = INSTANT.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const offset = offsetMinutes(match[8] ?? 'Z')
  if (offset === undefined || !isRealDay(year, month, day) || hour > 23 || minute > 59 || second > 59) {
    return undefined
  }
  const wholeSecond = new Date(0)
  wholeSecond.setUTCFullYear(year, month - 1, day)
  wholeSecond.setUTCHours(hour, minute - offset, second)
  return wholeSecond.getTime() + milliseconds(match[7] ?? '')
}
