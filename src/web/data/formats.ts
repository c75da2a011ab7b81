import { computed } from '@preact/signals'
import { preferences } from './preferences.ts'

/* Numbers and dates in the format of the user's preferences. */

const NUMERALS = computed(
  () => new Intl.NumberFormat(preferences.value.numbers, { maximumFractionDigits: 20 }),
)

export const formatNumber = (value: number): string => NUMERALS.value.format(value)

export const isIso = () => preferences.value.dates === 'iso'
export const language = () => (isIso() ? undefined : preferences.value.dates)

/** Formats instants with these parts in the user's date format. */
export function dateFormat(options: Intl.DateTimeFormatOptions) {
  const made = computed(() => new Intl.DateTimeFormat(language(), options))
  return (instant: Date | number): string => made.value.format(instant)
}

/** A number with its noun: `1 row`, `1,200 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`
