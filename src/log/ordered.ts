import { IS_BLOCKED } from '../storage/schema/webhooks.ts'
import type { Tx } from '../storage/writes/transaction.ts'

/*
 * The order of a subscription's events. Each object has its own queue: only its first pending event is due, and the
 * others are blocked, in no index that the dispatcher reads. The transaction that ends an event unblocks the next one.
 */

/** Numbers the next event of a subscription, from 1 and without gaps. */
export const nextSequence = ({ sql }: Tx, webhook: number): number =>
  sql.scalar('UPDATE webhooks SET sequence = sequence + 1 WHERE pk = ? RETURNING sequence', webhook)

interface OrderedEvent {
  readonly event: number
  readonly webhook: number
  readonly sequence: number
  /** Null for a test, which is urgent and outside the order. */
  readonly objectId: string | null
}

const HAS_EARLIER =
  'SELECT 1 FROM webhook_sequences WHERE webhook = ? AND object = ? AND is_pending = 1 LIMIT 1'
const INSERT_SEQUENCE =
  'INSERT INTO webhook_sequences (event, webhook, sequence, object, is_pending) VALUES (?, ?, ?, ?, ?)'
const INSERT_DELIVERY = `INSERT INTO webhook_deliveries
  (event, webhook, id, status, is_urgent, next_attempt_at, created_at) VALUES (?, ?, ?, 'pending', ?, ?, ?)`

/** Stores the delivery of an event behind earlier pending ones of its object; returns its id. */
export function insertOrdered(tx: Tx, { event, webhook, sequence, objectId }: OrderedEvent): string[] {
  const { sql, now } = tx
  const isBlocked = objectId !== null && sql.get(HAS_EARLIER, webhook, objectId) !== undefined
  const urgency = objectId === null ? 1 : isBlocked ? 2 : 0
  const id = tx.newId()
  sql.run(INSERT_SEQUENCE, event, webhook, sequence, objectId, objectId === null ? null : 1)
  sql.run(INSERT_DELIVERY, event, webhook, id, urgency, isBlocked ? null : now, now)
  return [id]
}

const NEXT = `SELECT event FROM webhook_sequences
  WHERE webhook = ? AND object = ? AND is_pending = 1 ORDER BY sequence LIMIT 1`

/** Makes the next event of the same object due after this one was delivered or has failed. */
export function unblockNext({ sql, now }: Tx, event: number): void {
  const ended = sql.get<{ webhook: number; object: string }>(
    `UPDATE webhook_sequences SET is_pending = NULL WHERE event = ? AND is_pending = 1
     RETURNING webhook, object`,
    event,
  )
  if (!ended) return
  const [next] = sql.column<number>(NEXT, ended.webhook, ended.object)
  if (next === undefined) return
  sql.run(
    `UPDATE webhook_deliveries SET is_urgent = 0, next_attempt_at = ? WHERE event = ? AND webhook = ? AND ${IS_BLOCKED}`,
    now,
    next,
    ended.webhook,
  )
}
