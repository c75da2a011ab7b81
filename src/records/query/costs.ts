import type { Reader } from '../../db/reader.ts'
import { rowTable, valueColumn } from '../../db/row-table-names.ts'
import type { Condition } from '../../filter/record/parse.ts'
import { isPoint } from '../../filter/record/values.ts'
import { type IndexTarget, indexedColumn, indexName } from '../../structures/storage/auto-index.ts'
import type { ReadCosts, ScanCost } from '../../structures/storage/index-policy.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import type { FieldDefinition } from '../../structures/store.ts'
import {
  complementOf,
  type IndexChoice,
  isOneValue,
  isSeekable,
  maxCandidates,
  needlesOf,
} from './planner.ts'
import { isSortedByPk, type RowQuery, type SortTarget } from './row-query.ts'
import { findCached, saveCached } from './total-cache.ts'
import type { Indexes } from './usable-indexes.ts'

/*
 * The cost model of reads. The unit of every estimate is one row of a scan.
 *
 * - An access path (`row-query.ts`) is how the row table is read.
 * - The index choice (`planner.ts`) is the index that leads to the fewest rows of a filter. SQLite would choose
 *   by statistics that it seldom has; here the rows are counted, up to `FEW_ROWS`.
 * - The page plan (`planner.ts`) is the access path of a page, and an estimate of the rows it reads.
 * - The row cost (below) is the cost of reading one row and testing it, which grows with the number of conditions, the
 *   length of their lists, and the length of the texts that they compare or search. Estimated rows times row cost,
 *   and the values of lists, which every statement parses, decide whether a read runs in the worker.
 * - Scan costs (below) are the milliseconds that a missing index would have saved. They are reported to
 *   the policy that builds indexes (`structures/storage/index-policy.ts`).
 */

/** Reading this many rows takes no noticeable time. */
export const FEW_ROWS = 1_000
/** The cost of a row that is looked up through an index. */
export const LOOKUP_COST = 4
/** How many index entries are skipped at the cost of 1. */
export const SKIPS_PER_ROW = 2

/** The cost of comparing with one value. */
const COMPARISON_COST = 0.25
/** The cost of looking for a value in a list grows by 1 whenever the list has doubled this many times. */
const DOUBLINGS_PER_ROW = 6
/** The cost of a value of a list before any row is read. */
const LISTED_VALUE_COST = 3
/** The bytes of text that are compared or searched at the cost of 1. */
const BYTES_PER_ROW = 500
/** The bytes of text that are passed over at the cost of 1. */
const PASSED_BYTES_PER_ROW = 2_000
/** The cost grows by its own amount for this many bytes of the text searched for, where the rows hold similar text. */
const BYTES_PER_NEEDLE = 150
/** Up to this many rows, all texts are measured; of more rows, a sample. */
const MAX_MEASURED_ROWS = 10_000
/** Texts are measured again after this many writes. */
const WRITES_PER_MEASURE = 16

/** The cost of reading this many rows and testing each against the conditions. */
export const readCost = (reader: Reader, query: RowQuery, rowsRead: number): number =>
  rowsRead * rowCost(reader, query) + listsCost(query)

/** The cost of parsing the lists of the conditions. */
export const listsCost = (query: RowQuery): number => LISTED_VALUE_COST * listedValues(query)

/** How many values the lists of the conditions hold. */
const listedValues = ({ conditions }: RowQuery): number =>
  conditions.reduce((count, { operands }) => count + (operands.length > 1 ? operands.length : 0), 0)

/** The average cost of reading one row and testing it against the conditions, at least 1. */
export function rowCost(reader: Reader, query: RowQuery): number {
  if (query.conditions.length === 0) return 1
  const passed = averageTextBytes(reader, query, query.definition.fields.filter(isLong))
  const costs = query.conditions.map((condition) => conditionCost(reader, query, condition))
  // One comparison is part of reading a row.
  return (
    Math.max(
      1,
      costs.reduce((sum, cost) => sum + cost, 1 - COMPARISON_COST),
    ) +
    passed / PASSED_BYTES_PER_ROW
  )
}

/** The average cost of testing one row. */
function conditionCost(reader: Reader, query: RowQuery, condition: Condition): number {
  const { op, operands } = condition
  if (op === 'is_empty' || op === 'not_empty') return COMPARISON_COST
  if (op === 'contains') return containsCost(reader, query, condition)
  const compared = comparedBytes(reader, query, condition) / BYTES_PER_ROW
  if (operands.length <= 1) return COMPARISON_COST + compared
  const searches = Number(operands.some(isPoint)) + Number(!operands.every(isPoint))
  return searches * (1 + Math.log2(operands.length) / DOUBLINGS_PER_ROW) + compared
}

function containsCost(reader: Reader, query: RowQuery, condition: Condition): number {
  const needle = Buffer.byteLength(String(condition.operands[0]?.low))
  const bytes = comparedBytes(reader, query, condition)
  // Only a longer text can contain the needle or resemble it for long; rows outside the sample may have such texts.
  const likely = query.structure.live <= MAX_MEASURED_ROWS ? bytes : Math.max(bytes, 2 * needle)
  return (
    COMPARISON_COST * searchedFields(query, condition) +
    (likely / BYTES_PER_ROW) * (1 + needle / BYTES_PER_NEEDLE)
  )
}

const searchedFields = ({ definition }: RowQuery, { target }: Condition) =>
  target === '*' ? definition.fields.length : 1

/** The average bytes of text that the condition reads of a row. */
const comparedBytes = (reader: Reader, query: RowQuery, { target }: Condition): number =>
  averageTextBytes(reader, query, query.definition.fields.filter(isRead(target)))

