import type { IntegrityCheck } from '../db/integrity.ts'
import type { Reader } from '../db/reader.ts'
import { renewSubscriptionsVersion } from '../delivery/subscriptions.ts'

const ENABLED = `EXISTS (SELECT 1 FROM webhooks w
  WHERE w.structure = s.pk AND w.enabled = 1 AND w.is_removed = 0)`
const WRONG = `SELECT s.pk, s.name, s.subscriptions_version IS NULL AS isQuiet FROM structures s
  WHERE s.name_fold IS NOT NULL AND (s.subscriptions_version IS NULL) = ${ENABLED}`

interface WrongStructure {
  pk: number
  name: string
  isQuiet: number
}

const listWrong = ({ sql }: Reader) => sql.all<WrongStructure>(WRONG)

const ORPHANED_EVENTS = `webhook_events WHERE NOT EXISTS
  (SELECT 1 FROM webhook_deliveries d WHERE d.event = webhook_events.pk)`

const ORPHANED_DELIVERIES = `webhook_deliveries WHERE NOT EXISTS (SELECT 1 FROM webhook_events e WHERE e.pk = event)
  OR NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.pk = webhook)`

/**
 * A structure has a version of its subscriptions exactly when one is enabled, every event has a delivery, and every
 * delivery an event and a subscription.
 */
export const webhookCheck: IntegrityCheck = {
  *faults(reader) {
    for (const { name, isQuiet } of listWrong(reader)) {
      yield isQuiet === 1
        ? `The structure "${name}" does not notify its enabled webhooks of changes.`
        : `The structure "${name}" notifies webhooks of changes, and none is enabled.`
    }
    const count = (what: string) => reader.sql.scalar<number>(`SELECT count(*) FROM ${what}`)
    const deliveries = count(ORPHANED_DELIVERIES)
    if (deliveries > 0) yield `${deliveries} deliveries are left without their event or webhook.`
    const events = count(ORPHANED_EVENTS)
    if (events > 0) yield `${events} webhook events are left without a delivery.`
  },
  repair: (tx) => {
    for (const { pk } of listWrong(tx)) renewSubscriptionsVersion(tx, pk)
    tx.sql.run(`DELETE FROM ${ORPHANED_DELIVERIES}`)
    tx.sql.run(`DELETE FROM ${ORPHANED_EVENTS}`)
  },
}
