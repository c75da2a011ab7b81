import { checkedAccountName } from '../../account/names.ts'
import { findFirstWorkspace, findUserByPk, listMembershipsOf, setMember } from '../../account/store.ts'
import { changeRole, createUser, findUserByName, isLastOwner } from '../../account/users.ts'
import { saveProviderLink, setClosedWorkspace } from '../../account/ways-in.ts'
import { findWorkspaceNamed } from '../../account/workspaces.ts'
import type { RoleClaim } from '../../config.ts'
import type { AppContext } from '../../context.ts'
import type { Role } from '../../db/schema/account.ts'
import type { Tx } from '../../db/writes/transaction.ts'
import { Refusal } from '../../refusal.ts'
import { endSessionsIn } from '../store.ts'
import type { Account } from './provider.ts'

/** The role of the first pair whose value the claim is or holds. */
function roleOf({ claim, roles }: RoleClaim, { claims }: Account): Role | undefined {
  const said = claims[claim]
  const values: readonly unknown[] = Array.isArray(said) ? said : [said]
  return roles.find(({ value }) => values.includes(value))?.role
}

/** The role that the account has by the claim, and the workspace; undefined where the server has no such rule. */
function ruleFor({ config, log }: AppContext, tx: Tx, account: Account) {
  const { roleClaim } = config.oidc ?? {}
  if (!roleClaim) return undefined
  const { workspace: named } = roleClaim
  const workspace = named === undefined ? findFirstWorkspace(tx) : findWorkspaceNamed(tx, named)
  if (!workspace) log.error('there is no workspace with the name in --oidc-workspace')
  return workspace && { workspace, role: roleOf(roleClaim, account) }
}

/**
 * Gives the user the role that the claim says. Whom it gives none stays a member, with the keys they have, but the workspace
 * is closed to them. The last owner stays one.
 */
export function followClaim(ctx: AppContext, tx: Tx, userPk: number, account: Account): void {
  const rule = ruleFor(ctx, tx, account)
  const user = findUserByPk(tx, userPk)
  if (!rule || !user) return
  const { workspace, role } = rule
  const isMember = listMembershipsOf(tx, userPk).some(({ workspacePk }) => workspacePk === workspace.pk)
  const isLast = isMember && isLastOwner(tx, userPk, workspace.pk)
  setClosedWorkspace(tx, userPk, role === undefined && !isLast ? workspace.pk : null)
  if (isLast) return
  if (role === undefined) endSessionsIn(tx, workspace.pk, userPk)
  else if (isMember) changeRole(tx, user, workspace, role)
  else setMember(tx, workspace.pk, userPk, role)
}

/** Makes a user for an account that nobody here has, if the claim lets it in; returns the pk. */
export function addNewcomer(ctx: AppContext, tx: Tx, account: Account, names: readonly unknown[]) {
  if (ruleFor(ctx, tx, account)?.role === undefined) return undefined
  const { pk } = createUser(tx, freeName(tx, names))
  saveProviderLink(tx, { user: pk, issuer: account.issuer, subject: account.subject })
  return pk
}

/** Room for a number after the longest name. */
const MAX_LENGTH = 190

/** The first of the names that can be made lawful, with a number if others have it. */
function freeName(tx: Tx, names: readonly unknown[]): string {
  const [name] = [...names, 'member'].flatMap(lawful)
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? `${name}` : `${name} ${number}`
    if (!findUserByName(tx, numbered)) return numbered
  }
}

function lawful(name: unknown): string[] {
  if (typeof name !== 'string') return []
  const plain = name.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  try {
    return [checkedAccountName([...plain.trim()].slice(0, MAX_LENGTH).join(''), 'user')]
  } catch (error) {
    if (error instanceof Refusal) return []
    throw error
  }
}
