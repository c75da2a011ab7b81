import type { Config, RoleClaim } from '../../../config.ts'
import type { AppContext, Caller } from '../../../context.ts'
import { guestCredential } from '../../../kernel/call.ts'
import { fail, Refusal } from '../../../lib/refusal.ts'
import type { Role } from '../../../storage/schema/account.ts'
import { findLinkOf, isLinked } from '../../accounts/store.ts'
import { getRecentSession, sessionSettings } from '../sessions.ts'
import { type Browser, checkChoice, findUserOfLink, type NewSession, usedLink } from '../sign-in.ts'
import { Tickets } from '../tickets.ts'
import { enterByProvider, findRuledWorkspace, type Purpose, type RoleRule } from './enter-by-provider.ts'
import {
  type Account,
  type FailureReason,
  type Provider,
  reasonOf,
  type Secrets,
  SignInFailure,
} from './provider.ts'

export const AT_PROVIDER_SECONDS = 600

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
      const session = await this.#enter(step.purpose, account, names, browser)
      if (typeof session === 'string') throw new SignInFailure(session)
      return { location: returnTo, ...(session && { session }) }
    } catch (error) {
      return { location: locationOf(returnTo, this.#noted(error)) }
    }
  }

  async #enter(purpose: Purpose, account: Account, names: readonly unknown[], browser: Browser) {
    const { kernel, db, config, log } = this.ctx
    const { issuer, subject } = account
    const rule = purpose.kind === 'link' ? undefined : ruleFor(config, account)
    if (rule && !findRuledWorkspace(db, rule))
      log.error('there is no workspace with the name in --oidc-workspace')
    const input = { purpose, account: { issuer, subject }, rule, names, browser }
    const settings = sessionSettings(this.ctx)
    return kernel.call(enterByProvider, guestCredential(browser.address), { ...input, settings })
  }

  /** Candidate names for a new user. */
  async #namesOf(account: Account): Promise<unknown[]> {
    const { db, config } = this.ctx
    const isNew = config.oidc?.roleClaim && !findLinkOf(db, account.issuer, account.subject)
    const namesIn = ({ name, preferred_username }: Account['claims']) => [name, preferred_username]
    const names = namesIn(account.claims)
    return isNew && names.every((name) => name === undefined) ? namesIn(await account.more()) : names
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

/** The role that the claim gives the account, if the server has such a rule. */
function ruleFor({ oidc }: Config, account: Account): RoleRule | undefined {
  const { roleClaim } = oidc ?? {}
  return roleClaim && { workspace: roleClaim.workspace, role: roleOf(roleClaim, account) }
}
