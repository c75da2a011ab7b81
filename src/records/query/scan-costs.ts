import type { Condition } from '../../filter/record/parse.ts'
import { type IndexTarget, indexedColumn } from '../../structures/storage/auto-index.ts'
import { complementOf, type Driver, type Indexes, seekableTarget } from './index-choice.ts'
import type { RowQuery } from './row-query.ts'

/** What a read cost that an index on a column would have spared. */
export interface Scan {
  readonly column: string
  readonly ms: number
}

/** What a read teaches about indexes (`index-policy.ts`). */
export interface Lesson {
  readonly structurePk: number
  readonly rows: number
  readonly scans: readonly Scan[]
  /** The automatic indexes that served, and when each was last noted to. */
  readonly served: readonly { column: string; usedAt: number }[]
}

/** The scan that a filter without an index cost, told of every column whose index could have spared it. */
export function filterScans(
  conditions: readonly Condition[],
  driver: Driver | undefined,
  ms: number,
): Scan[] {
  if (driver) return []
  const [only, ...more] = conditions
  const emptiness = only?.op === 'not_empty' && more.length === 0 ? complementOf(only) : undefined
  const asked = emptiness ? [emptiness] : conditions
  const targets = asked.flatMap((condition) => seekableTarget(condition) ?? [])
  return [...new Set(targets.map(indexedColumn))].map((column) => ({ column, ms }))
}

/** The scan that putting rows in order cost; no index is made for yes/no. */
export function sortScan(target: IndexTarget, ms: number): Scan[] {
  return typeof target !== 'string' && target.type === 'bool' ? [] : [{ column: indexedColumn(target), ms }]
}

/** `columns` are those whose indexes took part. */
export function lessonOf(
  { structure }: RowQuery,
  indexes: Indexes,
  scans: readonly Scan[],
  columns: readonly (string | undefined)[],
): Lesson {
  const served = columns.flatMap((column) => {
    const usedAt = column === undefined ? null : (indexes.get(column)?.usedAt ?? null)
    return column === undefined || usedAt === null ? [] : [{ column, usedAt }]
  })
  const missing = scans.filter(({ column }) => !indexes.has(column) || indexes.get(column)?.usedAt === null)
  return { structurePk: structure.pk, rows: structure.live, scans: missing, served }
}
