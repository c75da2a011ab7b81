import type { Caller } from '../../context.ts'
import { applicationEndpoints, endpoints } from '../../http/endpoints.ts'
import { presentRights } from '../../kernel/caller.ts'
import type { ReadOperation } from '../../kernel/operation.ts'
import { disconnectApp, listConnectedApps } from './app-operations.ts'
import {
  createOwnKey,
  createOwnWorkspace,
  listKeys,
  listOwnWorkspaces,
  readPreferences,
  renameOwnWorkspace,
  revokeOwnKey,
  setOwnKeyAccess,
  setPreferences,
} from './operations.ts'
import * as schema from './schema.ts'

const presentKeyInfo = (caller: Caller) => ({
  user_id: caller.userId,
  workspace_id: caller.workspaceId,
  key: caller.keyId === null ? null : { id: caller.keyId, name: caller.keyName ?? '', scope: caller.scope },
  ...(caller.rights && { access: presentRights(caller.rights) }),
})

/** `readWorkspace` counts the objects of every feature. */
export function accountRoutes(readWorkspace: ReadOperation<object, object>) {
  return endpoints('Account', '/v1', 'several')
    .get('/me', ({ caller }) => presentKeyInfo(caller), {
      access: 'read',
      response: schema.KeyInfo,
      operationId: 'getMe',
      summary: 'The user, workspace and scope of the key',
      description: 'A program can check with it which workspace its key opens, and whether it may write.',
    })
    .get('/workspace', ({ exchange }) => exchange.call(readWorkspace, {}), {
      access: 'read',
      response: schema.WorkspaceResponse,
      operationId: 'getWorkspace',
      summary: 'The workspace and counts of what it holds',
      description:
        '`counts` are exact at the moment of the call; notes in the trash are counted on their own.',
    })
}

export const selfServiceRoutes = () =>
  applicationEndpoints('nothing')
    .get('/keys', ({ exchange }) => exchange.call(listKeys, {}), {
      access: 'session',
      response: schema.KeysResponse,
    })
    .post('/keys', ({ exchange, body }) => exchange.call(createOwnKey, { body }, 201), {
      access: 'session',
      secret: true,
      body: schema.NewKeyBody,
      response: { 201: schema.NewKeyResponse },
    })
    .patch('/keys/:id', ({ exchange, params, body }) => exchange.call(setOwnKeyAccess, { ...params, body }), {
      access: 'session',
      body: schema.KeyPatch,
      response: schema.KeyResponse,
    })
    .delete('/keys/:id', ({ exchange, params }) => exchange.call(revokeOwnKey, params), {
      access: 'session',
      response: schema.DeletedResponse,
    })
    .get('/grants', ({ exchange }) => exchange.call(listConnectedApps, {}), {
      access: 'session',
      response: schema.GrantsResponse,
    })
    .delete('/grants/:id', ({ exchange, params }) => exchange.call(disconnectApp, params), {
      access: 'session',
      response: schema.DeletedResponse,
    })
    .get('/preferences', ({ exchange }) => exchange.call(readPreferences, {}), {
      access: 'session',
      response: schema.PreferencesResponse,
    })
    .put('/preferences', ({ exchange, body }) => exchange.call(setPreferences, { body }), {
      access: 'session',
      body: schema.PreferencesBody,
      response: schema.PreferencesResponse,
    })
    .get('/workspaces', ({ exchange }) => exchange.call(listOwnWorkspaces, {}), {
      access: 'session',
      response: schema.OwnWorkspacesResponse,
    })
    .post('/workspaces', ({ exchange, body }) => exchange.call(createOwnWorkspace, { body }, 201), {
      access: 'session-workspace',
      body: schema.NameBody,
      response: { 201: schema.OwnWorkspaceResponse },
    })
    .patch(
      '/workspaces/:id',
      ({ exchange, params, body }) => exchange.call(renameOwnWorkspace, { ...params, body }),
      { access: 'session-workspace', body: schema.NameBody, response: schema.OwnWorkspaceResponse },
    )
