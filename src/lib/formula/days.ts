/* Days as `YYYY-MM-DD`, in the years 0001 to 9999; any other day is blank. */

const DAY_MS = 86_400_000
const DAY_LENGTH = 10

const two = (value: number): string => String(value).padStart(2, '0')

/** The midnight of a day in UTC. `Date.UTC` would take the years 0 to 99 as 1900 to 1999. */
const midnight = (year: number, month: number, day: number): number =>
  new Date(0).setUTCFullYear(year, month - 1, day)

/** The parts of a day or an instant. */
export const partsOf = (text: string): [year: number, month: number, day: number] => [
  Number(text.slice(0, 4)),
  Number(text.slice(5, 7)),
  Number(text.slice(8, DAY_LENGTH)),
]

export const lastDayOf = (year: number, month: number): number =>
  new Date(midnight(year, month + 1, 0)).getUTCDate()

/** The day of these parts; blank if there is none. */
export function dayOf(year: number, month: number, day: number): string | null {
  const isInteger = [year, month, day].every(Number.isInteger)
  if (!isInteger || year < 1 || year > 9999 || month < 1 || month > 12) return null
  if (day < 1 || day > lastDayOf(year, month)) return null
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** The number of a day since 1970; blank outside the years 0001 to 9999. */
function numberOf(day: string): number | null {
  const [year, month, date] = partsOf(day)
  return year < 1 ? null : midnight(year, month, date) / DAY_MS
}

export function daysBetween(later: string, earlier: string): number | null {
  const [one, other] = [numberOf(later), numberOf(earlier)]
  return one === null || other === null ? null : one - other
}

/** Further than the distance between any two days. */
const MAX_DAYS = 4_000_000

export function addDays(day: string, days: number): string | null {
  const from = numberOf(day)
  if (from === null || Math.abs(days) > MAX_DAYS) return null
  const date = new Date((from + Math.trunc(days)) * DAY_MS)
  return dayOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
}

/** The same day of another month; the last one where the month is shorter. */
export function addMonths(day: string, months: number): string | null {
  const [year, month, date] = partsOf(day)
  if (year < 1 || Math.abs(months) > MAX_DAYS) return null
  const index = year * 12 + month - 1 + Math.trunc(months)
  const [newYear, newMonth] = [Math.floor(index / 12), (((index % 12) + 12) % 12) + 1]
  return dayOf(newYear, newMonth, Math.min(date, lastDayOf(newYear, newMonth)))
}
