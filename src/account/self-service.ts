import type { Access } from '../access/rights.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { ownerRequired } from '../http/authorizer.ts'
import { atPlace, fail, invalid, notFound, refused } from '../refusal.ts'
import { createKey, findKey, type ListedKey, listKeysOf, revokeKey, setKeyAccess } from './keys.ts'
import { columnsOfName } from './names.ts'
import { checkedAccess, pauseOutOfReach } from './reach.ts'
import { checkedPreferences } from './schema.ts'
import {
  findPreferences,
  findProviderLink,
  findUserById,
  type KeyRow,
  listMembershipsOf,
  type MembershipRow,
  putPreferences,
  readAccess,
  setMember,
  type UserRow,
  updateWorkspace,
} from './store.ts'
import { createWorkspace, freeWorkspaceName } from './workspaces.ts'

export const getOwnUser = (reader: Reader, { userId }: Pick<Caller, 'userId'>): UserRow =>
  findUserById(reader, userId) ?? fail(notFound('user'))

/** The valid keys of the caller, for an owner all of the workspace; oldest first. */
export function listManagedKeys({ db, clock }: AppContext, caller: Caller) {
  const { pk } = getOwnUser(db, caller)
  return listKeysOf(db, caller.workspacePk).filter(
    (key) =>
      key.revokedAt === null &&
      (key.expiresAt === null || key.expiresAt > clock.now()) &&
      (caller.role === 'owner' || key.user === pk),
  )
}

interface NewManagedKey {
  readonly name: string
  readonly scope: 'write' | 'read'
  /** An instant in milliseconds; null until it is revoked. */
  readonly expiresAt: number | null
  readonly access?: Access | null
}

/**
 * Creates a key of the caller for the workspace; returns it with the secret, which cannot be read again later. A viewer's
 * key is read-only also after they have become more.
 */
export async function createManagedKey(ctx: AppContext, caller: Caller, input: NewManagedKey) {
  if (input.expiresAt !== null && input.expiresAt <= ctx.clock.now())
    throw invalid('"expires_at" must be in the future.', atPlace('expires_at'))
  const { id, secret } = await ctx.db.write((tx) => {
    if (caller.role === 'viewer' && input.scope === 'write')
      throw refused('A viewer makes keys that may only read; choose the scope "read".', atPlace('scope'))
    checkedAccess(tx, caller, input.access ?? null)
    return createKey(tx, { workspace: caller.workspacePk, user: getOwnUser(tx, caller).pk, ...input })
  })
  return { key: getManagedKey(ctx, caller, id), secret }
}

const getManagedKey = (ctx: AppContext, caller: Caller, id: string): ListedKey =>
  listManagedKeys(ctx, caller).find((key) => key.id === id) ?? fail(notFound('key'))

/** A key that the caller manages: an own one, for an owner any of the workspace. */
function findManaged(tx: Tx, caller: Caller, id: string): KeyRow {
  const key = findKey(tx, id)
  const isOwn = key?.user === getOwnUser(tx, caller).pk || caller.role === 'owner'
  if (key?.workspace !== caller.workspacePk || key.revokedAt !== null || !isOwn) throw notFound('key')
  return key
}

/** Gives a key another access, null for all that its user reaches; open streams that this touches are closed. */
export async function changeKeyAccess(
  ctx: AppContext,
  caller: Caller,
  id: string,
  access: Access | null,
): Promise<ListedKey> {
  await ctx.db.write((tx): void => {
    const key = findManaged(tx, caller, id)
    setKeyAccess(tx, key, checkedAccess(tx, caller, access, readAccess(key.access)))
    pauseOutOfReach(tx, key.workspace, key.user)
  })
  ctx.bus.wake()
  return getManagedKey(ctx, caller, id)
}

/** Revokes a key that the caller manages; its open streams are closed. */
export async function revokeManagedKey(ctx: AppContext, caller: Caller, id: string): Promise<string> {
  await ctx.db.write((tx): void => revokeKey(tx, findManaged(tx, caller, id)))
  ctx.bus.wake()
  return id
}

export function getPreferences(reader: Reader, caller: Caller): Record<string, unknown> {
  const stored = findPreferences(reader, getOwnUser(reader, caller).pk)
  return stored ? JSON.parse(stored.json) : {}
}

export const setPreferences = ({ db }: AppContext, caller: Caller, preferences: object): Promise<void> => {
  const json = checkedPreferences(preferences)
  return db.write((tx): void => putPreferences(tx, { user: getOwnUser(tx, caller).pk, preferences: json }))
}

/** The workspaces of the caller's user, oldest first; without the one that their account at the provider has closed. */
export function listOwnMemberships(reader: Reader, caller: Caller): MembershipRow[] {
  const { pk } = getOwnUser(reader, caller)
  const closed = findProviderLink(reader, pk)?.closedWorkspace
  return listMembershipsOf(reader, pk).filter(({ workspacePk }) => workspacePk !== closed)
}

/** Creates a workspace that the caller owns; for owners of any workspace. */
export const addOwnWorkspace = (
  { db, features }: AppContext,
  caller: Caller,
  name: string,
): Promise<MembershipRow> =>
  db.write((tx): MembershipRow => {
    if (!listOwnMemberships(tx, caller).some(({ role }) => role === 'owner')) throw ownerRequired()
    const workspace = createWorkspace(tx, features, name)
    setMember(tx, workspace.pk, getOwnUser(tx, caller).pk, 'owner')
    return { workspacePk: workspace.pk, workspaceId: workspace.id, name: workspace.name, role: 'owner' }
  })

export const renameWorkspace = (db: Db, caller: Caller, id: string, name: string): Promise<MembershipRow> =>
  db.write((tx): MembershipRow => {
    const membership =
      listOwnMemberships(tx, caller).find(({ workspaceId }) => workspaceId === id) ??
      fail(notFound('workspace'))
    if (membership.role !== 'owner') throw ownerRequired()
    const { workspacePk: pk } = membership
    const free = freeWorkspaceName(tx, name, pk)
    updateWorkspace(tx, pk, columnsOfName(free))
    return { ...membership, name: free }
  })
