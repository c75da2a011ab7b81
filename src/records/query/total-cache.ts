import type { Reader } from '../../db/reader.ts'
import type { Sql } from '../../db/sql.ts'
import { ANY_ENTRY, type RowQuery, rowSource } from './row-query.ts'

/*
 * Exact totals that were counted, kept until a row of the structure changes: paging and watching ask for the
 * same one again and again. The structure's own count of changes, read with the rows, says whether one holds,
 * whichever process wrote. Only for readers of what is committed.
 */

const TOTALS_KEPT = 1_000
const LONGEST_KEY = 2_000

const kept = new WeakMap<Sql, Map<string, number>>()

/** Names a total: what is counted, and the state of the rows. */
export function totalKey(query: RowQuery): string {
  const { pk, changes } = query.structure
  const { text, values } = rowSource(query, ANY_ENTRY)
  return `${pk} ${changes} ${text} ${JSON.stringify(values)}`
}

export const findTotal = ({ sql }: Reader, key: string): number | undefined => kept.get(sql)?.get(key)

export function keepTotal({ sql }: Reader, key: string, total: number): void {
  if (key.length > LONGEST_KEY) return
  const totals = kept.get(sql) ?? new Map<string, number>()
  if (totals.size >= TOTALS_KEPT) totals.clear()
  kept.set(sql, totals.set(key, total))
}
