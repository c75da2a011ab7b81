import type { AppContext } from '../context.ts'
import { endpoints } from '../http/endpoints.ts'
import { presentKeyInfo, presentWorkspace } from './present.ts'
import { KeyInfo, WorkspaceResponse } from './schema.ts'
import { getWorkspace } from './workspaces.ts'

export const accountRoutes = (ctx: AppContext) =>
  endpoints('Account', '/v1', 'several')
    .get('/me', ({ caller }) => presentKeyInfo(caller), {
      access: 'read',
      response: KeyInfo,
      operationId: 'getMe',
      summary: 'The user, workspace and scope of the key',
      description: 'A program can check with it which workspace its key opens, and whether it may write.',
    })
    .get('/workspace', ({ caller }) => ({ workspace: presentWorkspace(getWorkspace(ctx, caller)) }), {
      access: 'read',
      response: WorkspaceResponse,
      operationId: 'getWorkspace',
      summary: 'The workspace and counts of what it holds',
      description:
        '`counts` are exact at the moment of the call; notes in the trash are counted on their own.',
    })
