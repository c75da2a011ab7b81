import type { AppContext } from '../context.ts'
import type { WriteFunction } from '../db/writes/write-queue.ts'
import { deleteRemovedFiles, removeIncompleteFiles } from '../files/cleanup.ts'
import { RESPONSE_SAVED_MS } from '../http/idempotency/respond-once.ts'
import { removeSavedResponsesBefore } from '../http/idempotency/store.ts'
import { DAY_MS } from '../lib/dates.ts'
import { removeRevisionsBefore } from '../notes/writing/revisions.ts'
import { removeTrashedBefore } from '../notes/writing/trash.ts'
import { deleteDeliveriesEndedBefore } from '../webhooks/deletion.ts'

const HOUR_MS = 3_600_000
const TRASH_DAYS = 30
const REVISION_DAYS = 7
const DELIVERY_DAYS = 30

/** So few a transaction that requests hardly notice it. */
const NOTES_AT_ONCE = 20
const REVISIONS_AT_ONCE = 100
const ANSWERS_AT_ONCE = 200
const DELIVERIES_AT_ONCE = 200

/** Repeats a batch, each in its own transaction, until one removes less than it might. */
async function inBatches({ db }: AppContext, size: number, batch: WriteFunction<number>): Promise<number> {
  let removed = 0
  for (;;) {
    const count: number = await db.write(batch)
    removed += count
    if (count < size) return removed
  }
}

/** Removes for good what has been in the trash for 30 days (`service.md`, Limits); answers how many notes. */
export const sweepTrash = (ctx: AppContext): Promise<number> =>
  inBatches(ctx, NOTES_AT_ONCE, (tx) =>
    removeTrashedBefore(tx, ctx.clock.now() - TRASH_DAYS * DAY_MS, NOTES_AT_ONCE),
  )

/** Removes the revisions older than 7 days (`service.md`, Limits); answers how many. */
export const sweepRevisions = (ctx: AppContext): Promise<number> =>
  inBatches(ctx, REVISIONS_AT_ONCE, (tx) =>
    removeRevisionsBefore(tx, ctx.clock.now() - REVISION_DAYS * DAY_MS, REVISIONS_AT_ONCE),
  )

/** Removes the deliveries that ended 30 days ago, with their events (`service.md`, Limits); answers how many. */
export const sweepDeliveries = (ctx: AppContext): Promise<number> =>
  inBatches(ctx, DELIVERIES_AT_ONCE, (tx) =>
    deleteDeliveriesEndedBefore(tx, ctx.clock.now() - DELIVERY_DAYS * DAY_MS, DELIVERIES_AT_ONCE),
  )

/** Forgets the answers kept for an `Idempotency-Key` after 24 hours (contract, section 11); answers how many. */
export const sweepSavedResponses = (ctx: AppContext): Promise<number> =>
  inBatches(ctx, ANSWERS_AT_ONCE, (tx) =>
    removeSavedResponsesBefore(tx, ctx.clock.now() - RESPONSE_SAVED_MS, ANSWERS_AT_ONCE),
  )

/** Removes what is left of deleted files, and of files that did not come in whole within an hour. */
export async function sweepFiles({ db, clock }: AppContext): Promise<void> {
  await db.write((tx) => removeIncompleteFiles(tx, clock.now() - HOUR_MS))
  await deleteRemovedFiles(db)
}
