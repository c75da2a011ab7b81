import { insertDeliveries } from '../../log/deliveries.ts'
import { logChange, notifyAfterCommit, systemAuthor } from '../../log/log.ts'
import { notifyDispatcher } from '../../log/outbox.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import type { Call } from './providers.ts'
import { unseal } from './store.ts'

/*
 * The queue of the calls that sources pass on. It is the queue of webhooks: a target has the negative of its pk where a
 * webhook has its own. The call itself stays sealed with the event of the source, and is opened for each attempt.
 */

export const queueOf = (target: number): number => -target
const targetOf = (queue: number): number => -queue

/** Whether a queue belongs to a target of a source, and not to a webhook. */
export const isOfTarget = (queue: number): boolean => queue < 0

/** As for webhooks, the pending deliveries of a disabled source wait. */
const IS_ACTIVE = `paused_at IS NULL AND removed_at IS NULL
  AND (SELECT s.enabled FROM sources s WHERE s.pk = t.source) = 1`

/** A target in the form of a subscription. */
export const FIND_TARGET = `SELECT (SELECT id FROM sources s WHERE s.pk = t.source) AS webhookId, t.url, '' AS secret,
    NULL AS earlierSecrets, NULL AS headers, ${IS_ACTIVE} AS isActive, 0 AS isOrdered, 0 AS isNumbered, EXISTS
      (SELECT 1 FROM webhook_deliveries d
       WHERE d.webhook = -t.pk AND d.status = 'pending' AND d.is_urgent = 1) AS hasUrgent
  FROM source_targets t WHERE t.pk = -?`

interface Forwarded {
  /** The id of the event of the source. */
  readonly id: string
  readonly type: string | null
  readonly recordId: string | null
}

/** Stores an event for targets of its source, in the transaction of its row. */
export function forwardEvent(tx: Tx, { id, type, recordId }: Forwarded, targets: readonly number[]): void {
  const event = tx.sql.run(
    "INSERT INTO webhook_events (id, type, record_id, body) VALUES (?, ?, ?, '')",
    id,
    type ?? '',
    recordId,
  ).lastInsertRowid
  const queues = targets.map(queueOf)
  insertDeliveries(tx, event, queues, 0)
  notifyDispatcher(tx, queues)
}

interface Kept {
  readonly sourceId: string
  readonly secret: string | null
  readonly sealed: Uint8Array
}

/** The call of a forwarded event; undefined once the secret was replaced, or the source keeps it no longer. */
export function findCall({ sql }: Reader, queue: number, eventId: string): Call | undefined {
  const kept = sql.get<Kept>(
    `SELECT s.id AS sourceId, s.secret, (SELECT sealed FROM source_sealed c WHERE c.event =
       (SELECT pk FROM source_events e WHERE e.id = ?2 AND e.source = s.pk) AND c.secret_version = s.secret_version) AS sealed
     FROM sources s WHERE s.pk = (SELECT source FROM source_targets WHERE pk = ?1)`,
    targetOf(queue),
    eventId,
  )
  return kept?.sealed ? unseal(kept.sealed, kept.secret ?? '', kept.sourceId) : undefined
}

/** Headers of the connection rather than the call, and those that the sender of the attempt sets. */
const HOP_BY_HOP = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers of a call for its target: all but those of the connection. */
export function passedHeaders({ headers }: Pick<Call, 'headers'>): Record<string, string> {
  const listed = headers.find(([name]) => name === 'connection')?.[1] ?? ''
  const dropped = new Set([...HOP_BY_HOP, ...listed.split(',').map((name) => name.trim().toLowerCase())])
  return Object.fromEntries(headers.filter(([name]) => !dropped.has(name)))
}

interface Paused {
  readonly source: number
  readonly workspace: number
  readonly isPausing: number
}

/** Counts a failed delivery of a target, and pauses it after `most` in a row; returns whether it is paused now. */
export function countTargetFailure(tx: Tx, queue: number, most: number): boolean {
  const counted = tx.sql.get<Paused>(
    `UPDATE source_targets SET consecutive_failures = consecutive_failures + 1,
       paused_at = coalesce(paused_at, CASE WHEN consecutive_failures + 1 >= ?2 THEN ?1 END)
     WHERE pk = ?3 RETURNING source, workspace, paused_at = ?1 AND consecutive_failures = ?2 AS isPausing`,
    tx.now,
    most,
    targetOf(queue),
  )
  if (counted?.isPausing !== 1) return false
  logTargets(tx, counted)
  return true
}

export const resetTargetFailures = ({ sql }: Tx, queue: number): void =>
  void sql.run(
    'UPDATE source_targets SET consecutive_failures = 0 WHERE pk = ? AND consecutive_failures > 0',
    targetOf(queue),
  )

/** `updated_at` of the source stays: its attributes are those that a caller set. */
function logTargets(tx: Tx, { source, workspace }: Paused): void {
  const found = tx.sql.get<{ id: string; structureId: string }>(
    'SELECT id, (SELECT id FROM structures s WHERE s.pk = structure) AS structureId FROM sources WHERE pk = ?',
    source,
  )
  if (!found) return
  const difference = { changed: ['forward'], previous: {} }
  logChange(tx, systemAuthor(workspace), { kind: 'source', ...found }, 'updated', { difference })
  notifyAfterCommit(tx, found.id)
}
