import type { Reader } from '../../db/reader.ts'
import type { Sql } from '../../db/sql.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { type RowQuery, scanSource } from './row-query.ts'
import { totalKey } from './total-cache.ts'

/*
 * Skipping rows takes as long as reading them. On the way to a page far inside a list that is in the order of pks,
 * it is remembered which row stands where, and the next page is reached from the nearest such place. Like a total
 * (`total-cache.ts`), a place is that of one value of the structure's change counter.
 */

/** So many rows are skipped in a statement; then there is a place. */
export const STEP = 10_000
const MAX_LISTS = 100

/** So many of the matching rows have a lower pk. */
interface Place {
  readonly offset: number
  readonly pk: number
}

type Way = 'up' | 'down'

const placesByReader = new WeakMap<Sql, BoundedCache<string, Map<number, Place>>>()

/** By offset. */
function placesOf({ sql }: Reader, query: RowQuery): Map<number, Place> {
  const lists = placesByReader.get(sql) ?? new BoundedCache(MAX_LISTS)
  placesByReader.set(sql, lists)
  const key = totalKey(query)
  const places = lists.get(key) ?? new Map()
  lists.set(key, places)
  return places
}

/** The rows from an offset to before another, in the ascending order of pks; `total` is how many match. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly total: number
}

/** The pks of a range of the matching rows, ascending. */
export function pksOfRange(reader: Reader, query: RowQuery, { from, to, total }: Range): number[] {
  const places = placesOf(reader, query)
  let below: Place = { offset: 0, pk: 0 }
  let above: Place = { offset: total, pk: Number.MAX_SAFE_INTEGER }
  for (const place of places.values()) {
    if (place.offset <= from && place.offset > below.offset) below = place
    if (place.offset >= to && place.offset < above.offset) above = place
  }
  const isUp = from - below.offset <= above.offset - to
  const way = isUp ? 'up' : 'down'
  const goal = isUp ? from : to
  const place = goNear(reader, query, places, isUp ? below : above, goal)
  if (!place) return []
  const pks = pksFrom(reader, query, place, way, { limit: to - from, offset: Math.abs(goal - place.offset) })
  return isUp ? pks : pks.reverse()
}

/** Goes on from a place until the goal is no step away; undefined where there are fewer rows than expected. */
function goNear(
  reader: Reader,
  query: RowQuery,
  places: Map<number, Place>,
  start: Place,
  goal: number,
): Place | undefined {
  const way = start.offset <= goal ? 'up' : 'down'
  const [step, skipped] = way === 'up' ? [STEP, STEP] : [-STEP, STEP - 1]
  let place = start
  while (Math.abs(goal - place.offset) > STEP) {
    const [pk] = pksFrom(reader, query, place, way, { limit: 1, offset: skipped })
    if (pk === undefined) return undefined
    place = { offset: place.offset + step, pk }
    places.set(place.offset, place)
  }
  return place
}

/** Upwards the first row is that of the place, downwards the one before it. */
function pksFrom(
  reader: Reader,
  query: RowQuery,
  { pk }: Place,
  way: Way,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): number[] {
  const bound = { text: way === 'up' ? 'pk >= ?' : 'pk < ?', values: [pk] }
  const { text, values } = scanSource(reader, query, { by: 'pk' }, true, [bound])
  const order = way === 'up' ? 'ASC' : 'DESC'
  return reader.sql.column(
    `SELECT pk ${text} ORDER BY pk ${order} LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  )
}
