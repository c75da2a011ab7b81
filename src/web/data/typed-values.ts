import { localDay } from './local-time.ts'

/*
 * Dates, times and numbers as people type them, in the words and the order of their language and in English. A reader
 * returns undefined for a text that it cannot read in exactly one way.
 */

/** The language of dates and that of numbers; undefined for the browser's. */
export interface TypedContext {
  readonly dates?: string | undefined
  readonly numbers?: string | undefined
  /** The first day of the week, 0 for Sunday. */
  readonly weekStart: number
  readonly now: Date
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
const plain = (text: string) =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('.', '').trim()

/** Words that begin with the typed one, if all of them mean the same. */
function meaningOf(words: readonly (readonly [string, number])[], typed: string): number | undefined {
  if (typed.length < 2) return undefined
  const exact = words.find(([word]) => word === typed)
  const found = new Set(
    (exact ? [exact] : words.filter(([word]) => word.startsWith(typed))).map(([, at]) => at),
  )
  return found.size === 1 ? [...found][0] : undefined
}

/** The names of twelve months or seven weekdays, from 0, in the language and in English. */
function namesOf(part: 'month' | 'weekday', language: string | undefined): (readonly [string, number])[] {
  const count = part === 'month' ? 12 : 7
  return [language, 'en'].flatMap((locale) =>
    (['long', 'short'] as const).flatMap((style) => {
      const name = new Intl.DateTimeFormat(locale, { [part]: style, timeZone: 'UTC' })
      // 1 February 2026 is a Sunday.
      const dateAt = (at: number) => Date.UTC(2026, part === 'month' ? at : 1, part === 'month' ? 1 : at + 1)
      return Array.from({ length: count }, (_, at) => [plain(name.format(dateAt(at))), at] as const)
    }),
  )
}

/** A day that exists; two digits stand for a year of this century. */
function dayOf(year: number, month: number, day: number): string | undefined {
  const full = year < 100 ? 2000 + year : year
  const at = new Date(full, month - 1, day)
  return at.getMonth() === month - 1 && at.getDate() === day ? localDay(at) : undefined
}

const UNITS: readonly (readonly [string, number])[] = [
  ['days', 1],
  ['weeks', 7],
]

const shifted = (now: Date, days: number): string =>
  localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days))

/** The day in another month, or the last one of a shorter month. */
function inMonths(now: Date, months: number): string {
  const last = new Date(now.getFullYear(), now.getMonth() + months + 1, 0).getDate()
  return localDay(new Date(now.getFullYear(), now.getMonth() + months, Math.min(now.getDate(), last)))
}

/** Days counted from today: `tomorrow`, `in 3 days`, `2 weeks ago`, `next month`. */
function readDistance(text: string, { dates, now }: TypedContext): string | undefined {
  for (const locale of [dates, 'en']) {
    const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
    for (const days of [0, 1, -1]) if (plain(relative.format(days, 'day')) === text) return shifted(now, days)
  }
  if (text === 'next week') return shifted(now, 7)
  if (text === 'next month') return inMonths(now, 1)
  const [, ahead, count = '', unit = '', ago] = /^(in )?(\d{1,4}) ([a-z]+)( ago)?$/.exec(text) ?? []
  if ((ahead === undefined) === (ago === undefined)) return undefined
  const number = Number(count) * (ago === undefined ? 1 : -1)
  if ('months'.startsWith(unit) && unit.length > 1) return inMonths(now, number)
  const days = meaningOf(UNITS, unit)
  return days === undefined ? undefined : shifted(now, number * days)
}

/** `fri` is today or the Friday to come; `next fri` that of the next week, `last fri` the one before today. */
function readWeekday(text: string, { dates, weekStart, now }: TypedContext): string | undefined {
  const [, which = '', name = ''] = /^(?:(next|last|this) )?(\S+)$/.exec(text) ?? []
  const weekday = meaningOf(namesOf('weekday', dates), name)
  if (weekday === undefined) return undefined
  const ahead = (weekday - now.getDay() + 7) % 7
  if (which === 'last') return shifted(now, ahead === 0 ? -7 : ahead - 7)
  if (which !== 'next') return shifted(now, ahead)
  const inWeek = (day: number) => (day - weekStart + 7) % 7
  return shifted(now, 7 - inWeek(now.getDay()) + inWeek(weekday))
}

/** A day with the name of its month: `3 dec`, `Dec 3, 2026`, `3. Dezember 26`. Without a year it is one of this year. */
function readNamedMonth(text: string, { dates, now }: TypedContext): string | undefined {
  const words = text.split(/[\s,/-]+/).filter((word) => word !== 'of' && word !== 'de')
  const [name] = words.filter((word) => /\p{L}{2}/u.test(word) && !/^\d/.test(word))
  if (name === undefined) return undefined
  const month = meaningOf(namesOf('month', dates), name)
  const [first = '', second = String(now.getFullYear()), ...more] = words
    .filter((word) => word !== name)
    .map((word) => word.replace(/(?<=\d)(?:st|nd|rd|th)$/, ''))
  if (month === undefined || more.length > 0 || ![first, second].every((word) => /^\d{1,4}$/.test(word)))
    return undefined
  return first.length > 2
    ? dayOf(Number(first), month + 1, Number(second))
    : dayOf(Number(second), month + 1, Number(first))
}

