import { rightsOf } from '../access/rights.ts'
import { type CredentialState, createUsageRecorder } from '../account/keys.ts'
import { findProviderLink, listMembershipsOf, type MembershipRow, readAccess } from '../account/store.ts'
import { type AppContext, type Caller, isReadOnlyCopy } from '../context.ts'
import type { Reader } from '../db/reader.ts'
import type { Role } from '../db/schema/account.ts'
import type { Tx } from '../db/writes/transaction.ts'
import { DAY_MS } from '../lib/dates.ts'
import { sha256 } from '../lib/sha256.ts'
import { fail, notFound, Refusal } from '../refusal.ts'
import { ADDRESS_KNOWN_MS } from './failed-sign-ins.ts'
import {
  deleteSession,
  deleteSessionsBefore,
  deleteSignInAddressesBefore,
  findSessionByHash,
  findSessionById,
  findSessionIn,
  listSessionRows,
  type SessionRow,
  setSessionWorkspace,
  touchSession,
} from './store.ts'

const IDLE_MS = 7 * DAY_MS
const LONGEST_MS = 30 * DAY_MS

/** A session ends 7 days after its last use, and 30 days after it began. */
export const expiryOf = ({ lastUsedAt, createdAt }: Pick<SessionRow, 'lastUsedAt' | 'createdAt'>): number =>
  Math.min(lastUsedAt + IDLE_MS, createdAt + LONGEST_MS)

/** The longest that a session can last from now, in seconds. */
export const LONGEST_SECONDS = LONGEST_MS / 1000

const ENDED: CredentialState = { isValid: false, end: 'session_ended' }

/**
 * The current state of a session that was valid once, for what began in this workspace: the session may have entered
 * another one since, and still its user must be a member there.
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
  const standing = { scope: scopeOfRole(role), role, rights }
  return { isValid: true, expiresAt: expiryOf(row), standing }
}

/** A session may do what the role of its user allows. */
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

/** Finds who is signed in with a token; undefined for a session that is unknown or has ended. */
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

export function listSessions({ db, clock }: AppContext, caller: Caller): SessionRow[] {
  const { userPk } = getOwnSession(db, caller)
  return listSessionRows(db, userPk).filter((row) => expiryOf(row) > clock.now())
}

/** The caller's session, which may have ended since the request was let in. */
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

/** Ends one of the caller's sessions at once, also its open streams; returns its id. */
export async function endSession({ db, bus }: AppContext, caller: Caller, id: string): Promise<string> {
  await db.write((tx) => {
    const own = getOwnSession(tx, caller)
    const ending = findSessionById(tx, id)
    if (!ending || ending.userPk !== own.userPk) throw notFound('session')
    deleteSession(tx, ending.pk)
  })
  bus.wake()
  return id
}

/** The workspaces that a user may enter: where they are a member, and their account at the provider does not say otherwise. */
export function listEnterable(
  reader: Reader,
  userPk: number,
  { oidc }: AppContext['config'],
): MembershipRow[] {
  const closed = oidc?.roleClaim && findProviderLink(reader, userPk)?.closedWorkspace
  return listMembershipsOf(reader, userPk).filter(({ workspacePk }) => workspacePk !== closed)
}

/** From now on the session looks into another workspace of its user; its streams in the old one go on. */
export const enterWorkspace = (
  { db, config }: AppContext,
  caller: Caller,
  workspaceId: string,
): Promise<void> =>
  db.write((tx): void => {
    const own = getOwnSession(tx, caller)
    const entered = listEnterable(tx, own.userPk, config).find((row) => row.workspaceId === workspaceId)
    setSessionWorkspace(tx, own.pk, (entered ?? fail(notFound('workspace'))).workspacePk)
  })

/** Removes what has ended, and addresses that no longer count. */
export function removeEndedSessions(tx: Tx): void {
  deleteSignInAddressesBefore(tx, tx.now - ADDRESS_KNOWN_MS)
  deleteSessionsBefore(tx, tx.now - IDLE_MS, tx.now - LONGEST_MS)
}
