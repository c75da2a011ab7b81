import { formatNumber } from '../../../data/formats.ts'
import type { Structure } from '../model.ts'

/** A bucket of the summary, as the API returns it. */
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

/** More bars than this cannot be distinguished. */
const MAX_BARS = 120

const DATES = new Set(['date', 'datetime'])
const GROUPS = new Set(['select', 'bool', 'text', 'record'])

/** How the rows of a structure can be divided: by periods of its dates, or by the values of a field. */
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

const figureOf = ({ count, sum }: Bucket, isSum: boolean): number => (isSum ? (sum ?? 0) : count)

const shownValue = (value: Bucket['value']): string | undefined =>
  value === null ? undefined : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)

/** A bar for each bucket, also that of the rows without a date or value. */
export const bars = (buckets: readonly Bucket[], isSum: boolean): readonly Bar[] =>
  buckets.map((bucket) => ({
    of: bucket.period ?? shownValue(bucket.value),
    value: figureOf(bucket, isSum),
  }))

export interface Drawn {
  readonly bars: readonly Bar[]
  /** Which of all bars they are, in words; undefined when they are all. */
  readonly which: string | undefined
  /** The rows without a date, which are beside the line of time. */
  readonly undated: Bar | undefined
}

/** The bars that are drawn: of many periods the last, of many values the greatest. */
export function drawnBars(all: readonly Bar[], kind: Grouping['kind']): Drawn {
  const undated = kind === 'value' ? undefined : all.find(({ of }) => of === undefined)
  const dated = all.filter((bar) => bar !== undated)
  const found = kind === 'value' ? dated : withEmptyPeriods(dated, kind)
  if (found.length <= MAX_BARS) return { bars: found, which: undefined, undated }
  const bars = kind === 'value' ? greatest(found) : found.slice(-MAX_BARS)
  const word = kind === 'value' ? 'greatest' : 'last'
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

/** With a bar of nothing for each period without rows between others: else the line of time would skip it. */
function withEmptyPeriods(dated: readonly Bar[], kind: Period): readonly Bar[] {
  const days = dated.map(({ of }) => Date.parse(`${of}T00:00:00Z`))
  return dated.flatMap((bar, at) => [...emptyBetween(kind, days[at - 1], days[at]), bar])
}

/** Periods that are further apart than this are drawn beside each other: one of them is likely a mistake. */
const FAR_MS = 40_000 * 86_400_000

/** The bars of nothing between two periods, by their first days. */
function emptyBetween(kind: Period, before = Number.NaN, after = Number.NaN): readonly Bar[] {
  const empty: Bar[] = []
  if (after - before > FAR_MS) return empty
  const day = new Date(before)
  for (STEPS[kind](day); day.getTime() < after; STEPS[kind](day))
    empty.push({ of: day.toISOString().slice(0, 10), value: 0 })
  return empty
}

/** The greatest bars in the order in which they were. */
function greatest(all: readonly Bar[]): readonly Bar[] {
  const ranked = all.toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value))
  const chosen = new Set(ranked.slice(0, MAX_BARS))
  return all.filter((bar) => chosen.has(bar))
}

/** The figure of all rows together. */
export const wholeOf = (buckets: readonly Bucket[], isSum: boolean): { value: number } => ({
  value: buckets.reduce((all, bucket) => all + figureOf(bucket, isSum), 0),
})
