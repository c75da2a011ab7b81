import type { AppContext } from '../context.ts'
import { ownCredential } from '../kernel/call.ts'
import { type Access, readAccess } from '../kernel/caller.ts'
import { write } from '../kernel/operation.ts'
import { fail, Refusal, refused } from '../lib/refusal.ts'
import type { Reader } from '../storage/reader.ts'
import type { Role } from '../storage/schema/account.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { disconnect, findApp, isAlive } from './accounts/apps.ts'
import { createKey, getKey, revokeKey } from './accounts/keys.ts'
import { checkedAccess } from './accounts/reach.ts'
import {
  deletePasskeysOf,
  deleteProviderLink,
  endSessionsOf,
  findFirstWorkspace,
  listMembers,
  listMembershipsOf,
  setPasswordHash,
  type UserRow,
  type WorkspaceRow,
} from './accounts/store.ts'
import { addUser, changeRole, getMember, getUser, knownUserNotice, removeUser } from './accounts/users.ts'
import { createOwnedWorkspace, createWorkspace, getWorkspaceOrOnly } from './accounts/workspaces.ts'
import { createSetupLink } from './sessions/sign-in.ts'

/*
 * The writes of commands that manage workspaces, users, keys and connected apps, and the first write of a server. Names
 * are of workspaces, users or keys, or their ids. Without a name, an operation takes the only workspace or user, and
 * refuses when there are several.
 */

const covers = 'nothing'

/** Creates the workspace `Personal` with the user `owner` and a write key; undefined if a workspace exists. */
export const createFirstWorkspace = write({
  name: 'people.createFirstWorkspace',
  covers,
  run: (tx): string | undefined => {
    if (findFirstWorkspace(tx)) return undefined
    const workspace = createWorkspace(tx, 'Personal')
    const owner = addUser(tx, 'owner', workspace, 'owner')
    const key = { name: 'first key', scope: 'write', expiresAt: null } as const
    return createKey(tx, { ...key, workspace: workspace.pk, user: owner.pk }).secret
  },
})

/**
 * Prepares a database without a workspace for its first use. Returns the first key, which cannot be read again later;
 * undefined for a database that is in use.
 */
export async function bootstrap({
  db,
  kernel,
}: Pick<AppContext, 'db' | 'kernel'>): Promise<string | undefined> {
  // Writes nothing to a database that is in use: it may be damaged, and is served nevertheless.
  if (findFirstWorkspace(db)) return undefined
  return kernel.call(createFirstWorkspace, ownCredential(covers), {})
}

interface InNamedWorkspace {
  readonly workspace: string | undefined
}

interface NamedMember extends InNamedWorkspace {
  readonly name: string
}

export const addWorkspace = write({
  name: 'people.addWorkspace',
  covers,
  run: (tx, _, { name, owner }: { readonly name: string; readonly owner: string | undefined }) =>
    createOwnedWorkspace(tx, name, owner),
})

interface AddedUser extends NamedMember {
  readonly role: Role
  /** The address of the application, for the setup link. */
  readonly origin: string
}

/** Adds a user to a workspace; returns the link for their first sign-in, null for a user with a password. */
export const addNamedUser = write({
  name: 'people.addUser',
  covers,
  run: (tx, _, input: AddedUser) => {
    const workspace = getWorkspaceOrOnly(tx, input.workspace)
    const { pk, id, name, passwordHash, createdAt } = addUser(tx, input.name, workspace, input.role)
    const link =
      passwordHash === null ? createSetupLink(tx, { userPk: pk, maker: null }, input.origin).link : null
    const notice = createdAt < tx.now && { notice: knownUserNotice(name) }
    return { id, name, role: input.role, workspace: workspace.name, link, ...notice }
  },
})

export const setRole = write({
  name: 'people.setRole',
  covers,
  run: (tx, _, { name, workspace: named, role }: NamedMember & { readonly role: Role }) => {
    const workspace = getWorkspaceOrOnly(tx, named)
    const user = getMember(tx, workspace, name)
    changeRole(tx, user, workspace, role)
    return { user: user.name, workspace: workspace.name }
  },
})

const getMembership = (reader: Reader, workspace: WorkspaceRow, { pk, name }: UserRow) =>
  listMembers(reader, workspace.pk).find((member) => member.pk === pk) ??
  fail(refused(`The user "${name}" does not belong to the workspace "${workspace.name}".`))

