import { type Access, narrows } from '../access/rights.ts'
import { checkedAccess } from '../account/reach.ts'
import { getOwnUser } from '../account/self-service.ts'
import {
  findWorkspace,
  hasPasskey,
  isLinked,
  listMembers,
  type MemberRow,
  ownsWorkspacesOf,
  presentAccess,
  readAccess,
} from '../account/store.ts'
import { addUser, changeRole, knownUserNotice, removeUser } from '../account/users.ts'
import type { AppContext, Caller } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Role } from '../db/schema/account.ts'
import { applicationEndpoints } from '../http/endpoints.ts'
import { isoTimestamp } from '../lib/dates.ts'
import { fail, notFound, refused } from '../refusal.ts'
import * as schema from './schema.ts'
import { createSetupLink, type SetupLink } from './sign-in.ts'

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
): Promise<{ member: MemberRow; link: string | null; notice?: string }> =>
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
    return {
      member: getMember(tx, caller, user.id),
      link,
      ...(user.createdAt < tx.now && { notice: knownUserNotice(user.name) }),
    }
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
async function changeMember(
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

/** How a member signs in is said of each way, not of each passkey; the ways that there are not are left out. */
const presentMember = ({ db, config }: AppContext, { role, access, ...user }: MemberRow) => ({
  user_id: user.id,
  name: user.name,
  role,
  ...presentAccess(access),
  has_password: user.passwordHash !== null,
  ...(hasPasskey(db, user.pk) && { has_passkey: true as const }),
  ...(isLinked(db, user.pk, config) && { oidc_linked: true as const }),
  created_at: isoTimestamp(user.createdAt),
})

export function memberRoutes(ctx: AppContext) {
  const originOf = (request: Request) => ctx.config.publicUrls[0] ?? new URL(request.url).origin
  return applicationEndpoints('nothing')
    .get(
      '/members',
      ({ caller }) => ({
        members: listMembers(ctx.db, caller.workspacePk).map((row) => presentMember(ctx, row)),
      }),
      { access: 'session', response: schema.MembersResponse },
    )
    .post(
      '/members',
      async ({ request, caller, body, status }) => {
        const { member, ...added } = await addMember(ctx, caller, body, originOf(request))
        return status(201, { member: presentMember(ctx, member), ...added })
      },
      {
        access: 'session-owner',
        body: schema.NewMemberBody,
        response: { 201: schema.NewMemberResponse },
      },
    )
    .patch(
      '/members/:userId',
      async ({ caller, params, body }) => ({
        member: presentMember(ctx, await changeMember(ctx, caller, params.userId, body)),
      }),
      { access: 'session-owner', body: schema.MemberPatch, response: schema.MemberResponse },
    )
    .delete(
      '/members/:userId',
      async ({ caller, params }) => ({
        deleted: true as const,
        id: await removeMember(ctx, caller, params.userId),
      }),
      { access: 'session-owner', response: schema.DeletedResponse },
    )
    .post(
      '/members/:userId/link',
      async ({ request, caller, params, status }) => {
        const { link, expiresAt } = await renewLink(ctx, caller, params.userId, originOf(request))
        return status(201, { link, expires_at: isoTimestamp(expiresAt) })
      },
      { access: 'session-owner', response: { 201: schema.LinkResponse } },
    )
}
