import { t } from 'elysia'
import { ROLES } from '../db/schema/account.ts'
import { AccessBody, ShownAccess } from '../http/schema/access.ts'
import { choice, flag, id, response, strict, text, timestamp } from '../http/schema/types.ts'
import { Passkey, sentByBrowser } from './passkeys/schema.ts'

/** Longer texts are refused before they are hashed. */
const password = () => text({ maxLength: 200, description: '10 to 200 characters.' })
/** A name that was given under an older rule may have more than 200 characters. */
const userName = (description?: string) =>
  text({
    minLength: 1,
    maxLength: 500,
    singleLine: true,
    examples: ['owner'],
    ...(description !== undefined && { description }),
  })

const newUserName = () =>
  userName('A new name has 1 to 200 characters, none of them invisible, and not the form of an id.')

const setupToken = () =>
  text({ minLength: 1, maxLength: 200, description: 'From the fragment of the setup link.' })

export const SetupBody = strict({
  token: setupToken(),
  password: password(),
  user: t.Optional(newUserName()),
})

/** The account at the provider takes the place of the password. */
export const SetupByProviderBody = strict({ token: setupToken(), user: t.Optional(newUserName()) })

export const SetupLinkBody = strict({ token: setupToken() })

export const SetupUserResponse = response({
  user: strict({ name: t.String() }),
  has_password: flag(),
  passkeys: t.Array(Passkey),
  oidc_linked: flag(),
})

export const SignInBody = strict({
  user: t.Optional(userName()),
  password: t.Optional(password()),
  passkey: t.Optional(sentByBrowser()),
})

export const SignInResponse = response({ oidc_name: t.Union([t.String(), t.Null()]) })

export const EnterWorkspaceBody = strict({ workspace_id: id() })

export const PasswordBody = strict({ current: t.Optional(password()), password: password() })

const Workspace = strict({ id: id(), name: t.String(), role: choice(ROLES) })

export const SessionResponse = response({
  user: strict({ id: id(), name: t.String() }),
  workspace: Workspace,
  workspaces: t.Array(Workspace),
  expires_at: timestamp(),
  oidc_name: t.Optional(t.String({ description: 'What the button of the provider says, if there is one.' })),
  oidc_linked: t.Optional(flag()),
  mirror_of: t.Optional(t.String({ description: 'In a read-only copy: the address of the remote.' })),
})

export const SignedOutResponse = response({ signed_out: t.Literal(true) })

export const RemovedResponse = response({ removed: t.Literal(true) })

export const ChangedResponse = response({ changed: t.Literal(true) })

export const SessionsResponse = response({
  sessions: t.Array(
    strict({
      id: id(),
      created_at: timestamp(),
      last_used_at: timestamp(),
      address: t.String(),
      user_agent: t.String(),
      current: flag(),
    }),
  ),
})

export const DeletedResponse = response({ deleted: t.Literal(true), id: id() })

const Member = strict({
  user_id: id(),
  name: t.String(),
  role: choice(ROLES),
  access: ShownAccess,
  has_password: flag(),
  /** Only where they hold: whether there is one, never which. */
  has_passkey: t.Optional(t.Literal(true)),
  oidc_linked: t.Optional(t.Literal(true)),
  created_at: timestamp(),
})

export const NewMemberBody = strict({
  name: newUserName(),
  role: choice(ROLES),
  access: t.Optional(AccessBody),
})

export const MemberPatch = strict({ role: t.Optional(choice(ROLES)), access: t.Optional(AccessBody) })
export const MemberResponse = response({ member: Member })
export const MembersResponse = response({ members: t.Array(Member) })
export const NewMemberResponse = response({ member: Member, link: t.Union([t.String(), t.Null()]) })
export const LinkResponse = response({ link: t.String(), expires_at: timestamp() })
