import type { AppContext } from '../context.ts'
import { HOUR_MS } from '../lib/dates.ts'
import { finishPropertyDeletions } from '../properties/deletion.ts'
import { removeEndedSessions } from '../sessions/sessions.ts'
import { deleteRemovedSources } from '../sources/deletion.ts'
import { finishDeletions } from '../structures/deletion.ts'
import { dropUnusedIndexes } from '../structures/storage/index-policy.ts'
import { removeUnfinishedUnique } from '../structures/storage/unique-build.ts'
import { finishTagDeletions } from '../tags/deletion.ts'
import { finishTagLinks } from '../tags/links.ts'
import { deleteRemovedWebhooks } from '../webhooks/deletion.ts'
import {
  sweepChanges,
  sweepDeliveries,
  sweepFiles,
  sweepRevisions,
  sweepSavedResponses,
  sweepSecrets,
  sweepSourceEvents,
  sweepTrash,
} from './retention.ts'
import { refreshStatistics } from './statistics.ts'

const FIRST_RUN_AFTER_MS = 5_000

/** Runs all maintenance once. A failure is logged and ends the run; the next one tries again. The end of the server is none. */
export async function runMaintenance(ctx: AppContext, isStopped = () => false): Promise<void> {
  try {
    const revisions = await sweepRevisions(ctx)
    const notes = await sweepTrash(ctx)
    await sweepSavedResponses(ctx)
    await sweepDeliveries(ctx)
    await sweepSourceEvents(ctx)
    await sweepChanges(ctx)
    await sweepSecrets(ctx)
    await sweepFiles(ctx)
    await ctx.db.write((tx): void => void removeEndedSessions(tx))
    await finishDeletions(ctx)
    await deleteRemovedWebhooks(ctx.db)
    await deleteRemovedSources(ctx.db)
    await finishTagDeletions(ctx.db)
    await finishTagLinks(ctx.db)
    await finishPropertyDeletions(ctx.db)
    await dropUnusedIndexes(ctx)
    await removeUnfinishedUnique(ctx)
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
