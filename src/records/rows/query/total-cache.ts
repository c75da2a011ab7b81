import type { RowOperator } from '../../../filter/operators.ts'
import { matchesFilter } from '../../../filter/record/match.ts'
import type { Condition } from '../../../filter/record/parse.ts'
import { isPoint } from '../../../filter/record/values.ts'
import type { Server } from '../../../kernel/call.ts'
import { storeLongValue } from '../../../kernel/long-values.ts'
import type { Snapshot } from '../../../kernel/operation.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import type { LongValue } from '../../../storage/page-cursors.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type Direction, sqlDirection } from '../../../storage/sql.ts'
import { type ReadCosts, recordReadCosts } from '../../structures/storage/auto-index.ts'
import { type RowVersions, recentWrites } from '../store.ts'
import { ANY_PATH, type RowQuery, rowSource, scanSource, testedColumn } from './row-query.ts'

/*
 * Caches exact totals, because paging and watching need the same total repeatedly. A total is valid for one value of
 * the structure's change counter, which is read together with the rows. A write by any process therefore invalidates
 * it. If all rows written since then are known, they update the total without another count. Only readers of committed
 * data use this cache.
 */

const MAX_TOTALS = 1_000
const MAX_LISTS = 100
const MAX_KEY_LENGTH = 2_000
/** This many tests of rows against conditions take no noticeable time. */
const MAX_TESTS = 2_000

/** A reader's cached knowledge of rows; the key or the value identifies the state of the rows. */
class RowCaches {
  readonly totals = new BoundedCache<string, Counted>(MAX_TOTALS)
  readonly numbers = new BoundedCache<string, number>(MAX_TOTALS)
  readonly offsets = new BoundedCache<string, Map<number, KnownOffset>>(MAX_LISTS)
  /** Row pks in some order. */
  readonly lists = new BoundedCache<string, unknown>(MAX_LISTS)
}

const newCaches = () => new RowCaches()

const cachesOf = ({ sql }: Reader): RowCaches => sql.state.of(newCaches)

interface Counted {
  readonly total: number
  readonly changes: number
}

/** A row, and the number of matching rows with a lower pk. */
export interface KnownOffset {
  readonly offset: number
  readonly pk: number
}

/** The counted query, and the state of the rows. */
export interface TotalKey {
  readonly structurePk: number
  readonly rows: string
  readonly changes: number
}

export function totalKeyOf(query: RowQuery): TotalKey {
  const { pk, changes } = query.structure
  const { text, values } = rowSource(query, ANY_PATH)
  return { structurePk: pk, rows: `${pk} ${text} ${JSON.stringify(values)}`, changes }
}

export function totalKeyText(query: RowQuery): string {
  const { rows, changes } = totalKeyOf(query)
  return `${changes} ${rows}`
}

/** Caches a number read from the rows. Its key identifies the number and the state of the rows. */
export function cachedNumber(reader: Reader, key: string, read: () => number): number {
  const { numbers } = cachesOf(reader)
  const number = numbers.get(key) ?? read()
  if (key.length <= MAX_KEY_LENGTH) numbers.set(key, number)
  return number
}

/** The same for the pks of rows. */
export function cachedList<List>(reader: Reader, key: string, read: () => List): List {
  const { lists } = cachesOf(reader)
  const list = (lists.get(key) as List | undefined) ?? read()
  if (key.length <= MAX_KEY_LENGTH) lists.set(key, list)
  return list
}

/**
 * The number of matching rows. It is known if it was counted for this state, or for an earlier state and all writes
 * since are known.
 */
export function findCounted(reader: Reader, query: RowQuery, key: TotalKey): number | undefined {
  const counted = cachesOf(reader).totals.get(key.rows)
  if (counted === undefined || counted.changes === key.changes) return counted?.total
  const { structurePk, changes } = key
  const rows = recentWrites(reader).between(
    { structurePk, definition: query.definition },
    counted.changes,
    changes,
  )
  if (!rows || rows.length * query.conditions.length > MAX_TESTS) return undefined
  const total = counted.total + gained(rows, query)
  saveCounted(reader, key, total)
  return total
}

/** The number of matches after the writes minus the number before. */
const gained = (rows: readonly RowVersions[], { conditions }: RowQuery): number =>
  rows.reduce((sum, { before, after }) => {
    const did = before !== null && matchesFilter(before, conditions)
    const does = after !== null && matchesFilter(after, conditions)
    return sum + Number(does) - Number(did)
  }, 0)

