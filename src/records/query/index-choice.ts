import type { Reader } from '../../db/reader.ts'
import type { Operator } from '../../filter/record/operators.ts'
import type { Condition } from '../../filter/record/parse.ts'
import { findCandidates, isSearchable, TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { FEW_ROWS } from './costs.ts'
import { decidingColumn, type Indexes, testedColumn, type UsableIndex } from './indexes.ts'
import { type AccessPath, ANY_PATH, pkSource, type RowQuery } from './row-query.ts'
import { findTotal, saveTotal, totalKey } from './total-cache.ts'

/** The index through which the rows of a filter are found. */
export interface IndexChoice {
  readonly index: UsableIndex
  readonly path: AccessPath
  /** How many of its columns, from the first, have one value in all entries it leads to. */
  readonly fixedColumns: number
  /** Whether it leads to single values of its first column instead of a range. */
  readonly isEquality: boolean
  /** Whether its entries decide all conditions. */
  readonly decidesAll: boolean
  /** How many conditions narrow the entries it leads to. */
  readonly narrowing: number
  /** How many rows it leads to, if fewer than `FEW_ROWS`. */
  readonly few: number | undefined
}

const SINGLE: ReadonlySet<Operator> = new Set(['eq', 'in', 'is_empty'])
const SEEKABLE: ReadonlySet<Operator> = new Set([...SINGLE, 'gt', 'gte', 'lt', 'lte'])

/** Whether an index on what the condition tests leads to the rows that meet it. */
export const isSeekable = (condition: Condition): boolean =>
  SEEKABLE.has(condition.op) &&
  testedColumn(condition) !== undefined &&
  !(condition.op === 'in' && condition.operands.some(({ low, high }) => low !== high))

/** Whether all rows that meet the condition have the same value, ignoring case. */
export const isOneValue = ({ op, operands }: Condition): boolean =>
  op === 'is_empty' || (op === 'eq' && operands[0]?.low === operands[0]?.high)

/** The condition that exactly the other rows meet; undefined where no index would find those. */
export function complementOf(condition: Condition): Condition | undefined {
  const { op } = condition
  const opposite = op === 'neq' ? 'eq' : op === 'not_in' ? 'in' : op === 'not_empty' ? 'is_empty' : undefined
  return opposite && { ...condition, op: opposite }
}

/**
 * Chooses the index that leads to the fewest rows, if any index serves a condition. Of several that lead to many rows,
 * `prefer` decides.
 */
export function chooseIndex(
  reader: Reader,
  query: RowQuery,
  indexes: Indexes,
  prefer: (choice: IndexChoice) => boolean = () => false,
): IndexChoice | undefined {
  if (indexes.size === 0) return undefined
  const choices = [...indexes.values()].flatMap((index) => choiceOf(reader, query, index) ?? [])
  const rank = (one: IndexChoice, other: IndexChoice) =>
    (one.few ?? FEW_ROWS) - (other.few ?? FEW_ROWS) ||
    Number(other.isEquality) - Number(one.isEquality) ||
    other.narrowing - one.narrowing ||
    Number(prefer(other)) - Number(prefer(one)) ||
    Number(other.decidesAll) - Number(one.decidesAll) ||
    one.index.columns.length - other.index.columns.length
  return choices.sort(rank)[0]
}

/** Undefined where the index serves no condition. */
function choiceOf(reader: Reader, query: RowQuery, index: UsableIndex): IndexChoice | undefined {
  const seeks = seeksOf(query.conditions, index)
  if (seeks.length === 0) return undefined
  const path: AccessPath = { by: 'index', index }
  const byColumn = index.columns.map(({ column }) =>
    seeks.filter((condition) => testedColumn(condition) === column),
  )
  const firstVarying = byColumn.findIndex((conditions) => !conditions.some(isOneValue))
  return {
    index,
    path,
    fixedColumns: firstVarying === -1 ? index.columns.length : firstVarying,
    isEquality: byColumn[0]?.some(({ op }) => SINGLE.has(op)) ?? false,
    decidesAll: query.conditions.every((condition) => decidingColumn(index, condition) !== undefined),
    narrowing: seeks.length,
    few: countFew(reader, { ...query, conditions: seeks }, path),
  }
}

/** The conditions that lead to a range of entries: those on the first column, and on the next while values are single. */
function seeksOf(conditions: readonly Condition[], index: UsableIndex): Condition[] {
  const seeks: Condition[] = []
  for (const { column, hasAbsent } of index.columns) {
    const found = conditions.filter(
      (condition) =>
        testedColumn(condition) === column &&
        isSeekable(condition) &&
        (hasAbsent || condition.op !== 'is_empty'),
    )
    // A unique index holds no row that lacks a value, so each of its columns needs a condition.
    if (found.length === 0) return index.isComplete ? seeks : []
    seeks.push(...found)
    if (index.isComplete && !found.some(({ op }) => SINGLE.has(op))) return seeks
  }
  return seeks
}

/** Undefined for `FEW_ROWS` or more. */
function countFew(reader: Reader, query: RowQuery, path: AccessPath): number | undefined {
  const { text, values } = pkSource(reader, query, path)
  const key = `${FEW_ROWS} of ${totalKey(query)}`
  const cached = findTotal(reader, key)
  const count =
    cached ??
    reader.sql.scalar<number>(`SELECT count(*) FROM (SELECT pk ${text} LIMIT ${FEW_ROWS})`, ...values)
  if (cached === undefined) saveTotal(reader, key, count)
  return count < FEW_ROWS ? count : undefined
}

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
export const maxCandidates = ({ structure }: RowQuery) =>
  Math.max(FEW_ROWS, Math.floor(structure.live * MAX_CANDIDATE_SHARE))

export const needlesOf = (conditions: readonly Condition[]): string[] =>
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
