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

/** The weeks of a month, each with its seven days from Monday. */
export function weeksOf(month: string): string[][] {
  const first = `${month}-01`
  const monday = addDays(first, -((new Date(instantOf(first)).getUTCDay() + 6) % 7))
  const last = addDays(`${addMonths(month, 1)}-01`, -1)
  const weeks: string[][] = []
  for (let start = monday; start <= last; start = addDays(start, 7))
    weeks.push(Array.from({ length: 7 }, (_, at) => addDays(start, at)))
  return weeks
}

/** The number of the week, as ISO 8601 counts. */
export function weekNumber(monday: string): number {
  const thursday = addDays(monday, 3)
  return Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1
}
