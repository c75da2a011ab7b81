import type { RoleClaim } from '../../../config.ts'
import type { AppContext, Caller } from '../../../context.ts'
import { fail, Refusal } from '../../../lib/refusal.ts'
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
import { endSessionsIn, expiryOf, findSessionById, getRecentSession, listEnterable } from '../sessions.ts'
import {
  acceptSetupLink,
  type Browser,
  beginSession,
  checkChoice,
  findUserOfLink,
  type NewSession,
  usedLink,
} from '../sign-in.ts'
import { Tickets } from '../tickets.ts'
import {
  type Account,
  type FailureReason,
  type Provider,
  reasonOf,
  type Secrets,
  SignInFailure,
} from './provider.ts'

export const AT_PROVIDER_SECONDS = 600

/** The purpose of a visit to the provider: sign in, link the account to the user, or use a setup link with it. */
export type Purpose =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'link'; readonly sessionId: string; readonly userPk: number }
  | { readonly kind: 'setup'; readonly token: string; readonly name: string | undefined }

interface Step extends Secrets {
  readonly purpose: Purpose
  /** The token in the cookie of the browser that began the sign-in. */
  readonly cookie: string
  /** A path of the application. */
  readonly returnTo: string
}

interface Ended {
  readonly session?: NewSession
  /** A path of the application; after a failure it includes the reason. */
  readonly location: string
}

/** The address of the application page that explains why signing in or linking failed. */
export function locationOf(returnTo: string, reason: FailureReason): string {
  const url = new URL(returnTo, 'http://localhost')
  url.searchParams.set('sign-in', reason)
  return `${url.pathname}${url.search}`
}

/** Signs in with the provider in two steps: redirects a browser to the provider, and handles its return. */
export class ProviderSignIn {
  /** The state of a sign-in is its ticket. */
  readonly #steps: Tickets<Step>

  constructor(
    private readonly ctx: AppContext,
    private readonly provider: Provider,
  ) {
    this.#steps = new Tickets(ctx.clock, AT_PROVIDER_SECONDS * 1000)
  }

  /** The URL to which the browser with this cookie is redirected. Throws `SignInFailure`. */
  async begin(purpose: Purpose, returnTo: string, cookie: string): Promise<string> {
    try {
      const secrets = await this.provider.newSecrets()
      const state = this.#steps.issue({ ...secrets, purpose, cookie, returnTo })
      return await this.provider.authorizationUrl(state, secrets)
    } catch (error) {
      throw new SignInFailure(this.#noted(error), { cause: error })
    }
  }

  /** The purpose of linking the caller's account; refuses callers that cannot link one. */
  linkOf(caller: Caller | undefined): Purpose {
    const { db, clock, config } = this.ctx
    try {
      const { id, userPk } = getRecentSession(db, caller ?? fail(usedLink()), clock.now())
      if (isLinked(db, userPk, config)) throw new SignInFailure('linked')
      return { kind: 'link', sessionId: id, userPk }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw new SignInFailure(error.code === 'sign_in_again' ? 'sign-in-again' : 'signed-out')
    }
  }

  /** The purpose of using a setup link; refuses a void link, and a name that cannot be chosen. */
  setupOf(token: string, name: string | undefined): Purpose {
    const { db, clock } = this.ctx
    const userPk = findUserOfLink(db, token, clock.now()) ?? fail(usedLink())
    if (name !== undefined) checkChoice(db, userPk, name)
    return { kind: 'setup', token, name }
  }

  /** Handles a browser that the provider has redirected back with this query. */
  async end(search: string, cookie: string | undefined, browser: Browser): Promise<Ended> {
    const state = new URLSearchParams(search).get('state') ?? ''
    const step = this.#steps.take(state)
    const returnTo = step?.returnTo ?? '/app'
    try {
      if (!step || step.cookie !== cookie) throw new SignInFailure('expired')
      const account = await this.provider.accountOf(search, state, step)
      const names = await this.#namesOf(account)
      const session = await this.ctx.db.write((tx) => this.#enter(tx, step.purpose, account, names, browser))
      this.ctx.bus.notify()
      if (typeof session === 'string') throw new SignInFailure(session)
      return { location: returnTo, ...(session && { session }) }
    } catch (error) {
      return { location: locationOf(returnTo, this.#noted(error)) }
    }
  }

  /** Candidate names for a new user. */
  async #namesOf(account: Account): Promise<unknown[]> {
    const { db, config } = this.ctx
    const isNew = config.oidc?.roleClaim && !findLinkOf(db, account.issuer, account.subject)
    const namesIn = ({ name, preferred_username }: Account['claims']) => [name, preferred_username]
    const names = namesIn(account.claims)
    return isNew && names.every((name) => name === undefined) ? namesIn(await account.more()) : names
  }

  /** A session, or the reason for its absence; undefined when an account was linked. */
  #enter(
    tx: Tx,
    purpose: Purpose,
    account: Account,
    names: readonly unknown[],
    browser: Browser,
  ): NewSession | FailureReason | undefined {
    const { ctx } = this
    const known = findLinkOf(tx, account.issuer, account.subject)?.user
    if (purpose.kind === 'link') return this.#link(tx, purpose, account, known)
    if (purpose.kind === 'setup') return this.#setUp(tx, purpose, account, known, browser)
    const userPk = known ?? addNewMember(ctx, tx, account, names)
    if (userPk === undefined) return 'unknown'
    followClaim(ctx, tx, userPk, account)
    // Access removed by the claim stays removed even without a session.
    if (listEnterable(tx, userPk, ctx.config).length === 0) return 'closed'
    return beginSession(ctx, tx, userPk, browser, usedLink)
  }

  #link(tx: Tx, purpose: Purpose & { kind: 'link' }, account: Account, known: number | undefined) {
    const session = findSessionById(tx, purpose.sessionId)
    if (session?.userPk !== purpose.userPk || expiryOf(session) <= tx.now) return 'signed-out'
    const holder = this.#holder(tx, known)
    if (holder !== undefined && holder !== purpose.userPk) return 'taken'
    // Another tab may have linked another account in the meantime.
    if (holder === undefined && isLinked(tx, purpose.userPk, this.ctx.config)) return 'linked'
    this.#save(tx, purpose.userPk, account)
    return undefined
  }

  #setUp(
    tx: Tx,
    { token, name }: Purpose & { kind: 'setup' },
    account: Account,
    known: number | undefined,
    browser: Browser,
  ) {
    const userPk = findUserOfLink(tx, token, tx.now)
    if (userPk === undefined) return 'link-used'
    const holder = this.#holder(tx, known)
    if (holder !== undefined && holder !== userPk) return 'taken'
    deleteSetupLink(tx, userPk)
    this.#save(tx, userPk, account)
    followClaim(this.ctx, tx, userPk, account)
    return acceptSetupLink(this.ctx, tx, userPk, name, browser)
  }

