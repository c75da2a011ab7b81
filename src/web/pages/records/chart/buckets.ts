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

/** More bars than this cannot be distinguished; the last ones are shown. */
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
  readonly label: string
  readonly value: number
}

const figureOf = ({ count, sum }: Bucket, isSum: boolean): number => (isSum ? (sum ?? 0) : count)

export function bars(buckets: readonly Bucket[], isSum: boolean): readonly Bar[] {
  return buckets
    .filter(({ period, value }) => period !== null || value !== null)
    .map((bucket) => ({ label: String(bucket.period ?? bucket.value), value: figureOf(bucket, isSum) }))
    .slice(-MAX_BARS)
}

/** The figure of all rows together. */
export const wholeOf = (buckets: readonly Bucket[], isSum: boolean): { value: number } => ({
  value: buckets.reduce((all, bucket) => all + figureOf(bucket, isSum), 0),
})
