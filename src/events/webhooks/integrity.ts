import { keysOf } from '../../kernel/jobs.ts'
import { startSchedule } from '../../log/due.ts'
import { renewSubscriptionsVersion } from '../../log/outbox.ts'
import type { IntegrityCheck } from '../../storage/integrity.ts'
import type { Reader } from '../../storage/reader.ts'
import { IS_BLOCKED } from '../../storage/schema/webhooks.ts'
import { webhookDetachment } from './deletion.ts'

const ENABLED = `EXISTS (SELECT 1 FROM webhooks w
  WHERE w.structure = s.pk AND w.enabled = 1)`
const WRONG = `SELECT s.pk, s.name, s.subscriptions_version IS NULL AS isQuiet FROM structures s
  WHERE (s.subscriptions_version IS NULL) = ${ENABLED}`

interface WrongStructure {
  pk: number
  name: string
  isQuiet: number
}

const listWrong = ({ sql }: Reader) => sql.all<WrongStructure>(WRONG)

const ORPHANED_EVENTS = `webhook_events WHERE NOT EXISTS
  (SELECT 1 FROM webhook_deliveries d WHERE d.event = webhook_events.pk)`

const ORPHANED_DELIVERIES = `webhook_deliveries WHERE NOT EXISTS (SELECT 1 FROM webhook_events e WHERE e.pk = event)
  OR (webhook NOT IN (SELECT pk FROM webhooks) AND webhook NOT IN (SELECT -pk FROM source_targets)
  AND webhook NOT IN (${keysOf(webhookDetachment)}))`

const ORPHANED_SEQUENCES = `webhook_sequences WHERE NOT EXISTS
  (SELECT 1 FROM webhook_events e WHERE e.pk = webhook_sequences.event)`

/** Blocked deliveries whose object has no earlier pending one. */
const STUCK = `webhook_deliveries WHERE ${IS_BLOCKED} AND event IN (SELECT min(event) FROM webhook_sequences
  WHERE is_pending = 1 GROUP BY webhook, object)`

const ORPHANED_PULLED = `webhook_pulled WHERE webhook NOT IN (SELECT pk FROM webhooks)
  AND webhook NOT IN (${keysOf(webhookDetachment)})`

const ORPHANED_MOMENTS = `webhook_moments WHERE schedule NOT IN (SELECT pk FROM webhook_schedules)`
const UNSCHEDULED = `webhooks w WHERE enabled = 1 AND due IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM webhook_schedules s WHERE s.webhook = w.pk AND s.is_ended = 0)`

/**
 * A structure has a version of its subscriptions exactly when one is enabled. Every event has a delivery, and every
 * delivery has an event and a subscription. A subscription to moments has a schedule, and every moment belongs to a
 * subscription.
 */
export const webhookCheck: IntegrityCheck = {
  *faults(reader) {
    for (const { name, isQuiet } of listWrong(reader)) {
      yield isQuiet === 1
        ? `The structure "${name}" does not notify its enabled webhooks of changes.`
        : `The structure "${name}" notifies webhooks of changes, and none is enabled.`
    }
    const count = (rows: string) => reader.sql.scalar<number>(`SELECT count(*) FROM ${rows}`)
    const deliveries = count(ORPHANED_DELIVERIES)
    if (deliveries > 0) yield `${deliveries} deliveries are left without their event or webhook.`
    const events = count(ORPHANED_EVENTS)
    if (events > 0) yield `${events} webhook events are left without a delivery.`
    const sequences = count(ORPHANED_SEQUENCES)
    if (sequences > 0) yield `${sequences} numbers of ordered events are left without their event.`
    const stuck = count(STUCK)
    if (stuck > 0)
      yield `${stuck} ordered deliveries wait, although no earlier one of their object is pending.`
    const pulled = count(ORPHANED_PULLED)
    if (pulled > 0) yield `${pulled} kept events are left without their webhook.`
    const moments = count(ORPHANED_MOMENTS)
    if (moments > 0) yield `${moments} moments of rows are left without a webhook.`
    const unscheduled = count(UNSCHEDULED)
    if (unscheduled > 0) yield `${unscheduled} webhooks do not know the moments of their rows.`
  },
  repair: (tx) => {
    for (const { pk } of listWrong(tx)) renewSubscriptionsVersion(tx, pk)
    tx.sql.run(`DELETE FROM ${ORPHANED_DELIVERIES}`)
    tx.sql.run(`DELETE FROM ${ORPHANED_EVENTS}`)
    tx.sql.run(`DELETE FROM ${ORPHANED_SEQUENCES}`)
    tx.sql.run(
      `UPDATE webhook_deliveries SET is_urgent = 0, next_attempt_at = ? ${STUCK.slice(STUCK.indexOf('WHERE'))}`,
      tx.now,
    )
    tx.sql.run(`DELETE FROM ${ORPHANED_PULLED}`)
    tx.sql.run(`DELETE FROM ${ORPHANED_MOMENTS}`)
    const unscheduled = tx.sql.rows<[number, number]>(`SELECT pk, structure FROM ${UNSCHEDULED}`)
    for (const [webhook, structure] of unscheduled) startSchedule(tx, webhook, structure)
  },
}
