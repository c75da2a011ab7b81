import { desc, eq, lte, or, sql } from 'drizzle-orm'
import { type AppContext, type Caller, isReadOnlyCopy } from '../../context.ts'
import { type CredentialState, type Credentials, readAccess, rightsOf } from '../../kernel/caller.ts'
import { DAY_MS, isoTimestamp } from '../../lib/dates.ts'
import { fail, notFound, Refusal } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import { from, insertInto, orm, rowBy, rowsBy, runBy, update } from '../../storage/query.ts'
import type { Reader } from '../../storage/reader.ts'
import type { Role } from '../../storage/schema/account.ts'
import { sessions } from '../../storage/schema/sessions.ts'
import type { Tx } from '../../storage/writes/transaction.ts'
import { findAppState } from '../accounts/apps.ts'
import { createUsageRecorder, findKeyState } from '../accounts/keys.ts'
import {
  deleteSessionsIn,
  findProviderLink,
  findUserByPk,
  isLinked,
  listMembershipsOf,
  type MembershipRow,
  membershipOf,
  type ProviderSettings,
  presentMembership,
} from '../accounts/store.ts'
import { removeOldAddresses } from './failed-sign-ins.ts'

/** A session with its user and the user's role in the session's workspace, null for non-members. */
export type SessionRow = NonNullable<ReturnType<typeof findSessionById>>

const { pk, id, hash, createdAt, lastUsedAt } = sessions

const whole = () =>
  from(sessions, {
    pk,
    id,
    hash,
    userPk: sessions.user,
    workspacePk: sessions.workspace,
    createdAt,
    lastUsedAt,
    address: sessions.address,
    userAgent: sessions.userAgent,
    userId: sql<string>`(SELECT id FROM users u WHERE u.pk = sessions.user)`,
    workspaceId: sql<string>`(SELECT id FROM workspaces w WHERE w.pk = sessions.workspace)`,
    ...membershipOf(sql`sessions.workspace`, sql`sessions.user`),
  })

const findSessionByHash = rowBy((digest: string) => whole().where(eq(hash, digest)))

export const findSessionById = rowBy((session: string) => whole().where(eq(id, session)))

/** The creation and last use of a session, and its user's role and access in a workspace, null for non-members. */
const findSessionIn = rowBy((session: string, workspace: number) =>
  from(sessions, {
    createdAt,
    lastUsedAt,
    ...membershipOf(workspace, sql`sessions.user`),
  }).where(eq(id, session)),
)

/** Most recently used first. */
export const listSessionRows = rowsBy((user: number) =>
  whole().where(eq(sessions.user, user)).orderBy(desc(lastUsedAt), desc(pk)),
)

const insert = insertInto(sessions)

type NewSession = Pick<SessionRow, 'hash' | 'userPk' | 'workspacePk' | 'address' | 'userAgent'>

export function insertSession(
  tx: Tx,
  { userPk: user, workspacePk: workspace, ...session }: NewSession,
): string {
  const newId = tx.newId()
  insert(tx, { ...session, id: newId, user, workspace, createdAt: tx.now, lastUsedAt: tx.now })
  return newId
}

const touchSession = runBy((session: number, now: number) =>
  update(sessions, { lastUsedAt: sql`max(last_used_at, ${now})` }, eq(pk, session)),
)

export const setSessionWorkspace = runBy((session: number, workspace: number) =>
  update(sessions, { workspace }, eq(pk, session)),
)

const setSessionId = runBy((session: number, newId: string) =>
  update(sessions, { id: newId }, eq(pk, session)),
)

/**
 * Ends a user's sessions whose current workspace is this one. Other sessions continue under new ids, which ends
 * whatever they began in this workspace.
 */
export function endSessionsIn(tx: Tx, workspace: number, user: number): void {
  deleteSessionsIn(tx, workspace, user)
  for (const session of listSessionRows(tx, user)) setSessionId(tx, session.pk, tx.newId())
}

export const deleteSession = runBy((session: number) => orm.delete(sessions).where(eq(pk, session)))

/** Deletes sessions that were last used, or created, before these instants. */
const deleteSessionsBefore = runBy((usedAt: number, madeAt: number) =>
  orm.delete(sessions).where(or(lte(lastUsedAt, usedAt), lte(createdAt, madeAt))),
)

const IDLE_MS = 7 * DAY_MS
const LONGEST_MS = 30 * DAY_MS

/** A session ends 7 days after its last use, and 30 days after it began. */
export const expiryOf = ({ lastUsedAt, createdAt }: Pick<SessionRow, 'lastUsedAt' | 'createdAt'>): number =>
  Math.min(lastUsedAt + IDLE_MS, createdAt + LONGEST_MS)

/** The maximum remaining lifetime of a session, in seconds. */
export const LONGEST_SECONDS = LONGEST_MS / 1000

const ENDED: CredentialState = { isValid: false, end: 'session_ended' }

/**
 * The current state of a once valid session, for requests that began in this workspace. The session may have moved to
 * another workspace since, but its user must still be a member of this one.
 */
export function findSessionState(
  reader: Reader,
  id: string,
  workspacePk: number,
  now: number,
): CredentialState {
  const row = reader.sql.memoize(`session ${id} ${workspacePk}`, () => {
    const found = findSessionIn(reader, id, workspacePk)
    return found?.role && { ...found, role: found.role, rights: rightsOfMember(found.role, found.access) }
  })
  if (!row || expiryOf(row) <= now) return ENDED
  const { role, rights } = row
  const permissions = { scope: scopeOfRole(role), role, rights }
  return { isValid: true, expiresAt: expiryOf(row), permissions }
}