/** Access to structures that still exist in the workspace; a command has found their ids before its write. */
const existing = (tx: Tx, { pk: workspacePk }: WorkspaceRow, access: Access | null): Access | null =>
  checkedAccess(tx, { workspacePk, rights: undefined }, access)

/** Replaces the access of a member; null grants everything. */
export const setMemberAccess = write({
  name: 'people.setAccess',
  covers,
  run: (tx, _, { name, workspace: named, access }: NamedMember & { readonly access: Access | null }) => {
    const workspace = getWorkspaceOrOnly(tx, named)
    const user = getMember(tx, workspace, name)
    const { role } = getMembership(tx, workspace, user)
    if (role === 'owner' && access !== null)
      throw refused(
        `"${user.name}" is an owner and can access the whole workspace; make them an editor or a viewer first.`,
      )
    changeRole(tx, user, workspace, role, existing(tx, workspace, access))
  },
})

/** The role and the access of a member. */
export function presentMember(reader: Reader, workspace: WorkspaceRow, name: string) {
  const user = getMember(reader, workspace, name)
  const { role, access } = getMembership(reader, workspace, user)
  return { name: user.name, role, access: readAccess(access) }
}

/** Removes a user from a workspace; without one, from all of them, and deletes the user. */
export const removeNamedUser = write({
  name: 'people.removeUser',
  covers,
  run: (tx, _, { name, workspace: named }: NamedMember) => {
    const workspace = named === undefined ? undefined : getWorkspaceOrOnly(tx, named)
    const user = getUser(tx, name)
    removeUser(tx, user, workspace)
    return { user: user.name, workspace: workspace?.name ?? null }
  },
})

/** Stores a precomputed password hash, and ends the sessions of the user. */
export const setUserPassword = write({
  name: 'people.setPassword',
  covers,
  run: (tx, _, { id, hash }: { readonly id: string; readonly hash: string }) => {
    const user = getUser(tx, id)
    setPasswordHash(tx, user.pk, hash)
    endSessionsOf(tx, user.pk)
    return { user: user.name }
  },
})

interface NewLink {
  readonly name: string
  readonly origin: string
  /** Whether the other sign-in options of the user are removed. */
  readonly isReset: boolean
}

export const createUserLink = write({
  name: 'people.createLink',
  covers,
  run: (tx, _, { name, origin, isReset }: NewLink) => {
    const user = getUser(tx, name)
    if (listMembershipsOf(tx, user.pk).length === 0)
      throw refused(`"${user.name}" belongs to no workspace; add them to one with "daybook users add" first.`)
    if (isReset) {
      deletePasskeysOf(tx, user.pk)
      deleteProviderLink(tx, user.pk)
      endSessionsOf(tx, user.pk)
    }
    return createSetupLink(tx, { userPk: user.pk, maker: null }, origin)
  },
})

interface NewUserKey extends InNamedWorkspace {
  readonly user: string | undefined
  readonly name: string
  readonly scope: 'write' | 'read'
  readonly expiresAt: number | null
  readonly access: Access | null
}

export const createUserKey = write({
  name: 'people.createKey',
  covers,
  run: (tx, _, { workspace: named, user, ...key }: NewUserKey) => {
    const workspace = getWorkspaceOrOnly(tx, named)
    const access = existing(tx, workspace, key.access)
    return createKey(tx, { ...key, access, workspace: workspace.pk, user: getMember(tx, workspace, user).pk })
  },
})

export const revokeNamedKey = write({
  name: 'people.revokeKey',
  covers,
  run: (tx, _, { name }: { readonly name: string }) => {
    const key = getKey(tx, name)
    revokeKey(tx, key)
    return { name: key.name }
  },
})

const noApp = (id: string) =>
  new Refusal('not_found', `There is no connected app with the id "${id}"; list the apps to see them.`)

export const disconnectNamedApp = write({
  name: 'people.disconnectApp',
  covers,
  run: (tx, _, { id }: { readonly id: string }) => {
    const found = findApp(tx, id)
    const app = found && isAlive(found, tx.now) ? found : fail(noApp(id))
    disconnect(tx, app)
    return { name: app.name }
  },
})
