import { Elysia } from 'elysia'
import type { AppContext } from '../context.ts'
import { keyed } from '../http/request-context.ts'
import { NoQuery } from '../http/schema/types.ts'
import { presentKeyInfo, presentWorkspace } from './present.ts'
import { KeyInfo, WorkspaceAnswer } from './schema.ts'
import { getWorkspace } from './service.ts'

const tags = ['Account']

export const accountRoutes = (ctx: AppContext) =>
  new Elysia({ prefix: '/v1' })
    .use(keyed())
    .get('/me', ({ caller }) => presentKeyInfo(caller), {
      query: NoQuery,
      response: KeyInfo,
      detail: { operationId: 'getMe', tags, summary: 'Which user, workspace and scope this key stands for' },
    })
    .get('/workspace', ({ caller }) => ({ workspace: presentWorkspace(getWorkspace(ctx, caller)) }), {
      query: NoQuery,
      response: WorkspaceAnswer,
      detail: { operationId: 'getWorkspace', tags, summary: 'The workspace and counts of what it holds' },
    })
