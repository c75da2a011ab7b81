import type { Condition } from '../../filter/record/parse.ts'
import { type IndexTarget, indexedColumn, indexName } from '../../structures/storage/auto-index.ts'
import type { ReadCosts, ScanCost } from '../../structures/storage/index-policy.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import {
  complementOf,
  type IndexChoice,
  isOneValue,
  isSeekable,
  maxCandidates,
  needlesOf,
} from './planner.ts'
import { isSortedByPk, type RowQuery, type SortTarget } from './row-query.ts'
import type { Indexes } from './usable-indexes.ts'

/*
 * How an index is chosen, and when one is missing.
 *
 * - An access path (`row-query.ts`) is how the row table is read.
 * - The index choice (`planner.ts`) is the index that leads to the fewest rows of a filter. SQLite would choose
 *   by statistics that it seldom has; here the rows are counted, up to `FEW_ROWS`.
 * - The page plan (`planner.ts`) is the access path of a page.
 * - Scan costs (below) are the milliseconds that a missing index would have saved. They are reported to
 *   the policy that builds indexes (`structures/storage/index-policy.ts`).
 */

/** Reading this many rows takes no noticeable time. */
export const FEW_ROWS = 1_000
/** The cost of a row that is looked up through an index. */
export const LOOKUP_COST = 4
/** How many index entries are skipped at the cost of 1. */
export const SKIPS_PER_ROW = 2

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
