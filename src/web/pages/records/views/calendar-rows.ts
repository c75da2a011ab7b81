import { useRef } from 'preact/hooks'
import { api } from '../../../data/api.ts'
import type { Condition } from '../../../data/records/conditions.ts'
import {
  type BoardColumn,
  type Field,
  queryOf,
  type Row,
  type RowPage,
  type RowQuery,
} from '../../../data/records/model.ts'
import { request, unreachableSince } from '../../../data/request.ts'
import { useQuery } from '../../../data/use-query.ts'
import { addDays, dayOf, daysBetween, startOf, today } from './days.ts'

/** The loaded rows of a day, and their total. */
export interface DayRows {
  readonly rows: readonly Row[]
  readonly total: number
}

export const NO_ROWS: DayRows = { rows: [], total: 0 }

/** Rows of a range read in one request. Of larger ranges, only the first rows of each day are read. */
const MAX_RANGE_ROWS = 500
const MAX_UNDATED = 50

/** Alternative conditions for rows on these days: rows that begin within, or began before and end within or later. */
function onDays(date: Field, end: Field | undefined, first: string, last: string): readonly Condition[][] {
  const bound = (day: string) => (date.type === 'date' ? day : startOf(day))
  const beginning = [
    { field: date.key, op: 'gte', value: bound(first) },
    { field: date.key, op: 'lt', value: bound(addDays(last, 1)) },
  ]
  const continuing = end && [
    { field: date.key, op: 'lt', value: bound(first) },
    { field: end.key, op: 'gte', value: bound(first) },
  ]
  return [beginning, ...(continuing ? [continuing] : [])]
}

async function readRows(
  rowQuery: RowQuery,
  conditions: readonly (readonly Condition[])[],
  date: Field,
  limit: number,
  signal: AbortSignal,
): Promise<DayRows> {
  const pages = await Promise.all(
    conditions.map(async (more) => {
      const filter = [...rowQuery.filter, ...more]
      const query = queryOf({ ...rowQuery, filter, sort: date.key, direction: 'asc' })
      return (await api.get('/v1/records', { query: { ...query, limit }, signal })) as RowPage
    }),
  )
  return {
    rows: pages.flatMap(({ records }) => records),
    total: pages.reduce((sum, { total }) => sum + total, 0),
  }
}

const daysFrom = (first: string, last: string): string[] => {
  const days = [first]
  for (let day = addDays(first, 1); day <= last; day = addDays(day, 1)) days.push(day)
  return days
}

interface Range {
  readonly total: number

  readonly byDay: ReadonlyMap<string, DayRows>
}

/** Reads the first rows and total of each day of a range, for a date field without an end field. */
async function readDays(
  rowQuery: RowQuery,
  date: Field,
  [first, last]: readonly [first: string, last: string],
  limit: number,
  signal: AbortSignal,
): Promise<Range> {
  const filter = [...rowQuery.filter, ...(onDays(date, undefined, first, last)[0] ?? [])]
  const { timeZone: tz } = new Intl.DateTimeFormat().resolvedOptions()
  const sorted = queryOf({ ...rowQuery, filter, sort: date.key, direction: 'asc' })
  const query = new URLSearchParams({ ...sorted, date: date.key, tz, limit: String(limit) })
  const { columns, total } = await request<{ columns: BoardColumn[]; total: number }>(
    'GET',
    `/app/api/records/days?${query}`,
    { signal },
  )
  return { total, byDay: new Map(columns.map((day) => [String(day.value), { ...day, rows: day.records }])) }
}

/** Reads a range with list queries: for a date field with an end field, and offline, where only lists are available. */
async function readLists(
  rowQuery: RowQuery,
  date: Field,
  end: Field | undefined,
  [first, last]: readonly [first: string, last: string],
  maxRows: number,
  signal: AbortSignal,
): Promise<Range> {
  const read = (days: readonly Condition[][], limit: number) => readRows(rowQuery, days, date, limit, signal)
  const { rows, total } = await read(onDays(date, end, first, last), MAX_RANGE_ROWS)
  if (rows.length === total) return { total, byDay: rowsByDay(rows, date, end, first, last) }
  const days = await Promise.all(
    daysFrom(first, last).map(
      async (day) => [day, await read(onDays(date, end, day, day), maxRows)] as const,
    ),
  )
  return { total, byDay: new Map(days) }
}

