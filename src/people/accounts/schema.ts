import { AccessBody, AccessResponse } from '../../http/schema/access.ts'
import { t } from '../../http/schema/types.ts'
import { atPlace, invalid } from '../../lib/refusal.ts'
import { ROLES } from '../../storage/schema/account.ts'

export const KeyInfo = t.response(
  {
    user_id: t.id('The user the key acts as.'),
    workspace_id: t.id('The one workspace the key opens.'),
    key: t.Union([
      t.strict({
        id: t.id(),
        name: t.String({ examples: ['first key'] }),
        scope: t.String({
          enum: ['write', 'read'],
          description: 'Set when the key is created.',
          examples: ['write'],
        }),
      }),
      t.Null({ description: 'In a session of the application.' }),
    ]),
    access: AccessResponse,
  },
  { $id: 'KeyInfo' },
)

const counted = () => t.integer({ minimum: 0 })

const Workspace = t.strict(
  {
    id: t.id(),
    name: t.String({ examples: ['Personal'] }),
    created_at: t.timestamp(),
    counts: t.strict({
      notes: counted(),
      trashed_notes: counted(),
      structures: counted(),
      records: counted(),
      tags: counted(),
      properties: counted(),
      presets: counted(),
      views: counted(),
      lenses: counted(),
      quick_access: counted(),
      files: counted(),
      webhooks: counted(),
    }),
  },
  { $id: 'Workspace' },
)

export const WorkspaceResponse = t.response({ workspace: Workspace })

const SCOPES = ['write', 'read'] as const

const Key = t.strict({
  id: t.id(),
  name: t.String(),
  scope: t.choice(SCOPES),
  access: AccessResponse,
  user: t.strict({ id: t.id(), name: t.String() }),
  created_at: t.timestamp(),
  expires_at: t.Union([t.timestamp(), t.Null()]),
  last_used_at: t.Union([t.timestamp(), t.Null()]),
})

export const NewKeyBody = t.strict({
  name: t.text({ minLength: 1, maxLength: 500, singleLine: true, isName: true }),
  scope: t.choice(SCOPES),
  expires_at: t.Optional(t.Union([t.String(), t.Null()])),
  access: t.Optional(AccessBody),
})

export const KeyPatch = t.strict({ access: AccessBody })
export const KeyResponse = t.response({ key: Key })

const OwnWorkspace = t.strict({ id: t.id(), name: t.String(), role: t.choice(ROLES) })
export const NameBody = t.strict({
  name: t.text({ minLength: 1, maxLength: 200, trimmed: true, singleLine: true, isName: true }),
})

const MAX_PREFERENCES_BYTES = 65_536

/** Preferences of the signed-in user in the application. */
const preferences = () => t.members({ description: 'At most 64 KiB of JSON.' })
export const PreferencesBody = t.strict({ preferences: preferences() })
export const PreferencesResponse = t.response({ preferences: preferences() })

/** Preferences as JSON; refuses preferences over the size limit. */
export function checkedPreferences(preferences: object): string {
  const json = JSON.stringify(preferences)
  if (Buffer.byteLength(json) <= MAX_PREFERENCES_BYTES) return json
  throw invalid('"preferences" must be at most 64 KiB of JSON; leave some out.', atPlace('preferences'))
}

/** An app that a user connected with OAuth. */
const ConnectedApp = t.strict({
  id: t.id(),
  client: t.strict({ name: t.String(), host: t.String() }),
  scope: t.choice(SCOPES),
  access: t.Union([AccessBody, t.Null()]),
  user: t.strict({ id: t.id(), name: t.String() }),
  created_at: t.timestamp(),
  last_used_at: t.Union([t.timestamp(), t.Null()]),
})
export const GrantsResponse = t.response({ grants: t.Array(ConnectedApp) })

export const KeysResponse = t.response({ keys: t.Array(Key) })
export const NewKeyResponse = t.response({ key: Key, secret: t.String() })
export const OwnWorkspaceResponse = t.response({ workspace: OwnWorkspace })
export const OwnWorkspacesResponse = t.response({ workspaces: t.Array(OwnWorkspace) })
export const DeletedResponse = t.response({ deleted: t.Literal(true), id: t.id() })
