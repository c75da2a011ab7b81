import { defineJob, enqueue, enqueueOnce } from '../kernel/jobs.ts'
import { DAY_MS } from '../lib/dates.ts'
import type { Reader } from '../storage/reader.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { notifyAfterCommit } from './log.ts'

/*
 * The events of pull subscriptions. Each is stored in the transaction of its change with the next number of its
 * subscription. Acknowledging and dropping only move `done_to`; a job deletes the rows behind it.
 */

/** A subscription keeps at most this many events; then the oldest go. */
const MAX_PENDING = 1_000_000

const KEPT_MS = 30 * DAY_MS

interface Numbered {
  readonly id: string
  readonly sequence: number
  readonly doneTo: number
}

/** Both conditions read the values before the update. */
const NEXT = `UPDATE webhooks SET sequence = sequence + 1,
    dropped = dropped + (sequence - done_to >= ${MAX_PENDING}), done_to = max(done_to, sequence + 1 - ${MAX_PENDING})
  WHERE pk = ? RETURNING id, sequence, done_to AS doneTo`
const INSERT = 'INSERT INTO webhook_pulled (webhook, sequence, created_at, body) VALUES (?, ?, ?, ?)'

/** Stores an event whose body may depend on its number, and notifies readers that wait. */
export function keepEvent(tx: Tx, webhook: number, bodyOf: (sequence: number) => string): void {
  const numbered = tx.sql.get<Numbered>(NEXT, webhook)
  if (!numbered) return
  const { id, sequence, doneTo } = numbered
  tx.sql.run(INSERT, webhook, sequence, tx.now, bodyOf(sequence))
  if (sequence - doneTo >= MAX_PENDING) enqueueOnce(tx, pulledRemoval, webhook, null)
  notifyAfterCommit(tx, id)
}

/** Marks the events of a subscription up to a number as done. */
export function acknowledgeEvents(tx: Tx, webhook: number, sequence: number): void {
  tx.sql.run(
    `UPDATE webhooks SET acknowledged = max(coalesce(acknowledged, 0), ?2), done_to = max(done_to, ?2) WHERE pk = ?1`,
    webhook,
    sequence,
  )
  enqueue(tx, pulledRemoval, webhook, null)
}

/** Drops up to `limit` of the oldest events of a subscription that were stored before an instant. */
function dropOf(tx: Tx, webhook: number, before: number, limit: number): number {
  const last = tx.sql.scalar<number | null>(
    `SELECT max(sequence) FROM (SELECT sequence, created_at FROM webhook_pulled
       WHERE webhook = ?1 AND sequence > (SELECT done_to FROM webhooks WHERE pk = ?1) ORDER BY sequence LIMIT ?2)
     WHERE created_at < ?3`,
    webhook,
    limit,
    before,
  )
  if (last === null) return 0
  tx.sql.run(
    'UPDATE webhooks SET dropped = dropped + ?2 - done_to, done_to = ?2 WHERE pk = ?1',
    webhook,
    last,
  )
  enqueueOnce(tx, pulledRemoval, webhook, null)
  return limit
}

const DROPPED_AT_ONCE = 1_000

/** Drops events that are 30 days old; returns whether there may be more. */
export const dropOldEvents = (tx: Tx): boolean =>
  tx.sql
    .column<number>('SELECT pk FROM webhooks WHERE delivery IS NOT NULL')
    .some((webhook) => dropOf(tx, webhook, tx.now - KEPT_MS, DROPPED_AT_ONCE) > 0)

const REMOVED_AT_ONCE = 100

const deleteUpTo = ({ sql }: Reader, webhook: number, condition: string, limit: number): number =>
  sql.run(
    `DELETE FROM webhook_pulled WHERE pk IN
       (SELECT pk FROM webhook_pulled WHERE webhook = ?1 AND ${condition} ORDER BY sequence LIMIT ?2)`,
    webhook,
    limit,
  ).changes

/** Deletes up to `limit` events of a subscription that is deleted; returns the number deleted. */
export const deletePulledOf = (reader: Reader, webhook: number, limit: number): number =>
  deleteUpTo(reader, webhook, 'true', limit)

const IS_DONE = 'sequence <= (SELECT done_to FROM webhooks WHERE pk = ?1)'

/** Deletes the acknowledged and dropped events of a subscription. */
export const pulledRemoval = defineJob<number, null>('webhook.pulled', (tx, webhook) =>
  deleteUpTo(tx, webhook, IS_DONE, REMOVED_AT_ONCE) > 0 ? null : 'done',
)
