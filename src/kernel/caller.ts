import type { Reader } from '../storage/reader.ts'
import type { Role } from '../storage/schema/account.ts'
import { type Covers, checkCovered, type Rights } from './rights.ts'

/** The kinds of clients that make calls, and from which a change can come. */
export const SURFACES = ['web', 'ios', 'chrome', 'mcp', 'api', 'block', 'source', 'form', 'share'] as const
export type Surface = (typeof SURFACES)[number]

/** The user or command that makes a call, and the workspace of the call. */
export interface Caller {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  /** Null where there is no key: in a session of the application and on the command line. */
  readonly keyId: string | null
  readonly keyName: string | null
  /** The session of a person who is signed in to the application. */
  readonly sessionId?: string | undefined
  /** Set when the key was created. */
  readonly scope: 'write' | 'read'
  /** Of the user in the workspace. */
  readonly role: Role
  /** Whether this call may write: the key's scope and the user's role together. */
  readonly mayWrite: boolean
  /** The part of the workspace that the caller reaches; undefined for all of it. */
  readonly rights: Rights | undefined
  readonly surface: Surface
  /** Aborts when the client goes away. */
  readonly signal?: AbortSignal
}

/** The key by which callers take turns: each API key, and each user on a surface. */
export const turnKeyOf = ({ keyId, surface, userId }: Pick<Caller, 'keyId' | 'surface' | 'userId'>): string =>
  keyId ?? `${surface} ${userId}`

/** The permissions of a caller, as the database has them in one snapshot. */
export type Standing = Pick<Caller, 'scope' | 'role' | 'rights'>

export const standsForWriting = ({ scope, role }: Pick<Standing, 'scope' | 'role'>): boolean =>
  scope === 'write' && role !== 'viewer'

/**
 * The credential of a call, and what its endpoint or tool requires. Plain values: a grant crosses threads. It says who
 * calls, never what they may do: every transaction and snapshot looks that up for itself.
 */
export interface Grant
  extends Pick<Caller, 'workspacePk' | 'workspaceId' | 'userId' | 'keyId' | 'keyName' | 'surface'> {
  /** Empty where the call rests on a key. A session may have entered another workspace since the call began. */
  readonly sessionId: string
  /** False in a copy that accepts no writes, whatever the role. */
  readonly mayWrite: boolean
  readonly needsOwner: boolean
  readonly needsWrite: boolean
  readonly covers: Covers
  /** Whether the call names an object, which is not found where its kind is hidden. */
  readonly isNamed: boolean
  /** Set for a caller without a key or session, such as a command, whose permissions do not end. */
  readonly standing?: Standing | undefined
}

/** The requirements of an endpoint or a tool for its callers. */
export type Requirement = Pick<Grant, 'needsOwner' | 'needsWrite' | 'covers' | 'isNamed'>

/** The grant of a caller whom the server has authenticated, or who is a command of this machine. */
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
  standing: keyId === null && sessionId === '' ? { scope, role, rights } : undefined,
})

/** Throws the refusal that a call would get if it came now; returns what its caller may do. */
export type FindStanding = (reader: Reader, grant: Grant, now: number) => Standing

/** The caller of a grant as this transaction or snapshot has it; throws the refusal of a right that has ended. */
export function callerIn(reader: Reader, grant: Grant, now: number, findStanding: FindStanding): Caller {
  const { scope, role, rights } = grant.standing ?? findStanding(reader, grant, now)
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
    mayWrite: grant.mayWrite && standsForWriting({ scope, role }),
    rights,
    surface: grant.surface,
  })
}
