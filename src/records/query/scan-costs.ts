import type { Condition } from '../../filter/record/parse.ts'
import { type IndexTarget, indexedColumn } from '../../structures/storage/auto-index.ts'
import type { ReadCosts, ScanCost } from '../../structures/storage/index-policy.ts'
import { complementOf, type Driver, type Indexes, seekableTarget } from './index-choice.ts'
import type { RowQuery } from './row-query.ts'

/** The scan that a filter without an index cost, told of every column whose index could have spared it. */
export function filterScans(
  conditions: readonly Condition[],
  driver: Driver | undefined,
  ms: number,
): ScanCost[] {
  if (driver) return []
  const [only, ...more] = conditions
  const emptiness = only?.op === 'not_empty' && more.length === 0 ? complementOf(only) : undefined
  const asked = emptiness ? [emptiness] : conditions
  const targets = asked.flatMap((condition) => seekableTarget(condition) ?? [])
  return [...new Set(targets.map(indexedColumn))].map((column) => ({ column, ms }))
}

/** The scan that putting rows in order cost; no index is made for yes/no. */
export function sortScan(target: IndexTarget, ms: number): ScanCost[] {
  return typeof target !== 'string' && target.type === 'bool' ? [] : [{ column: indexedColumn(target), ms }]
}

/** `columns` are those whose indexes took part. */
export function lessonOf(
  { structure }: RowQuery,
  indexes: Indexes,
  scans: readonly ScanCost[],
  columns: readonly (string | undefined)[],
): ReadCosts {
  const used = columns.flatMap((column) => {
    const usedAt = column === undefined ? null : (indexes.get(column)?.usedAt ?? null)
    return column === undefined || usedAt === null ? [] : [{ column, usedAt }]
  })
  const missing = scans.filter(({ column }) => !indexes.has(column) || indexes.get(column)?.usedAt === null)
  return { structurePk: structure.pk, rows: structure.live, scans: missing, used }
}
