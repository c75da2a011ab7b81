import type { Condition } from '../../filter/record/parse.ts'
import { type IndexTarget, indexedColumn, indexName } from '../../structures/storage/auto-index.ts'
import type { ReadCosts } from '../../structures/storage/index-policy.ts'
import { TEXT_INDEX } from '../../structures/storage/text-index.ts'
import { complementOf, type IndexChoice, isOneValue, isSeekable, needlesOf } from './planner.ts'
import { isSortedByPk, type RowQuery, type SortTarget } from './row-query.ts'
import type { Indexes } from './usable-indexes.ts'

/*
 * How an index is chosen, and when one is missing.
 *
 * - An access path (`row-query.ts`) is how the row table is read.
 * - The index choice (`planner.ts`) is the index that leads to the fewest rows of a filter. SQLite would choose
 *   by statistics that it seldom has; here the rows are counted, up to `FEW_ROWS`.
 * - The page plan (`planner.ts`) is the access path of a page.
 * - The time of a read that an index would have saved (below) is reported to the policy that builds indexes
 *   (`structures/storage/index-policy.ts`). Where some conditions ask for one value, and another condition or the sort
 *   orders the rest, that is an index on the pair; otherwise one on each column.
 */

/** Reading this many rows takes no noticeable time. */
export const FEW_ROWS = 1_000
/** The cost of a row that is looked up through an index. */
export const LOOKUP_COST = 4
/** How many index entries are skipped at the cost of 1. */
export const SKIPS_PER_ROW = 2

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

/** The indexes that would have served a filter better than the one that was chosen. */
export function missingForFilter(
  { structure, conditions }: RowQuery,
  choice: IndexChoice | undefined,
  sort?: SortTarget,
): string[] {
  if (choice?.few !== undefined || choice?.decidesAll) return []
  const sorted = sort !== undefined && !isSortedByPk(structure, sort) ? sort : undefined
  const pair = pairFor(conditions, sorted)
  if (pair !== undefined) return [pair]
  if (choice) return []
  const [only, ...more] = conditions
  const emptiness = only?.op === 'not_empty' && more.length === 0 ? complementOf(only) : undefined
  return singleNames(seekedTargets(emptiness ? [emptiness] : conditions))
}

/** The index that would have saved sorting all matching rows. */
export const missingForSort = ({ conditions }: RowQuery, target: SortTarget): string[] =>
  [pairFor(conditions, target) ?? singleNames([target])].flat()

/** The text index, for a text that it can find. */
export const missingForText = ({ conditions }: RowQuery): string[] =>
  needlesOf(conditions).length === 0 ? [] : [TEXT_INDEX]

/**
 * What a read that took so long reports: the indexes that it lacked, and those that it used. A read that may read few
 * rows only (`Sql.isLimited`) lacks none.
 */
export function readCosts(
  { structure }: RowQuery,
  indexes: Indexes,
  ms: number,
  missing: readonly string[],
  used: readonly (string | undefined)[],
): ReadCosts {
  return {
    structurePk: structure.pk,
    rows: structure.live,
    ms,
    missing: [...new Set(missing)].filter((name) => !indexes.has(name)),
    used: used.filter((name) => name !== undefined && indexes.get(name)?.isComplete) as string[],
  }
}
