import type { Reader } from '../../db/reader.ts'
import type { Sql } from '../../db/sql.ts'
import { ANY_PATH, type RowQuery, rowSource } from './row-query.ts'

/*
 * Caches exact totals until a row of the structure changes, because paging and watching need the same one again and
 * again. The key contains the structure's change counter, which is read together with the rows, so a write by any
 * process invalidates the entry. Only for readers of committed data.
 */

const MAX_TOTALS = 1_000
const MAX_KEY_LENGTH = 2_000

const totalsByReader = new WeakMap<Sql, Map<string, number>>()

/** Identifies what is counted and the state of the rows. */
export function totalKey(query: RowQuery): string {
  const { pk, changes } = query.structure
  const { text, values } = rowSource(query, ANY_PATH)
  return `${pk} ${changes} ${text} ${JSON.stringify(values)}`
}

export const findTotal = ({ sql }: Reader, key: string): number | undefined =>
  totalsByReader.get(sql)?.get(key)

export function saveTotal({ sql }: Reader, key: string, total: number): void {
  if (key.length > MAX_KEY_LENGTH) return
  const totals = totalsByReader.get(sql) ?? new Map<string, number>()
  if (totals.size >= MAX_TOTALS) totals.clear()
  totalsByReader.set(sql, totals.set(key, total))
}
