import { t } from 'elysia'
import { ROLES } from '../db/schema/account.ts'
import { AccessBody, ShownAccess } from '../http/schema/access.ts'
import { choice, id, integer, members, response, strict, text, timestamp } from '../http/schema/types.ts'
import { invalid } from '../refusal.ts'

export const KeyInfo = response(
  {
    user_id: id('The user the key acts as.'),
    workspace_id: id('The one workspace the key opens.'),
    key: t.Union([
      strict({
        id: id(),
        name: t.String({ examples: ['first key'] }),
        scope: t.String({
          enum: ['write', 'read'],
          description: 'Fixed when the key was made.',
          examples: ['write'],
        }),
      }),
      t.Null({ description: 'In a session of the application.' }),
    ]),
    access: ShownAccess,
  },
  { $id: 'KeyInfo' },
)

const counted = () => integer({ minimum: 0 })

const Workspace = strict(
  {
    id: id(),
    name: t.String({ examples: ['Personal'] }),
    created_at: timestamp(),
    counts: strict({
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

export const WorkspaceResponse = response({ workspace: Workspace })

const SCOPES = ['write', 'read'] as const

const Key = strict({
  id: id(),
  name: t.String(),
  scope: choice(SCOPES),
  access: ShownAccess,
  user: strict({ id: id(), name: t.String() }),
  created_at: timestamp(),
  expires_at: t.Union([timestamp(), t.Null()]),
  last_used_at: t.Union([timestamp(), t.Null()]),
})

export const NewKeyBody = strict({
  name: text({ minLength: 1, maxLength: 500, singleLine: true }),
  scope: choice(SCOPES),
  expires_at: t.Optional(t.Union([t.String(), t.Null()])),
  access: t.Optional(AccessBody),
})

export const KeyPatch = strict({ access: AccessBody })
export const KeyResponse = response({ key: Key })

const OwnWorkspace = strict({ id: id(), name: t.String(), role: choice(ROLES) })
export const NameBody = strict({
  name: text({ minLength: 1, maxLength: 200, trimmed: true, singleLine: true }),
})

const MAX_PREFERENCES_BYTES = 65_536

/** What the application keeps for who is signed in. */
const preferences = () => members({ description: 'At most 64 KiB of JSON.' })
export const PreferencesBody = strict({ preferences: preferences() })
export const PreferencesResponse = response({ preferences: preferences() })

/** Preferences as JSON; refuses longer ones. */
export function checkedPreferences(preferences: object): string {
  const json = JSON.stringify(preferences)
  if (Buffer.byteLength(json) <= MAX_PREFERENCES_BYTES) return json
  throw invalid('"preferences" must be at most 64 KiB of JSON; leave some out.')
}

export const KeysResponse = response({ keys: t.Array(Key) })
export const NewKeyResponse = response({ key: Key, secret: t.String() })
export const OwnWorkspaceResponse = response({ workspace: OwnWorkspace })
export const OwnWorkspacesResponse = response({ workspaces: t.Array(OwnWorkspace) })
export const DeletedResponse = response({ deleted: t.Literal(true), id: id() })
