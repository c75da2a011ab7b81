import type { AppContext } from '../context.ts'
import { deleteEventsBefore } from '../events/sources/deletion.ts'
import { deleteEndedTargets } from '../events/sources/forward-targets.ts'
import { EVENT_KEPT_MS } from '../events/sources/receive.ts'
import { deleteDeliveriesEndedBefore } from '../events/webhooks/deletion.ts'
import { removeEndedSecrets } from '../events/webhooks/service.ts'
import { removeIncompleteFiles } from '../files/deletion.ts'
import { defineJob, defineRecurringJob, type Job, later } from '../kernel/jobs.ts'
import { RESPONSE_SAVED_MS, removeSavedResponsesBefore } from '../kernel/once.ts'
import { DAY_MS, HOUR_MS } from '../lib/dates.ts'
import { removeChangesBefore } from '../log/cursors.ts'
import { dropOldEvents } from '../log/pulled.ts'
import { removeRevisionsBefore } from '../notes/writing/revisions.ts'
import { removeSomeTrashedBefore } from '../notes/writing/trash.ts'
import { removeExpired } from '../people/oauth/tokens.ts'
import { removeEndedSessions } from '../people/sessions/sessions.ts'
import type { Tx } from '../storage/writes/transaction.ts'

const TRASH_DAYS = 30
const REVISION_DAYS = 7
const DELIVERY_DAYS = 30
const CHANGES_PER_STEP = 100

/** Performs some work; returns whether more may remain. */
type Step = (tx: Tx) => boolean

/** Removes up to `limit` rows that are older than an instant; returns the number removed. */
type RemoveBefore = (tx: Tx, before: number, limit: number) => number

const sweep =
  (ageMs: number, limit: number, removeBefore: RemoveBefore): Step =>
  (tx) =>
    removeBefore(tx, tx.now - ageMs, limit) === limit

const once =
  (remove: (tx: Tx) => void): Step =>
  (tx) => {
    remove(tx)
    return false
  }

/** The hourly jobs that remove data after its retention period. */
export function retentionJobs({ keepChangesMs }: AppContext['config']): Job[] {
  const steps: Readonly<Record<string, Step>> = {
    // A revision may be long.
    revisions: sweep(REVISION_DAYS * DAY_MS, 2, removeRevisionsBefore),
    trash: (tx) => removeSomeTrashedBefore(tx, tx.now - TRASH_DAYS * DAY_MS) !== 'nothing',
    responses: sweep(RESPONSE_SAVED_MS, 20, removeSavedResponsesBefore),
    pulled: dropOldEvents,
    deliveries: sweep(DELIVERY_DAYS * DAY_MS, 20, deleteDeliveriesEndedBefore),
    events: sweep(EVENT_KEPT_MS, 20, deleteEventsBefore),
    secrets: once(removeEndedSecrets),
    targets: once(deleteEndedTargets),
    files: once((tx) => removeIncompleteFiles(tx, tx.now - HOUR_MS)),
    sessions: once(removeEndedSessions),
    apps: once(removeExpired),
  }
  return [
    ...Object.entries(steps).map(([name, step]) => defineRecurringJob(`retention.${name}`, HOUR_MS, step)),
    changesRemoval(keepChangesMs),
  ]
}

/** Looks at some workspaces at a time, because a file may have thousands. The state is the last one that is done. */
const changesRemoval = (keepChangesMs: number): Job =>
  defineJob<number, number | null>(
    'retention.changes',
    (tx, _, done) =>
      removeChangesBefore(tx, tx.now - keepChangesMs, CHANGES_PER_STEP, done ?? 0) ??
      later(tx.now + HOUR_MS, null),
    { everyMs: HOUR_MS },
  )
