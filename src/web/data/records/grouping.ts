import { api } from '../api.ts'
import { formatNumber } from '../formats.ts'
import { Refused } from '../request.ts'
import { formatDay, formatMonth } from '../value-formats.ts'
import type { Condition } from './conditions.ts'
import { type Grouping, type GroupValue, isRange, PERIODS, type Period, rangesOf } from './group-values.ts'
import { valueText } from './labels.ts'
import { type Field, queryOf, type RowQuery, type Structure } from './model.ts'

/*
 * Groups of rows by the values of a field: dates by period, and numbers by range where they have many values. The server
 * counts them in its summary.
 */

/** The figures of the rows of a group; all but the count are null without a number field. */
export interface Figures {
  readonly count: number
  readonly sum: number | null
  readonly average: number | null
  readonly min: number | null
  readonly max: number | null
}

/** Which figures to read: those of a number field, or of the rows that meet an operator. */
export interface Figure {
  readonly key: string
  readonly isNumber: boolean
  readonly op?: 'not_empty' | 'is_empty' | undefined
}

export interface GroupFigures extends Figures {
  readonly value: GroupValue
}

/** Rows are grouped by at most this many fields. */
export const MAX_LEVELS = 2

export const isGroupable = ({ type }: Field): boolean => type !== 'rollup'
export const isDated = ({ type }: Pick<Field, 'type'>): boolean => type === 'date' || type === 'datetime'
/** Parses the text of an address, such as `due:month,state`; unknown fields are ignored. */
export function readGroupings({ fields }: Structure, text: string): readonly Grouping[] {
  const parts = text.split(',').flatMap((part) => {
    const [key, period] = part.split(':')
    const field = fields.find((known) => known.key === key && isGroupable(known))
    return field
      ? [
          groupingOf(
            field,
            PERIODS.find((known) => known === period),
          ),
        ]
      : []
  })
  return parts
    .filter(({ field }, at) => parts.findIndex((other) => other.field === field) === at)
    .slice(0, MAX_LEVELS)
}

/** Groups by a field; dates by month unless another period is given. */
export const groupingOf = (field: Field, period: Period = 'month'): Grouping => ({
  field,
  period: isDated(field) ? period : undefined,
})

export const groupingsText = (groupings: readonly Grouping[]): string =>
  groupings
    .map(({ field, period }) =>
      period === undefined || period === 'month' ? field.key : `${field.key}:${period}`,
    )
    .join(',')

/** The conditions of the rows of a group. */
export function groupConditions({ field, period }: Grouping, value: GroupValue): readonly Condition[] {
  const { key } = field
  if (value === null) return [{ field: key, op: 'is_empty' }]
  if (isRange(value))
    return [
      { field: key, op: 'gte', value: value.from },
      { field: key, op: 'lt', value: value.to },
    ]
  if (period !== undefined) return periodConditions(field, period, String(value))
  return [field.multiple ? { field: key, op: 'has_any', value: [value] } : { field: key, op: 'eq', value }]
}

function periodConditions({ key, type }: Field, period: Period, first: string): Condition[] {
  const next = nextPeriod(first, period)
  const boundOf = (day: string) => (type === 'date' ? day : new Date(`${day}T00:00`).toISOString())
  const start = { field: key, op: 'gte', value: boundOf(first) }
  // Years end with 9999.
  return next.length > DAY_LENGTH ? [start] : [start, { field: key, op: 'lt', value: boundOf(next) }]
}

const DAY_LENGTH = 10

function nextPeriod(first: string, period: Period): string {
  const day = new Date(`${first}T00:00:00Z`)
  if (period === 'day') day.setUTCDate(day.getUTCDate() + 1)
  else if (period === 'week') day.setUTCDate(day.getUTCDate() + 7)
  else if (period === 'month') day.setUTCMonth(day.getUTCMonth() + 1)
  else day.setUTCFullYear(day.getUTCFullYear() + 1)
  return day.toISOString().slice(0, day.getUTCFullYear() > 9999 ? undefined : DAY_LENGTH)
}

