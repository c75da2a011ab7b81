import { removeChangesBefore } from '../changes/retention.ts'
import type { AppContext } from '../context.ts'
import { inChunks } from '../db/writes/chunks.ts'
import { forSomeMilliseconds } from '../db/writes/time-slice.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { deleteRemovedFiles, removeIncompleteFiles } from '../files/cleanup.ts'
import { RESPONSE_SAVED_MS, removeSavedResponsesBefore } from '../http/idempotency.ts'
import { DAY_MS, HOUR_MS } from '../lib/dates.ts'
import { removeRevisionsBefore } from '../notes/writing/revisions.ts'
import { removeSomeTrashedBefore } from '../notes/writing/trash.ts'
import { deleteEventsBefore } from '../sources/deletion.ts'
import { EVENT_KEPT_MS } from '../sources/receive.ts'
import { deleteDeliveriesEndedBefore } from '../webhooks/deletion.ts'
import { removeEndedSecrets } from '../webhooks/service.ts'

const TRASH_DAYS = 30
const REVISION_DAYS = 7
const DELIVERY_DAYS = 30

/** What is removed at once, before the time is looked at; a revision may be long. */
const REVISIONS_PER_STEP = 2
const RESPONSES_PER_STEP = 20
const DELIVERIES_PER_STEP = 20
const EVENTS_PER_STEP = 20
const CHANGES_PER_STEP = 100

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
  await inChunks(db, (tx): boolean =>
    forSomeMilliseconds(() => {
      const removed = removeBefore(tx, clock.now() - ageMs, stepSize)
      total += removed
      return removed === stepSize
    }),
  )
  return total
}

/** Permanently removes the notes that have been in the trash for 30 days; returns how many. */
export async function sweepTrash({ db, clock }: AppContext): Promise<number> {
  let total = 0
  await inChunks(db, (tx): boolean =>
    forSomeMilliseconds(() => {
      const removed = removeSomeTrashedBefore(tx, clock.now() - TRASH_DAYS * DAY_MS)
      if (removed === 'note') total += 1
      return removed !== 'nothing'
    }),
  )
  return total
}

/** Removes the revisions older than 7 days; returns how many. */
export const sweepRevisions = (ctx: AppContext): Promise<number> =>
  sweep(ctx, REVISION_DAYS * DAY_MS, REVISIONS_PER_STEP, removeRevisionsBefore)

/** Removes the deliveries that ended 30 days ago, with their events; returns how many. */
export const sweepDeliveries = (ctx: AppContext): Promise<number> =>
  sweep(ctx, DELIVERY_DAYS * DAY_MS, DELIVERIES_PER_STEP, deleteDeliveriesEndedBefore)

/** Removes the events of sources that came 30 days ago; returns how many. */
export const sweepSourceEvents = (ctx: AppContext): Promise<number> =>
  sweep(ctx, EVENT_KEPT_MS, EVENTS_PER_STEP, deleteEventsBefore)

/** Removes the changes that are older than the log is kept; returns how many. */
export const sweepChanges = (ctx: AppContext): Promise<number> =>
  sweep(ctx, ctx.config.keepChangesMs, CHANGES_PER_STEP, removeChangesBefore)

/** Removes the replaced webhook secrets whose overlap has ended. */
export const sweepSecrets = ({ db }: AppContext): Promise<void> => db.write((tx) => removeEndedSecrets(tx))

/** Removes the responses that were saved for an `Idempotency-Key` more than 24 hours ago; returns how many. */
export const sweepSavedResponses = (ctx: AppContext): Promise<number> =>
  sweep(ctx, RESPONSE_SAVED_MS, RESPONSES_PER_STEP, removeSavedResponsesBefore)

/** Removes the remains of deleted files, and files that were not complete within an hour. */
export async function sweepFiles({ db, clock }: AppContext): Promise<void> {
  await db.write((tx) => removeIncompleteFiles(tx, clock.now() - HOUR_MS))
  await deleteRemovedFiles(db)
}
