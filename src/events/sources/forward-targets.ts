import { begin, defineJob, enqueue } from '../../kernel/jobs.ts'
import { type AllowlistEntry, urlError, withPlainHost } from '../../lib/addresses.ts'
import { atPlace, fail, invalid, notFound, refused } from '../../lib/refusal.ts'
import { notifyDispatcher } from '../../log/outbox.ts'
import { IS_NEW, IS_NOT_NEW } from '../../storage/schema/webhooks.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { webhookDetachment } from '../webhooks/deletion.ts'
import { queueOf } from './forward-queue.ts'
import { checkWhen } from './map.ts'
import type { Forward } from './store.ts'

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
  const before: Forward[] = JSON.parse(source.forwards ?? '[]')
  const after = sent.map(({ url, when }): Forward => {
    const plain = withPlainHost(url)
    const target = before.find((known) => known.url === plain)?.target ?? insertTarget(tx, source, plain)
    return { target, url: plain, ...(when && { when: when as NonNullable<Forward['when']> }) }
  })
  for (const { target } of before)
    if (!after.some((kept) => kept.target === target)) {
      tx.sql.run('UPDATE source_targets SET removed_at = ? WHERE pk = ?', tx.now, target)
      failPending(tx, target, 'target removed')
    }
  return JSON.stringify(after)
}

const insertTarget = ({ sql }: Tx, { pk, workspace }: Owner, url: string): number =>
  sql.run('INSERT INTO source_targets (source, workspace, url) VALUES (?, ?, ?)', pk, workspace, url)
    .lastInsertRowid

const FAILED_PER_STEP = 200

/** Fails the deliveries that a target has pending, for the reason in the state. */
export const targetEnding = defineJob<number, string>('source.target', ({ sql, now }, target, reason) => {
  for (const condition of [IS_NEW, `status = 'pending' AND ${IS_NOT_NEW}`]) {
    const { changes } = sql.run(
      `UPDATE webhook_deliveries SET status = 'failed', error = ?2, is_urgent = 0, next_attempt_at = NULL, ended_at = ?3
       WHERE webhook = ?1 AND event IN
         (SELECT event FROM webhook_deliveries WHERE webhook = ?1 AND ${condition} LIMIT ?4)`,
      queueOf(target),
      reason,
      now,
      FAILED_PER_STEP,
    )
    if (changes > 0) return reason
  }
  return 'done'
})

const failPending = (tx: Tx, target: number, reason: string): void => begin(tx, targetEnding, target, reason)

/** Fails what waits for the calls that were sealed with a replaced secret. */
export function failSealed(tx: Tx, forwards: string | null): void {
  for (const { target } of JSON.parse(forwards ?? '[]') as Forward[]) failPending(tx, target, SECRET_REPLACED)
}

const SECRET_REPLACED = 'The secret of the source was replaced, so the call is no longer kept.'

/** Ends the pause of a target, so that its pending deliveries are sent. */
export function resumeTarget(tx: Tx, { forwards }: Owner, url: string): void {
  const known: Forward[] = JSON.parse(forwards ?? '[]')
  const { target } = known.find((forward) => forward.url === withPlainHost(url)) ?? fail(notFound('target'))
  tx.sql.run('UPDATE source_targets SET paused_at = NULL, consecutive_failures = 0 WHERE pk = ?', target)
  notifyDispatcher(tx, [queueOf(target)])
}

/** Deletes the targets of a deleted source; a job deletes their deliveries. */
export function removeTargetsOf(tx: Tx, source: number): void {
  const targets = tx.sql.column<number>('DELETE FROM source_targets WHERE source = ? RETURNING pk', source)
  for (const target of targets) enqueue(tx, webhookDetachment, queueOf(target), null)
}

/** Deletes removed targets without deliveries. */
export const deleteEndedTargets = ({ sql }: Tx): void =>
  void sql.run(
    `DELETE FROM source_targets WHERE removed_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook = -source_targets.pk AND ${IS_NEW})
       AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook = -source_targets.pk AND ${IS_NOT_NEW})`,
  )
