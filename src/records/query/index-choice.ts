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
import type { ReadCosts, ScanCost } from '../../structures/storage/index-policy.ts'
import { columnNumbers, uniqueIndexName } from '../../structures/storage/row-table.ts'
import { findCandidates, isSearchable, TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { FEW_ROWS } from './costs.ts'
import { type AccessPath, ANY_PATH, type RowQuery, rowSource } from './row-query.ts'
import { findTotal, saveTotal, totalKey } from './total-cache.ts'

/** An index by its first column. */
export interface UsableIndex {
  readonly name: string
  readonly column: string
  /** Whether it holds texts in their folded form (`structures/storage/auto-index.ts`). */
  readonly isFolded: boolean
  /** Whether rows of equal values are in the order of their pks. */
  readonly sorts: boolean
  /** When it was last recorded as used; null for a unique index, which is never dropped for lack of use. */
  readonly usedAt: number | null
}

/** By column; the text index is `*`. */
export type Indexes = ReadonlyMap<string, UsableIndex>

/** An automatic index takes precedence over a unique one on the same column, because it sorts. */
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
    const isText = column === TEXT_INDEX
    const name = isText ? textIndexTable(structure.pk) : autoIndexName(structure.pk, column)
    indexes.set(column, { name, column, isFolded: folded.has(column), sorts: !isText, usedAt })
  }
  return indexes
}

/** The index through which the rows of a filter are found. */
export interface IndexChoice {
  readonly index: UsableIndex
  readonly path: AccessPath
  /** The conditions on the indexed column. */
  readonly conditions: readonly Condition[]
  /** Whether all rows it leads to have one value, and so are in the order of their pks. */
  readonly isOneValue: boolean
  /** Whether it leads to single values instead of a range. */
  readonly isEquality: boolean
  /** How many rows it leads to, if fewer than `FEW_ROWS`. */
  readonly few: number | undefined
}

const SINGLE: ReadonlySet<Operator> = new Set(['eq', 'in', 'is_empty'])
const SEEKABLE: ReadonlySet<Operator> = new Set([...SINGLE, 'gt', 'gte', 'lt', 'lte'])

/** What an index that serves the condition would be on; undefined where none would help. */
function seekableTarget({ target, op, operands }: Condition): IndexTarget | undefined {
  if (!SEEKABLE.has(op) || target === '*' || target === 'id') return undefined
  if (op === 'in' && operands.some(({ low, high }) => low !== high)) return undefined
  return typeof target !== 'string' && target.type === 'bool' ? undefined : target
}

/** The condition that exactly the other rows meet; undefined where no index would find those. */
export function complementOf(condition: Condition): Condition | undefined {
  const { op } = condition
  const opposite = op === 'neq' ? 'eq' : op === 'not_in' ? 'in' : op === 'not_empty' ? 'is_empty' : undefined
  return opposite && { ...condition, op: opposite }
}

