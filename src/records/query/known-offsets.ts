import type { Reader } from '../../db/reader.ts'
import { type Direction, sqlWay } from '../../db/sql-part.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { type RowQuery, scanSource } from './row-query.ts'
import { totalKeyText } from './total-cache.ts'

/*
 * Skipping rows takes as long as reading them. While a page far inside a list in the order of pks is sought, the row at
 * every 10,000th offset on the way is cached, and the next page is sought from the nearest of these rows. Like a total
 * (`total-cache.ts`), they are valid for one value of the structure's change counter.
 */

/** How many rows one statement skips; the row after them is cached. */
export const STEP = 10_000
const MAX_LISTS = 100

/** A row and how many of the matching rows have a lower pk. */
interface KnownOffset {
  readonly offset: number
  readonly pk: number
}

const newLists = () => new BoundedCache<string, Map<number, KnownOffset>>(MAX_LISTS)

/** By offset. */
function knownOffsets({ sql }: Reader, query: RowQuery): Map<number, KnownOffset> {
  const lists = sql.state.of(newLists)
  const key = totalKeyText(query)
  const known = lists.get(key) ?? new Map()
  lists.set(key, known)
  return known
}

/** The rows from an offset to before another, in the ascending order of pks; `total` is how many match. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly total: number
}

/** The pks of a range of the matching rows, ascending. */
export function pksOfRange(reader: Reader, query: RowQuery, { from, to, total }: Range): number[] {
  const known = knownOffsets(reader, query)
  let below: KnownOffset = { offset: 0, pk: 0 }
  let above: KnownOffset = { offset: total, pk: Number.MAX_SAFE_INTEGER }
  for (const one of known.values()) {
    if (one.offset <= from && one.offset > below.offset) below = one
    if (one.offset >= to && one.offset < above.offset) above = one
  }
  const isAscending = from - below.offset <= above.offset - to
  const direction = isAscending ? 'asc' : 'desc'
  const goal = isAscending ? from : to
  const near = stepTowards(reader, query, known, isAscending ? below : above, goal)
  if (!near) return []
  const page = { limit: to - from, offset: Math.abs(goal - near.offset) }
  const pks = pksFrom(reader, query, near, direction, page)
  return isAscending ? pks : pks.reverse()
}

/** A row at most one step from the goal; undefined where there are fewer rows than expected. */
function stepTowards(
  reader: Reader,
  query: RowQuery,
  known: Map<number, KnownOffset>,
  start: KnownOffset,
  goal: number,
): KnownOffset | undefined {
  const direction = start.offset <= goal ? 'asc' : 'desc'
  const [step, skipped] = direction === 'asc' ? [STEP, STEP] : [-STEP, STEP - 1]
  let near = start
  while (Math.abs(goal - near.offset) > STEP) {
    const [pk] = pksFrom(reader, query, near, direction, { limit: 1, offset: skipped })
    if (pk === undefined) return undefined
    near = { offset: near.offset + step, pk }
    known.set(near.offset, near)
  }
  return near
}

/** Ascending from this row, or descending from the row before it. */
function pksFrom(
  reader: Reader,
  query: RowQuery,
  { pk }: KnownOffset,
  direction: Direction,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): number[] {
  const bound = { text: direction === 'asc' ? 'pk >= ?' : 'pk < ?', values: [pk] }
  const { text, values } = scanSource(reader, query, { by: 'pk' }, true, [bound])
  reader.sql.count(offset)
  return reader.sql.column(
    `SELECT pk ${text} ORDER BY pk ${sqlWay(direction)} LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  )
}