/** The rows on the days of a range, at least `maxRows` per day. */
export function useRange(
  rowQuery: RowQuery,
  date: Field,
  end: Field | undefined,
  range: readonly [first: string, last: string],
  maxRows: number,
) {
  return useQuery<Range>(
    ['record', 'range', JSON.stringify([rowQuery, date.key, end?.key, range])],
    async ({ signal }) => {
      const isAway = () => unreachableSince.peek() !== undefined
      if (!end && !isAway()) {
        const days = await readDays(rowQuery, date, range, maxRows, signal).catch((error: unknown) => {
          if (!isAway()) throw error
        })
        if (days) return days
      }
      return readLists(rowQuery, date, end, range, maxRows, signal)
    },
    { placeholderData: (before) => before },
  )
}

/** All rows of one day, while enabled. */
export function useDay(
  rowQuery: RowQuery,
  date: Field,
  end: Field | undefined,
  day: string,
  isEnabled: boolean,
): readonly Row[] | undefined {
  const { data } = useQuery<DayRows>(
    ['record', 'day', JSON.stringify([rowQuery, date.key, end?.key, day])],
    ({ signal }) => readRows(rowQuery, onDays(date, end, day, day), date, MAX_RANGE_ROWS, signal),
    { enabled: isEnabled },
  )
  return isEnabled ? data?.rows : undefined
}

/** The day of a row's date that is nearest to today; undefined if this month has rows, or none has a date. */
export function useNearestDay(rowQuery: RowQuery, date: Field, end: Field | undefined): string | undefined {
  const [day, month] = [today(), today().slice(0, 7)]
  const { data } = useQuery<string | null>(
    ['nearest day', JSON.stringify([rowQuery, date.key, end?.key, day])],
    async ({ signal }) => {
      const bound = (value: string) => (date.type === 'date' ? value : startOf(value))
      const read = async (op: 'gte' | 'lt', direction: 'asc' | 'desc') => {
        const filter = [...rowQuery.filter, { field: date.key, op, value: bound(day) }]
        const query = { ...queryOf({ ...rowQuery, filter, sort: date.key, direction }), limit: 1 }
        const { records } = (await api.get('/v1/records', { query, signal })) as RowPage
        const value = records[0]?.data[date.key]
        return typeof value === 'string' ? dayOf(value) : undefined
      }
      const [next, last] = await Promise.all([read('gte', 'asc'), read('lt', 'desc')])
      if (next?.startsWith(month) || last?.startsWith(month) || !(next ?? last)) return null
      if (next === undefined || last === undefined) return next ?? last ?? null
      return daysBetween(day, next) <= daysBetween(last, day) ? next : last
    },
  )
  // Rows that are moved later leave the displayed month as it is.
  const first = useRef<string | null | undefined>(undefined)
  first.current ??= data
  return first.current ?? undefined
}

/** The first rows without a date. */
export const useUndated = (rowQuery: RowQuery, date: Field) => {
  const filter = [...rowQuery.filter, { field: date.key, op: 'is_empty' }]
  const query = { ...queryOf({ ...rowQuery, filter }), limit: MAX_UNDATED }
  return useQuery(
    ['record', 'undated', JSON.stringify(query)],
    async ({ signal }) => (await api.get('/v1/records', { query, signal })) as RowPage,
    { placeholderData: (before) => before },
  )
}

/** Rows by day; a row that spans several days is on each of them. */
export function rowsByDay(
  rows: readonly Row[],
  date: Field,
  end: Field | undefined,
  first: string,
  last: string,
): ReadonlyMap<string, DayRows> {
  const days = new Map<string, Row[]>()
  for (const row of rows) {
    const from = row.data[date.key]
    if (typeof from !== 'string') continue
    const start = dayOf(from)
    const until = end && row.data[end.key]
    const stop = typeof until === 'string' && dayOf(until) > start ? dayOf(until) : start
    for (let day = start < first ? first : start; day <= stop && day <= last; day = addDays(day, 1))
      days.set(day, [...(days.get(day) ?? []), row])
  }
  return new Map([...days].map(([day, found]) => [day, { rows: found, total: found.length }]))
}
