import { memoize } from '../../lib/bounded-cache.ts'
import { DAY_MS } from '../../lib/dates.ts'
import type { TimeZone } from '../../lib/time-zones.ts'

export const PERIODS = ['day', 'week', 'month', 'year'] as const
export type Period = (typeof PERIODS)[number]

/** 1 January 1970, day 0, was a Thursday. */
const MONDAYS_OFFSET = 3
/** Of a period; more than a summary usually meets. */
const DAYS_KNOWN = 10_000

const pad = (value: number, digits: number) => String(value).padStart(digits, '0')

/** A day, counted from 1 January 1970, as `YYYY-MM-DD`. */
function dayText(day: number): string {
  const date = new Date(day * DAY_MS)
  const year = date.getUTCFullYear()
  const written = year < 0 ? `-${pad(-year, 4)}` : pad(year, 4)
  return `${written}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`
}

/** Orders periods by time. Text order is not enough: the end of 9999 in UTC is in the year 10000 further east. */
export const comparePeriods = (left: string, right: string): number =>
  Number(left.slice(0, -6)) - Number(right.slice(0, -6)) || (left < right ? -1 : Number(left > right))

const FIRST_DAYS: Record<Period, (day: number) => string> = {
  day: dayText,
  week: (day) => dayText(day - ((((day + MONDAYS_OFFSET) % 7) + 7) % 7)),
  month: (day) => dayText(day).replace(/\d\d$/, '01'),
  year: (day) => dayText(day).replace(/\d\d-\d\d$/, '01-01'),
}

/** The first day of the period of a calendar date; no time zone shifts it. */
export const periodOfDate = (period: Period): ((date: string) => string) =>
  memoize((date) => FIRST_DAYS[period](Date.parse(`${date}T00:00:00.000Z`) / DAY_MS), DAYS_KNOWN)

/** The first day of the period of an instant in a time zone. */
export function periodOfInstant(period: Period, zone: TimeZone): (instant: number) => string {
  const firstDay = memoize(FIRST_DAYS[period], DAYS_KNOWN)
  return (instant) => firstDay(Math.floor((instant + zone.offsetAt(instant)) / DAY_MS))
}
