import { t } from 'elysia'
import { id, integer, response, strict, timestamp } from '../http/schema/types.ts'

export const KeyInfo = response(
  {
    user_id: id('The user the key acts as.'),
    workspace_id: id('The one workspace the key opens.'),
    key: strict({
      id: id(),
      name: t.String({ examples: ['first key'] }),
      scope: t.String({
        enum: ['write', 'read'],
        description: 'Fixed when the key was made.',
        examples: ['write'],
      }),
    }),
  },
  { $id: 'KeyInfo' },
)

const counted = () => integer({ minimum: 0 })

export const Workspace = strict(
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
