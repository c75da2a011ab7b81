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
const CHANGES_AT_ONCE = 100

/** Performs some work; returns whether more may remain. */
type Sweep = (tx: Tx) => boolean

/** Removes up to `limit` rows that are older than an instant; returns the number removed. */
type RemoveBefore = (tx: Tx, before: number, limit: number) => number

const older =
  (ageMs: number, limit: number, removeBefore: RemoveBefore): Sweep =>
  (tx) =>
    removeBefore(tx, tx.now - ageMs, limit) === limit

const once =
  (remove: (tx: Tx) => void): Sweep =>
  (tx) => {
    remove(tx)
    return false
  }

/** The hourly jobs that remove data after its retention period. */
export function retentionJobs({ keepChangesMs }: AppContext['config']): Job[] {
  const sweeps: Readonly<Record<string, Sweep>> = {
    // A revision may be long.
    revisions: older(REVISION_DAYS * DAY_MS, 2, removeRevisionsBefore),
    trash: (tx) => removeSomeTrashedBefore(tx, tx.now - TRASH_DAYS * DAY_MS) !== 'nothing',
    responses: older(RESPONSE_SAVED_MS, 20, removeSavedResponsesBefore),
    pulled: dropOldEvents,
    deliveries: older(DELIVERY_DAYS * DAY_MS, 20, deleteDeliveriesEndedBefore),
    events: older(EVENT_KEPT_MS, 20, deleteEventsBefore),
    secrets: once(removeEndedSecrets),
    targets: once(deleteEndedTargets),
    files: once((tx) => removeIncompleteFiles(tx, tx.now - HOUR_MS)),
    sessions: once(removeEndedSessions),
    apps: once(removeExpired),
  }
  return [
    ...Object.entries(sweeps).map(([name, sweep]) => defineRecurringJob(`retention.${name}`, HOUR_MS, sweep)),
    changesRemoval(keepChangesMs),
  ]
}

/** Looks at some workspaces at a time, because a file may have thousands. The state is the last one that is done. */
const changesRemoval = (keepChangesMs: number): Job =>
  defineJob<number, number | null>(
    'retention.changes',
    (tx, _, done) =>
      removeChangesBefore(tx, tx.now - keepChangesMs, CHANGES_AT_ONCE, done ?? 0) ??
      later(tx.now + HOUR_MS, null),
    { everyMs: HOUR_MS },
  )
