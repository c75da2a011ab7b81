import { type Access, readAccess } from '../../kernel/caller.ts'
import { didYouMean } from '../../lib/near-miss.ts'
import { atPlace, fail, nameTaken, Refusal, refused } from '../../lib/refusal.ts'
import { fold } from '../../lib/text.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Role } from '../../storage/schema/account.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { skeletonsOf } from './lookalikes.ts'
import { checkedAccountName, columnsOfName, getOnly, nameKey, rowNamed, storedKey } from './names.ts'
import { endSharesOf, pauseOutOfReach, releaseRowViews } from './reach.ts'
import {
  deleteMember,
  deletePasskeysOf,
  deleteProviderLink,
  deleteUser,
  findUserById,
  findUserSpelled,
  insertUser,
  listMembers,
  listMemberships,
  listMembershipsOf,
  listUserRows,
  listUsersByKey,
  setMember,
  setPasswordHash,
  type UserRow,
  updateUser,
  type WorkspaceRow,
} from './store.ts'

/** All users, each with their workspaces and their role in each. */
export function listUsers(reader: Reader) {
  const memberships = listMemberships(reader)
  return listUserRows(reader).map((user) => ({
    user,
    memberships: memberships.filter(({ userPk }) => userPk === user.pk),
  }))
}

/** By id, else by name. */
export const findUser = (reader: Reader, nameOrId: string): UserRow | undefined =>
  findUserById(reader, nameOrId) ?? findUserByName(reader, nameOrId)

/** The user who signs in with this name. */
export const findUserByName = (reader: Reader, name: string): UserRow | undefined =>
  findUserSpelled(reader, fold(name)) ?? rowNamed(listUsersByKey(reader, storedKey(name)), name)

export const getUser = (reader: Reader, nameOrId: string): UserRow =>
  findUser(reader, nameOrId) ?? fail(noUser(reader, nameOrId))

function noUser(reader: Reader, nameOrId: string): Refusal {
  const names = listUserRows(reader).map(({ name }) => name)
  return new Refusal('not_found', `There is no user "${nameOrId}".${didYouMean(nameOrId, names)}`)
}

/** The member of the workspace with this name or id; its only member if no name is given. */
export function getMember(reader: Reader, { pk, name }: WorkspaceRow, nameOrId: string | undefined): UserRow {
  const members = listMembers(reader, pk)
  const user = nameOrId === undefined ? undefined : findUser(reader, nameOrId)
  if (user && !members.some(({ pk: member }) => member === user.pk)) {
    throw refused(`The user "${user.name}" does not belong to the workspace "${name}"; add them to it first.`)
  }
  return user ?? getOnly(members, 'user', nameOrId)
}

/**
 * Adds a user to the workspace in that role, and creates the user if the name is new. A user without any workspace may
 * be a different person with the same name, and is not linked to the former account.
 */
export function addUser(
  tx: Tx,
  name: string,
  workspace: WorkspaceRow,
  role: Role,
  access?: Access | null,
): UserRow {
  const known = findUserByName(tx, name)
  if (listMembers(tx, workspace.pk).some(({ pk }) => pk === known?.pk)) {
    throw nameTaken(
      `The user "${name}" belongs to the workspace "${workspace.name}" already; daybook users role changes their role.`,
    )
  }
  const user = known ?? createUser(tx, freeUserName(tx, name))
  if (listMembershipsOf(tx, user.pk).length === 0) deleteProviderLink(tx, user.pk)
  setMember(tx, workspace.pk, user.pk, role, access)
  return user
}

/** The warning for an added user who already had an account. */
export const knownUserNotice = (name: string): string =>
  `"${name}" already has an account on this server, and that account was added. Make sure that it is the person you mean.`

export const createUser = (tx: Tx, name: string): UserRow =>
  insertUser(tx, { id: tx.newId(), ...columnsOfName(name), createdAt: tx.now })

/**
 * Changes a member's role and, if given, their access; both apply at once, also to the member's keys. The last owner of
 * a workspace stays an owner.
 */
export function changeRole(
  tx: Tx,
  user: UserRow,
  workspace: WorkspaceRow,
  role: Role,
  access?: Access | null,
): void {
  const members = listMembers(tx, workspace.pk)
  if (role !== 'owner' && isLastOwner(tx, user.pk, workspace.pk)) throw lastOwner(user.name, workspace.name)
  const member = members.find(({ pk }) => pk === user.pk)
  if (!member || (member.role === role && access === undefined)) return
  const reached = access === undefined ? readAccess(member.access) : access
  setMember(tx, workspace.pk, user.pk, role, reached)
  endSharesOf(tx, workspace.pk, user.pk, role, reached)
  pauseOutOfReach(tx, workspace.pk, user.pk)
}

export const isLastOwner = (reader: Reader, user: number, workspace: number): boolean =>
  listMembers(reader, workspace).every(({ pk, role }) => (role === 'owner') === (pk === user))

const lastOwner = (user: string, workspace: string) =>
  refused(`"${user}" is the last owner of the workspace "${workspace}"; add another owner first.`)

/**
 * Removes a user from the workspace; without a workspace, removes the user from all of them and deletes the user. Their
 * keys, sessions and setup links end permanently. A server that calls this must also notify its bus, so that their
 * streams are closed. A user without any workspace loses password and passkeys. The last owner of a workspace cannot be
 * removed from it.
 */
export function removeUser(tx: Tx, user: UserRow, workspace: WorkspaceRow | undefined): void {
  const all = listMemberships(tx)
  const own = all.filter(({ userPk }) => userPk === user.pk)
  const ending = own.filter(({ workspacePk }) => !workspace || workspacePk === workspace.pk)
  if (workspace && ending.length === 0) {
    throw refused(`The user "${user.name}" does not belong to the workspace "${workspace.name}".`)
  }
  for (const { workspacePk, workspace: name, role } of ending) {
    const owners = all.filter((row) => row.workspacePk === workspacePk && row.role === 'owner')
    if (role === 'owner' && owners.length === 1) {
      throw lastOwner(user.name, name)
    }
    endSharesOf(tx, workspacePk, user.pk)
    deleteMember(tx, workspacePk, user.pk)
    pauseOutOfReach(tx, workspacePk, user.pk)
    releaseRowViews(tx, workspacePk, user.id)
  }
  if (!workspace) deleteUser(tx, user.pk)
  else if (ending.length === own.length) {
    setPasswordHash(tx, user.pk, null)
    deletePasskeysOf(tx, user.pk)
  }
}

/** Returns the name in its stored form; refuses a name that another user has. */
export function freeUserName(reader: Reader, name: string, pk?: number): string {
  const checked = checkedAccountName(name, 'user')
  const holder = findUserByName(reader, checked)
  // A user keeps their current name, even beside an older name that looks like it.
  if (holder?.pk === pk && holder) return checked
  if (!holder && !isTakenUserName(reader, checked, pk)) return checked
  throw nameTaken(
    `A user named "${checked}", or with a name that looks the same, exists already; choose another name.`,
    atPlace('name'),
  )
}

/** Whether another user has a name that looks like this one. */
export const isTakenUserName = (reader: Reader, name: string, except?: number): boolean =>
  skeletonsOf(nameKey(name)).some((skeleton) =>
    listUsersByKey(reader, skeleton).some(({ pk }) => pk !== except),
  )

/** Renames a user; the same name changes nothing. */
export function renameUser(tx: Tx, pk: number, name: string): void {
  const free = freeUserName(tx, name, pk)
  updateUser(tx, pk, columnsOfName(free))
}
