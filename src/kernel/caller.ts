import { Refusal } from '../lib/refusal.ts'
import type { Reader } from '../storage/reader.ts'
import type { Role } from '../storage/schema/account.ts'

/** The clients that make calls and changes. */
export const SURFACES = ['web', 'ios', 'chrome', 'mcp', 'api', 'block', 'source', 'form', 'share'] as const
export type Surface = (typeof SURFACES)[number]

/** The user or command that makes a call, and the workspace of the call. */
export interface Caller {
  readonly workspacePk: number
  readonly workspaceId: string
  readonly userId: string
  /** Null without a key: in a session of the application, for a connected app, and on the command line. */
  readonly keyId: string | null
  /** The name of the key or of the connected app. */
  readonly keyName: string | null
  /** The connected app whose access token the call uses. */
  readonly appId?: string | undefined
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

/** Identifies a caller in quotas and fair scheduling: one per API key and connected app, and one per user and surface. */
export const callerKeyOf = ({
  keyId,
  appId,
  surface,
  userId,
}: Pick<Caller, 'keyId' | 'appId' | 'surface' | 'userId'>): string => keyId ?? appId ?? `${surface} ${userId}`

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
  /** Empty without a session. It may have switched to another workspace since the call began. */
  readonly sessionId: string
  /** Empty without a connected app. */
  readonly appId: string
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
    appId = '',
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
  appId,
  surface,
  mayWrite,
  needsOwner,
  needsWrite,
  covers,
  isNamed,
  permissions: keyId === null && sessionId === '' && appId === '' ? { scope, role, rights } : undefined,
})

/** The reason why a key or session is no longer valid, or no longer grants the requested access. */
export type CredentialEnd = 'key_revoked' | 'key_expired' | 'session_ended' | 'access_changed'

/**
 * The expiry (null for none before revocation) and permissions of a valid key or session, or the reason why it is
 * invalid.
 */
export type CredentialState =
  | { readonly isValid: true; readonly expiresAt: number | null; readonly permissions: Permissions }
  | { readonly isValid: false; readonly end: CredentialEnd }

/** Find the current state of a key, connected app or session that was once valid; implemented by a feature. */
export interface Credentials {
  keyState(reader: Reader, id: string, now: number): CredentialState
  appState(reader: Reader, id: string): CredentialState
  sessionState(reader: Reader, id: string, workspacePk: number, now: number): CredentialState
}

const unauthorized = (sentence: string) => new Refusal('unauthorized', sentence)

export const invalidKey = () => unauthorized('This API key is not valid, or was revoked, or has expired.')
export const invalidAccessToken = () =>
  unauthorized('This access token is not valid, or has expired, or its app was disconnected.')
export const keyNeeded = () =>
  unauthorized('This endpoint needs the header "Authorization: Bearer <API key>".')
export const signInNeeded = () => unauthorized('There is no session, or it has ended; sign in again.')

/** The refusal for callers that are not owners of the workspace. */
export const ownerRequired = () =>
  new Refusal('owner_required', 'Only an owner of the workspace can do this; ask an owner.')

/** The refusal of a write by a caller who can only read, because of the key or its user. */
export const readOnly = ({ scope, keyId, appId }: Pick<Caller, 'scope' | 'keyId' | 'appId'>) =>
  new Refusal('read_only_key', appId ? readOnlyApp(scope) : readOnlySentence(keyId === null, scope))

const readOnlyApp = (scope: Caller['scope']): string =>
  scope === 'read'
    ? 'This app was connected for reading only; connect it again with write access to change anything.'
    : 'The user who connected this app is a viewer of the workspace and cannot change anything.'

function readOnlySentence(isSession: boolean, scope: Caller['scope']): string {
  if (isSession)
    return 'You are a viewer of this workspace and cannot change anything; ask an owner to make you an editor.'
  return scope === 'read'
    ? 'This API key is read-only; use a read-write key to change anything.'
    : 'The user of this API key is a viewer of the workspace and cannot change anything.'
}

function stateOf(
  reader: Reader,
  { keyId, appId, sessionId, workspacePk }: Grant,
  now: number,
  credentials: Credentials,
): CredentialState {
  if (appId !== '') return credentials.appState(reader, appId)
  return keyId === null
    ? credentials.sessionState(reader, sessionId, workspacePk, now)
    : credentials.keyState(reader, keyId, now)
}

