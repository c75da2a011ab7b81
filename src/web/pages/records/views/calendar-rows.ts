import { api } from '../../../data/api.ts'
import { awaySince, request } from '../../../data/request.ts'
import { useQuery } from '../../../data/use-query.ts'
import type { Condition } from '../conditions.ts'
import { type Field, queryOf, type Row, type RowPage, type RowQuery } from '../model.ts'
import type { BoardColumn } from './columns.ts'
import { addDays, dayOf, startOf } from './days.ts'

/** The rows of a day that are known, and how many there are. */
export interface DayRows {
  readonly rows: readonly Row[]
  readonly total: number
}

export const NO_ROWS: DayRows = { rows: [], total: 0 }

/** Up to this many rows of a range are read at once; of more, the first few of each day. */
const MOST = 500
const UNDATED = 50

/** The conditions of which rows on a day meet one: that they begin on it, or that they began before and go on. */
function onDays(date: Field, end: Field | undefined, first: string, last: string): readonly Condition[][] {
  const bound = (day: string) => (date.type === 'date' ? day : startOf(day))
  const inside = [
    { field: date.key, op: 'gte', value: bound(first) },
    { field: date.key, op: 'lt', value: bound(addDays(last, 1)) },
  ]
  const into = end && [
    { field: date.key, op: 'lt', value: bound(first) },
    { field: end.key, op: 'gte', value: bound(first) },
  ]
  return [inside, ...(into ? [into] : [])]
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
  /** What is known of each day. */
  readonly byDay: ReadonlyMap<string, DayRows>
}

/** The first rows of each day of a range, and how many there are, of a date without an end. */
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

/** The same from what this browser keeps, which makes lists alone, and of a date with an end; where rows are few, all. */
async function readLists(
  rowQuery: RowQuery,
  date: Field,
  end: Field | undefined,
  [first, last]: readonly [first: string, last: string],
  most: number,
  signal: AbortSignal,
): Promise<Range> {
  const read = (days: readonly Condition[][], limit: number) => readRows(rowQuery, days, date, limit, signal)
  const { rows, total } = await read(onDays(date, end, first, last), MOST)
  if (rows.length === total) return { total, byDay: rowsByDay(rows, date, end, first, last) }
  const days = await Promise.all(
    daysFrom(first, last).map(async (day) => [day, await read(onDays(date, end, day, day), most)] as const),
  )
  return { total, byDay: new Map(days) }
}

/** The rows on the days of a range; `most` of each day, or more. */
export function useRange(
  rowQuery: RowQuery,
  date: Field,
  end: Field | undefined,
  range: readonly [first: string, last: string],
  most: number,
) {
  return useQuery<Range>(
    ['record', 'range', JSON.stringify([rowQuery, date.key, end?.key, range])],
    async ({ signal }) => {
      const isAway = () => awaySince.peek() !== undefined
      if (!end && !isAway()) {
        const days = await readDays(rowQuery, date, range, most, signal).catch((error: unknown) => {
          if (!isAway()) throw error
        })
        if (days) return days
      }
      return readLists(rowQuery, date, end, range, most, signal)
    },
    { placeholderData: (before) => before },
  )
}

/** More rows of one day than the range has of it, once they are read. */
export function useDay(
  rowQuery: RowQuery,
  date: Field,
  end: Field | undefined,
  day: string,
  isWanted: boolean,
): readonly Row[] | undefined {
  const { data } = useQuery<DayRows>(
    ['record', 'day', JSON.stringify([rowQuery, date.key, end?.key, day])],
    ({ signal }) => readRows(rowQuery, onDays(date, end, day, day), date, MOST, signal),
    { enabled: isWanted },
  )
  return isWanted ? data?.rows : undefined
}

/** The first rows without a day. */
export const useUndated = (rowQuery: RowQuery, date: Field) => {
  const filter = [...rowQuery.filter, { field: date.key, op: 'is_empty' }]
  const query = { ...queryOf({ ...rowQuery, filter }), limit: UNDATED }
  return useQuery(
    ['record', 'undated', JSON.stringify(query)],
    async ({ signal }) => (await api.get('/v1/records', { query, signal })) as RowPage,
    { placeholderData: (before) => before },
  )
}

/** The rows of each day, those that go over several days on each of them. */
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
