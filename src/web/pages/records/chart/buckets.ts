import { formatNumber } from '../../../data/formats.ts'
import type { Structure } from '../../../data/records/model.ts'

/** A bucket of the API's summary. */
export interface Bucket {
  readonly period: string | null
  readonly value: string | number | boolean | null
  readonly count: number
  readonly sum: number | null
}

export interface Grouping {
  readonly name: string
  readonly label: string
  readonly kind: 'day' | 'week' | 'month' | 'year' | 'value'
  readonly key: string
}

/** More bars would be too thin to tell apart. */
const MAX_BARS = 120

const DATES = new Set(['date', 'datetime'])
const GROUPS = new Set(['select', 'bool', 'text', 'record', 'user'])

/** Possible groupings of the rows of a structure: by periods of its dates, or by the values of a field. */
export function groupingsOf({ fields }: Structure): readonly Grouping[] {
  const dates = [
    ...fields.filter(({ type }) => DATES.has(type)),
    { key: 'created_at', label: 'Created' },
    { key: 'updated_at', label: 'Edited' },
  ]
  const kinds = ['week', 'day', 'month', 'year'] as const
  return [
    ...dates.flatMap(({ key, label }) =>
      kinds.map((kind) => ({ name: `${kind}:${key}`, label: `by ${kind} of ${label}`, kind, key })),
    ),
    ...fields
      .filter(({ type }) => GROUPS.has(type))
      .map(({ key, label }) => ({ name: `value:${key}`, label: `by ${label}`, kind: 'value' as const, key })),
  ]
}

export interface Bar {
  /** The period, or the value as text; undefined for rows that have neither. */
  readonly of: string | undefined
  readonly value: number
}

const amountOf = ({ count, sum }: Bucket, isSum: boolean): number => (isSum ? (sum ?? 0) : count)

const shownValue = (value: Bucket['value']): string | undefined =>
  value === null ? undefined : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)

/** One bar per bucket, including the one of rows without a date or value. */
export const bars = (buckets: readonly Bucket[], isSum: boolean): readonly Bar[] =>
  buckets.map((bucket) => ({
    of: bucket.period ?? shownValue(bucket.value),
    value: amountOf(bucket, isSum),
  }))

export interface TableIcon {
  readonly bars: readonly Bar[]
  /** Describes the selection of bars; undefined if all are drawn. */
  readonly which: string | undefined
  /** The rows without a date, which have no place on the time axis. */
  readonly undated: Bar | undefined
}

/** The bars to draw: up to MAX_BARS, the last periods or the largest values. */
export function drawnBars(all: readonly Bar[], kind: Grouping['kind']): TableIcon {
  const undated = kind === 'value' ? undefined : all.find(({ of }) => of === undefined)
  const dated = all.filter((bar) => bar !== undated)
  const found = kind === 'value' ? dated : withEmptyPeriods(dated, kind)
  if (found.length <= MAX_BARS) return { bars: found, which: undefined, undated }
  const bars = kind === 'value' ? largest(found) : found.slice(-MAX_BARS)
  const word = kind === 'value' ? 'largest' : 'last'
  const which = `the ${word} ${MAX_BARS} of ${formatNumber(found.length)} ${kind}s`
  return { bars, which, undated }
}

type Period = Exclude<Grouping['kind'], 'value'>

const STEPS: Readonly<Record<Period, (day: Date) => number>> = {
  day: (day) => day.setUTCDate(day.getUTCDate() + 1),
  week: (day) => day.setUTCDate(day.getUTCDate() + 7),
  month: (day) => day.setUTCMonth(day.getUTCMonth() + 1),
  year: (day) => day.setUTCFullYear(day.getUTCFullYear() + 1),
}

/** Adds empty bars for periods without rows, which the time axis would otherwise skip. */
function withEmptyPeriods(dated: readonly Bar[], kind: Period): readonly Bar[] {
  const days = dated.map(({ of }) => Date.parse(`${of}T00:00:00Z`))
  return dated.flatMap((bar, index) => [...emptyBetween(kind, days[index - 1], days[index]), bar])
}

/** Larger gaps are not filled: one of the dates is probably a typo. */
const MAX_GAP_MS = 40_000 * 86_400_000

/** The empty bars between two periods, given their first days. */
function emptyBetween(kind: Period, before = Number.NaN, after = Number.NaN): readonly Bar[] {
  const empty: Bar[] = []
  if (after - before > MAX_GAP_MS) return empty
  const day = new Date(before)
  for (STEPS[kind](day); day.getTime() < after; STEPS[kind](day))
    empty.push({ of: day.toISOString().slice(0, 10), value: 0 })
  return empty
}

/** The largest bars, in their original order. */
function largest(all: readonly Bar[]): readonly Bar[] {
  const ranked = all.toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value))
  const selected = new Set(ranked.slice(0, MAX_BARS))
  return all.filter((bar) => selected.has(bar))
}

/** The total over all rows. */
export const wholeOf = (buckets: readonly Bucket[], isSum: boolean): { value: number } => ({
  value: buckets.reduce((all, bucket) => all + amountOf(bucket, isSum), 0),
})
