import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../kernel/caller.ts'
import { type Access, ownerRequired, readAccess } from '../../kernel/caller.ts'
import { read, type Snapshot, write } from '../../kernel/operation.ts'
import { isoOrNull, isoTimestamp, parseInstant } from '../../lib/dates.ts'
import { atPlace, fail, invalid, notFound, refused } from '../../lib/refusal.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { createKey, findKey, type ListedKey, listKeysOf, revokeKey, setKeyAccess } from './keys.ts'
import { columnsOfName } from './names.ts'
import { checkedAccess, pauseOutOfReach } from './reach.ts'
import { checkedPreferences, type NameBody, type NewKeyBody } from './schema.ts'
import {
  findPreferences,
  findProviderLink,
  findUserById,
  type KeyRow,
  listMembershipsOf,
  type MembershipRow,
  presentAccess,
  presentMembership,
  putPreferences,
  setMember,
  type UserRow,
  updateWorkspace,
} from './store.ts'
import { createWorkspace, freeWorkspaceName } from './workspaces.ts'

const covers = 'nothing'

export const getOwnUser = (reader: Reader, { userId }: Pick<Caller, 'userId'>): UserRow =>
  findUserById(reader, userId) ?? fail(notFound('user'))

const presentKey = (key: ListedKey) => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  ...presentAccess(key.access),
  user: { id: key.userId ?? '', name: key.userName ?? '' },
  created_at: isoTimestamp(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  last_used_at: isoOrNull(key.lastUsedAt),
})

/** The caller's valid keys, or all valid keys of the workspace if the caller is an owner; oldest first. */
function managedKeys(source: Snapshot, caller: Caller): ListedKey[] {
  const { pk } = getOwnUser(source, caller)
  return listKeysOf(source, caller.workspacePk).filter(
    (key) =>
      key.revokedAt === null &&
      (key.expiresAt === null || key.expiresAt > source.now) &&
      (caller.role === 'owner' || key.user === pk),
  )
}

const presentManaged = (tx: Tx, caller: Caller, id: string) =>
  presentKey(managedKeys(tx, caller).find((key) => key.id === id) ?? fail(notFound('key')))

/** A key that the caller manages: the caller's own, or any of the workspace if the caller is an owner. */
function getManagedKey(tx: Tx, caller: Caller, id: string): KeyRow {
  const key = findKey(tx, id)
  const isOwn = key?.user === getOwnUser(tx, caller).pk || caller.role === 'owner'
  if (key?.workspace !== caller.workspacePk || key.revokedAt !== null || !isOwn) throw notFound('key')
  return key
}

/** The instant at which a key expires, in milliseconds; null for a key that is valid until it is revoked. */
function expiryIn(sent: string | null | undefined, now: number): number | null {
  if (sent === null || sent === undefined) return null
  const instant = parseInstant(sent)
  if (instant === undefined)
    throw invalid('"expires_at" must be a timestamp such as 2026-12-31T23:59:59Z.', atPlace('expires_at'))
  if (instant > now) return instant
  throw invalid('"expires_at" must be in the future.', atPlace('expires_at'))
}

export const listKeys = read({
  name: 'account.keys',
  covers,
  run: (snapshot, caller) => ({ keys: managedKeys(snapshot, caller).map(presentKey) }),
})

/** The secret cannot be read again later. A viewer's key stays read-only even when the viewer gets another role. */
export const createOwnKey = write({
  name: 'account.createKey',
  covers,
  run: (tx, caller, { body }: { body: Static<typeof NewKeyBody> }) => {
    const { name, scope, access = null, expires_at } = body
    const expiresAt = expiryIn(expires_at, tx.now)
    if (caller.role === 'viewer' && scope === 'write')
      throw refused('A viewer makes keys that may only read; choose the scope "read".', atPlace('scope'))
    checkedAccess(tx, caller, access)
    const owner = { workspace: caller.workspacePk, user: getOwnUser(tx, caller).pk }
    const { id, secret } = createKey(tx, { ...owner, name, scope, expiresAt, access })
    return { key: presentManaged(tx, caller, id), secret }
  },
})

/** Replaces the access of a key and closes the affected streams; null grants everything that its user can access. */
export const setOwnKeyAccess = write({
  name: 'account.setKeyAccess',
  covers,
  run: (tx, caller, { id, body }: { id: string; body: { access: Access | null } }) => {
    const key = getManagedKey(tx, caller, id)
    setKeyAccess(tx, key, checkedAccess(tx, caller, body.access, readAccess(key.access)))
    pauseOutOfReach(tx, key.workspace, key.user)
    notifyAfterCommit(tx)
    return { key: presentManaged(tx, caller, id) }
  },
})

/** Revokes a key and closes its open streams. */
export const revokeOwnKey = write({
  name: 'account.revokeKey',
  covers,
  run: (tx, caller, { id }: { id: string }) => {
    revokeKey(tx, getManagedKey(tx, caller, id))
    notifyAfterCommit(tx)
    return { deleted: true, id }
  },
})

export const readPreferences = read({
  name: 'account.preferences',
  covers,
  run: (snapshot, caller): { preferences: Record<string, unknown> } => {
    const stored = findPreferences(snapshot, getOwnUser(snapshot, caller).pk)
    return { preferences: stored ? JSON.parse(stored.json) : {} }
  },
})

export const setPreferences = write({
  name: 'account.setPreferences',
  covers,
  run: (tx, caller, { body: { preferences } }: { body: { preferences: object } }) => {
    const json = checkedPreferences(preferences)
    putPreferences(tx, { user: getOwnUser(tx, caller).pk, preferences: json })
    return { preferences }
  },
})

/**
 * The workspaces of the caller's user, oldest first, without the workspace that the user's account at the provider has
 * closed.
 */
export function listOwnMemberships(reader: Reader, caller: Caller): MembershipRow[] {
  const { pk } = getOwnUser(reader, caller)
  const closed = findProviderLink(reader, pk)?.closedWorkspace
  return listMembershipsOf(reader, pk).filter(({ workspacePk }) => workspacePk !== closed)
}

export const listOwnWorkspaces = read({
  name: 'account.workspaces',
  covers,
  run: (snapshot, caller) => ({ workspaces: listOwnMemberships(snapshot, caller).map(presentMembership) }),
})

type Named = Static<typeof NameBody>

/** Creates a workspace that the caller owns; for owners of any workspace. */
export const createOwnWorkspace = write({
  name: 'account.createWorkspace',
  covers,
  run: (tx, caller, { body }: { body: Named }) => {
    if (!listOwnMemberships(tx, caller).some(({ role }) => role === 'owner')) throw ownerRequired()
    const { pk, id, name } = createWorkspace(tx, body.name)
    setMember(tx, pk, getOwnUser(tx, caller).pk, 'owner')
    return { workspace: presentMembership({ workspacePk: pk, workspaceId: id, name, role: 'owner' }) }
  },
})

export const renameOwnWorkspace = write({
  name: 'account.renameWorkspace',
  covers,
  run: (tx, caller, { id, body }: { id: string; body: Named }) => {
    const membership =
      listOwnMemberships(tx, caller).find(({ workspaceId }) => workspaceId === id) ??
      fail(notFound('workspace'))
    if (membership.role !== 'owner') throw ownerRequired()
    const name = freeWorkspaceName(tx, body.name, membership.workspacePk)
    updateWorkspace(tx, membership.workspacePk, columnsOfName(name))
    return { workspace: presentMembership({ ...membership, name }) }
  },
})
