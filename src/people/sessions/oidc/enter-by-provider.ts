import { write } from '../../../kernel/operation.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { notifyAfterCommit } from '../../../log/log.ts'
import type { Reader } from '../../../storage/reader.ts'
import type { Role } from '../../../storage/schema/account.ts'
import type { Tx } from '../../../storage/writes/transaction.ts'
import { checkedAccountName } from '../../accounts/names.ts'
import {
  deleteProviderLink,
  deleteSetupLink,
  findFirstWorkspace,
  findLinkOf,
  findUserByPk,
  isLinked,
  listMembershipsOf,
  saveProviderLink,
  setClosedWorkspace,
  setMember,
} from '../../accounts/store.ts'
import { changeRole, createUser, findUserByName, isLastOwner, isTakenUserName } from '../../accounts/users.ts'
import { findWorkspaceNamed } from '../../accounts/workspaces.ts'
import { endSessionsIn, expiryOf, findSessionById, listEnterable } from '../sessions.ts'
import {
  acceptSetupLink,
  beginSession,
  type Entrance,
  findUserOfLink,
  type NewSession,
  usedLink,
} from '../sign-in.ts'
import type { Account, FailureReason } from './provider.ts'

/** The purpose of a visit to the provider: sign in, link the account to the user, or use a setup link with it. */
export type Purpose =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'link'; readonly sessionId: string; readonly userPk: number }
  | { readonly kind: 'setup'; readonly token: string; readonly name: string | undefined }

/** The role that the claim of an account gives it in a workspace, by name or id; without one, in the first workspace. */
export interface RoleRule {
  readonly workspace: string | undefined
  /** Undefined if the claim gives none. */
  readonly role: Role | undefined
}

interface Entry extends Entrance {
  readonly purpose: Purpose
  readonly account: Pick<Account, 'issuer' | 'subject'>
  readonly rule: RoleRule | undefined
  /** Candidate names for a new user. */
  readonly names: readonly unknown[]
}

/** Returns a session, or the reason for its absence; undefined when an account was linked. */
export const enterByProvider = write({
  name: 'sessions.enterByProvider',
  covers: 'nothing',
  run: (tx, _, entry: Entry): NewSession | FailureReason | undefined => {
    notifyAfterCommit(tx)
    const { issuer, subject } = entry.account
    const known = findLinkOf(tx, issuer, subject)?.user
    if (entry.purpose.kind === 'link') return link(tx, entry, entry.purpose, known)
    if (entry.purpose.kind === 'setup') return setUp(tx, entry, entry.purpose, known)
    const userPk = known ?? addNewMember(tx, entry)
    if (userPk === undefined) return 'unknown'
    followClaim(tx, userPk, entry.rule)
    // Access removed by the claim stays removed even without a session.
    if (listEnterable(tx, userPk, entry.settings).length === 0) return 'closed'
    return beginSession(tx, userPk, entry, usedLink)
  },
})

function link(
  tx: Tx,
  { account, settings }: Entry,
  { sessionId, userPk }: Purpose & { kind: 'link' },
  known: number | undefined,
): FailureReason | undefined {
  const session = findSessionById(tx, sessionId)
  if (session?.userPk !== userPk || expiryOf(session) <= tx.now) return 'signed-out'
  const holder = holderOf(tx, known)
  if (holder !== undefined && holder !== userPk) return 'taken'
  // Another tab may have linked another account in the meantime.
  if (holder === undefined && isLinked(tx, userPk, settings)) return 'linked'
  saveProviderLink(tx, { user: userPk, ...account })
  return undefined
}

function setUp(
  tx: Tx,
  { account, rule, ...entrance }: Entry,
  { token, name }: Purpose & { kind: 'setup' },
  known: number | undefined,
): NewSession | FailureReason {
  const userPk = findUserOfLink(tx, token, tx.now)
  if (userPk === undefined) return 'link-used'
  const holder = holderOf(tx, known)
  if (holder !== undefined && holder !== userPk) return 'taken'
  deleteSetupLink(tx, userPk)
  saveProviderLink(tx, { user: userPk, ...account })
  followClaim(tx, userPk, rule)
  return acceptSetupLink(tx, userPk, name, entrance)
}

/** The user linked to an account. The link of a user without any workspace is deleted. */
function holderOf(tx: Tx, known: number | undefined): number | undefined {
  if (known === undefined || listMembershipsOf(tx, known).length > 0) return known
  deleteProviderLink(tx, known)
  return undefined
}

export const findRuledWorkspace = (reader: Reader, { workspace }: RoleRule) =>
  workspace === undefined ? findFirstWorkspace(reader) : findWorkspaceNamed(reader, workspace)

/**
 * Gives the user the role in the claim. A user without a role stays a member and keeps their keys, but cannot enter the
 * workspace. The last owner stays an owner.
 */
function followClaim(tx: Tx, userPk: number, rule: RoleRule | undefined): void {
  const workspace = rule && findRuledWorkspace(tx, rule)
  const user = findUserByPk(tx, userPk)
  if (!workspace || !user) return
  const { role } = rule
  const isMember = listMembershipsOf(tx, userPk).some(({ workspacePk }) => workspacePk === workspace.pk)
  const isLast = isMember && isLastOwner(tx, userPk, workspace.pk)
  setClosedWorkspace(tx, userPk, role === undefined && !isLast ? workspace.pk : null)
  if (isLast) return
  if (role === undefined) endSessionsIn(tx, workspace.pk, userPk)
  else if (isMember) changeRole(tx, user, workspace, role)
  else setMember(tx, workspace.pk, userPk, role)
}

/** Creates a user for an account that no user is linked to, if the claim gives it a role; returns the pk. */
function addNewMember(tx: Tx, { account, rule, names }: Entry): number | undefined {
  if (rule?.role === undefined || !findRuledWorkspace(tx, rule)) return undefined
  const { pk } = createUser(tx, freeName(tx, names))
  saveProviderLink(tx, { user: pk, ...account })
  return pk
}

/** Leaves room for a number after the longest name. */
const MAX_LENGTH = 190

/** The first candidate that can be made valid, with a number if the name is taken. */
function freeName(tx: Tx, names: readonly unknown[]): string {
  const [name] = [...names, 'member'].flatMap(lawful)
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? `${name}` : `${name} ${number}`
    if (!findUserByName(tx, numbered) && !isTakenUserName(tx, numbered)) return numbered
  }
}

function lawful(name: unknown): string[] {
  if (typeof name !== 'string') return []
  const plain = name.replace(/[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ')
  try {
    return [checkedAccountName([...plain.trim()].slice(0, MAX_LENGTH).join(''), 'user')]
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}
