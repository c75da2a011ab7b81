import type { AppContext } from '../context.ts'
import { finishPropertyDeletions } from '../properties/deletion.ts'
import { finishDeletions } from '../structures/deletion.ts'
import { dropUnusedIndexes } from '../structures/storage/index-policy.ts'
import { finishTagDeletions } from '../tags/deletion.ts'
import { finishTagLinks } from '../tags/links.ts'
import { deleteRemovedWebhooks } from '../webhooks/deletion.ts'
import { sweepDeliveries, sweepFiles, sweepRevisions, sweepSavedResponses, sweepTrash } from './retention.ts'

const FIRST_AFTER_MS = 5_000
const EVERY_MS = 3_600_000

/** Everything that is due at regular times, once; what fails is logged and left for the next time. */
export async function runMaintenance(ctx: AppContext): Promise<void> {
  try {
    const revisions = await sweepRevisions(ctx)
    const notes = await sweepTrash(ctx)
    await sweepSavedResponses(ctx)
    await sweepDeliveries(ctx)
    await sweepFiles(ctx)
    await finishDeletions(ctx)
    await deleteRemovedWebhooks(ctx.db)
    await finishTagDeletions(ctx.db)
    await finishTagLinks(ctx.db)
    await finishPropertyDeletions(ctx.db)
    await dropUnusedIndexes(ctx)
    ctx.db.optimize()
    if (revisions + notes > 0) ctx.log.info('upkeep', { revisions_removed: revisions, notes_removed: notes })
  } catch (error) {
    ctx.log.warn('upkeep is put off', { error: String(error) })
  }
}

/** Runs the upkeep shortly after the start and then every hour; answers how to stop. */
export function startMaintenance(ctx: AppContext): () => void {
  let timer = setTimeout(function run() {
    timer = setTimeout(run, EVERY_MS)
    void runMaintenance(ctx)
  }, FIRST_AFTER_MS)
  return () => clearTimeout(timer)
}