/** Whether the month comes before the day. */
function isMonthFirst(language: string | undefined): boolean {
  const parts = new Intl.DateTimeFormat(language).formatToParts(new Date()).map(({ type }) => type)
  return parts.indexOf('month') < parts.indexOf('day')
}

/** A day in digits: `2026-12-03`, or in the order of the language `12/3`, `3.12.26`. A number above 12 is the day. */
function readDigits(text: string, { dates, now }: TypedContext): string | undefined {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\.?$/.exec(text) ?? []
  if (year !== undefined) return dayOf(Number(year), Number(month), Number(day))
  const short = /^(\d{1,2})[-/.] ?(\d{1,2})(?:[-/.] ?(\d{4}|\d{2}))?\.?$/.exec(text)
  if (!short) return undefined
  const [one, other] = [Number(short[1]), Number(short[2])]
  const isFirst = one > 12 ? false : other > 12 ? true : isMonthFirst(dates)
  return dayOf(Number(short[3] ?? now.getFullYear()), isFirst ? one : other, isFirst ? other : one)
}

/** A day as `2026-12-03`. */
export function readDay(typed: string, context: TypedContext): string | undefined {
  const text = typed.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const word = plain(text)
  return (
    readDigits(text, context) ??
    readDistance(word, context) ??
    readWeekday(word, context) ??
    readNamedMonth(word, context)
  )
}

/** A time of day as `09:30`: from `9:30`, `9.30`, `9am`, `9:30 pm`, `noon`. */
export function readTime(typed: string): string | undefined {
  const text = typed.trim().toLowerCase()
  if (text === 'noon') return '12:00'
  if (text === 'midnight') return '00:00'
  const match = /^(\d{1,2})(?:[:.](\d{2})(?::(\d{2}))?)? ?(?:([ap])\.?m\.?|h)?$/.exec(text)
  if (!match || (match[2] === undefined && !/[a-z]/.test(text))) return undefined
  const [hour, minute, second, half] = [Number(match[1]), Number(match[2] ?? 0), match[3], match[4]]
  if (minute > 59 || Number(second ?? 0) > 59 || hour > (half ? 12 : 23) || (half && hour === 0))
    return undefined
  const hours = half ? (hour % 12) + (half === 'p' ? 12 : 0) : hour
  return [twoDigits(hours), twoDigits(minute), ...(second ? [second] : [])].join(':')
}

/** A local instant as `2026-12-03 09:30`: a day, a time of today, or both. */
export function readMoment(typed: string, context: TypedContext): string | undefined {
  const text = typed.trim()
  const day = readDay(text, context)
  if (day !== undefined) return `${day} 00:00`
  const time = readTime(text)
  if (time !== undefined) return `${localDay(context.now)} ${time}`
  // The time is the longest readable end.
  for (const { index } of text.matchAll(/[\s,T]+(?:at\s+)?/g)) {
    const [rest, end] = [text.slice(0, index), text.slice(index).replace(/^[\s,T]+(?:at\s+)?/, '')]
    const [of, at] = [readDay(rest, context), readTime(end)]
    if (of !== undefined && at !== undefined) return `${of} ${at}`
  }
  return undefined
}

const CURRENCY = /\p{Sc}|[%\s\u00a0\u202f'’]/gu

/** The sign before the decimals in a language. */
export const decimalSign = (language: string | undefined): string =>
  new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.'

/**
 * A number such as `1,200.50` or `1.200,50`. The last of two different signs begins the decimals; a single one does if it is
 * the language's decimal sign, or if it cannot group thousands. A percentage is divided by 100.
 */
export function readNumber(typed: string, { numbers }: Pick<TypedContext, 'numbers'>): number | undefined {
  const text = typed.trim().replaceAll(CURRENCY, '')
  const match = /^[-+−]?(\d[\d.,]*|[.,]\d+)(?:e[-+]?\d+)?$/i.exec(text)
  if (!match) return undefined
  const [, digits = ''] = match
  const signs = [...digits.matchAll(/[.,]/g)].map(([sign]) => sign)
  const last = signs.at(-1)
  const isGrouped = (sign: string) => new RegExp(`^\\d{1,3}(?:\\${sign}\\d{3})+$`).test(digits)
  const isSame = signs.every((sign) => sign === last)
  const isGroup =
    last !== undefined && isSame && (signs.length > 1 || last !== decimalSign(numbers)) && isGrouped(last)
  const isDecimal = last !== undefined && !isGroup
  const whole = isDecimal ? digits.slice(0, digits.lastIndexOf(last)) : digits
  const wholeSign = isDecimal ? signs[0] : last
  const isValid = !isDecimal || signs.length === 1 || (wholeSign !== last && isWhole(whole, wholeSign))
  if (!isValid) return undefined
  const fraction = isDecimal ? `.${digits.slice(digits.lastIndexOf(last) + 1)}` : ''
  const start = text.startsWith('-') || text.startsWith('−') ? '-' : ''
  const exponent = /e[-+]?\d+$/i.exec(text)?.[0] ?? ''
  const value = Number(`${start}${whole.replaceAll(/[.,]/g, '')}${fraction}${exponent}`)
  if (!Number.isFinite(value)) return undefined
  return typed.includes('%') ? Number((value / 100).toPrecision(15)) : value
}

/** True for digits in groups of three with the sign between them. */
const isWhole = (text: string, sign = '.'): boolean => new RegExp(`^\\d{1,3}(?:\\${sign}\\d{3})+$`).test(text)
