import { presentRights } from '../access/rights.ts'
import type { AppContext, Caller } from '../context.ts'
import { applicationEndpoints, endpoints } from '../http/endpoints.ts'
import { isoOrNull, isoTimestamp, parseInstant } from '../lib/dates.ts'
import { atPlace, fail, invalid } from '../refusal.ts'
import type { ListedKey } from './keys.ts'
import * as schema from './schema.ts'
import { KeyInfo, WorkspaceResponse } from './schema.ts'
import {
  addOwnWorkspace,
  changeKeyAccess,
  createManagedKey,
  getPreferences,
  listManagedKeys,
  listOwnMemberships,
  renameWorkspace,
  revokeManagedKey,
  setPreferences,
} from './self-service.ts'
import { presentAccess, presentMembership } from './store.ts'
import { presentWorkspace } from './workspaces.ts'

const presentKeyInfo = (caller: Caller) => ({
  user_id: caller.userId,
  workspace_id: caller.workspaceId,
  key: caller.keyId === null ? null : { id: caller.keyId, name: caller.keyName ?? '', scope: caller.scope },
  ...(caller.rights && { access: presentRights(caller.rights) }),
})

export const accountRoutes = (ctx: AppContext) =>
  endpoints('Account', '/v1', 'several')
    .get('/me', ({ caller }) => presentKeyInfo(caller), {
      access: 'read',
      response: KeyInfo,
      operationId: 'getMe',
      summary: 'The user, workspace and scope of the key',
      description: 'A program can check with it which workspace its key opens, and whether it may write.',
    })
    .get('/workspace', ({ caller }) => ({ workspace: presentWorkspace(ctx, caller) }), {
      access: 'read',
      response: WorkspaceResponse,
      operationId: 'getWorkspace',
      summary: 'The workspace and counts of what it holds',
      description:
        '`counts` are exact at the moment of the call; notes in the trash are counted on their own.',
    })

const presentKey = (key: ListedKey) => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  ...presentAccess(key.access),
  user: { id: key.userId ?? '', name: key.userName ?? '' },
  created_at: isoTimestamp(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  last_used_at: isoOrNull(key.lastUsedAt),
})

const readInstant = (sent: string | null | undefined): number | null =>
  sent === null || sent === undefined
    ? null
    : (parseInstant(sent) ??
      fail(invalid('"expires_at" must be a timestamp such as 2026-12-31T23:59:59Z.', atPlace('expires_at'))))

export const selfServiceRoutes = (ctx: AppContext) =>
  applicationEndpoints('nothing')
    .get('/keys', ({ caller }) => ({ keys: listManagedKeys(ctx, caller).map(presentKey) }), {
      access: 'session',
      response: schema.KeysResponse,
    })
    .post(
      '/keys',
      async ({ caller, status, body: { expires_at, ...sent } }) => {
        const { key, secret } = await createManagedKey(ctx, caller, {
          ...sent,
          expiresAt: readInstant(expires_at),
        })
        return status(201, { key: presentKey(key), secret })
      },
      { access: 'session', body: schema.NewKeyBody, response: { 201: schema.NewKeyResponse } },
    )
    .patch(
      '/keys/:id',
      async ({ caller, params, body }) => ({
        key: presentKey(await changeKeyAccess(ctx, caller, params.id, body.access)),
      }),
      { access: 'session', body: schema.KeyPatch, response: schema.KeyResponse },
    )
    .delete(
      '/keys/:id',
      async ({ caller, params }) => ({
        deleted: true as const,
        id: await revokeManagedKey(ctx, caller, params.id),
      }),
      { access: 'session', response: schema.DeletedResponse },
    )
    .get('/preferences', ({ caller }) => ({ preferences: getPreferences(ctx.db, caller) }), {
      access: 'session',
      response: schema.PreferencesResponse,
    })
    .put(
      '/preferences',
      async ({ caller, body: { preferences } }) => {
        await setPreferences(ctx, caller, preferences)
        return { preferences }
      },
      { access: 'session', body: schema.PreferencesBody, response: schema.PreferencesResponse },
    )
    .get(
      '/workspaces',
      ({ caller }) => ({ workspaces: listOwnMemberships(ctx.db, caller).map(presentMembership) }),
      { access: 'session', response: schema.OwnWorkspacesResponse },
    )
    .post(
      '/workspaces',
      async ({ caller, body, status }) =>
        status(201, { workspace: presentMembership(await addOwnWorkspace(ctx, caller, body.name)) }),
      {
        access: 'session-workspace',
        body: schema.NameBody,
        response: { 201: schema.OwnWorkspaceResponse },
      },
    )
    .patch(
      '/workspaces/:id',
      async ({ caller, params, body }) => ({
        workspace: presentMembership(await renameWorkspace(ctx.db, caller, params.id, body.name)),
      }),
      { access: 'session-workspace', body: schema.NameBody, response: schema.OwnWorkspaceResponse },
    )
