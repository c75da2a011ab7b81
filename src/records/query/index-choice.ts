import type { Reader } from '../../db/reader.ts'
import { foldedText, textIndexTable, valueColumn } from '../../db/row-tables.ts'
import type { SqlPart } from '../../db/sql-part.ts'
import type { Operator } from '../../filter/record/operators.ts'
import type { Condition } from '../../filter/record/parse.ts'
import { fold } from '../../lib/text.ts'
import {
  autoIndexName,
  findAutoIndexes,
  type IndexTarget,
  indexedColumn,
  isFolded,
} from '../../structures/storage/auto-index.ts'
import { columnNumbers, uniqueIndexName } from '../../structures/storage/row-table.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { ANY_ENTRY, type Entry, type RowQuery, rowSource } from './row-query.ts'
import { findTotal, keepTotal, totalKey } from './total-cache.ts'

/*
 * Which indexes of a structure's table can serve a filter. SQLite would choose by statistics that it seldom
 * has; here the rows that an index leads to are counted, as far as a few.
 */

/** An index whose first column is this one. */
export interface UsableIndex {
  readonly name: string
  readonly column: string
  /** Its rows stand folded (`structures/auto-index.ts`). */
  readonly isFolded: boolean
  /** Rows that hold the same value stand by their pks. */
  readonly sorts: boolean
  /** When it last served; null for one that is there for uniqueness. */
  readonly usedAt: number | null
}

export type Indexes = ReadonlyMap<string, UsableIndex>

/** An index that leads to the rows that meet some of the conditions. */
export interface Driver {
  readonly index: UsableIndex
  readonly entry: Entry
  /** The conditions that it answers by itself. */
  readonly conditions: readonly Condition[]
  /** Whether it leads to rows of one value, which then stand by their pks. */
  readonly isOneValue: boolean
  /** Whether it leads to single values; else to a stretch of them. */
  readonly isEqual: boolean
  /** How many rows it leads to, if fewer than `FEW`. */
  readonly few: number | undefined
}

/** So few rows are looked at in no time. */
export const FEW = 1_000

/** By what they begin with, the search table as `*`; an automatic index goes before a unique one, as it sorts. */
export function usableIndexes(reader: Reader, { structure, definition }: RowQuery): Indexes {
  const indexes = new Map<string, UsableIndex>()
  for (const set of definition.uniqueSets) {
    const column = valueColumn(columnNumbers(set)[0] ?? 0)
    const sorts = set.length === 1 && !isFolded(set[0]?.type ?? 'text')
    const name = uniqueIndexName(structure.pk, set)
    if (sorts || !indexes.has(column))
      indexes.set(column, { name, column, isFolded: false, sorts, usedAt: null })
  }
  const folded = new Set(definition.fields.filter(({ type }) => isFolded(type)).map(indexedColumn))
  for (const [column, usedAt] of findAutoIndexes(reader, structure.pk)) {
    const isSearch = column === TEXT_INDEX
    const name = isSearch ? textIndexTable(structure.pk) : autoIndexName(structure.pk, column)
    indexes.set(column, { name, column, isFolded: folded.has(column), sorts: !isSearch, usedAt })
  }
  return indexes
}

const SINGLE: ReadonlySet<Operator> = new Set(['eq', 'in', 'is_empty'])
const SEEKABLE: ReadonlySet<Operator> = new Set([...SINGLE, 'gt', 'gte', 'lt', 'lte'])

/** What an index for the condition would be made for; undefined where none would help. */
export function seekableTarget({ target, op, operands }: Condition): IndexTarget | undefined {
  if (!SEEKABLE.has(op) || target === '*' || target === 'id') return undefined
  if (op === 'in' && operands.some(({ low, high }) => low !== high)) return undefined
  return typeof target !== 'string' && target.type === 'bool' ? undefined : target
}

/** The condition whose rows are all those that do not meet this one; undefined where no index would find them. */
export function complementOf(condition: Condition): Condition | undefined {
  const { op } = condition
  const opposite = op === 'neq' ? 'eq' : op === 'not_in' ? 'in' : op === 'not_empty' ? 'is_empty' : undefined
  return opposite && { ...condition, op: opposite }
}

/** The index that leads to the fewest rows, if there is any that leads to what is asked for. */
export function chooseDriver(reader: Reader, query: RowQuery, indexes: Indexes): Driver | undefined {
  if (indexes.size === 0) return undefined
  const drivers = [...byColumn(query.conditions)].flatMap(([column, conditions]) => {
    const index = indexes.get(column)
    return index ? [driverOf(reader, query, index, conditions)] : []
  })
  return drivers.sort(compareDrivers)[0]
}

function byColumn(conditions: readonly Condition[]): Map<string, Condition[]> {
  const columns = new Map<string, Condition[]>()
  for (const condition of conditions) {
    const target = seekableTarget(condition)
    if (target === undefined) continue
    const column = indexedColumn(target)
    columns.set(column, [...(columns.get(column) ?? []), condition])
  }
  return columns
}

const compareDrivers = (one: Driver, other: Driver) =>
  (one.few ?? FEW) - (other.few ?? FEW) || Number(other.isEqual) - Number(one.isEqual)

function driverOf(reader: Reader, query: RowQuery, index: UsableIndex, conditions: Condition[]): Driver {
  const seeks = index.isFolded ? conditions.map(foldedSeek) : []
  const entry: Entry = { by: 'index', name: index.name, seeks }
  const isOneValue = conditions.some(
    ({ op, operands }) => op === 'is_empty' || (op === 'eq' && operands[0]?.low === operands[0]?.high),
  )
  const isEqual = conditions.some(({ op }) => SINGLE.has(op))
  const few = countUpToFew(reader, { ...query, conditions }, entry)
  return { index, entry, conditions, isOneValue, isEqual, few }
}

/** Undefined for `FEW` and more. The pks are read as well, so that SQLite keeps to the index. */
function countUpToFew(reader: Reader, query: RowQuery, entry: Entry): number | undefined {
  const { text, values } = rowSource(query, entry)
  const key = `${FEW} of ${totalKey(query)}`
  const known = findTotal(reader, key)
  const count =
    known ?? reader.sql.scalar<number>(`SELECT count(*) FROM (SELECT pk ${text} LIMIT ${FEW})`, ...values)
  if (known === undefined) keepTotal(reader, key, count)
  return count < FEW ? count : undefined
}

/**
 * The way in where every matching row is looked at. Many rows of a stretch of values stand apart, and are read faster
 * in a scan than through the index.
 */
export function scanEntry(driver: Driver | undefined): Entry {
  if (!driver) return ANY_ENTRY
  return driver.few !== undefined || driver.isEqual ? driver.entry : { by: 'pk' }
}

/** What an index of folded texts is entered by; the condition itself then compares the text as written. */
function foldedSeek({ target, op, operands }: Condition): SqlPart {
  const expression = typeof target === 'string' ? target : foldedText(target.column)
  if (op === 'is_empty') return { text: `${expression} IS NULL`, values: [] }
  const folded = [...new Set(operands.map(({ low }) => fold(String(low))))]
  const [first = ''] = folded
  if (folded.length === 1) return { text: `${expression} = ?`, values: [first] }
  // An index on an expression is not entered through a sub-query; few lengths of list make few statements.
  const values = [...folded, ...Array(listLength(folded.length) - folded.length).fill(first)]
  return { text: `${expression} IN (${values.map(() => '?').join(', ')})`, values }
}

const listLength = (count: number) => 2 ** Math.ceil(Math.log2(Math.max(1, count)))
