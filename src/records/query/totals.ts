import type { Reader } from '../../db/reader.ts'
import { chooseDriver, complementOf, type Driver, FEW, type Indexes, scanEntry } from './index-choice.ts'
import { type Entry, type RowQuery, rowSource } from './row-query.ts'

/** How many rows match, and, where they are few and it was found out by the way, which. */
export interface Matches {
  readonly total: number
  readonly pks?: readonly number[]
}

/**
 * Finds how many rows match: through an index, or as all but those that an index finds, else in a scan, which
 * need not be made twice where few match.
 */
export function countRows(
  reader: Reader,
  query: RowQuery,
  indexes: Indexes,
  driver: Driver | undefined,
): Matches {
  const [only, ...more] = query.conditions
  const complement = only && more.length === 0 ? complementOf(only) : undefined
  if (complement) {
    const others = { ...query, conditions: [complement] }
    const way = chooseDriver(reader, others, indexes)
    if (way) return { total: query.structure.live - (way.few ?? count(reader, others, way.entry)) }
  }
  if (driver && answersAll(query, driver)) return { total: count(reader, query, driver.entry) }
  const entry = scanEntry(driver)
  const { text, values } = rowSource(query, entry)
  const pks = reader.sql.column<number>(`SELECT pk ${text} LIMIT ${FEW}`, ...values)
  return pks.length < FEW ? { total: pks.length, pks } : { total: count(reader, query, entry) }
}

const answersAll = ({ conditions }: RowQuery, driver: Driver) =>
  driver.conditions.length === conditions.length

function count({ sql }: Reader, query: RowQuery, entry: Entry): number {
  const { text, values } = rowSource(query, entry)
  return sql.scalar(`SELECT count(*) ${text}`, ...values)
}