  /** The user linked to an account. The link of a user without any workspace is deleted. */
  #holder(tx: Tx, known: number | undefined): number | undefined {
    if (known === undefined || listMembershipsOf(tx, known).length > 0) return known
    deleteProviderLink(tx, known)
    return undefined
  }

  #save(tx: Tx, user: number, { issuer, subject }: Account): void {
    saveProviderLink(tx, { user, issuer, subject })
  }

  /** Logs a failure and returns its reason, without anything that the provider sent. */
  #noted(error: unknown): FailureReason {
    const reason = reasonOf(error)
    if (reason === 'failed' || reason === 'unreachable') {
      const { message, code } = loggable(error)
      this.ctx.log.warn('a sign-in with the provider failed', { reason, error: message, code })
    }
    return reason
  }
}

/**
 * The loggable reason: the network error of an unreachable provider, else the library's message, whose cause may
 * quote the provider.
 */
function loggable(error: unknown): { message?: string; code?: string } {
  const failure = [error, (error as Error).cause].find((one) => one instanceof SignInFailure)
  return failure?.cause ?? failure ?? (error as Error)
}

/** The role of the first pair whose value equals the claim or is contained in it. */
function roleOf({ claim, roles }: RoleClaim, { claims }: Account): Role | undefined {
  const claimed = claims[claim]
  const values: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed]
  return roles.find(({ value }) => values.includes(value))?.role
}

/** The workspace, and the role that the claim gives the account in it; undefined if the server has no such rule. */
function ruleFor({ config, log }: AppContext, tx: Tx, account: Account) {
  const { roleClaim } = config.oidc ?? {}
  if (!roleClaim) return undefined
  const { workspace: named } = roleClaim
  const workspace = named === undefined ? findFirstWorkspace(tx) : findWorkspaceNamed(tx, named)
  if (!workspace) log.error('there is no workspace with the name in --oidc-workspace')
  return workspace && { workspace, role: roleOf(roleClaim, account) }
}

/**
 * Gives the user the role in the claim. A user without a role stays a member and keeps their keys, but cannot enter the
 * workspace. The last owner stays an owner.
 */
function followClaim(ctx: AppContext, tx: Tx, userPk: number, account: Account): void {
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

/** Creates a user for an account that no user is linked to, if the claim gives it a role; returns the pk. */
function addNewMember(ctx: AppContext, tx: Tx, account: Account, names: readonly unknown[]) {
  if (ruleFor(ctx, tx, account)?.role === undefined) return undefined
  const { pk } = createUser(tx, freeName(tx, names))
  saveProviderLink(tx, { user: pk, issuer: account.issuer, subject: account.subject })
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
