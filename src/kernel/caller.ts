import type { Reader } from '../storage/reader.ts'
import type { Role } from '../storage/schema/account.ts'
import { type Covers, checkCovered, type Rights } from './rights.ts'

/** The clients that make calls and changes. */
export const SURFACES = ['web', 'ios', 'chrome', 'mcp', 'api', 'block', 'source', 'form', 'share'] as const
export type Surface = (typeof SURFACES)[number]

/** The user or command that makes a call, and the workspace of the call. */
export interface Caller {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  /** Null without a key: in a session of the application, and on the command line. */
  readonly keyId: string | null
  readonly keyName: string | null
  /** The session of a user who is signed in to the application. */
  readonly sessionId?: string | undefined
  /** Set when the key was created. */
  readonly scope: 'write' | 'read'
  /** The role of the user in the workspace. */
  readonly role: Role
  /** Whether this call may write, by both the key's scope and the user's role. */
  readonly mayWrite: boolean
  /** The accessible part of the workspace; undefined for all of it. */
  readonly rights: Rights | undefined
  readonly surface: Surface
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal
}

/** The key for fair scheduling: one per API key, and one per user and surface. */
export const schedulingKeyOf = ({
  keyId,
  surface,
  userId,
}: Pick<Caller, 'keyId' | 'surface' | 'userId'>): string => keyId ?? `${surface} ${userId}`

/** The permissions of a caller in the database, in one snapshot. */
export type Permissions = Pick<Caller, 'scope' | 'role' | 'rights'>

export const allowsWriting = ({ scope, role }: Pick<Permissions, 'scope' | 'role'>): boolean =>
  scope === 'write' && role !== 'viewer'

/**
 * The credential of a call, and the requirements of its endpoint or tool. Plain values, because a grant crosses
 * threads. It identifies the caller and holds no permissions of keys and sessions: every transaction and snapshot looks
 * those up itself.
 */
export interface Grant
  extends Pick<Caller, 'workspacePk' | 'workspaceId' | 'userId' | 'keyId' | 'keyName' | 'surface'> {
  /** Empty if the call uses a key. A session may have switched to another workspace since the call began. */
  readonly sessionId: string
  /** False in a copy that accepts no writes, regardless of the role. */
  readonly mayWrite: boolean
  readonly needsOwner: boolean
  readonly needsWrite: boolean
  readonly covers: Covers
  /** Whether the call names an object; that object is not found if its kind is hidden. */
  readonly isNamed: boolean
  /** Set for a caller without a key or session, such as a command. Its permissions do not end. */
  readonly permissions?: Permissions | undefined
}

/** The requirements of an endpoint or a tool for its callers. */
export type Requirement = Pick<Grant, 'needsOwner' | 'needsWrite' | 'covers' | 'isNamed'>

/** The grant of a caller that the server has authenticated, or of a command on this machine. */
export const grantOf = (
  {
    workspacePk,
    workspaceId,
    userId,
    keyId,
    keyName,
    sessionId = '',
    surface,
    mayWrite,
    scope,
    role,
    rights,
  }: Caller,
  { needsOwner, needsWrite, covers, isNamed }: Requirement,
): Grant => ({
  workspacePk,
  workspaceId,
  userId,
  keyId,
  keyName,
  sessionId,
  surface,
  mayWrite,
  needsOwner,
  needsWrite,
  covers,
  isNamed,
  permissions: keyId === null && sessionId === '' ? { scope, role, rights } : undefined,
})

/** Returns the current permissions of a caller; throws the refusal that a call would get now. */
export type FindPermissions = (reader: Reader, grant: Grant, now: number) => Permissions

/** The caller of a grant, as of this transaction or snapshot; throws the refusal for a permission that has ended. */
export function callerIn(
  reader: Reader,
  grant: Grant,
  now: number,
  findPermissions: FindPermissions,
): Caller {
  const { scope, role, rights } = grant.permissions ?? findPermissions(reader, grant, now)
  const { workspacePk, covers, needsWrite: isWrite, isNamed, sessionId } = grant
  return Object.freeze({
    workspacePk: checkCovered(rights, workspacePk, { covers, isWrite, isNamed }),
    workspaceId: grant.workspaceId,
    userId: grant.userId,
    keyId: grant.keyId,
    keyName: grant.keyName,
    sessionId: sessionId === '' ? undefined : sessionId,
    scope,
    role,
    mayWrite: grant.mayWrite && allowsWriting({ scope, role }),
    rights,
    surface: grant.surface,
  })
}