/** Caches the number of matching rows, unless the number of a later state is cached. */
export function saveCounted(reader: Reader, { structurePk, rows, changes }: TotalKey, total: number): void {
  if (rows.length > MAX_KEY_LENGTH) return
  const { totals } = cachesOf(reader)
  // A worker may have counted an earlier state than the cached one.
  if ((totals.get(rows)?.changes ?? 0) > changes) return
  totals.set(rows, { total, changes })
  recentWrites(reader).follow(structurePk)
}

/*
 * Skipping rows takes as long as reading them. The search for a page far inside a list in pk order caches the row at
 * every 10,000th offset on the way. The search for the next page begins at the nearest of these rows. Like a total,
 * they are valid for one value of the structure's change counter.
 */

/** The number of rows that one statement skips; the row after them is cached. */
export const STEP = 10_000
function knownOffsets(reader: Reader, query: RowQuery): Map<number, KnownOffset> {
  const { offsets } = cachesOf(reader)
  const key = totalKeyText(query)
  const known = offsets.get(key) ?? new Map()
  offsets.set(key, known)
  return known
}

/** The rows from one offset to before another, in ascending pk order; `total` is the number of matches. */
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

/** A row at most one step from the target; undefined if there are fewer rows than expected. */
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
  page: { readonly limit: number; readonly offset: number },
): number[] {
  const bound = { text: direction === 'asc' ? 'pk >= ?' : 'pk < ?', values: [pk] }
  const { text, values } = scanSource(reader, query, { by: 'pk' }, true, [bound])
  return reader.sql.columnPage(`SELECT pk ${text} ORDER BY pk ${sqlDirection(direction)}`, values, page)
}

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
const OTHER_SIDE: Partial<Record<RowOperator, RowOperator>> = { lt: 'gte', lte: 'gt', gt: 'lte', gte: 'lt' }

interface NearTotal {
  readonly total: number
  /** Undefined if the query has no range condition. */
  readonly range?: CountedBound
}

/**
 * Counts the rows of a query with `count`. If a smaller range of its family is known, only the rows between the two are
 * counted.
 */
export function countNear(reader: Reader, query: RowQuery, count: (query: RowQuery) => number): NearTotal {
  const condition = query.conditions.findLast(({ op }) => OTHER_SIDE[op] !== undefined)
  const [operand] = condition?.operands ?? []
  if (!condition || !operand || !isPoint(operand)) return { total: count(query) }
  const range = { family: familyOf(query, condition), bound: operand.low }
  const smaller = smallerRange(reader, query, condition, range)
  if (!smaller) return { total: count(query), range }
  const between = {
    target: condition.target,
    op: OTHER_SIDE[condition.op] as RowOperator,
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
function keepBound(reader: Reader, { family, bound }: CountedBound): void {
  const families = familiesOf(reader)
  const bounds = families.get(family) ?? []
  const place = placeIn(bounds, bound)
  if (bounds[place] === bound) return
  const isFull = bounds.length >= MAX_BOUNDS
  bounds.splice(Math.min(place, isFull ? MAX_BOUNDS - 1 : place), isFull ? 1 : 0, bound)
  families.set(family, bounds)
}

/** Findings of a read that later reads, in this thread or the main thread, can reuse. */
interface RowFinding {
  readonly costs: ReadCosts
  readonly counted?: { readonly key: TotalKey; readonly total: number } | undefined
  /** The counted range. */
  readonly range?: CountedBound | undefined
  /** The rows of a board in order, and their cache key. */
  readonly ordered?: { readonly key: string; readonly rows: unknown }
  /** The long sort value of the returned cursor. */
  readonly longValue?: LongValue | undefined
}

function cache(reader: Reader, { counted, range, ordered }: RowFinding): void {
  if (counted) saveCounted(reader, counted.key, counted.total)
  if (range) keepBound(reader, range)
  if (ordered) cachedList(reader, ordered.key, () => ordered.rows)
}

/** Caches a finding in the thread of the read, and reports it. */
export function reportRows(snapshot: Snapshot, finding: RowFinding): void {
  cache(snapshot, finding)
  snapshot.report?.(finding)
}

/** The `learn` of every operation that reads rows. */
export function learnOfRows(server: Server, finding: unknown, ms: number): Promise<void> | undefined {
  const found = finding as RowFinding
  cache(server.db, found)
  const { missing, used } = found.costs
  if (missing.length > 0 || used.length > 0) recordReadCosts(server, found.costs, ms)
  return found.longValue && storeLongValue(server, found.longValue)
}
