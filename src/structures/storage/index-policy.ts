import type { AppContext } from '../../context.ts'
import { DAY_MS } from '../../lib/dates.ts'
import { autoIndexDrop, buildAutoIndex, findUnusedIndexes, markUsed } from './auto-index.ts'
import { TEXT_INDEX } from './text-index.ts'

/*
 * An index is built once reads without it have cost twice what building it costs, and dropped after 30 days
 * without use. Nobody declares one.
 */

/** The time of a scan that an index would have saved. */
export interface ScanCost {
  /** The name of the index. */
  readonly column: string
  readonly ms: number
}

/** What one read of a structure's rows reports to the policy. */
export interface ReadCosts {
  readonly structurePk: number
  /** Live rows of the structure. */
  readonly rows: number
  readonly scans: readonly ScanCost[]
  /** The automatic indexes that the read used, and when each was last recorded as used. */
  readonly used: readonly { column: string; usedAt: number }[]
}

const BUILD_MS_PER_ROW = 0.0015
const WORTH_BUILDS = 2
/** A text index is filled in the background: it counts as this much per row, and needs more rows. */
const TEXT_INDEX_MS_PER_ROW = 0.005
const TEXT_INDEX_MIN_ROWS_FACTOR = 10
const UNUSED_MS = 30 * DAY_MS
const MAX_STRUCTURES = 1_000

interface StructureCosts {
  /** The summed cost of scans by column, in milliseconds. */
  readonly scanMs: Map<string, number>
  /** When the use of an index was last recorded, by column. */
  readonly usedAt: Map<string, number>
}

/** The costs by structure, since the process started. */
const newCosts = () => new Map<number, StructureCosts>()

function costsOf(worker: AppContext['worker'], structurePk: number): StructureCosts {
  const structures = worker.state.of(newCosts)
  const found = structures.get(structurePk)
  if (found) return found
  if (structures.size >= MAX_STRUCTURES) structures.clear()
  const costs = { scanMs: new Map<string, number>(), usedAt: new Map<string, number>() }
  structures.set(structurePk, costs)
  return costs
}

/** Adds up the costs of a read, records which indexes it used, and starts building an index that has become worth it. */
export function recordReadCosts(ctx: AppContext, { structurePk, rows, scans, used }: ReadCosts): void {
  for (const { column, usedAt } of used) recordUse(ctx, structurePk, column, usedAt)
  if (scans.length === 0 || rows <= ctx.worker.manyRows) return
  const { scanMs } = costsOf(ctx.worker, structurePk)
  for (const { column, ms } of scans) {
    const cost = (scanMs.get(column) ?? 0) + ms
    scanMs.set(column, cost)
    if (!isWorthBuilding(column, cost, rows, ctx.worker.manyRows)) continue
    // Reads during the build, or of a column that cannot be indexed, must not request it again.
    scanMs.set(column, Number.NEGATIVE_INFINITY)
    void build(ctx, structurePk, column)
  }
}

function isWorthBuilding(column: string, costMs: number, rows: number, manyRows: number): boolean {
  if (column !== TEXT_INDEX) return costMs > WORTH_BUILDS * BUILD_MS_PER_ROW * rows
  return rows >= TEXT_INDEX_MIN_ROWS_FACTOR * manyRows && costMs > WORTH_BUILDS * TEXT_INDEX_MS_PER_ROW * rows
}

async function build(ctx: AppContext, structurePk: number, column: string): Promise<void> {
  try {
    if (!(await buildAutoIndex(ctx, { structurePk, column }))) return
    costsOf(ctx.worker, structurePk).scanMs.delete(column)
    ctx.log.info('index built', { structure: structurePk, column })
  } catch (error) {
    costsOf(ctx.worker, structurePk).scanMs.delete(column)
    ctx.log.warn('an index could not be built', { structure: structurePk, column, error: String(error) })
  }
}

/** Records the use of an index, at most once a day. */
function recordUse(ctx: AppContext, structurePk: number, column: string, storedUsedAt: number): void {
  const now = ctx.clock.now()
  if (now - storedUsedAt < DAY_MS) return
  const { usedAt } = costsOf(ctx.worker, structurePk)
  if (now - (usedAt.get(column) ?? 0) < DAY_MS) return
  usedAt.set(column, now)
  ctx.db
    .write((tx): void => {
      markUsed(tx, structurePk, column, now)
    })
    .catch((error) => ctx.log.warn('the use of an index could not be recorded', { error: String(error) }))
}

/** Drops the indexes that were not used for 30 days; returns how many. */
export async function dropUnusedIndexes(ctx: AppContext): Promise<number> {
  const unused = findUnusedIndexes(ctx.db, ctx.clock.now() - UNUSED_MS)
  for (const index of unused) await ctx.worker.write(autoIndexDrop, index)
  return unused.length
}
