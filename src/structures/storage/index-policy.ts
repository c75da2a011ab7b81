import type { AppContext } from '../../context.ts'
import { DAY_MS } from '../../lib/dates.ts'
import type { Lesson } from '../../records/query/scan-costs.ts'
import { autoIndexBuild, autoIndexDrop, findUnusedIndexes, markUsed } from './auto-index.ts'
import { SEARCH_COLUMN } from './text-index.ts'

/*
 * Indexes make themselves where reads without them have cost twice what building one costs, and go when they
 * have not served for 30 days. Nobody declares one.
 */

const BUILD_MS_PER_ROW = 0.0015
const WORTH_BUILDS = 2
/** A search table is filled beside everything else: it counts as this much, and is made of more rows. */
const SEARCH_MS_PER_ROW = 0.005
const SEARCH_TIMES_MANY = 10
const UNUSED_MS = 30 * DAY_MS
const STRUCTURES_KEPT = 1_000

type Ledger = Map<number, Map<string, number>>

/** What scans have cost so far, by structure and column; it starts anew with the process. */
const ledgers = new WeakMap<AppContext['worker'], Ledger>()

function costsOf(worker: AppContext['worker'], structurePk: number): Map<string, number> {
  const ledger = ledgers.get(worker) ?? new Map()
  ledgers.set(worker, ledger)
  if (!ledger.has(structurePk) && ledger.size >= STRUCTURES_KEPT) ledger.clear()
  const costs = ledger.get(structurePk) ?? new Map<string, number>()
  ledger.set(structurePk, costs)
  return costs
}

/** Adds up what a read cost, notes which indexes served, and makes an index that has become worth it. */
export function learn(ctx: AppContext, { structurePk, rows, scans, served }: Lesson): void {
  for (const { column, usedAt } of served) noteUse(ctx, structurePk, column, usedAt)
  if (scans.length === 0 || rows <= ctx.worker.manyRows) return
  const costs = costsOf(ctx.worker, structurePk)
  for (const { column, ms } of scans) {
    const cost = (costs.get(column) ?? 0) + ms
    costs.set(column, cost)
    if (!isWorthIt(column, cost, rows, ctx.worker.manyRows)) continue
    // What is asked meanwhile, or where there can be no index, must not ask for it again at once.
    costs.set(column, Number.NEGATIVE_INFINITY)
    void build(ctx, structurePk, column)
  }
}

function isWorthIt(column: string, costMs: number, rows: number, manyRows: number): boolean {
  if (column !== SEARCH_COLUMN) return costMs > WORTH_BUILDS * BUILD_MS_PER_ROW * rows
  return rows >= SEARCH_TIMES_MANY * manyRows && costMs > WORTH_BUILDS * SEARCH_MS_PER_ROW * rows
}

async function build(ctx: AppContext, structurePk: number, column: string): Promise<void> {
  try {
    const made = await ctx.worker.write(autoIndexBuild, { structurePk, column, now: ctx.clock.now() })
    if (!made) return
    costsOf(ctx.worker, structurePk).delete(column)
    ctx.log.info('index made', { structure: structurePk, column })
  } catch (error) {
    costsOf(ctx.worker, structurePk).delete(column)
    ctx.log.warn('an index could not be made', { structure: structurePk, column, error: String(error) })
  }
}

/** An index's last use is kept to the day. */
function noteUse(ctx: AppContext, structurePk: number, column: string, usedAt: number): void {
  const now = ctx.clock.now()
  if (now - usedAt < DAY_MS) return
  const costs = costsOf(ctx.worker, structurePk)
  const noted = `used ${column}`
  if (now - (costs.get(noted) ?? 0) < DAY_MS) return
  costs.set(noted, now)
  ctx.db
    .write((tx): void => {
      markUsed(tx, structurePk, column, now)
    })
    .catch((error) => ctx.log.warn('the use of an index could not be noted', { error: String(error) }))
}

/** Takes away the indexes that have not served for 30 days. */
export async function sweepAutoIndexes(ctx: AppContext): Promise<number> {
  const unused = findUnusedIndexes(ctx.db, ctx.clock.now() - UNUSED_MS)
  for (const place of unused) await ctx.worker.write(autoIndexDrop, place)
  return unused.length
}