/** Returns the current permissions of a caller; throws the refusal that a call would get now. */
export function permissionsIn(
  reader: Reader,
  grant: Grant,
  now: number,
  credentials: Credentials,
): Permissions {
  const { keyId, appId, workspacePk, needsOwner, needsWrite: isWrite, covers, isNamed } = grant
  if (grant.permissions) return grant.permissions
  const state = stateOf(reader, grant, now, credentials)
  if (!state.isValid) throw appId ? invalidAccessToken() : keyId === null ? signInNeeded() : invalidKey()
  const { permissions } = state
  if (needsOwner && permissions.role !== 'owner') throw ownerRequired()
  if (isWrite && !allowsWriting(permissions)) throw readOnly({ keyId, appId, scope: permissions.scope })
  checkCovered(permissions.rights, workspacePk, { covers, isWrite, isNamed })
  return permissions
}

/** The caller of a grant, as of this transaction or snapshot; throws the refusal for a permission that has ended. */
export function callerIn(reader: Reader, grant: Grant, now: number, credentials: Credentials): Caller {
  const { scope, role, rights } = permissionsIn(reader, grant, now, credentials)
  const { workspacePk, covers, needsWrite: isWrite, isNamed, appId, sessionId } = grant
  return Object.freeze({
    workspacePk: checkCovered(rights, workspacePk, { covers, isWrite, isNamed }),
    workspaceId: grant.workspaceId,
    userId: grant.userId,
    keyId: grant.keyId,
    keyName: grant.keyName,
    appId: appId === '' ? undefined : appId,
    sessionId: sessionId === '' ? undefined : sessionId,
    scope,
    role,
    mayWrite: grant.mayWrite && allowsWriting({ scope, role }),
    rights,
    surface: grant.surface,
  })
}

/* Permissions within a workspace: access to notes, files and structures. */

/** The permissions on a structure: see its definition, read its rows, add rows, and change anything in it. */
export type Ability = 'see' | 'read' | 'add' | 'change'

const ABILITIES = {
  none: [],
  /** The part of `add` that remains for callers who can only read. */
  definition: ['see'],
  add: ['see', 'add'],
  read: ['see', 'read'],
  write: ['see', 'read', 'add', 'change'],
} as const satisfies Record<string, readonly Ability[]>

export type Level = keyof typeof ABILITIES

export const LEVELS = ['none', 'read', 'write'] as const
export const STRUCTURE_LEVELS = ['none', 'read', 'add', 'write'] as const

/** The kinds of objects with access as a whole; `notes` includes tags, properties, views and the like. */
export type Kind = 'notes' | 'files'

/** In `structures`: every structure not named, including later ones. */
export const OTHERS = '*'

/** The access of a member or a key, as sent; omitted parts are unrestricted. */
export interface Access {
  readonly notes?: (typeof LEVELS)[number]
  readonly files?: (typeof LEVELS)[number]
  /** Keyed by structure id. */
  readonly structures?: Readonly<Record<string, (typeof STRUCTURE_LEVELS)[number]>>
}

/**
 * The permissions of a caller: the minimum of the role, the scope, the member's access and the key's access. Every part
 * is present.
 */
export interface Rights {
  readonly notes: (typeof LEVELS)[number]
  readonly files: (typeof LEVELS)[number]
  readonly structures: Readonly<Record<string, Level>>
}

const NARROWEST_FIRST = Object.keys(ABILITIES) as Level[]

/** The abilities that both have. */
function meet<Of extends Level>(one: Of, other: Of): Of {
  const others: readonly Ability[] = ABILITIES[other]
  const shared = ABILITIES[one].filter((ability) => others.includes(ability))
  const isShared = (level: Level) => String(ABILITIES[level]) === String(shared)
  return (NARROWEST_FIRST.find(isShared) ?? 'none') as Of
}

/** Whether the access restricts anything. */
export const narrows = ({ notes, files, structures = {} }: Access): boolean =>
  [notes, files, ...Object.values(structures)].some((level) => level !== undefined && level !== 'write')

/** The stored form of an access; null if it restricts nothing. */
export const storedAccess = (access: Access | null | undefined): string | null =>
  access && narrows(access) ? JSON.stringify(access) : null

export const readAccess = (stored: string | null): Access | null =>
  stored === null ? null : (JSON.parse(stored) as Access)

const levelIn = ({ structures }: Pick<Partial<Rights>, 'structures'>, id: string): Level =>
  structures?.[id] ?? structures?.[OTHERS] ?? 'write'

/**
 * The permissions under the accesses of the member and of the key; undefined if they restrict nothing. `mayWrite`
 * follows from role and scope.
 */
