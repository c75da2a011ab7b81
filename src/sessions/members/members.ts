import { getOwnUser } from '../../account/self-service.ts'
import { findWorkspace, listMembers, type MemberRow, ownsWorkspacesOf } from '../../account/store.ts'
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
  { name, role }: { name: string; role: Role },
  origin: string,
): Promise<{ member: MemberRow; link: string | null }> =>
  db.write((tx) => {
    const user = addUser(tx, name, getOwnWorkspace(tx, caller), role)
    const maker = getOwnUser(tx, caller).pk
    const mayReset = ownsWorkspacesOf(tx, maker, user.pk)
    const link = mayReset ? createSetupLink(tx, { userPk: user.pk, maker }, origin).link : null
    return { member: { ...user, role }, link }
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

/** Changes the role of a member; the last owner stays one. */
export async function changeMemberRole(
  { db, bus }: AppContext,
  caller: Caller,
  userId: string,
  role: Role,
): Promise<MemberRow> {
  const member = await db.write((tx) => {
    const user = getMember(tx, caller, userId)
    changeRole(tx, user, getOwnWorkspace(tx, caller), role)
    return { ...user, role }
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

const getOwnWorkspace = (reader: Reader, { workspacePk }: Caller) =>
  findWorkspace(reader, workspacePk) ?? fail(notFound('workspace'))
