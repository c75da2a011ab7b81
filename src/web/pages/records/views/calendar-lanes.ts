import type { Field, Row } from '../../../data/records/model.ts'
import type { DayRows } from './calendar-rows.ts'
import { dayOf } from './days.ts'

/** The days of a row within a week, as indexes, both included. */
interface Span {
  readonly row: Row
  readonly from: number
  readonly to: number
}

/** Where the rows of a week are drawn: a row keeps its lane on all of its days. */
export interface Lanes {
  laneOf(row: Row): number
  /** The number of days that a row's bar covers from a day on; undefined where the bar began on an earlier day. */
  daysFrom(row: Row, day: string): number | undefined
}

/** The lanes of a week, filled by beginning, then by length. */
export function lanesOf(
  week: readonly string[],
  byDay: ReadonlyMap<string, DayRows>,
  date: Field,
  end: Field | undefined,
): Lanes {
  const [first = ''] = week
  const indexOf = (day: string) => (day < first ? 0 : Math.max(0, week.indexOf(day)))
  const rows = new Map<string, Row>()
  for (const day of week) for (const row of byDay.get(day)?.rows ?? []) rows.set(row.id, row)
  const spans = [...rows.values()].map((row): Span => {
    const start = dayOf(String(row.data[date.key]))
    const until = end && row.data[end.key]
    const stop = typeof until === 'string' ? dayOf(until) : start
    const from = indexOf(start)
    return { row, from, to: stop > (week.at(-1) ?? '') ? week.length - 1 : Math.max(from, indexOf(stop)) }
  })
  const found = new Map<string, Span & { lane: number }>()
  /** The first free day of each lane. */
  const free: number[] = []
  for (const span of spans.sort((one, other) => one.from - other.from || other.to - one.to)) {
    const known = free.findIndex((day) => day <= span.from)
    const lane = known === -1 ? free.length : known
    free[lane] = span.to + 1
    found.set(span.row.id, { ...span, lane })
  }
  return {
    laneOf: ({ id }) => found.get(id)?.lane ?? 0,
    daysFrom: ({ id }, day) => {
      const span = found.get(id)
      return span && week[span.from] === day ? span.to - span.from + 1 : undefined
    },
  }
}