export function rightsOf(accesses: readonly (Access | null)[], mayWrite: boolean): Rights | undefined {
  const narrowing = accesses.filter((access) => access !== null && narrows(access)) as Access[]
  if (narrowing.length === 0) return undefined
  const least = <Of extends Level>(levels: readonly (Of | undefined)[]): Of | 'read' | 'write' =>
    levels.reduce<Of | 'read' | 'write'>(
      (least, level = 'write' as Of) => meet(least, level),
      mayWrite ? 'write' : 'read',
    )
  const ids = new Set([OTHERS, ...narrowing.flatMap(({ structures = {} }) => Object.keys(structures))])
  return {
    notes: least(narrowing.map(({ notes }) => notes)),
    files: least(narrowing.map(({ files }) => files)),
    structures: Object.fromEntries(
      [...ids].map((id) => [id, least(narrowing.map((access) => levelIn(access, id)))]),
    ),
  }
}

/** The format of responses. It omits the ids of hidden structures if `OTHERS` is hidden, too. */
export const presentRights = ({ notes, files, structures }: Rights): Access => {
  const shown = (level: Level) => (level === 'definition' ? 'add' : level)
  const isTold = ([id, level]: [string, Level]) =>
    id === OTHERS || level !== 'none' || structures[OTHERS] !== 'none'
  const listed = Object.entries(structures).filter(isTold)
  return { notes, files, structures: Object.fromEntries(listed.map(([id, level]) => [id, shown(level)])) }
}

/** Whether the caller has an ability on a structure; `OTHERS` stands for one that does not exist yet. */
export const may = (rights: Rights | undefined, structureId: string, ability: Ability): boolean =>
  rights === undefined || (ABILITIES[levelIn(rights, structureId)] as readonly Ability[]).includes(ability)

const NEEDED = { see: 'read', read: 'read', add: 'add', change: 'write' } as const

/** Where an "add" and a "read" access meet, the level that lacks what is needed. */
const lacking = (level: Level, needed: string) =>
  level === 'definition' ? (needed === 'read' ? 'add' : 'read') : level

const noAccess = (needed: string, to: string, level: Level) =>
  new Refusal(
    'no_access',
    `This needs "${needed}" access to ${to}, and yours is "${lacking(level, needed)}"; ask an owner of the workspace for more.`,
  )

/** Refuses callers who see a structure but lack the ability on it. */
export function checkAbility(
  rights: Rights | undefined,
  { id, name }: { readonly id: string; readonly name: string },
  ability: Ability,
): void {
  if (rights === undefined || may(rights, id, ability)) return
  throw noAccess(NEEDED[ability], `the structure "${name}"`, levelIn(rights, id))
}

/** Refuses callers who see a structure but may not read its rows. */
export const checkRowsRead = (rights: Rights | undefined, id: string): void => {
  if (rights !== undefined && !may(rights, id, 'read'))
    throw noAccess('read', 'the rows of this structure', levelIn(rights, id))
}

export function checkMaking(rights: Rights | undefined): void {
  if (rights === undefined || may(rights, OTHERS, 'change')) return
  throw noAccess('write', 'structures that are not named ("*")', levelIn(rights, OTHERS))
}

export function checkWrite(rights: Rights | undefined, kind: Kind): void {
  if (rights !== undefined && rights[kind] !== 'write') throw noAccess('write', kind, rights[kind])
}

/** Whether objects of a kind appear not to exist. */
export const hides = (rights: Rights | undefined, kind: Kind): boolean => rights?.[kind] === 'none'

/**
 * Whether the caller may share a structure or, without one, notes. The pages of shared notes give access to the files
 * that they name.
 */
export const mayShare = (rights: Rights | undefined, structureId: string | null): boolean =>
  structureId === null
    ? rights === undefined || (rights.notes === 'write' && rights.files !== 'none')
    : may(rights, structureId, 'change')

/**
 * The content that an endpoint shows and changes. A kind is refused or finds nothing as a whole (`checkCovered`). For
 * `structures`, the functions that find them check the permissions. For `several`, the response omits hidden content.
 */
export type Covers = Kind | 'structures' | 'several' | 'nothing'

/** The pk of no workspace: lookups of hidden objects search here. */
export const NOWHERE = 0

/**
 * Returns the workspace in which a call looks for the objects that it covers. Refuses callers who may not write there.
 * `isNamed` means that the call names an object, which is not found if its kind is hidden.
 */
export function checkCovered(
  rights: Rights | undefined,
  workspacePk: number,
  {
    covers,
    isWrite,
    isNamed,
  }: { readonly covers: Covers; readonly isWrite: boolean; readonly isNamed: boolean },
): number {
  if (rights === undefined || (covers !== 'notes' && covers !== 'files')) return workspacePk
  const isHidden = hides(rights, covers)
  if (isWrite && !(isHidden && isNamed)) checkWrite(rights, covers)
  return isHidden ? NOWHERE : workspacePk
}
