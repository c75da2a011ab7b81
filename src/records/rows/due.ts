import { wholeWorkspace } from '../../context.ts'
import { matchesFilter } from '../../filter/record/match.ts'
import { defineJob, later, serviceOf } from '../../kernel/jobs.ts'
import { DUE_JOBS } from '../../log/due-jobs.ts'
import { duePayload } from '../../log/message.ts'
import { newHead, storeEvent, subscriptionsOf } from '../../log/outbox.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { definitionOf, findStructureByPk } from '../structures/store.ts'
import { dataOf, findRecordByPk, stateOf } from './store.ts'

/* Sends the events of row moments (`log/due.ts`) that are due. */

interface DueRow {
  readonly schedule: number
  readonly record: number
  readonly dueAt: number
}

/** Events sent later than this after their moment are marked as late. */
const LATE_MS = 60_000

/** Stores the event of a moment if its subscription still matches the current row. */
function send(tx: Tx, { schedule, record, dueAt }: DueRow): void {
  tx.sql.run('DELETE FROM webhook_moments WHERE schedule = ? AND record = ?', schedule, record)
  const place = tx.sql.get<{ workspace: number; structure: number }>(
    `SELECT workspace, structure FROM webhooks
     WHERE pk = (SELECT webhook FROM webhook_schedules WHERE pk = ? AND is_ended = 0)`,
    schedule,
  )
  const structure = place && findStructureByPk(tx, wholeWorkspace(place.workspace), place.structure)
  const row = findRecordByPk(tx, record)
  if (!structure || row?.deletedAt !== null) return
  const subscriptions = subscriptionsOf(tx, structure, definitionOf(structure).byKey)
  const subscription = subscriptions.find((each) => each.schedule?.pk === schedule)
  const state = stateOf(row, dataOf(row))
  if (!subscription || !matchesFilter(state, subscription.conditions)) return
  const isLate = dueAt < serviceOf(tx).startedAt || tx.now - dueAt > LATE_MS
  const source = { surface: 'system', keyId: null } as const
  const head = newHead(tx, { workspace: place.workspace, structure, source })
  const payload = duePayload(head, state, dueAt, isLate)
  storeEvent(tx, { payload, objectId: row.id, labelField: structure.labelField }, [subscription])
}

/** Stores the events of due moments. */
export const dueRowEvents = defineJob<number, null>(DUE_JOBS.rows, (tx) => {
  const moment = tx.sql.get<DueRow>(
    'SELECT schedule, record, due_at AS dueAt FROM webhook_moments ORDER BY due_at LIMIT 1',
  )
  if (!moment) return 'done'
  if (moment.dueAt > tx.now) return later(moment.dueAt, null)
  send(tx, moment)
  return null
})
