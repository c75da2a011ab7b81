import type { Reader } from '../../db/reader.ts'
import type { Operator } from '../../filter/record/operators.ts'
import type { Condition } from '../../filter/record/parse.ts'
import { isPoint } from '../../filter/record/values.ts'
import { fold } from '../../lib/text.ts'
import {
  type EntryCounts,
  entryCountsOf,
  type KeyValue,
  LOWEST,
  type Place,
} from '../../structures/storage/entry-counts.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { countRows, findCandidates, isSearchable } from '../../structures/storage/text-search.ts'
import {
  type AccessPath,
  FEW_ROWS,
  type IndexedColumn,
  type Indexes,
  type RowQuery,
  scanSource,
  testedColumn,
  type UsableIndex,
} from './row-query.ts'
import { recentWrites } from './total-cache.ts'

/* What indexes tell of the rows that match, without reading all of them. */

/**
 * How many rows meet the conditions, where these mean one range of the entries of the index, and its entries have been
 * counted (`structures/storage/entry-counts.ts`); otherwise undefined.
 */
export function totalOfRange(reader: Reader, query: RowQuery, index: UsableIndex): number | undefined {
  const counts = upToDate(reader, query, index)
  const range = counts && rangeOf(counts, query.conditions, index)
  return range && counts.between(reader, range.from, range.to)
}

/** The counts as of the state that is read, brought up to date by the rows written since. */
function upToDate(
  reader: Reader,
  { structure, definition }: RowQuery,
  { table }: UsableIndex,
): EntryCounts | undefined {
  const known = entryCountsOf(reader)
  const counts = known.get(table)
  if (!counts || counts.changes === structure.changes) return counts
  // They may have been counted in a worker, which saw a commit that is not on the disk yet.
  if (counts.changes > structure.changes) return undefined
  const writes = recentWrites(reader).between(
    { structurePk: structure.pk, definition },
    counts.changes,
    structure.changes,
  )
  if (!writes) {
    known.set(table, undefined)
    return undefined
  }
  for (const { pk, before, after } of writes) {
    if (before) counts.add(pk, before, -1)
    if (after) counts.add(pk, after, 1)
  }
  counts.changes = structure.changes
  return counts
}

interface Range {
  readonly from: Place
  readonly to: Place
}

/** The conditions as one range: single values of the first columns, then any bounds of the next one. */
function rangeOf(
  counts: EntryCounts,
  conditions: readonly Condition[],
  { columns }: UsableIndex,
): Range | undefined {
  const values: KeyValue[] = []
  let left = conditions
  for (const [at, column] of columns.entries()) {
    const own = left.filter((condition) => testedColumn(condition) === column.column)
    if (own.length === 0) break
    left = left.filter((condition) => !own.includes(condition))
    const value = own.length === 1 && own[0] ? oneValue(counts, own[0], column, at) : undefined
    if (value === undefined)
      return left.length > 0 || column.written !== undefined ? undefined : bounds(values, own, column)
    values.push(value)
  }
  if (left.length > 0) return undefined
  return { from: { values, isAfter: false }, to: { values, isAfter: true } }
}

/** The value that all entries have which meet the condition. */
function oneValue(
  counts: EntryCounts,
  { op, operands }: Condition,
  { written }: IndexedColumn,
  at: number,
): KeyValue | undefined {
  if (op === 'is_empty') return LOWEST
  const [operand] = operands
  if (op !== 'eq' || !operand || !isPoint(operand)) return undefined
  if (written === undefined) return operand.low
  const text = String(operand.low)
  return at === 0 && counts.isSpelled(text) ? fold(text) : undefined
}

/** Undefined if the conditions are not one bound at most of each kind. */
function bounds(
  values: readonly KeyValue[],
  conditions: readonly Condition[],
  { hasAbsent }: IndexedColumn,
): Range | undefined {
  const place = (value: KeyValue, isAfter: boolean): Place => ({ values: [...values, value], isAfter })
  const from: Place[] = []
  const to: Place[] = []
  for (const { op, operands } of conditions) {
    const { low, high } = operands[0] ?? { low: LOWEST, high: LOWEST }
    if (op === 'gt' || op === 'gte' || op === 'eq') from.push(place(op === 'gt' ? high : low, op === 'gt'))
    if (op === 'lt' || op === 'lte' || op === 'eq') to.push(place(op === 'lt' ? low : high, op !== 'lt'))
    if (!BOUNDS.has(op)) return undefined
  }
  if (from.length > 1 || to.length > 1) return undefined
  const first: Place = hasAbsent ? place(LOWEST, true) : { values, isAfter: false }
  return { from: from[0] ?? first, to: to[0] ?? { values, isAfter: true } }
}

const BOUNDS: ReadonlySet<Operator> = new Set(['gt', 'gte', 'lt', 'lte', 'eq', 'not_empty'])

const MAX_CANDIDATE_SHARE = 0.05

/** With more candidates than this, a scan is faster than verifying each. */
export const maxCandidates = ({ structure }: RowQuery) =>
  Math.max(FEW_ROWS, Math.floor(structure.live * MAX_CANDIDATE_SHARE))

/** The texts that conditions search in all fields, as far as the text index can find them. */
export const needlesOf = (conditions: readonly Condition[]): string[] =>
  conditions
    .filter(({ target }) => target === '*')
    .map(({ operands }) => String(operands[0]?.low))
    .filter(isSearchable)

/** The structure with its text index; undefined where it has none. */
function textIndexed({ structure }: RowQuery, indexes: Indexes) {
  const { pk, indexedTo } = structure
  return indexedTo !== null && indexes.has(TEXT_INDEX) ? { pk, indexedTo } : undefined
}

/**
 * The rows that the text index finds for the `*` conditions; all that match are among them. Undefined where there is
 * no text index, or it finds too many.
 */
export function textIndexPath(reader: Reader, query: RowQuery, indexes: Indexes): AccessPath | undefined {
  const structure = textIndexed(query, indexes)
  const needles = needlesOf(query.conditions)
  if (!structure || needles.length === 0) return undefined
  const pks = findCandidates(reader, structure, needles, maxCandidates(query))
  return pks && { by: 'pk', pks }
}

/** How many rows contain a text that is searched by itself, where the text index tells. */
export function totalOfText(reader: Reader, query: RowQuery, indexes: Indexes): number | undefined {
  const structure = textIndexed(query, indexes)
  const [needle, ...more] = needlesOf(query.conditions)
  if (!structure || needle === undefined || more.length > 0 || query.conditions.length > 1) return undefined
  const found = countRows(reader, structure, needle, maxCandidates(query))
  if (!found || found.unindexed.length === 0) return found?.count
  const { text, values } = scanSource(reader, query, { by: 'pk', pks: found.unindexed })
  return found.count + reader.sql.scalar<number>(`SELECT count(*) ${text}`, ...values)
}
