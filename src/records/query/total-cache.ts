import type { Reader } from '../../db/reader.ts'
import type { Sql } from '../../db/sql.ts'
import { matchesFilter } from '../../filter/record/match.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { type RowVersions, recentWritesOf } from '../total-cache-updates.ts'
import { ANY_PATH, type RowQuery, rowSource } from './row-query.ts'

/*
 * Caches exact totals, because paging and watching need the same one again and again. A total is that of one value of
 * the structure's change counter, which is read together with the rows, so a write by any process invalidates it. If
 * all rows written since then are known, the total is brought up to date by them instead of being counted again. Only
 * for readers of committed data.
 */

const MAX_TOTALS = 1_000
const MAX_KEY_LENGTH = 2_000
/** The tests of rows against conditions that take no noticeable time. */
const MAX_TESTS = 2_000

const totalsByReader = new WeakMap<Sql, BoundedCache<string, number>>()

/** What is counted, and the state of the rows. */
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

/** The same as text. */
export function totalKey(query: RowQuery): string {
  const { rows, changes } = totalKeyOf(query)
  return `${changes} ${rows}`
}

export const findTotal = ({ sql }: Reader, key: string): number | undefined =>
  totalsByReader.get(sql)?.get(key)

export function saveTotal({ sql }: Reader, key: string, total: number): void {
  if (key.length > MAX_KEY_LENGTH) return
  const totals = totalsByReader.get(sql) ?? new BoundedCache(MAX_TOTALS)
  totals.set(key, total)
  totalsByReader.set(sql, totals)
}

/** A total that another thread has counted. */
export interface KnownTotal {
  readonly key: TotalKey
  readonly total: number
}

/** Caches a total that is known from another thread, if it is that of the same rows in the same state. */
export function saveKnown(reader: Reader, { rows, changes }: TotalKey, { key, total }: KnownTotal): void {
  if (key.rows === rows && key.changes === changes) saveCounted(reader, key, total)
}

interface Counted {
  readonly total: number
  readonly changes: number
}

const countedByReader = new WeakMap<Sql, BoundedCache<string, Counted>>()

/** The number of rows that match, if it was counted for these rows, or for others since which all writes are known. */
export function findCounted(reader: Reader, query: RowQuery, key: TotalKey): number | undefined {
  const counted = countedByReader.get(reader.sql)?.get(key.rows)
  if (counted === undefined || counted.changes === key.changes) return counted?.total
  const { structurePk, changes } = key
  const recent = recentWritesOf(reader.sql)
  const rows = recent?.between({ structurePk, definition: query.definition }, counted.changes, changes)
  if (!rows || rows.length * query.conditions.length > MAX_TESTS) return undefined
  const total = counted.total + gained(rows, query)
  saveCounted(reader, key, total)
  return total
}

/** How many more rows match after the writes than before. */
const gained = (rows: readonly RowVersions[], { conditions }: RowQuery): number =>
  rows.reduce((sum, { before, after }) => {
    const did = before !== null && matchesFilter(before, conditions)
    const does = after !== null && matchesFilter(after, conditions)
    return sum + Number(does) - Number(did)
  }, 0)

export function saveCounted({ sql }: Reader, { structurePk, rows, changes }: TotalKey, total: number): void {
  if (rows.length > MAX_KEY_LENGTH) return
  const totals = countedByReader.get(sql) ?? new BoundedCache(MAX_TOTALS)
  // A worker may have counted an earlier state than the one that is known.
  if ((totals.get(rows)?.changes ?? 0) > changes) return
  totals.set(rows, { total, changes })
  countedByReader.set(sql, totals)
  recentWritesOf(sql)?.follow(structurePk)
}
