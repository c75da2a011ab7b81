const DAY_MS = 86_400_000

/** Days are texts such as `2026-11-21`; their arithmetic is that of the calendar, whatever the clock does. */
const instantOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const addDays = (day: string, days: number): string =>
  new Date(instantOf(day) + days * DAY_MS).toISOString().slice(0, 10)

export const daysBetween = (from: string, to: string): number =>
  Math.round((instantOf(to) - instantOf(from)) / DAY_MS)

/** The day of a value of a date field, or of an instant where the person is. */
export function dayOf(value: string): string {
  if (value.length === 10) return value
  const at = new Date(value)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

export const today = (): string => dayOf(new Date().toISOString())

/** The first instant of a day where the person is. */
export const startOf = (day: string): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).toISOString()
}

/** A value so many days later: a day, or the same time of another day. */
export function shifted(value: string, days: number): string {
  if (value.length === 10) return addDays(value, days)
  const at = new Date(value)
  at.setDate(at.getDate() + days)
  return at.toISOString()
}

export const addMonths = (month: string, months: number): string => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const count = year * 12 + number - 1 + months
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`
}

/** The week that a day is in: its seven days, from the first day of weeks, 0 for Sunday. */
export function weekOf(day: string, firstOfWeek: number): string[] {
  const first = addDays(day, -((weekday(day) - firstOfWeek + 7) % 7))
  return Array.from({ length: 7 }, (_, at) => addDays(first, at))
}

const weekday = (day: string): number => new Date(instantOf(day)).getUTCDay()

export const isWeekend = (day: string): boolean => weekday(day) % 6 === 0

/** The weeks of a month. */
export function weeksOf(month: string, firstOfWeek: number): string[][] {
  const last = addDays(`${addMonths(month, 1)}-01`, -1)
  const weeks: string[][] = []
  for (let day = `${month}-01`; weeks.at(-1)?.includes(last) !== true; day = addDays(day, 7))
    weeks.push(weekOf(day, firstOfWeek))
  return weeks
}

/** The number of a week, as ISO 8601 counts: that of its Thursday. */
export function weekNumber(week: readonly string[]): number {
  const thursday = week.find((day) => weekday(day) === 4) ?? ''
  return Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1
}
