import type { AppContext } from '../../context.ts'
import { type RequestContext, sessionRoutes } from '../../http/routes.ts'
import { isoTimestamp } from '../../lib/dates.ts'
import * as schema from '../schema.ts'
import { addMember, changeMemberRole, listMembers, type Member, removeMember, renewLink } from './members.ts'

const presentMember = ({ user, role }: Member) => ({
  user_id: user.id,
  name: user.name,
  role,
  has_password: user.passwordHash !== null,
  created_at: isoTimestamp(user.createdAt),
})

/** The members of a workspace, which its owners manage. */
export function memberRoutes(ctx: AppContext) {
  const originOf = ({ request }: RequestContext) => ctx.config.publicUrls[0] ?? new URL(request.url).origin
  return sessionRoutes()
    .get(
      '/members',
      'listMembers',
      'Members',
      ({ caller }) => ({ members: listMembers(ctx.db, caller).map(presentMember) }),
      { response: schema.MembersResponse },
    )
    .post(
      '/members',
      'addMember',
      'Add a member',
      async (request) => {
        const { member, link } = await addMember(ctx, request.caller, request.body, originOf(request))
        return { member: presentMember(member), link }
      },
      {
        status: 201,
        ownerOnly: true,
        body: schema.NewMemberBody,
        response: schema.NewMemberResponse,
      },
    )
    .patch(
      '/members/:userId',
      'changeRole',
      'Change a role',
      async ({ caller, params, body }) => ({
        member: presentMember(await changeMemberRole(ctx, caller, params.userId, body.role)),
      }),
      {
        ownerOnly: true,
        body: schema.RoleBody,
        response: schema.MemberResponse,
      },
    )
    .delete(
      '/members/:userId',
      'removeMember',
      'Remove a member',
      async ({ caller, params }) => ({
        deleted: true as const,
        id: await removeMember(ctx, caller, params.userId),
      }),
      { ownerOnly: true, response: schema.DeletedResponse },
    )
    .post(
      '/members/:userId/link',
      'renewLink',
      'Make a new setup link',
      async (request) => {
        const { link, expiresAt } = await renewLink(
          ctx,
          request.caller,
          request.params.userId,
          originOf(request),
        )
        return { link, expires_at: isoTimestamp(expiresAt) }
      },
      { status: 201, ownerOnly: true, response: schema.LinkResponse },
    )
}
