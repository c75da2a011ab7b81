import { removeChangesBefore } from '../changes/cursors.ts'
import type { AppContext } from '../context.ts'
import { inSteps } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { removeIncompleteFiles } from '../files/deletion.ts'
import { RESPONSE_SAVED_MS, removeSavedResponsesBefore } from '../kernel/once.ts'
import { DAY_MS, HOUR_MS } from '../lib/dates.ts'
import { removeRevisionsBefore } from '../notes/writing/revisions.ts'
import { removeSomeTrashedBefore } from '../notes/writing/trash.ts'
import { removeEndedSessions } from '../sessions/sessions.ts'
import { deleteEventsBefore } from '../sources/deletion.ts'
import { EVENT_KEPT_MS } from '../sources/receive.ts'
import { dropUnusedIndexes } from '../structures/storage/index-policy.ts'
import { deleteDeliveriesEndedBefore } from '../webhooks/deletion.ts'
import { removeEndedSecrets } from '../webhooks/service.ts'
import { refreshStatistics } from './statistics.ts'

const FIRST_RUN_AFTER_MS = 5_000

const TRASH_DAYS = 30
const REVISION_DAYS = 7
const DELIVERY_DAYS = 30

/** Removes up to `limit` rows that are older than an instant; returns how many. */
type RemoveBefore = (tx: Tx, before: number, limit: number) => number

/** Removes everything that is older than `ageMs`, in transactions of a few milliseconds; returns how much. */
async function sweep(
  { db, clock }: AppContext,
  ageMs: number,
  stepSize: number,
  removeBefore: RemoveBefore,
): Promise<number> {
  let total = 0
  await inSteps(db, (tx) => {
    const removed = removeBefore(tx, clock.now() - ageMs, stepSize)
    total += removed
    return removed === stepSize
  })
  return total
}

/** Permanently removes the notes that have been in the trash for 30 days; returns how many. */
export async function sweepTrash({ db, clock }: AppContext): Promise<number> {
  let total = 0
  await inSteps(db, (tx) => {
    const removed = removeSomeTrashedBefore(tx, clock.now() - TRASH_DAYS * DAY_MS)
    if (removed === 'note') total += 1
    return removed !== 'nothing'
  })
  return total
}

/**
 * Runs all maintenance once. A failure is logged and ends the run; the next one tries again. The end of the server is
 * none.
 */
export async function runMaintenance(ctx: AppContext, isStopped = () => false): Promise<void> {
  try {
    // A revision may be long.
    const revisions = await sweep(ctx, REVISION_DAYS * DAY_MS, 2, removeRevisionsBefore)
    const notes = await sweepTrash(ctx)
    await sweep(ctx, RESPONSE_SAVED_MS, 20, removeSavedResponsesBefore)
    await sweep(ctx, DELIVERY_DAYS * DAY_MS, 20, deleteDeliveriesEndedBefore)
    await sweep(ctx, EVENT_KEPT_MS, 20, deleteEventsBefore)
    await sweep(ctx, ctx.config.keepChangesMs, 100, removeChangesBefore)
    await ctx.db.write((tx) => removeEndedSecrets(tx))
    await ctx.db.write((tx) => removeIncompleteFiles(tx, ctx.clock.now() - HOUR_MS))
    await ctx.db.write(removeEndedSessions)
    await dropUnusedIndexes(ctx)
    await refreshStatistics(ctx)
    if (revisions + notes > 0) {
      ctx.log.info('maintenance', { revisions_removed: revisions, notes_removed: notes })
    }
  } catch (error) {
    if (!isStopped())
      ctx.log.warn('maintenance failed and is tried again in an hour', { error: String(error) })
  }
}

/** Runs maintenance shortly after the start and then every hour; returns a function that stops it. */
export function startMaintenance(ctx: AppContext): () => void {
  let isStopped = false
  const run = () => void runMaintenance(ctx, () => isStopped)
  const stopFirst = ctx.clock.after(FIRST_RUN_AFTER_MS, run)
  const stopOthers = ctx.clock.every(HOUR_MS, run)
  return () => {
    isStopped = true
    stopFirst()
    stopOthers()
  }
}
