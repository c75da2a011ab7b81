import { and, eq, getTableColumns, lte, sql } from 'drizzle-orm'
import { type AppContext, type Caller, isReadOnlyCopy } from '../../context.ts'
import type { Authenticate } from '../../http/authorizer.ts'
import { type CredentialState, readAccess, rightsOf } from '../../kernel/caller.ts'
import { sha256 } from '../../lib/sha256.ts'
import { from, insertInto, orm, rowBy, rowsBy, runBy, updateOf } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Role } from '../../storage/schema/account.ts'
import { accessTokens, connectedApps } from '../../storage/schema/apps.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { createUsageRecorder } from './keys.ts'
import { membershipOf } from './store.ts'

/*
 * Connected apps: the grants of OAuth. An app acts as the user who connected it, like a key of that user, but only at
 * `/mcp`. The app and its tokens are deleted when it is disconnected or when its user leaves the workspace.
 */

const MEMBERSHIP = membershipOf(sql`connected_apps.workspace`, sql`connected_apps.user`)
const RIGHT = {
  scope: connectedApps.scope,
  access: connectedApps.access,
  role: MEMBERSHIP.role,
  memberAccess: MEMBERSHIP.access,
}
const USER_ID = sql<string>`(SELECT id FROM users u WHERE u.pk = connected_apps.user)`

interface AppRight {
  readonly scope: Caller['scope']
  readonly access: string | null
  readonly memberAccess: string | null
  readonly role: Role | null
}

const rightsOfApp = ({ access, memberAccess, scope, role }: AppRight) =>
  rightsOf([readAccess(memberAccess), readAccess(access)], scope === 'write' && role !== 'viewer')

const findRight = rowBy((id: string) => from(connectedApps, RIGHT).where(eq(connectedApps.id, id)))

/** The current state of an app that was once connected. */
export function findAppState(reader: Reader, id: string): CredentialState {
  const right = reader.sql.memoize(`app ${id}`, () => {
    const found = findRight(reader, id)
    return found?.role && { ...found, role: found.role, rights: rightsOfApp(found) }
  })
  if (!right) return { isValid: false, end: 'key_revoked' }
  const { scope, role, rights } = right
  return { isValid: true, expiresAt: null, permissions: { scope, role, rights } }
}

export const ACCESS_TOKEN = /^dba_[A-Za-z0-9_-]{43}$/

const findToken = rowBy((hash: string) =>
  from(accessTokens, { app: accessTokens.app, expiresAt: accessTokens.expiresAt }).where(
    eq(accessTokens.hash, hash),
  ),
)

const findCallerRow = rowBy((pk: number) =>
  from(connectedApps, {
    ...RIGHT,
    pk: connectedApps.pk,
    id: connectedApps.id,
    name: connectedApps.name,
    lastUsedAt: connectedApps.lastUsedAt,
    workspacePk: connectedApps.workspace,
    workspaceId: sql<string>`(SELECT id FROM workspaces w WHERE w.pk = connected_apps.workspace)`,
    userId: USER_ID,
  }).where(eq(connectedApps.pk, pk)),
)

function findKnownApp(reader: Reader, mayNobodyWrite: boolean, token: string) {
  const found = findToken(reader, sha256(token))
  const row = found && findCallerRow(reader, found.app)
  if (!found || !row?.role) return undefined
  const { pk, id, name, lastUsedAt, scope, role, workspacePk, workspaceId, userId } = row
  const caller: Caller = {
    workspacePk,
    workspaceId,
    userId,
    keyId: null,
    keyName: name,
    appId: id,
    scope,
    role,
    mayWrite: scope === 'write' && role !== 'viewer' && !mayNobodyWrite,
    surface: 'mcp',
    rights: rightsOfApp(row),
  }
  return { pk, lastUsedAt, expiresAt: found.expiresAt, caller }
}

const updateApp = updateOf(connectedApps, connectedApps.pk)

const touchApp = (tx: Tx, pk: number, now: number) => updateApp(tx, pk, { lastUsedAt: now })

