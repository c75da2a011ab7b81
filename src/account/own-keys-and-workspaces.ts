import type { AppContext, Caller } from '../context.ts'
import type { Db } from '../db/database.ts'
import type { Reader } from '../db/reader.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { ownerRequired } from '../http/authorizer.ts'
import { fold } from '../lib/text.ts'
import { fail, invalid, nameTaken, notFound } from '../refusal.ts'
import { createKey, findKey, listKeys, revokeKey } from './keys.ts'
import { checkedName } from './names.ts'
import {
  listMembershipsOf,
  listUserRows,
  listWorkspaces,
  type MembershipRow,
  setMember,
  type UserRow,
} from './store.ts'
import { createWorkspace } from './workspaces.ts'

/** The caller's user. */
const getOwnUser = (reader: Reader, { userId }: Pick<Caller, 'userId'>): UserRow =>
  listUserRows(reader).find(({ id }) => id === userId) ?? fail(notFound('user'))

/** The valid keys of the caller, for an owner all of the workspace; oldest first. */
export function listManagedKeys({ db, clock }: AppContext, caller: Caller) {
  const { pk } = getOwnUser(db, caller)
  return listKeys(db).filter(
    ({ key }) =>
      key.workspace === caller.workspacePk &&
      key.revokedAt === null &&
      (key.expiresAt === null || key.expiresAt > clock.now()) &&
      (caller.role === 'owner' || key.user === pk),
  )
}

export type ManagedKey = ReturnType<typeof listManagedKeys>[number]

interface NewManagedKey {
  readonly name: string
  readonly scope: 'write' | 'read'
  /** An instant in milliseconds; null until it is revoked. */
  readonly expiresAt: number | null
}

/** Creates a key of the caller for the workspace; returns it with the secret, which cannot be read again later. */
export async function createManagedKey(ctx: AppContext, caller: Caller, input: NewManagedKey) {
  if (input.expiresAt !== null && input.expiresAt <= ctx.clock.now())
    throw invalid('"expires_at" must be in the future.')
  const { id, secret } = await ctx.db.write((tx) =>
    createKey(tx, { workspace: caller.workspacePk, user: getOwnUser(tx, caller).pk, ...input }),
  )
  const key = listManagedKeys(ctx, caller).find((listed) => listed.key.id === id) ?? fail(notFound('key'))
  return { key, secret }
}

/** Revokes a key of the caller, for an owner any of the workspace; its open streams are closed. */
export async function revokeManagedKey(ctx: AppContext, caller: Caller, id: string): Promise<string> {
  const key = findKey(ctx.db, id)
  const isOwn = key?.user === getOwnUser(ctx.db, caller).pk || caller.role === 'owner'
  if (key?.workspace !== caller.workspacePk || key.revokedAt !== null || !isOwn) throw notFound('key')
  await revokeKey(ctx.db, id)
  ctx.bus.wake()
  return id
}

/** The workspaces of the caller's user, oldest first. */
export const listOwnMemberships = (reader: Reader, caller: Caller): MembershipRow[] =>
  listMembershipsOf(reader, getOwnUser(reader, caller).pk)

/** Creates a workspace that the caller owns; for owners of any workspace. */
export const addOwnWorkspace = (
  { db, features }: AppContext,
  caller: Caller,
  name: string,
): Promise<MembershipRow> =>
  db.write((tx): MembershipRow => {
    if (!listOwnMemberships(tx, caller).some(({ role }) => role === 'owner')) throw ownerRequired()
    const { pk, id } = createWorkspace(tx, features, name)
    setMember(tx, pk, getOwnUser(tx, caller).pk, 'owner')
    return { workspacePk: pk, workspaceId: id, name, role: 'owner' }
  })

/** Renames a workspace that the caller owns. */
export const renameWorkspace = (db: Db, caller: Caller, id: string, name: string): Promise<MembershipRow> =>
  db.write((tx): MembershipRow => {
    const membership =
      listOwnMemberships(tx, caller).find(({ workspaceId }) => workspaceId === id) ??
      fail(notFound('workspace'))
    if (membership.role !== 'owner') throw ownerRequired()
    rename(tx, membership.workspacePk, name)
    return { ...membership, name }
  })

function rename(tx: Tx, pk: number, name: string): void {
  const nameFold = fold(checkedName(name, 'workspace'))
  if (listWorkspaces(tx).some((row) => row.nameFold === nameFold && row.pk !== pk))
    throw nameTaken(`A workspace named "${name}" exists already; choose another name.`)
  tx.sql.run('UPDATE workspaces SET name = ?, name_fold = ? WHERE pk = ?', name, nameFold, pk)
}
