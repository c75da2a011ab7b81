import { AccessBody, AccessResponse } from '../../http/schema/access.ts'
import { t } from '../../http/schema/types.ts'
import { ROLES } from '../../storage/schema/account.ts'

const passkeyName = () =>
  t.text({ minLength: 1, maxLength: 200, trimmed: true, singleLine: true, isName: true })

/** The credential that a browser creates from options, as written by its `toJSON()`. */
const sentByBrowser = () =>
  t.members({ description: 'The credential of the browser, as its toJSON() writes it.' })

export const NewPasskeyBody = t.strict({ name: passkeyName(), response: sentByBrowser() })
export const PasskeyNameBody = t.strict({ name: passkeyName() })

export const Passkey = t.strict({
  id: t.id(),
  name: t.String(),
  created_at: t.timestamp(),
  last_used_at: t.Union([t.timestamp(), t.Null()]),
  synced: t.flag(),
})

export const PasskeyResponse = t.response({ passkey: Passkey })
export const PasskeysResponse = t.response({ passkeys: t.Array(Passkey) })
/** `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const OptionsResponse = t.response({ challenge: t.String() }, { additionalProperties: true })

/** Longer texts are refused before hashing. */
const password = () => t.text({ maxLength: 200, description: '10 to 200 characters.' })
/** Names from an earlier version may have more than 200 characters. */
const userName = (description?: string) =>
  t.text({
    minLength: 1,
    maxLength: 500,
    trimmed: true,
    singleLine: true,
    examples: ['owner'],
    ...(description !== undefined && { description }),
  })

const newUserName = () =>
  userName('A new name has 1 to 200 characters, none of them invisible, and must not look like an id.')

const setupToken = () =>
  t.text({ minLength: 1, maxLength: 200, description: 'From the fragment of the setup link.' })

export const SetupBody = t.strict({
  token: setupToken(),
  password: password(),
  user: t.Optional(newUserName()),
})

/** The account at the provider replaces the password. */
export const SetupByProviderBody = t.strict({ token: setupToken(), user: t.Optional(newUserName()) })

export const SetupLinkBody = t.strict({ token: setupToken() })

export const SetupUserResponse = t.response({
  user: t.strict({ name: t.String() }),
  has_password: t.flag(),
  passkeys: t.Array(Passkey),
  oidc_linked: t.flag(),
})

export const SignInBody = t.strict(
  t.optional({
    user: userName(),
    password: password(),
    passkey: sentByBrowser(),
  }),
)

export const SignInResponse = t.response({ oidc_name: t.Union([t.String(), t.Null()]) })

export const EnterWorkspaceBody = t.strict({ workspace_id: t.text() })

export const PasswordBody = t.strict({ current: t.Optional(password()), password: password() })

const Workspace = t.strict({ id: t.id(), name: t.String(), role: t.choice(ROLES) })

export const SessionResponse = t.response({
  user: t.strict({ id: t.id(), name: t.String() }),
  workspace: Workspace,
  workspaces: t.Array(Workspace),
  expires_at: t.timestamp(),
  oidc_name: t.Optional(
    t.String({ description: 'The label of the button of the identity provider; absent without one.' }),
  ),
  oidc_linked: t.Optional(t.flag()),
  mirror_of: t.Optional(t.String({ description: 'In a read-only copy: the address of the remote.' })),
})

export const SignedOutResponse = t.response({ signed_out: t.Literal(true) })

export const RemovedResponse = t.response({ removed: t.Literal(true) })

export const ChangedResponse = t.response({ changed: t.Literal(true) })

export const SessionsResponse = t.response({
  sessions: t.Array(
    t.strict({
      id: t.id(),
      created_at: t.timestamp(),
      last_used_at: t.timestamp(),
      address: t.String(),
      user_agent: t.String(),
      current: t.flag(),
    }),
  ),
})

export const DeletedResponse = t.response({ deleted: t.Literal(true), id: t.id() })

const Member = t.strict({
  user_id: t.id(),
  name: t.String(),
  role: t.choice(ROLES),
  access: AccessResponse,
  has_password: t.flag(),
  /** Both flags are present only if true, and never identify the passkey or account. */
  has_passkey: t.Optional(t.Literal(true)),
  oidc_linked: t.Optional(t.Literal(true)),
  created_at: t.timestamp(),
})

export const NewMemberBody = t.strict({
  name: newUserName(),
  role: t.choice(ROLES),
  access: t.Optional(AccessBody),
})

export const MemberPatch = t.strict({ role: t.Optional(t.choice(ROLES)), access: t.Optional(AccessBody) })
export const MemberResponse = t.response({ member: Member })
export const MembersResponse = t.response({ members: t.Array(Member) })
export const NewMemberResponse = t.response({
  member: Member,
  link: t.Union([t.String(), t.Null()]),
  notice: t.Optional(t.String({ description: 'Set where the name has an account on this server already.' })),
})
export const LinkResponse = t.response({ link: t.String(), expires_at: t.timestamp() })
