import type { Static } from '@sinclair/typebox'
import type { Caller } from '../../kernel/caller.ts'
import { type Access, narrows, readAccess } from '../../kernel/caller.ts'
import { read, write } from '../../kernel/operation.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import { fail, notFound, refused } from '../../lib/refusal.ts'
import { notifyAfterCommit } from '../../log/log.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Role } from '../../storage/schema/account.ts'
import { getOwnUser } from '../accounts/operations.ts'
import { checkedAccess } from '../accounts/reach.ts'
import {
  findWorkspace,
  hasPasskey,
  isLinked,
  listMembers,
  type MemberRow,
  ownsWorkspacesOf,
  type ProviderSettings,
  presentAccess,
} from '../accounts/store.ts'
import { addUser, changeRole, knownUserNotice, removeUser } from '../accounts/users.ts'
import type { MemberPatch, NewMemberBody } from './schema.ts'
import { createSetupLink } from './sign-in.ts'

const getMember = (reader: Reader, { workspacePk }: Caller, userId: string): MemberRow =>
  listMembers(reader, workspacePk).find(({ id }) => id === userId) ?? fail(notFound('member'))

const getOwnWorkspace = (reader: Reader, { workspacePk }: Caller) =>
  findWorkspace(reader, workspacePk) ?? fail(notFound('workspace'))

function checkedMemberAccess(
  reader: Reader,
  caller: Caller,
  role: Role,
  access: Access | null,
  before?: Access | null,
): Access | null {
  if (role === 'owner' && access && narrows(access))
    throw refused('An owner can access the whole workspace; make them an editor or a viewer first.')
  return checkedAccess(reader, caller, access, before)
}

/**
 * Includes one attribute per sign-in option, not per passkey. Passkeys and linked accounts are absent if the member has
 * none.
 */
const presentMember = (reader: Reader, settings: ProviderSettings, { role, access, ...user }: MemberRow) => ({
  user_id: user.id,
  name: user.name,
  role,
  ...presentAccess(access),
  has_password: user.passwordHash !== null,
  ...(hasPasskey(reader, user.pk) && { has_passkey: true }),
  ...(isLinked(reader, user.pk, settings) && { oidc_linked: true }),
  created_at: isoTimestamp(user.createdAt),
})

const covers = 'nothing'

interface WithSettings {
  readonly settings: ProviderSettings
}

export const listWorkspaceMembers = read({
  name: 'sessions.members',
  covers,
  run: (snapshot, { workspacePk }, { settings }: WithSettings) => ({
    members: listMembers(snapshot, workspacePk).map((row) => presentMember(snapshot, settings, row)),
  }),
})

interface NewMember extends WithSettings {
  readonly body: Static<typeof NewMemberBody>
  /** The address of the application, for the setup link. */
  readonly origin: string
}

/**
 * Adds a user with that name to the workspace, and creates the link for their first sign-in. A user who is already a
 * member elsewhere signs in as before and gets no link.
 */
export const addMember = write({
  name: 'sessions.addMember',
  covers,
  run: (tx, caller, { body: { name, role, access = null }, origin, settings }: NewMember) => {
    const checked = checkedMemberAccess(tx, caller, role, access)
    const user = addUser(tx, name, getOwnWorkspace(tx, caller), role, checked)
    const maker = getOwnUser(tx, caller).pk
    const mayReset = ownsWorkspacesOf(tx, maker, user.pk)
    const link = mayReset ? createSetupLink(tx, { userPk: user.pk, maker }, origin).link : null
    return {
      member: presentMember(tx, settings, getMember(tx, caller, user.id)),
      link,
      ...(user.createdAt < tx.now && { notice: knownUserNotice(user.name) }),
    }
  },
})

/**
 * Creates a new setup link for a member. The link signs in as that member, so it is refused for members of a workspace
 * that the caller does not own. It is also refused for the caller, whose password changes need the current one.
 */
export const createMemberLink = write({
  name: 'sessions.createMemberLink',
  covers,
  run: (tx, caller, { userId, origin }: { readonly userId: string; readonly origin: string }) => {
    const user = getMember(tx, caller, userId)
    const maker = getOwnUser(tx, caller).pk
    if (user.pk === maker)
      throw refused(
        'Nobody makes a setup link for themselves; change your password under Settings, or ask another owner for a link.',
      )
    if (!ownsWorkspacesOf(tx, maker, user.pk))
      throw refused(
        `"${user.name}" belongs to a workspace that you do not own. Ask the operator of the server to create the link with "daybook users link".`,
      )
    const { link, expiresAt } = createSetupLink(tx, { userPk: user.pk, maker }, origin)
    return { link, expires_at: isoTimestamp(expiresAt) }
  },
})

interface MemberChange extends WithSettings {
  readonly userId: string
  readonly body: Static<typeof MemberPatch>
}

/** Changes a member's role and access; the last owner stays an owner. */
export const changeMember = write({
  name: 'sessions.changeMember',
  covers,
  run: (tx, caller, { userId, body: { role, access }, settings }: MemberChange) => {
    const user = getMember(tx, caller, userId)
    const next = role ?? user.role
    const checked =
      access === undefined
        ? undefined
        : checkedMemberAccess(tx, caller, next, access, readAccess(user.access))
    changeRole(tx, user, getOwnWorkspace(tx, caller), next, checked)
    notifyAfterCommit(tx)
    return { member: presentMember(tx, settings, getMember(tx, caller, userId)) }
  },
})

/** Removes a member from the workspace: their keys and sessions in it end at once. The last owner cannot be removed. */
export const removeMember = write({
  name: 'sessions.removeMember',
  covers,
  run: (tx, caller, { userId }: { readonly userId: string }) => {
    removeUser(tx, getMember(tx, caller, userId), getOwnWorkspace(tx, caller))
    notifyAfterCommit(tx)
    return { deleted: true, id: userId }
  },
})
