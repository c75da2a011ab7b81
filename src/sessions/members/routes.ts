import { presentAccess } from '../../account/present.ts'
import { listMembers, type MemberRow } from '../../account/store.ts'
import { hasPasskey } from '../../account/ways-in.ts'
import type { AppContext } from '../../context.ts'
import { applicationEndpoints } from '../../http/endpoints.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import * as schema from '../schema.ts'
import { isLinked } from '../ways-in.ts'
import { addMember, changeMember, removeMember, renewLink } from './members.ts'

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

/** The members of a workspace, which its owners manage. */
export function memberRoutes(ctx: AppContext) {
  const originOf = (request: Request) => ctx.config.publicUrls[0] ?? new URL(request.url).origin
  return applicationEndpoints('nothing')
    .get(
      '/members',
      ({ caller }) => ({
        members: listMembers(ctx.db, caller.workspacePk).map((row) => presentMember(ctx, row)),
      }),
      {
        access: 'session',
        response: schema.MembersResponse,
      },
    )
    .post(
      '/members',
      async ({ request, caller, body, status }) => {
        const { member, link } = await addMember(ctx, caller, body, originOf(request))
        return status(201, { member: presentMember(ctx, member), link })
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
      {
        access: 'session-owner',
        body: schema.MemberPatch,
        response: schema.MemberResponse,
      },
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
      {
        access: 'session-owner',
        response: { 201: schema.LinkResponse },
      },
    )
}
