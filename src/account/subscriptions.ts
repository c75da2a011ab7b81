import { and, eq, isNull, sql } from 'drizzle-orm'
import { may, type Rights } from '../access/rights.ts'
import { logChange, systemAuthor } from '../changes/log.ts'
import { from, rowsBy, updateOf } from '../db/query.ts'
import { keys } from '../db/schema/account.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { findKeyState } from './keys.ts'

/** The subscriptions that are not paused, of the keys of a member that are not revoked. */
const activeOf = rowsBy((workspace: number, user: number) =>
  from(webhooks, {
    pk: webhooks.pk,
    id: webhooks.id,
    kind: webhooks.kind,
    keyId: sql<string>`${webhooks.createdByKeyId}`,
    structureId: sql<string | null>`(SELECT s.id FROM structures s WHERE s.pk = webhooks.structure)`,
  }).where(
    and(
      eq(webhooks.workspace, workspace),
      eq(webhooks.isRemoved, 0),
      isNull(webhooks.pausedAt),
      sql`${webhooks.createdByKeyId} IN (SELECT id FROM ${keys} k
        WHERE k.workspace = ${workspace} AND k.user = ${user} AND k.revoked_at IS NULL)`,
    ),
  ),
)

const update = updateOf(webhooks, webhooks.pk)

function isReached(rights: Rights, structureId: string | null, kind: string | null): boolean {
  if (structureId !== null) return may(rights, structureId, 'change')
  return rights.notes === 'write' && (kind !== 'file' || rights.files === 'write')
}

/**
 * Pauses the subscriptions of a member's keys that may no longer write what these are about, after a change of what they
 * reach. Who may write it ends the pause.
 */
export function pauseOutOfReach(tx: Tx, workspace: number, user: number): void {
  for (const { pk, id, kind, keyId, structureId } of activeOf(tx, workspace, user)) {
    const state = findKeyState(tx, keyId, tx.now)
    const rights = state.isValid ? state.standing.rights : undefined
    if (rights === undefined || isReached(rights, structureId, kind)) continue
    update(tx, pk, { pausedAt: tx.now }, tx.now)
    const object = { kind: 'webhook', id, ...(structureId !== null && { structureId }) } as const
    const difference = { changed: ['paused_at'], previous: { paused_at: null } }
    logChange(tx, systemAuthor(workspace), object, 'updated', { difference })
  }
}
