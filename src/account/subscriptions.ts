import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { may, type Rights, rightsOf } from '../access/rights.ts'
import { logChange, systemAuthor } from '../changes/log.ts'
import { from, rowsBy, updateOf } from '../db/query.ts'
import type { Reader } from '../db/reader.ts'
import { webhooks } from '../db/schema/webhooks.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { type Standing, standsForWriting } from '../http/request-right.ts'
import { findKeyState } from './keys.ts'
import { listMembers, readAccess } from './store.ts'

/** The subscriptions that are not paused and rest on the right of a user. */
const activeOf = rowsBy((workspace: number, user: number) =>
  from(webhooks, {
    ...getTableColumns(webhooks),
    structureId: sql<string | null>`(SELECT s.id FROM structures s WHERE s.pk = webhooks.structure)`,
    /** The key of the user with which it was made. */
    keyId: sql<
      string | null
    >`(SELECT k.id FROM keys k WHERE k.id = webhooks.created_by_key_id AND k.user = webhooks.user)`,
  }).where(
    and(
      eq(webhooks.workspace, workspace),
      eq(webhooks.user, user),
      eq(webhooks.isRemoved, 0),
      isNull(webhooks.pausedAt),
    ),
  ),
)

type Subscription = ReturnType<typeof activeOf>[number]

const OUT_OF_REACH =
  'Who made it, or resumed it last, may not write what it is about any more; it goes on with the right of whoever resumes it.'

const update = updateOf(webhooks, webhooks.pk)

/** What a member may do; undefined for who is none. */
function standingOf(reader: Reader, workspace: number, user: number): Standing | undefined {
  const member = listMembers(reader, workspace).find(({ pk }) => pk === user)
  if (!member) return undefined
  const { role, access } = member
  return { scope: 'write', role, rights: rightsOf([readAccess(access)], role !== 'viewer') }
}

function isReached(rights: Rights | undefined, { structureId, kind }: Subscription): boolean {
  if (rights === undefined) return true
  if (structureId !== null) return may(rights, structureId, 'change')
  return rights.notes === 'write' && (kind !== 'file' || rights.files === 'write')
}

/**
 * Pauses the subscriptions of a user who may no longer write what these are about, after a change of what the user or one
 * of the user's keys reaches. Who may write it ends the pause.
 */
export function pauseOutOfReach(tx: Tx, workspace: number, user: number): void {
  const member = standingOf(tx, workspace, user)
  for (const subscription of activeOf(tx, workspace, user)) {
    const { pk, id, structureId, keyId } = subscription
    const key = keyId === null ? undefined : findKeyState(tx, keyId, tx.now)
    const standings = [member, ...(key?.isValid ? [key.standing] : [])]
    const isKept = standings.every(
      (standing) => standing && standsForWriting(standing) && isReached(standing.rights, subscription),
    )
    if (isKept) continue
    update(tx, pk, { pausedAt: tx.now, pauseReason: OUT_OF_REACH }, tx.now)
    const object = { kind: 'webhook', id, ...(structureId !== null && { structureId }) } as const
    const difference = { changed: ['paused_at'], previous: { paused_at: null } }
    logChange(tx, systemAuthor(workspace), object, 'updated', { difference })
  }
}
