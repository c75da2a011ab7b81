const DAY_MS = 86_400_000

/** Days are strings such as `2026-11-21`. Computing in UTC makes day arithmetic independent of clock changes. */
const instantOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

export const addDays = (day: string, days: number): string =>
  new Date(instantOf(day) + days * DAY_MS).toISOString().slice(0, 10)

export const daysBetween = (from: string, to: string): number =>
  Math.round((instantOf(to) - instantOf(from)) / DAY_MS)

/** The day of a date value, or of an instant in the user's time zone. */
export function dayOf(value: string): string {
  if (value.length === 10) return value
  const instant = new Date(value)
  const padded = (number: number) => String(number).padStart(2, '0')
  return `${String(instant.getFullYear()).padStart(4, '0')}-${padded(instant.getMonth() + 1)}-${padded(instant.getDate())}`
}

export const today = (): string => dayOf(new Date().toISOString())

/** The start of a day in the user's time zone. */
export const startOf = (day: string): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).toISOString()
}

/** A date or instant shifted by days; an instant keeps its local time. */
export function shifted(value: string, days: number): string {
  if (value.length === 10) return addDays(value, days)
  const instant = new Date(value)
  instant.setDate(instant.getDate() + days)
  return instant.toISOString()
}

export const addMonths = (month: string, months: number): string => {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const count = year * 12 + number - 1 + months
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`
}

/** The seven days of the week of a day. `firstOfWeek` is 0 for Sunday. */
export function weekOf(day: string, firstOfWeek: number): string[] {
  const first = addDays(day, -((weekday(day) - firstOfWeek + 7) % 7))
  return Array.from({ length: 7 }, (_, index) => addDays(first, index))
}

const weekday = (day: string): number => new Date(instantOf(day)).getUTCDay()

export const isWeekend = (day: string): boolean => weekday(day) % 6 === 0

/** The weeks that cover a month. */
export function weeksOf(month: string, firstOfWeek: number): string[][] {
  const last = addDays(`${addMonths(month, 1)}-01`, -1)
  const weeks: string[][] = []
  for (let day = `${month}-01`; weeks.at(-1)?.includes(last) !== true; day = addDays(day, 7))
    weeks.push(weekOf(day, firstOfWeek))
  return weeks
}

/** The ISO 8601 number of a week, determined by its Thursday. */
export function weekNumber(week: readonly string[]): number {
  const thursday = week.find((day) => weekday(day) === 4) ?? ''
  return Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1
}
