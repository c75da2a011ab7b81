import type { Reader } from '../db/reader.ts'
import type { Sql } from '../db/sql.ts'
import { chooseDriver, complementOf, type Driver, type Indexes } from './access.ts'
import { ANY_ENTRY, type Entry, type RowQuery, rowSource } from './plan.ts'

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

/** Counts the rows that match: through an index, or as all but those that an index finds. */
export function countRows(
  reader: Reader,
  query: RowQuery,
  indexes: Indexes,
  driver: Driver | undefined,
): number {
  const [only, ...more] = query.conditions
  const complement = only && more.length === 0 ? complementOf(only) : undefined
  if (complement) {
    const others = { ...query, conditions: [complement] }
    const way = chooseDriver(reader, others, indexes)
    if (way) return query.structure.live - (way.few ?? count(reader, others, way.entry))
  }
  return count(reader, query, countEntry(query, driver))
}

/** An index that leads to a stretch of values is worth it only where it answers everything by itself. */
function countEntry({ conditions }: RowQuery, driver: Driver | undefined): Entry {
  if (!driver) return ANY_ENTRY
  const answersAll = driver.conditions.length === conditions.length
  return driver.few !== undefined || driver.isEqual || answersAll ? driver.entry : { by: 'pk' }
}

function count({ sql }: Reader, query: RowQuery, entry: Entry): number {
  const { text, values } = rowSource(query, entry)
  return sql.scalar(`SELECT count(*) ${text}`, ...values)
}
