import type { AppContext } from '../context.ts'
import { inChunks } from '../db/writes/chunks.ts'
import type { Tx } from '../db/writes/write-queue.ts'
import { deleteRemovedFiles, removeIncompleteFiles } from '../files/cleanup.ts'
import { RESPONSE_SAVED_MS } from '../http/idempotency/respond-once.ts'
import { removeSavedResponsesBefore } from '../http/idempotency/store.ts'
import { DAY_MS, HOUR_MS } from '../lib/dates.ts'
import { removeRevisionsBefore } from '../notes/writing/revisions.ts'
import { removeTrashedBefore } from '../notes/writing/trash.ts'
import { deleteDeliveriesEndedBefore } from '../webhooks/deletion.ts'

const TRASH_DAYS = 30
const REVISION_DAYS = 7
const DELIVERY_DAYS = 30

/** Few enough that one transaction delays requests by only some milliseconds. */
const NOTES_PER_CHUNK = 20
const REVISIONS_PER_CHUNK = 100
const RESPONSES_PER_CHUNK = 200
const DELIVERIES_PER_CHUNK = 200

/** Removes up to `limit` rows that are older than an instant; returns how many. */
type RemoveBefore = (tx: Tx, before: number, limit: number) => number

/** Removes in chunks everything that is older than `ageMs`; returns how much. */
async function sweep(
  { db, clock }: AppContext,
  ageMs: number,
  chunkSize: number,
  removeBefore: RemoveBefore,
): Promise<number> {
  let total = 0
  await inChunks(db, (tx): boolean => {
    const removed = removeBefore(tx, clock.now() - ageMs, chunkSize)
    total += removed
    return removed === chunkSize
  })
  return total
}

/** Permanently removes the notes that have been in the trash for 30 days; returns how many. */
export const sweepTrash = (ctx: AppContext): Promise<number> =>
  sweep(ctx, TRASH_DAYS * DAY_MS, NOTES_PER_CHUNK, removeTrashedBefore)

/** Removes the revisions older than 7 days; returns how many. */
export const sweepRevisions = (ctx: AppContext): Promise<number> =>
  sweep(ctx, REVISION_DAYS * DAY_MS, REVISIONS_PER_CHUNK, removeRevisionsBefore)

/** Removes the deliveries that ended 30 days ago, with their events; returns how many. */
export const sweepDeliveries = (ctx: AppContext): Promise<number> =>
  sweep(ctx, DELIVERY_DAYS * DAY_MS, DELIVERIES_PER_CHUNK, deleteDeliveriesEndedBefore)

/** Removes the responses that were saved for an `Idempotency-Key` more than 24 hours ago; returns how many. */
export const sweepSavedResponses = (ctx: AppContext): Promise<number> =>
  sweep(ctx, RESPONSE_SAVED_MS, RESPONSES_PER_CHUNK, removeSavedResponsesBefore)

/** Removes the remains of deleted files, and files that were not complete within an hour. */
export async function sweepFiles({ db, clock }: AppContext): Promise<void> {
  await db.write((tx) => removeIncompleteFiles(tx, clock.now() - HOUR_MS))
  await deleteRemovedFiles(db)
}
