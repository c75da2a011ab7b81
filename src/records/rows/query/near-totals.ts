import type { Operator } from '../../../filter/record/operators.ts'
import type { Condition } from '../../../filter/record/parse.ts'
import { isPoint } from '../../../filter/record/values.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type RowQuery, testedColumn } from './row-query.ts'
import { findCounted, totalKeyOf } from './total-cache.ts'

/*
 * Derives the total of a new range from the total of a smaller one. If two ranges differ in one bound only, the larger
 * holds the rows of the smaller and those between the bounds. Only the rows between are counted. A client that moves a
 * bound, and many clients with different bounds, therefore do not pay for the whole range.
 */

const MAX_FAMILIES = 200
const MAX_BOUNDS = 128

type Bound = string | number

/** The bound of a range whose total was counted. Ranges that differ only in this bound form a family. */
export interface CountedBound {
  readonly family: string
  readonly bound: Bound
}

const newFamilies = () => new BoundedCache<string, Bound[]>(MAX_FAMILIES)

/** The bounds with counted totals, ascending, by family. */
const familiesOf = ({ sql }: Reader) => sql.state.of(newFamilies)

/** The operator of the opposite bound of the rows between two ranges. */
const OTHER_SIDE: Partial<Record<Operator, Operator>> = { lt: 'gte', lte: 'gt', gt: 'lte', gte: 'lt' }

interface Counted {
  readonly total: number
  /** Undefined if the query has no range condition. */
  readonly range?: CountedBound
}

/**
 * Counts the rows of a query with `count`. If a smaller range of its family is known, only the rows between the two are
 * counted.
 */
export function countNear(reader: Reader, query: RowQuery, count: (query: RowQuery) => number): Counted {
  const condition = query.conditions.findLast(({ op }) => OTHER_SIDE[op] !== undefined)
  const [operand] = condition?.operands ?? []
  if (!condition || !operand || !isPoint(operand)) return { total: count(query) }
  const range = { family: familyOf(query, condition), bound: operand.low }
  const smaller = smallerRange(reader, query, condition, range)
  if (!smaller) return { total: count(query), range }
  const between = {
    target: condition.target,
    op: OTHER_SIDE[condition.op] as Operator,
    operands: [point(smaller.bound)],
  }
  const rest = count({ ...query, conditions: [...query.conditions, between] })
  return { total: smaller.total + rest, range }
}

const point = (bound: Bound) => ({ low: bound, high: bound })

function familyOf(query: RowQuery, condition: Condition): string {
  const conditions = query.conditions.filter((other) => other !== condition)
  return `${testedColumn(condition)} ${condition.op} ${totalKeyOf({ ...query, conditions }).rows}`
}

const withBound = (query: RowQuery, condition: Condition, bound: Bound): RowQuery => ({
  ...query,
  conditions: query.conditions.map((one) => (one === condition ? { ...one, operands: [point(bound)] } : one)),
})

const MAX_TRIES = 4

/** The largest range within this one with a known total. */
function smallerRange(
  reader: Reader,
  query: RowQuery,
  condition: Condition,
  { family, bound }: CountedBound,
): { readonly bound: Bound; readonly total: number } | undefined {
  const bounds = familiesOf(reader).get(family) ?? []
  const isAbove = condition.op === 'gt' || condition.op === 'gte'
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const place = placeIn(bounds, bound) - (isAbove ? 0 : 1)
    const near = bounds[place]
    if (near === undefined) return undefined
    const smaller = withBound(query, condition, near)
    const total = findCounted(reader, smaller, totalKeyOf(smaller))
    if (total !== undefined) return { bound: near, total }
    // The cache of totals has evicted it, or another process has written rows since.
    bounds.splice(place, 1)
  }
  return undefined
}

/** The index of the bound in the list, or the index at which to insert it. */
function placeIn(bounds: readonly Bound[], bound: Bound): number {
  let [from, to] = [0, bounds.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((bounds[middle] as Bound) < bound) from = middle + 1
    else to = middle
  }
  return from
}

/** Stores the bound of a range with a cached total. In a full list, it replaces the bound after it. */
export function keepBound(reader: Reader, { family, bound }: CountedBound): void {
  const families = familiesOf(reader)
  const bounds = families.get(family) ?? []
  const place = placeIn(bounds, bound)
  if (bounds[place] === bound) return
  const isFull = bounds.length >= MAX_BOUNDS
  bounds.splice(Math.min(place, isFull ? MAX_BOUNDS - 1 : place), isFull ? 1 : 0, bound)
  families.set(family, bounds)
}
