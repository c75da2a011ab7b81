import { IS_BLOCKED } from '../storage/schema/webhooks.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { insertDeliveries } from './deliveries.ts'

/*
 * The order of a subscription's events. Each object has its own queue: only its first pending event is due, and the
 * others are blocked, in no index that the dispatcher reads. The transaction that ends an event unblocks the next one.
 */

const TAKE = 'UPDATE webhooks SET sequence = sequence + ?1 WHERE pk = ?2 RETURNING sequence'

/** Reserves the next `count` numbers of a subscription, from 1 and without gaps; returns the first. */
const takeNumbers = ({ sql }: Tx, webhook: number, count: number): number =>
  sql.scalar<number>(TAKE, count, webhook) - count + 1

/**
 * Returns a function that takes the next number of a subscription. The numbers of several events are reserved with one
 * statement per subscription: `counts` holds the number of events by subscription. All of these events must be stored,
 * because an unused number would be a gap.
 */
export function reserveNumbers(
  tx: Tx,
  counts: ReadonlyMap<number, number> = new Map(),
): (webhook: number) => number {
  const reserved = new Map([...counts].map(([webhook, count]) => [webhook, takeNumbers(tx, webhook, count)]))
  return (webhook) => {
    const number = reserved.get(webhook)
    if (number === undefined) return takeNumbers(tx, webhook, 1)
    reserved.set(webhook, number + 1)
    return number
  }
}

interface OrderedEvent {
  readonly event: number
  readonly webhook: number
  readonly sequence: number
  /** Null for a test, which is urgent and outside the order. */
  readonly objectId: string | null
}

const INSERT_SEQUENCE =
  'INSERT INTO webhook_sequences (event, webhook, sequence, object, is_pending) VALUES (?, ?, ?, ?, ?)'
/** Reads the earlier events before the number of this one is inserted. */
const INSERT_DELIVERY = `INSERT INTO webhook_deliveries
    (event, webhook, id, status, is_urgent, next_attempt_at, created_at)
  SELECT ?1, ?2, ?3, 'pending', iif(is_blocked, 2, 0), iif(is_blocked, NULL, ?5), ?5
  FROM (SELECT EXISTS
    (SELECT 1 FROM webhook_sequences WHERE webhook = ?2 AND object = ?4 AND is_pending = 1) AS is_blocked)`

/** Stores the delivery of an event behind earlier pending ones of its object; returns its id. */
export function insertOrdered(tx: Tx, { event, webhook, sequence, objectId }: OrderedEvent): string[] {
  const { sql, now } = tx
  if (objectId === null) {
    sql.run(INSERT_SEQUENCE, event, webhook, sequence, null, null)
    return insertDeliveries(tx, event, [webhook], 1)
  }
  const id = tx.newId()
  sql.run(INSERT_DELIVERY, event, webhook, id, objectId, now)
  sql.run(INSERT_SEQUENCE, event, webhook, sequence, objectId, 1)
  return [id]
}

/** Uses OR FAIL for the same reason as `insertDeliveries`. */
const END = `UPDATE OR FAIL webhook_sequences SET is_pending = NULL
  WHERE event IN (SELECT value FROM json_each(?)) AND is_pending = 1`
const NEXT = `SELECT (SELECT n.event FROM webhook_sequences n
    WHERE n.webhook = s.webhook AND n.object = s.object AND n.is_pending = 1 ORDER BY n.sequence LIMIT 1)
  FROM webhook_sequences s WHERE s.event IN (SELECT value FROM json_each(?))`
const UNBLOCK = `UPDATE webhook_deliveries SET is_urgent = 0, next_attempt_at = ? WHERE event = ? AND ${IS_BLOCKED}`

/** Makes the next events of the same objects due after these were delivered or have failed. */
export function unblockNext({ sql, now }: Tx, events: readonly number[]): void {
  if (events.length === 0) return
  const list = JSON.stringify(events)
  if (sql.run(END, list).changes === 0) return
  const next = sql.column<number | null>(NEXT, list).filter((event) => event !== null)
  if (next.length > 0) sql.runEach(UNBLOCK, next, (event) => [now, event])
}
