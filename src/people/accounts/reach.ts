import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import type { InWorkspace } from '../../context.ts'
import {
  type Access,
  allowsWriting,
  may,
  mayShare,
  OTHERS,
  type Permissions,
  type Rights,
  readAccess,
  rightsOf,
} from '../../kernel/caller.ts'
import { isId } from '../../lib/ids.ts'
import { atPlace, invalid } from '../../lib/refusal.ts'
import { logChange, systemAuthor } from '../../log/log.ts'
import { from, orm, rowBy, rowsBy, runBy, update, updateOf } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Role } from '../../storage/schema/account.ts'
import { rowViews } from '../../storage/schema/row-views.ts'
import { shares } from '../../storage/schema/shares.ts'
import { structures } from '../../storage/schema/structures.ts'
import { webhooks } from '../../storage/schema/webhooks.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { findKeyState } from './keys.ts'
import { listMembers } from './store.ts'

/*
 * The objects of a member that depend on the member's access, and the effect of narrowing it. Subscriptions are paused,
 * shares end, and shared row views of removed members remain.
 */

/** The subscriptions that are not paused and depend on a user's permissions. */
const activeOf = rowsBy((workspace: number, user: number) =>
  from(webhooks, {
    ...getTableColumns(webhooks),
    structureId: sql<string | null>`(SELECT s.id FROM structures s WHERE s.pk = webhooks.structure)`,
    /** The user's key that created the subscription. */
    keyId: sql<
      string | null
    >`(SELECT k.id FROM keys k WHERE k.id = webhooks.created_by_key_id AND k.user = webhooks.user)`,
  }).where(
    and(
      eq(webhooks.workspace, workspace),
      eq(webhooks.user, user),
      isNull(webhooks.pausedAt),
      // Events that are pulled leave only with a key that may read them.
      isNull(webhooks.delivery),
    ),
  ),
)

type Subscription = ReturnType<typeof activeOf>[number]

const OUT_OF_REACH =
  'The member who created or last resumed it no longer has write access to it. Any member with that access can resume it.'

const updateWebhook = updateOf(webhooks, webhooks.pk)

/** The permissions of a member; undefined for other users. */
function permissionsOf(reader: Reader, workspace: number, user: number): Permissions | undefined {
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
 * Pauses the subscriptions of a user who can no longer write their subject. Called after a change of the access of the
 * user or of one of the user's keys. A member with write access can resume them.
 */
export function pauseOutOfReach(tx: Tx, workspace: number, user: number): void {
  const member = permissionsOf(tx, workspace, user)
  for (const subscription of activeOf(tx, workspace, user)) {
    const { pk, id, structureId, keyId } = subscription
    const key = keyId === null ? undefined : findKeyState(tx, keyId, tx.now)
    const permissionSets = [member, ...(key?.isValid ? [key.permissions] : [])]
    const isKept = permissionSets.every(
      (permissions) =>
        permissions && allowsWriting(permissions) && isReached(permissions.rights, subscription),
    )
    if (isKept) continue
    updateWebhook(tx, pk, { pausedAt: tx.now, pauseReason: OUT_OF_REACH }, tx.now)
    const object = { kind: 'webhook', id, ...(structureId !== null && { structureId }) } as const
    const difference = { changed: ['paused_at'], previous: { paused_at: null } }
    logChange(tx, systemAuthor(workspace), object, 'updated', { difference })
  }
}

const sharesOf = rowsBy((workspace: number, user: number) =>
  from(shares, { pk: shares.pk, id: shares.id, structure: sql<string | null>`${shares.structure}` }).where(
    and(eq(shares.workspace, workspace), eq(shares.createdBy, user)),
  ),
)

const deleteShare = runBy((pk: number) => orm.delete(shares).where(eq(shares.pk, pk)))

/**
 * Permanently ends the member's shares that depend on a permission the member has lost. Without a role, or as a viewer,
 * these are all shares; otherwise, the shares of objects that the member can no longer write.
 */
export function endSharesOf(
  tx: Tx,
  workspace: number,
  user: number,
  role?: Role,
  access: Access | null = null,
): void {
  if (role === 'owner') return
  const mayWrite = role === 'editor'
  const rights = rightsOf([access], mayWrite)
  for (const { pk, id, structure } of sharesOf(tx, workspace, user)) {
    if (mayWrite && mayShare(rights, structure)) continue
    deleteShare(tx, pk)
    logChange(
      tx,
      systemAuthor(workspace),
      { kind: 'share', id, ...(structure !== null && { structureId: structure }) },
      'deleted',
    )
  }
}

const isOf = (workspace: number, user: string) =>
  and(eq(rowViews.workspace, workspace), eq(rowViews.owner, user))
const removePersonal = runBy((workspace: number, user: string) =>
  orm.delete(rowViews).where(and(isOf(workspace, user), eq(rowViews.personal, 1))),
)
const disown = runBy((workspace: number, user: string) =>
  update(rowViews, { owner: null }, isOf(workspace, user)),
)

/** Keeps a removed member's shared views without an owner. */
export function releaseRowViews(tx: Tx, workspace: number, user: string): void {
  removePersonal(tx, workspace, user)
  disown(tx, workspace, user)
}

const structureById = rowBy((workspace: number, id: string) =>
  from(structures, { id: structures.id }).where(
    and(eq(structures.workspace, workspace), eq(structures.id, id)),
  ),
)

const isSeen = (reader: Reader, { workspacePk, rights }: InWorkspace, id: string): boolean =>
  structureById(reader, workspacePk, id) !== undefined && (rights === undefined || may(rights, id, 'see'))

/**
 * Returns the access as given; refuses one that names a structure which the caller cannot see, or gives a name instead
 * of an id. Structures in `before`, the current access, are accepted: they may have been deleted since.
 */
export function checkedAccess(
  reader: Reader,
  caller: InWorkspace,
  access: Access | null,
  before?: Access | null,
): Access | null {
  for (const id of Object.keys(access?.structures ?? {})) {
    if (id === OTHERS || (before?.structures && Object.hasOwn(before.structures, id))) continue
    if (isId(id) && isSeen(reader, caller, id)) continue
    throw invalid(
      `"access.structures" names "${id}", and there is no structure with this id; give ids, and "*" for all others.`,
      atPlace('access.structures', id),
    )
  }
  return access
}
