import { DAY_MS } from '../../lib/dates.ts'

export const DATE_UNITS = ['day', 'week', 'month', 'year'] as const
export type DateUnit = (typeof DATE_UNITS)[number]

/** Today shifted by `n` units; a negative `n` lies in the past. */
export interface RelativeDay {
  readonly n: number
  readonly unit: DateUnit
}

/** Stand-ins for days before the year 0000 and after the year 9999, which sort before and after every other day. */
const BEFORE_ALL_DAYS = ''
const AFTER_ALL_DAYS = '~'

function dayText(instant: number): string {
  const year = new Date(instant).getUTCFullYear()
  if (year < 0) return BEFORE_ALL_DAYS
  return year > 9999 ? AFTER_ALL_DAYS : new Date(instant).toISOString().slice(0, 10)
}

function instantOf(year: number, month: number, day: number): number {
  const instant = new Date(0)
  return instant.setUTCFullYear(year, month, day)
}

/** Months and years keep the day of the month, or use the last day of a shorter month. */
function shiftedByMonths(today: string, months: number): number {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number]
  const lastOfMonth = new Date(instantOf(year, month + months, 0)).getUTCDate()
  return instantOf(year, month - 1 + months, Math.min(day, lastOfMonth))
}

/**
 * `today` (`YYYY-MM-DD`) shifted. A day outside the years 0000 to 9999 becomes a text that sorts before or after all
 * days.
 */
export function shiftedDay(today: string, { n, unit }: RelativeDay): string {
  if (unit === 'month' || unit === 'year')
    return dayText(shiftedByMonths(today, unit === 'year' ? n * 12 : n))
  return dayText(Date.parse(today) + n * (unit === 'week' ? 7 : 1) * DAY_MS)
}

/** The first instant of a day returned by `shiftedDay`, in milliseconds since 1970. */
export function startOfDay(day: string): number {
  if (day === BEFORE_ALL_DAYS) return Number.NEGATIVE_INFINITY
  return day === AFTER_ALL_DAYS ? Number.POSITIVE_INFINITY : Date.parse(day)
}

export const endOfDay = (day: string): number => startOfDay(day) + DAY_MS - 1