/** The states of all credentials, for the kernel. */
export const credentials: Credentials = {
  keyState: findKeyState,
  appState: findAppState,
  sessionState: findSessionState,
}

/** The scope of a session, which depends on the role of its user. */
const scopeOfRole = (role: Role): Caller['scope'] => (role === 'viewer' ? 'read' : 'write')

const rightsOfMember = (role: Role, access: string | null) =>
  rightsOf([readAccess(access)], role !== 'viewer')

const callerOf = (
  { id, userId, workspacePk, workspaceId, access }: SessionRow,
  role: Caller['role'],
  isCopy: boolean,
): Caller => ({
  workspacePk,
  workspaceId,
  userId,
  keyId: null,
  keyName: null,
  sessionId: id,
  scope: scopeOfRole(role),
  role,
  mayWrite: role !== 'viewer' && !isCopy,
  surface: 'web',
  rights: rightsOfMember(role, access),
})

/** Finds the caller of a session token; undefined for an unknown or ended session. */
export function createSessionAuthenticate(ctx: AppContext) {
  const { db, clock, log } = ctx
  const recordUse = createUsageRecorder({ db, log }, 'session', touchSession)
  return (token: string): Caller | undefined => {
    const row = db.sql.memoize(token, () => findSessionByHash(db, sha256(token)))
    const now = clock.now()
    if (!row || expiryOf(row) <= now) return undefined
    if (row.role === null) return undefined
    recordUse(row.pk, row.lastUsedAt, now)
    return callerOf(row, row.role, isReadOnlyCopy(ctx))
  }
}

/** The caller's session, which may have ended since the request was authorized. */
export const getOwnSession = (reader: Reader, { sessionId = '' }: Caller): SessionRow =>
  findSessionById(reader, sessionId) ??
  fail(new Refusal('unauthorized', 'The session has ended; sign in again.'))

const RECENT_MS = 10 * 60_000

/** The caller's session; refuses one that began more than 10 minutes ago. */
export function getRecentSession(reader: Reader, caller: Caller, now: number): SessionRow {
  const session = getOwnSession(reader, caller)
  if (now - session.createdAt <= RECENT_MS) return session
  throw new Refusal('sign_in_again', 'This needs a sign-in of the last 10 minutes; sign in again.')
}

/** The workspaces that a user may enter: the user is a member, and their account at the provider has not closed it. */
export function listEnterable(reader: Reader, userPk: number, { oidc }: ProviderSettings): MembershipRow[] {
  const closed = oidc?.roleClaim && findProviderLink(reader, userPk)?.closedWorkspace
  return listMembershipsOf(reader, userPk).filter(({ workspacePk }) => workspacePk !== closed)
}

/** Deletes ended sessions, and addresses that no longer count. */
export function removeEndedSessions(tx: Tx): void {
  removeOldAddresses(tx)
  deleteSessionsBefore(tx, tx.now - IDLE_MS, tx.now - LONGEST_MS)
}

/** The server settings that sessions depend on. Plain values, because they are input of operations. */
export interface SessionSettings extends ProviderSettings {
  readonly oidc?: { readonly name: string; readonly issuer: string; readonly roleClaim: boolean } | undefined
  readonly mirrorOf?: string | undefined
  readonly isMirrorWritable?: boolean | undefined
}

export const sessionSettings = ({ config, mirrorOf, isMirrorWritable }: AppContext): SessionSettings => {
  const { oidc } = config
  return {
    oidc: oidc && { name: oidc.name, issuer: oidc.issuer, roleClaim: oidc.roleClaim !== undefined },
    mirrorOf,
    isMirrorWritable,
  }
}

/**
 * The user of a session, the workspaces they may enter and whether they are linked to the provider. In a copy, also the
 * address of the remote.
 */
export function presentSession(reader: Reader, settings: SessionSettings, sessionId: string) {
  const { oidc, mirrorOf, isMirrorWritable } = settings
  const row = findSessionById(reader, sessionId) ?? fail(notFound('session'))
  const user = findUserByPk(reader, row.userPk) ?? fail(notFound('user'))
  const workspaces = listEnterable(reader, row.userPk, settings)
  const entered =
    workspaces.find(({ workspacePk }) => workspacePk === row.workspacePk) ?? fail(notFound('workspace'))
  return {
    user: { id: user.id, name: user.name },
    workspace: presentMembership(entered),
    workspaces: workspaces.map(presentMembership),
    expires_at: isoTimestamp(expiryOf(row)),
    ...(oidc && { oidc_name: oidc.name, oidc_linked: isLinked(reader, row.userPk, settings) }),
    ...(mirrorOf !== undefined && {
      mirror_of: mirrorOf,
      ...(isMirrorWritable && { mirror_writable: true }),
    }),
  }
}

export const presentListedSession = (row: SessionRow, { sessionId }: Caller) => ({
  id: row.id,
  created_at: isoTimestamp(row.createdAt),
  last_used_at: isoTimestamp(row.lastUsedAt),
  address: row.address,
  user_agent: row.userAgent,
  current: row.id === sessionId,
})
