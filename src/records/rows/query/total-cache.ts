import { matchesFilter } from '../../../filter/record/match.ts'
import { BoundedCache } from '../../../lib/bounded-cache.ts'
import type { RecordState } from '../../../lib/record-data.ts'
import type { Reader } from '../../../storage/reader.ts'
import { type Direction, sqlDirection } from '../../../storage/sql-part.ts'
import { ANY_PATH, type RowQuery, rowSource, scanSource } from './row-query.ts'

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

/** A row before and after a write; null if it was not live. */
export interface RowVersions {
  readonly pk: number
  readonly before: RecordState | null
  readonly after: RecordState | null
}

/** The writes of one transaction to one structure, in order. */
interface RowWrites {
  readonly structurePk: number
  /** The definition in force; compared by identity. */
  readonly definition: object
  /** The structure's change counter before and after. */
  readonly from: number
  readonly to: number
  readonly rows: readonly RowVersions[]
  /** The total length of the rows as JSON, in characters. */
  readonly size: number
}

/** More rows would take longer to test than to count again, or too much memory. */
const MAX_RECENT_ROWS = 4_000
const MAX_RECENT_SIZE = 2_000_000
/** The total for all structures. */
const MAX_SIZE = 8_000_000
const MAX_STRUCTURES = 100

/** Consecutive writes without a gap. */
interface Chain {
  readonly definition: object
  readonly writes: RowWrites[]
  rows: number
  size: number
}

/**
 * The latest committed writes of this process, by structure. They update counted totals without another count. Only
 * structures whose totals were requested are followed. A gap in the change counters, such as a write by another
 * process, or a change of the definition begins a new chain.
 */
class RecentWrites {
  readonly #chains = new Map<number, Chain | undefined>()
  #size = 0

  /** Starts to collect the writes of the structure. */
  follow(structurePk: number): void {
    if (this.#chains.has(structurePk)) return
    if (this.#chains.size >= MAX_STRUCTURES) this.#clear()
    this.#chains.set(structurePk, undefined)
  }

  #clear(): void {
    this.#chains.clear()
    this.#size = 0
  }

  /** Must be called after the commit, in write order. */
  add(write: RowWrites): void {
    const { structurePk, definition, from, to } = write
    if (from === to || !this.#chains.has(structurePk)) return
    const known = this.#chains.get(structurePk)
    const follows = known?.definition === definition && known.writes.at(-1)?.to === from
    const chain = known && follows ? known : { definition, writes: [], rows: 0, size: 0 }
    if (!follows) this.#size -= known?.size ?? 0
    if (this.#size + write.size > MAX_SIZE) {
      this.#clear()
      return
    }
    this.#chains.set(structurePk, chain)
    chain.writes.push(write)
    chain.rows += write.rows.length
    chain.size += write.size
    this.#size += write.size
    while (chain.rows > MAX_RECENT_ROWS || chain.size > MAX_RECENT_SIZE) this.#dropOldest(chain)
  }

  #dropOldest(chain: Chain): void {
    const oldest = chain.writes.shift()
    if (!oldest) return
    chain.rows -= oldest.rows.length
    chain.size -= oldest.size
    this.#size -= oldest.size
  }

  /** The rows written between two values of the change counter; undefined if some are unknown. */
  between(
    { structurePk, definition }: Pick<RowWrites, 'structurePk' | 'definition'>,
    from: number,
    to: number,
  ): RowVersions[] | undefined {
    const chain = this.#chains.get(structurePk)
    if (chain?.definition !== definition) return undefined
    const first = chain.writes.findLastIndex((write) => write.from === from)
    const last = chain.writes.findLastIndex((write) => write.to === to)
    if (first === -1 || last < first) return undefined
    return chain.writes.slice(first, last + 1).flatMap(({ rows }) => rows)
  }
}

const newRecentWrites = () => new RecentWrites()

/** One per database, shared by its writers and readers in this thread. */
export const recentWrites = ({ sql }: Reader): RecentWrites => sql.state.of(newRecentWrites)

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
  { limit, offset }: { readonly limit: number; readonly offset: number },
): number[] {
  const bound = { text: direction === 'asc' ? 'pk >= ?' : 'pk < ?', values: [pk] }
  const { text, values } = scanSource(reader, query, { by: 'pk' }, true, [bound])
  reader.sql.count(offset)
  return reader.sql.column(
    `SELECT pk ${text} ORDER BY pk ${sqlDirection(direction)} LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  )
}
