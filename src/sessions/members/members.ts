import { type Access, narrows } from '../../access/rights.ts'
import { checkedAccess } from '../../account/access.ts'
import { getOwnUser } from '../../account/self-service.ts'
import {
  findWorkspace,
  listMembers,
  type MemberRow,
  ownsWorkspacesOf,
  readAccess,
} from '../../account/store.ts'
import { addUser, changeRole, removeUser } from '../../account/users.ts'
import type { AppContext, Caller } from '../../context.ts'
import type { Reader } from '../../db/reader.ts'
import type { Role } from '../../db/schema/account.ts'
import { fail, notFound, refused } from '../../refusal.ts'
import { createSetupLink, type SetupLink } from '../setup-links.ts'

const getMember = (reader: Reader, { workspacePk }: Caller, userId: string): MemberRow =>
  listMembers(reader, workspacePk).find(({ id }) => id === userId) ?? fail(notFound('member'))

/**
 * Makes a user of that name a member of the workspace, and the link with which they sign in first. Someone who is a
 * member elsewhere already signs in as before and gets no link.
 */
export const addMember = (
  { db }: AppContext,
  caller: Caller,
  { name, role, access = null }: { name: string; role: Role; access?: Access | null },
  origin: string,
): Promise<{ member: MemberRow; link: string | null }> =>
  db.write((tx) => {
    const user = addUser(
      tx,
      name,
      getOwnWorkspace(tx, caller),
      role,
      checkedMemberAccess(tx, caller, role, access),
    )
    const maker = getOwnUser(tx, caller).pk
    const mayReset = ownsWorkspacesOf(tx, maker, user.pk)
    const link = mayReset ? createSetupLink(tx, { userPk: user.pk, maker }, origin).link : null
    return { member: getMember(tx, caller, user.id), link }
  })

/**
 * Makes a new setup link for a member. With it one signs in as them, so it is refused for who belongs to a workspace that
 * the caller does not own, and for the caller: a change of the own password needs the current one.
 */
export const renewLink = (
  { db }: AppContext,
  caller: Caller,
  userId: string,
  origin: string,
): Promise<SetupLink> =>
  db.write((tx) => {
    const user = getMember(tx, caller, userId)
    const maker = getOwnUser(tx, caller).pk
    if (user.pk === maker)
      throw refused(
        'Nobody makes a setup link for themselves; change your password under Settings, or ask another owner for a link.',
      )
    if (ownsWorkspacesOf(tx, maker, user.pk)) return createSetupLink(tx, { userPk: user.pk, maker }, origin)
    throw refused(
      `"${user.name}" belongs to a workspace that you do not own; whoever runs the server makes the link with "daybook users link".`,
    )
  })

/** Changes the role of a member, and what they reach; the last owner stays one. */
export async function changeMember(
  { db, bus }: AppContext,
  caller: Caller,
  userId: string,
  { role, access }: { role?: Role | undefined; access?: Access | null },
): Promise<MemberRow> {
  const member = await db.write((tx) => {
    const user = getMember(tx, caller, userId)
    const next = role ?? user.role
    const checked =
      access === undefined
        ? undefined
        : checkedMemberAccess(tx, caller, next, access, readAccess(user.access))
    changeRole(tx, user, getOwnWorkspace(tx, caller), next, checked)
    return getMember(tx, caller, userId)
  })
  bus.wake()
  return member
}

/** Removes a member from the workspace: their keys and sessions in it end at once. The last owner stays. */
export async function removeMember({ db, bus }: AppContext, caller: Caller, userId: string): Promise<string> {
  await db.write((tx): void => removeUser(tx, getMember(tx, caller, userId), getOwnWorkspace(tx, caller)))
  bus.wake()
  return userId
}

function checkedMemberAccess(
  reader: Reader,
  caller: Caller,
  role: Role,
  access: Access | null,
  before?: Access | null,
): Access | null {
  if (role === 'owner' && access && narrows(access))
    throw refused('An owner reaches the whole workspace; make them an editor or a viewer first.')
  return checkedAccess(reader, caller, access, before)
}

const getOwnWorkspace = (reader: Reader, { workspacePk }: Caller) =>
  findWorkspace(reader, workspacePk) ?? fail(notFound('workspace'))
