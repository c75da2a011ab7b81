import type { AppContext } from '../context.ts'
import { routes } from '../http/routes.ts'
import { presentKeyInfo, presentWorkspace } from './present.ts'
import { KeyInfo, WorkspaceResponse } from './schema.ts'
import { getWorkspace } from './workspaces.ts'

export const accountRoutes = (ctx: AppContext) =>
  routes('Account', '/v1')
    .get('/me', 'getMe', 'The user, workspace and scope of the key', ({ caller }) => presentKeyInfo(caller), {
      response: KeyInfo,
      description: 'A program can check with it which workspace its key opens, and whether it may write.',
    })
    .get(
      '/workspace',
      'getWorkspace',
      'The workspace and counts of what it holds',
      ({ caller }) => ({ workspace: presentWorkspace(getWorkspace(ctx, caller)) }),
      {
        response: WorkspaceResponse,
        description:
          '`counts` are exact at the moment of the call; notes in the trash are counted on their own.',
      },
    )