/** The label of a group. */
export function groupLabel({ field, period }: Grouping, value: GroupValue): string {
  if (value === null) return 'Not set'
  if (isRange(value)) return `${formatNumber(value.from)} to under ${formatNumber(value.to)}`
  if (period === undefined) return valueText(field, value)
  const day = String(value)
  if (period === 'year') return day.slice(0, 4)
  if (period === 'month') return formatMonth(day)
  return period === 'week' ? `Week of ${formatDay(day)}` : formatDay(day)
}

/** With more distinct values, numbers are grouped by range. */
const MAX_NUMBERS = 20

/** The groups of the rows of a query with their numbers of rows; those without a value come last. */
export async function readGroups(query: RowQuery, grouping: Grouping): Promise<readonly GroupFigures[]> {
  const { field } = grouping
  const groups =
    field.type === 'number' ? await readNumbers(query, grouping) : await readBuckets(query, grouping)
  const known = fixedValues(field).filter((value) => groups.every((group) => group.value !== value))
  const all = [...groups, ...known.map((value) => ({ ...NO_ROWS, value }))]
  const isReversed = query.sort === field.key && query.direction === 'desc'
  const places = placesOf(field)
  const ordered = all.toSorted((one, other) => (places?.(one.value) ?? 0) - (places?.(other.value) ?? 0))
  const valued = ordered.filter(({ value }) => value !== null)
  return [...(isReversed ? valued.toReversed() : valued), ...ordered.filter(({ value }) => value === null)]
}

const NO_ROWS: Figures = { count: 0, sum: null, average: null, min: null, max: null }

/** Values that have a group even without rows. */
const fixedValues = ({ type, options }: Field): readonly (string | boolean)[] =>
  type === 'bool' ? [false, true] : (options ?? [])

/** Options are in their own order, before other values. */
function placesOf({ type, options }: Field): ((value: GroupValue) => number) | undefined {
  if (type === 'bool') return Number
  if (!options) return undefined
  const places = new Map(options.map((option, at) => [option, at]))
  return (value) => places.get(String(value)) ?? options.length
}

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The figures of each group; of numbers, of each value. */
export async function readBuckets(
  query: RowQuery,
  { field, period }: Grouping,
  figure?: Figure,
): Promise<readonly GroupFigures[]> {
  const buckets = await readSummary(query, figure, {
    ...(period === undefined ? { by: field.key } : { period, date: field.key, tz: timeZone() }),
  })
  return buckets.map((bucket) => ({ ...bucket, value: period === undefined ? bucket.value : bucket.period }))
}

/** The figures of all rows of a query. */
export const readFigures = async (query: RowQuery, figure?: Figure): Promise<Figures> =>
  (await readSummary(query, figure, {}))[0] ?? NO_ROWS

interface Bucket extends Figures {
  readonly period: string | null
  readonly value: string | number | boolean | null
}

async function readSummary(
  query: RowQuery,
  figure: Figure | undefined,
  by: object,
): Promise<readonly Bucket[]> {
  const conditions = figure?.op ? [...query.filter, { field: figure.key, op: figure.op }] : query.filter
  const { structure, filter } = queryOf({ ...query, filter: conditions })
  const { buckets } = await api.get('/v1/records/summary', {
    query: {
      structure,
      ...(filter !== undefined && { filter }),
      ...(figure?.isNumber && { field: figure.key }),
      ...by,
    },
  })
  return buckets
}

async function readNumbers(query: RowQuery, grouping: Grouping): Promise<readonly GroupFigures[]> {
  const values = await readBuckets(query, grouping).catch((error: Error) => {
    // There are too many values to list.
    if (error instanceof Refused && error.status === 400) return undefined
    throw error
  })
  if (values && values.length <= MAX_NUMBERS + 1) return values
  const { key } = grouping.field
  const { min, max } = await readFigures(query, { key, isNumber: true })
  const groups: GroupValue[] = [...(min === null || max === null ? [] : rangesOf(min, max)), null]
  const figures = await Promise.all(
    groups.map(async (value) => ({
      ...(await readFigures(within(query, grouping, value))),
      value,
    })),
  )
  return figures.filter(({ count }) => count > 0)
}

/** The query of the rows of a group. */
export const within = (query: RowQuery, grouping: Grouping, value: GroupValue): RowQuery => ({
  ...query,
  filter: [...query.filter, ...groupConditions(grouping, value)],
})