/** Authenticates by the hash of an access token. */
export function createAppAuthenticate(ctx: AppContext): Authenticate {
  const { db, clock } = ctx
  const isReadOnly = isReadOnlyCopy(ctx)
  const recordUse = createUsageRecorder(ctx, 'connected app', touchApp)
  return (token): Caller | undefined => {
    if (!ACCESS_TOKEN.test(token)) return undefined
    const known = db.sql.memoize(token, () => findKnownApp(db, isReadOnly, token))
    const now = clock.now()
    if (!known || known.expiresAt <= now) return undefined
    recordUse(known.pk, known.lastUsedAt, now)
    return known.caller
  }
}

export type AppRow = typeof connectedApps.$inferSelect

const everyApp = () => from(connectedApps, getTableColumns(connectedApps))

export const findAppOfCode = rowBy((hash: string) => everyApp().where(eq(connectedApps.codeHash, hash)))
export const findAppOfFamily = rowBy((hash: string) => everyApp().where(eq(connectedApps.familyHash, hash)))
export const findAppOfToken = rowBy((hash: string) =>
  everyApp().where(
    eq(connectedApps.pk, sql`(SELECT app FROM ${accessTokens} WHERE ${accessTokens.hash} = ${hash})`),
  ),
)

const withNames = () =>
  from(connectedApps, {
    ...getTableColumns(connectedApps),
    workspaceName: sql<string>`(SELECT name FROM workspaces w WHERE w.pk = connected_apps.workspace)`,
    userName: sql<string>`(SELECT name FROM users u WHERE u.pk = connected_apps.user)`,
    userId: USER_ID,
  })

export type ListedApp = ReturnType<typeof listApps>[number]

/** Whether the app can still get access tokens. */
export const isAlive = ({ refreshExpiresAt }: Pick<AppRow, 'refreshExpiresAt'>, now: number): boolean =>
  refreshExpiresAt > now

/** The apps of all workspaces, oldest first. */
export const listApps = rowsBy(() => withNames().orderBy(connectedApps.pk))

export const listAppsOf = rowsBy((workspace: number) =>
  withNames().where(eq(connectedApps.workspace, workspace)).orderBy(connectedApps.pk),
)

export const findApp = rowBy((id: string) => everyApp().where(eq(connectedApps.id, id)))

const insertApp = insertInto(connectedApps)

export const addApp = (tx: Tx, app: Omit<AppRow, 'pk' | 'id' | 'createdAt' | 'lastUsedAt'>): number =>
  insertApp(tx, { ...app, id: tx.newId(), createdAt: tx.now })

/** Stores the hash of the only valid refresh token. */
export const setRefreshToken = (tx: Tx, pk: number, refreshHash: string, refreshExpiresAt: number): void =>
  updateApp(tx, pk, { refreshHash, refreshExpiresAt })

const deleteApp = runBy((pk: number) => orm.delete(connectedApps).where(eq(connectedApps.pk, pk)))

/**
 * Disconnects an app and ends its tokens. A server that calls this must also notify its bus, so that calls in progress
 * end.
 */
export const disconnect = (tx: Tx, { pk }: Pick<AppRow, 'pk'>): void => void deleteApp(tx, pk)

const insertToken = insertInto(accessTokens)

/** Evicts expired tokens of an app, and the oldest ones of a client that refreshes without need. */
const deleteOldTokens = runBy((app: number, now: number) =>
  orm.delete(accessTokens).where(
    and(
      eq(accessTokens.app, app),
      sql`(expires_at <= ${now} OR pk NOT IN
        (SELECT t.pk FROM access_tokens t WHERE t.app = ${app} ORDER BY t.pk DESC LIMIT 10))`,
    ),
  ),
)

export function addAccessToken(tx: Tx, app: number, hash: string, expiresAt: number): void {
  insertToken(tx, { app, hash, expiresAt })
  deleteOldTokens(tx, app, tx.now)
}

const deleteAppsBefore = runBy((now: number) =>
  orm.delete(connectedApps).where(lte(connectedApps.refreshExpiresAt, now)),
)

/** Deletes apps whose refresh token has expired. Their last access tokens expired long before. */
export const removeExpiredApps = (tx: Tx): void => void deleteAppsBefore(tx, tx.now)

const deleteTokensBefore = runBy((now: number) =>
  orm.delete(accessTokens).where(lte(accessTokens.expiresAt, now)),
)

export const removeExpiredTokens = (tx: Tx): void => void deleteTokensBefore(tx, tx.now)
