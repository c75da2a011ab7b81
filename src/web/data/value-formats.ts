import { computed } from '@preact/signals'
import { formatNumber, isIso, language } from './formats.ts'
import { preferences } from './preferences.ts'

/* Formats of the values of rows. */

const SHORT = computed(
  () =>
    new Intl.NumberFormat(preferences.value.numbers, { notation: 'compact', maximumSignificantDigits: 4 }),
)
const LONG = 100_000_000

/** A short number: large ones in millions or billions, others rounded. */
export const shortNumber = (value: number): string =>
  Math.abs(value) >= LONG
    ? SHORT.value.format(value)
    : formatNumber(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(4)))

const DAYS = computed(() => new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeZone: 'UTC' }))
const INSTANTS = computed(
  () => new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }),
)

/** A day such as `2026-11-28`. */
export function formatDay(day: string): string {
  const instant = new Date(`${day}T00:00:00Z`)
  return isIso() || Number.isNaN(instant.getTime()) ? day : DAYS.value.format(instant)
}

const MONTHS = computed(
  () => new Intl.DateTimeFormat(language(), { month: 'long', year: 'numeric', timeZone: 'UTC' }),
)

/** The month of a day such as `2026-11-01`. */
export const formatMonth = (day: string): string =>
  isIso() ? day.slice(0, 7) : MONTHS.value.format(new Date(`${day}T00:00:00Z`))

/** An instant in the local time zone. */
export function formatInstant(value: string): string {
  const instant = new Date(value)
  if (!isIso()) return INSTANTS.value.format(instant)
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16).replace('T', ' ')
}

/** The first day of a week, 0 for Sunday. */
export const weekStart = (): number => preferences.value.week_start ?? 1