/** Chooses the index that leads to the fewest rows, if any index serves a condition. */
export function chooseIndex(reader: Reader, query: RowQuery, indexes: Indexes): IndexChoice | undefined {
  if (indexes.size === 0) return undefined
  const choices = [...byColumn(query.conditions)].flatMap(([column, conditions]) => {
    const index = indexes.get(column)
    return index ? [choiceOf(reader, query, index, conditions)] : []
  })
  return choices.sort(compareChoices)[0]
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

const compareChoices = (one: IndexChoice, other: IndexChoice) =>
  (one.few ?? FEW_ROWS) - (other.few ?? FEW_ROWS) || Number(other.isEquality) - Number(one.isEquality)

function choiceOf(reader: Reader, query: RowQuery, index: UsableIndex, conditions: Condition[]): IndexChoice {
  const seeks = index.isFolded ? conditions.map(foldedSeek) : []
  const path: AccessPath = { by: 'index', name: index.name, seeks }
  const isOneValue = conditions.some(
    ({ op, operands }) => op === 'is_empty' || (op === 'eq' && operands[0]?.low === operands[0]?.high),
  )
  const isEquality = conditions.some(({ op }) => SINGLE.has(op))
  const few = countFew(reader, { ...query, conditions }, path)
  return { index, path, conditions, isOneValue, isEquality, few }
}

/** Undefined for `FEW_ROWS` or more. The pks are selected so that SQLite does not leave the index. */
function countFew(reader: Reader, query: RowQuery, path: AccessPath): number | undefined {
  const { text, values } = rowSource(query, path)
  const key = `${FEW_ROWS} of ${totalKey(query)}`
  const cached = findTotal(reader, key)
  const count =
    cached ??
    reader.sql.scalar<number>(`SELECT count(*) FROM (SELECT pk ${text} LIMIT ${FEW_ROWS})`, ...values)
  if (cached === undefined) saveTotal(reader, key, count)
  return count < FEW_ROWS ? count : undefined
}

/** Narrows an index on folded texts; the condition itself then compares the text as written. */
function foldedSeek({ target, op, operands }: Condition): SqlPart {
  const expression = typeof target === 'string' ? target : foldedText(target.column)
  if (op === 'is_empty') return { text: `${expression} IS NULL`, values: [] }
  const folded = [...new Set(operands.map(({ low }) => fold(String(low))))]
  const [first = ''] = folded
  if (folded.length === 1) return { text: `${expression} = ?`, values: [first] }
  // SQLite does not use an index on an expression for a subquery. Lists of few different lengths make few statements.
  const values = [...folded, ...Array(listLength(folded.length) - folded.length).fill(first)]
  return { text: `${expression} IN (${values.map(() => '?').join(', ')})`, values }
}

const listLength = (count: number) => 2 ** Math.ceil(Math.log2(Math.max(1, count)))

/**
 * The access path where every matching row is read. The many rows of a range are scattered over the table, and a
 * scan reads them faster than the index would.
 */
export function scanPath(choice: IndexChoice | undefined): AccessPath {
  if (!choice) return ANY_PATH
  return choice.few !== undefined || choice.isEquality ? choice.path : { by: 'pk' }
}

const MAX_CANDIDATE_SHARE = 0.05

/** With more candidates than this, a scan is faster than verifying each. */
const maxCandidates = ({ structure }: RowQuery) =>
  Math.max(FEW_ROWS, Math.floor(structure.live * MAX_CANDIDATE_SHARE))

const needlesOf = (conditions: readonly Condition[]): string[] =>
  conditions
    .filter(({ target }) => target === '*')
    .map(({ operands }) => String(operands[0]?.low))
    .filter(isSearchable)

/**
 * The rows that the text index finds for the `*` conditions; all that match are among them. Undefined where there is
 * no text index, or it finds too many. With frequent words this takes long itself, so on a structure of many rows it
 * may only be called in the worker.
 */
export function textIndexPath(reader: Reader, query: RowQuery, indexes: Indexes): AccessPath | undefined {
  const { pk, indexedTo } = query.structure
  if (indexedTo === null || !indexes.has(TEXT_INDEX)) return undefined
  const needles = needlesOf(query.conditions)
  if (needles.length === 0) return undefined
  const pks = findCandidates(reader, { pk, indexedTo }, needles, maxCandidates(query))
  return pks && { by: 'pk', pks }
}

/** The cost of a scan for a filter that no index served, for every column whose index could have served it. */
export function filterScanCosts(
  conditions: readonly Condition[],
  choice: IndexChoice | undefined,
  ms: number,
): ScanCost[] {
  if (choice) return []
  const [only, ...more] = conditions
  const emptiness = only?.op === 'not_empty' && more.length === 0 ? complementOf(only) : undefined
  const served = emptiness ? [emptiness] : conditions
  const targets = served.flatMap((condition) => seekableTarget(condition) ?? [])
  return [...new Set(targets.map(indexedColumn))].map((column) => ({ column, ms }))
}

/** The cost of a scan that sorted all rows; boolean fields are never indexed. */
export function sortScanCosts(target: IndexTarget, ms: number): ScanCost[] {
  return typeof target !== 'string' && target.type === 'bool' ? [] : [{ column: indexedColumn(target), ms }]
}

/** The cost of a scan that the text index would have saved: for a text that it can find and that few rows contain. */
export function textScanCosts(query: RowQuery, total: number, ms: number): ScanCost[] {
  if (needlesOf(query.conditions).length === 0 || total > maxCandidates(query)) return []
  return [{ column: TEXT_INDEX, ms }]
}

/** `usedColumns` are the columns whose indexes the read used. */
export function readCosts(
  { structure }: RowQuery,
  indexes: Indexes,
  scans: readonly ScanCost[],
  usedColumns: readonly (string | undefined)[],
): ReadCosts {
  const used = usedColumns.flatMap((column) => {
    const usedAt = column === undefined ? null : (indexes.get(column)?.usedAt ?? null)
    return column === undefined || usedAt === null ? [] : [{ column, usedAt }]
  })
  const missing = scans.filter(({ column }) => !indexes.has(column) || indexes.get(column)?.usedAt === null)
  return { structurePk: structure.pk, rows: structure.live, scans: missing, used }
}
