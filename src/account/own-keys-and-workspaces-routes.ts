import type { AppContext } from '../context.ts'
import { sessionRoutes } from '../http/routes.ts'
import { isoOrNull, isoTimestamp, parseInstant } from '../lib/dates.ts'
import { fail, invalid } from '../refusal.ts'
import {
  addOwnWorkspace,
  createManagedKey,
  listManagedKeys,
  listOwnMemberships,
  type ManagedKey,
  renameWorkspace,
  revokeManagedKey,
} from './own-keys-and-workspaces.ts'
import { presentMembership } from './present.ts'
import * as schema from './schema.ts'

const presentKey = ({ key, user, userId }: ManagedKey) => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  user: { id: userId ?? '', name: user ?? '' },
  created_at: isoTimestamp(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  last_used_at: isoOrNull(key.lastUsedAt),
})

const readInstant = (sent: string | null | undefined): number | null =>
  sent === null || sent === undefined
    ? null
    : (parseInstant(sent) ?? fail(invalid('"expires_at" must be a timestamp such as 2026-12-31T23:59:59Z.')))

/** The keys and workspaces of who is signed in. */
export const ownKeysAndWorkspacesRoutes = (ctx: AppContext) =>
  sessionRoutes()
    .get(
      '/keys',
      'listKeys',
      'Keys',
      ({ caller }) => ({ keys: listManagedKeys(ctx, caller).map(presentKey) }),
      { response: schema.KeysResponse },
    )
    .post(
      '/keys',
      'createKey',
      'Create a key',
      async ({ caller, body: { expires_at, ...sent } }) => {
        const { key, secret } = await createManagedKey(ctx, caller, {
          ...sent,
          expiresAt: readInstant(expires_at),
        })
        return { key: presentKey(key), secret }
      },
      { status: 201, body: schema.NewKeyBody, response: schema.NewKeyResponse },
    )
    .delete(
      '/keys/:id',
      'revokeKey',
      'Revoke a key',
      async ({ caller, params }) => ({
        deleted: true as const,
        id: await revokeManagedKey(ctx, caller, params.id),
      }),
      { response: schema.DeletedResponse },
    )
    .get(
      '/workspaces',
      'listWorkspaces',
      'Workspaces',
      ({ caller }) => ({ workspaces: listOwnMemberships(ctx.db, caller).map(presentMembership) }),
      { response: schema.OwnWorkspacesResponse },
    )
    .post(
      '/workspaces',
      'createWorkspace',
      'Create a workspace',
      async ({ caller, body }) => ({
        workspace: presentMembership(await addOwnWorkspace(ctx, caller, body.name)),
      }),
      { status: 201, workspace: true, body: schema.NameBody, response: schema.OwnWorkspaceResponse },
    )
    .patch(
      '/workspaces/:id',
      'renameWorkspace',
      'Rename a workspace',
      async ({ caller, params, body }) => ({
        workspace: presentMembership(await renameWorkspace(ctx.db, caller, params.id, body.name)),
      }),
      { workspace: true, body: schema.NameBody, response: schema.OwnWorkspaceResponse },
    )