/** Whether values of the field can be long. */
const isLong = ({ type }: FieldDefinition): boolean => type === 'text' || type === 'select'

/** Only fields whose values can be long count. */
const isRead =
  (target: Condition['target']) =>
  (field: FieldDefinition): boolean =>
    isLong(field) && (target === '*' || (typeof target !== 'string' && target.column === field.column))

/** The average length of a row's texts in these fields together; cached like a total, for some writes longer. */
function averageTextBytes(
  reader: Reader,
  { structure }: RowQuery,
  fields: readonly FieldDefinition[],
): number {
  if (fields.length === 0) return 0
  const lengths = fields.map(({ column }) => `coalesce(octet_length(${valueColumn(column)}), 0)`)
  const sum = lengths.join(' + ')
  const key = `${structure.pk} ${Math.floor(structure.changes / WRITES_PER_MEASURE)} bytes ${sum}`
  const cached = findCached(reader, key)
  if (cached !== undefined) return cached
  const bytes = reader.sql.scalar<number | null>(
    `SELECT avg(bytes) FROM (SELECT ${sum} AS bytes FROM ${rowTable(structure.pk)} LIMIT ?)`,
    structure.live <= MAX_MEASURED_ROWS ? MAX_MEASURED_ROWS : FEW_ROWS,
  )
  saveCached(reader, key, bytes ?? 0)
  return bytes ?? 0
}

/*
 * The cost of a scan is reported for the index that would have saved it. Where some conditions ask for one value, and
 * another condition or the sort orders the rest, that is an index on the pair; otherwise one on each column.
 */

const isBoolean = (target: IndexTarget): boolean => typeof target !== 'string' && target.type === 'bool'

const targetOf = ({ target }: Condition): IndexTarget | undefined =>
  target === '*' || target === 'id' ? undefined : target

const seekedTargets = (conditions: readonly Condition[]): IndexTarget[] =>
  conditions.filter(isSeekable).flatMap((condition) => targetOf(condition) ?? [])

/** The name of the index on a pair that would serve the conditions and, if given, the sort; undefined without a pair. */
function pairFor(conditions: readonly Condition[], sort: SortTarget | undefined): string | undefined {
  const fixed = seekedTargets(conditions.filter(isOneValue))
  const [first] = fixed.sort((one, other) => (indexedColumn(one) < indexedColumn(other) ? -1 : 1))
  if (first === undefined) return undefined
  const isFixed = (target: IndexTarget) =>
    fixed.some((other) => indexedColumn(other) === indexedColumn(target))
  const ranges = seekedTargets(conditions).filter((target) => !isFixed(target) && !isBoolean(target))
  const sorted = sort === undefined || isFixed(sort) || isBoolean(sort) ? undefined : sort
  const isSorted = (target: IndexTarget) => sorted && indexedColumn(target) === indexedColumn(sorted)
  const second = ranges.find(isSorted) ?? ranges[0] ?? sorted
  return second && indexName([first, second])
}

const singleNames = (targets: readonly IndexTarget[]): string[] => [
  ...new Set(targets.filter((target) => !isBoolean(target)).map((target) => indexName([target]))),
]

/**
 * Whether an index would save reading a page: it leads to few rows, or to rows of one value in the order of the page. In
 * other orders the rows up to the page are gone through also with an index.
 */
export const wouldServePage = ({ conditions }: RowQuery, total: number): boolean =>
  total < FEW_ROWS || conditions.some(isOneValue)

/** The cost of a scan for a filter, for every index that would have served it better than the one that was chosen. */
export function filterScanCosts(
  { structure, conditions }: RowQuery,
  choice: IndexChoice | undefined,
  ms: number,
  sort?: SortTarget,
): ScanCost[] {
  if (choice?.few !== undefined || choice?.decidesAll) return []
  const sorted = sort !== undefined && !isSortedByPk(structure, sort) ? sort : undefined
  const pair = pairFor(conditions, sorted)
  if (pair !== undefined) return [{ column: pair, ms }]
  if (choice) return []
  const [only, ...more] = conditions
  const emptiness = only?.op === 'not_empty' && more.length === 0 ? complementOf(only) : undefined
  const targets = seekedTargets(emptiness ? [emptiness] : conditions)
  return singleNames(targets).map((column) => ({ column, ms }))
}

/** The cost of a page for which all matching rows were sorted. */
export function sortScanCosts({ conditions }: RowQuery, target: SortTarget, ms: number): ScanCost[] {
  const names = [pairFor(conditions, target) ?? singleNames([target])].flat()
  return names.map((column) => ({ column, ms }))
}

/** The cost of a scan that the text index would have saved: for a text that it can find and that few rows contain. */
export function textScanCosts(query: RowQuery, total: number, ms: number): ScanCost[] {
  if (needlesOf(query.conditions).length === 0 || total > maxCandidates(query)) return []
  return [{ column: TEXT_INDEX, ms }]
}

/** `usedNames` are the indexes that the read used. */
export function readCosts(
  { structure }: RowQuery,
  indexes: Indexes,
  scans: readonly ScanCost[],
  usedNames: readonly (string | undefined)[],
): ReadCosts {
  const used = usedNames.flatMap((name) => {
    const usedAt = name === undefined ? null : (indexes.get(name)?.usedAt ?? null)
    return name === undefined || usedAt === null ? [] : [{ column: name, usedAt }]
  })
  const missing = scans.filter(({ column }) => !indexes.has(column))
  return { structurePk: structure.pk, rows: structure.live, scans: missing, used }
}
