import { begin, defineJob, enqueue } from '../../kernel/jobs.ts'
import { type AllowlistEntry, urlError, withPlainHost } from '../../lib/addresses.ts'
import { atPlace, fail, invalid, notFound, refused } from '../../lib/refusal.ts'
import { notifyDispatcher } from '../../log/outbox.ts'
import { IS_NEW, IS_NOT_NEW } from '../../storage/schema/webhooks.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { webhookDetachment } from '../webhooks/deletion.ts'
import { queueOf } from './forward-queue.ts'
import { checkWhen } from './map.ts'
import { type Forward, forwardsIn } from './store.ts'

/* The targets that a source passes its events on to. */

/** A target in a request. */
export interface TargetInput {
  readonly url: string
  readonly when?: readonly unknown[]
}

/**
 * Refuses targets with the same URL, with a forbidden address, or with invalid conditions. Without a list of allowed
 * addresses, only attempts check the address.
 */
export function checkTargets(
  sent: readonly TargetInput[],
  allowlist: readonly AllowlistEntry[] | undefined,
): void {
  const urls = sent.map(({ url }) => withPlainHost(url))
  for (const [index, { when, url }] of sent.entries()) {
    if (when) checkWhen(when, `forward[${index}].when`)
    const place = atPlace('forward', index, 'url')
    if (urls.indexOf(urls[index] ?? '') < index)
      throw invalid(`"forward" names "${url}" twice; name each URL once.`, place)
    const error = allowlist && urlError(url, allowlist)
    if (error !== undefined) throw refused(error, place)
  }
}

interface Owner {
  readonly pk: number
  readonly workspace: number
  readonly forwards: string | null
}

/** Replaces the targets of a source; one whose URL stays keeps its state. Returns the column of the source. */
export function replaceTargets(tx: Tx, source: Owner, sent: readonly TargetInput[]): string {
  const before = forwardsIn(source.forwards)
  const after = sent.map(({ url, when }): Forward => {
    const plain = withPlainHost(url)
    const target = before.find((known) => known.url === plain)?.target ?? insertTarget(tx, source, plain)
    return { target, url: plain, ...(when && { when: when as NonNullable<Forward['when']> }) }
  })
  const removed = before.filter(({ target }) => !after.some((kept) => kept.target === target))
  for (const { target } of removed) {
    tx.sql.run('UPDATE source_targets SET removed_at = ? WHERE pk = ?', tx.now, target)
    failPending(tx, target, 'target removed')
  }
  // Otherwise, a source that changes often would have many.
  tx.sql.run(`${DELETE_ENDED} AND source = ?`, source.pk)
  return JSON.stringify(after)
}

const insertTarget = ({ sql }: Tx, { pk, workspace }: Owner, url: string): number =>
  sql.run('INSERT INTO source_targets (source, workspace, url) VALUES (?, ?, ?)', pk, workspace, url)
    .lastInsertRowid

const FAILED_AT_ONCE = 200

interface Ending {
  readonly reason: string
  /** The pk of the last event that fails: the calls of later ones are sealed with the current secret. */
  readonly upTo: number
}

const LAST_EVENT = 'SELECT coalesce(max(pk), 0) FROM webhook_events'

const PENDING = [IS_NEW, `status = 'pending' AND ${IS_NOT_NEW}`]

/** Fails the deliveries that a target had pending when the job was enqueued. */
export const targetEnding = defineJob<number, Ending>('source.target', ({ sql, now }, target, ending) => {
  for (const condition of PENDING) {
    const { changes } = sql.run(
      `UPDATE webhook_deliveries SET status = 'failed', error = ?2, is_urgent = 0, next_attempt_at = NULL, ended_at = ?3
       WHERE webhook = ?1 AND event IN
         (SELECT event FROM webhook_deliveries WHERE webhook = ?1 AND ${condition} AND event <= ?5 LIMIT ?4)`,
      queueOf(target),
      ending.reason,
      now,
      FAILED_AT_ONCE,
      ending.upTo,
    )
    if (changes > 0) return ending
  }
  return 'done'
})

const failPending = (tx: Tx, target: number, reason: string): void =>
  begin(tx, targetEnding, target, { reason, upTo: tx.sql.scalar(LAST_EVENT) })

/** Fails what waits for the calls that were sealed with a replaced secret. */
export function failSealed(tx: Tx, forwards: string | null): void {
  for (const { target } of forwardsIn(forwards)) failPending(tx, target, SECRET_REPLACED)
}

const SECRET_REPLACED = 'The secret of the source was replaced, so the call is no longer kept.'

/** Notifies the dispatcher of what is pending for a source that may have been disabled. */
export const notifyTargets = (tx: Tx, forwards: string | null): void =>
  notifyDispatcher(
    tx,
    forwardsIn(forwards).map(({ target }) => queueOf(target)),
  )

/** Ends the pause of a target, so that its pending deliveries are sent. */
export function resumeTarget(tx: Tx, { forwards }: Owner, url: string): void {
  const plain = withPlainHost(url)
  const { target } = forwardsIn(forwards).find((known) => known.url === plain) ?? fail(notFound('target'))
  tx.sql.run('UPDATE source_targets SET paused_at = NULL, consecutive_failures = 0 WHERE pk = ?', target)
  notifyDispatcher(tx, [queueOf(target)])
}

/** Deletes the targets of a deleted source; a job deletes their deliveries. */
export function removeTargetsOf(tx: Tx, source: number): void {
  const targets = tx.sql.column<number>('DELETE FROM source_targets WHERE source = ? RETURNING pk', source)
  for (const target of targets) enqueue(tx, webhookDetachment, queueOf(target), null)
}

const DELETE_ENDED = `DELETE FROM source_targets WHERE removed_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook = -source_targets.pk AND ${IS_NEW})
  AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook = -source_targets.pk AND ${IS_NOT_NEW})`

/** Deletes removed targets without deliveries. */
export const deleteEndedTargets = ({ sql }: Tx): void => void sql.run(DELETE_ENDED)
