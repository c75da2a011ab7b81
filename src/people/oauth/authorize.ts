import type { AppContext, Caller } from '../../context.ts'
import { isReadOnlyCopy } from '../../context.ts'
import { type BrowserRules, isCrossSite } from '../../http/browser/browser-rules.ts'
import { scriptSources } from '../../http/browser/script-sources.ts'
import { STATUS_OF } from '../../http/errors.ts'
import type { Exchange } from '../../http/exchange.ts'
import { guestCredential } from '../../kernel/call.ts'
import type { Access } from '../../kernel/caller.ts'
import { write } from '../../kernel/operation.ts'
import { addressGroup } from '../../lib/address-group.ts'
import { formEntries } from '../../lib/form-entries.ts'
import { fail, invalid, Refusal } from '../../lib/refusal.ts'
import type { Reader } from '../../storage/reader.ts'
import { findUserById } from '../accounts/store.ts'
import type { SessionCookie } from '../sessions/cookie.ts'
import type { FailedSignIns } from '../sessions/failed-sign-ins.ts'
import {
  expiryOf,
  findSessionById,
  listEnterable,
  type SessionSettings,
  sessionSettings,
} from '../sessions/sessions.ts'
import { type Browser, type NewSession, signIn } from '../sessions/sign-in.ts'
import { Tickets } from '../sessions/tickets.ts'
import { type AuthorizationRequest, checkedRequest, returnableOf } from './authorization-request.ts'
import type { ClientDocuments } from './client-document.ts'
import { markUsed } from './clients.ts'
import type { OwnOrigin } from './origin.ts'
import { consentPage, errorPage, reloadPage, signInPage } from './pages.ts'
import { accessIn, offeredLevels, offeredWorkspaces } from './reach.ts'
import { formTargetOf, hostOfRedirect, withParameters } from './redirect-uri.ts'
import type { OAuthCode } from './refusals.ts'
import { issueCode } from './tokens.ts'

const CONSENT_MS = 30 * 60_000
export const MAX_FORM_BYTES = 65_536

/** A consent page that was shown, as its one-time token contains it. */
interface Shown {
  /** The session that the page was shown to. */
  readonly sessionId: string
  readonly client: { readonly id: string; readonly name: string }
  readonly redirectUri: string
  readonly state: string | undefined
  readonly challenge: string
  readonly issuer: string
}

export interface SentForm {
  bytes(key: string, most?: number): Promise<Uint8Array>
}

/** How people sign in; implemented by the feature of sessions. */
export interface SignInFeature {
  readonly cookie: SessionCookie
  readonly authenticate: (token: string) => Caller | undefined
  readonly failures: FailedSignIns
  readonly rules: BrowserRules
  readonly browserOf: (exchange: Exchange) => Browser
  /** The `Set-Cookie` of a new session. */
  readonly begin: (session: NewSession) => string
}

interface Parts {
  readonly ctx: AppContext
  readonly origin: OwnOrigin
  readonly documents: ClientDocuments
  readonly people: SignInFeature
}

const redirectTo = (location: string, status: 302 | 303, cookie?: string): Response =>
  new Response(null, {
    status,
    headers: {
      Location: location,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      ...(cookie !== undefined && { 'Set-Cookie': cookie }),
    },
  })

const expiredPage = (): Response =>
  errorPage('This page has expired or was already used, or you have signed out meanwhile.', 403)

async function orPage(run: () => Promise<Response>): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, data, retryAfterSeconds } = error
    // A page is no place for the challenge of a 401.
    return errorPage(message, data.oauth === undefined ? STATUS_OF[code] : 400, retryAfterSeconds)
  }
}

/** The problems of a sign-in with the provider that a person can solve, and one for all others. */
const PROVIDER_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['unreachable', 'The provider cannot be reached. Try again later, or sign in another way.'],
  ['cancelled', 'Sign-in was cancelled at the provider. Try again, or sign in another way.'],
  ['unknown', 'This account is not linked to a user. Ask an owner of the workspace for a link.'],
  ['closed', 'This account no longer has access to a workspace. Ask an owner of the workspace.'],
])
const OTHER_PROBLEM = 'Signing in with the provider did not work. Try again, or sign in another way.'

/** The workspaces that a user can connect an app to. */
const listOffered = (reader: Reader, userPk: number, settings: SessionSettings) =>
  offeredWorkspaces(reader, userPk, listEnterable(reader, userPk, settings), isReadOnlyCopy(settings))

interface Consenting extends Pick<Shown, 'sessionId' | 'client' | 'redirectUri' | 'challenge'> {
  /** Undefined for that of the session. */
  readonly workspaceId: string | undefined
  readonly wantsWrite: boolean
  readonly access: Access
  readonly settings: SessionSettings
}

/** Returns a code for the client; undefined if the session has ended. */
export const giveConsent = write({
  name: 'oauth.consent',
  covers: 'nothing',
  run: (tx, _, consenting: Consenting): string | undefined => {
    const { sessionId, client, redirectUri, challenge, wantsWrite, access, settings } = consenting
    const session = findSessionById(tx, sessionId)
    if (!session?.role || expiryOf(session) <= tx.now) return undefined
    const wanted = consenting.workspaceId ?? session.workspaceId
    const workspace =
      listOffered(tx, session.userPk, settings).find(({ id }) => id === wanted) ??
      fail(invalid('You do not belong to the chosen workspace.'))
    markUsed(tx, client.id)
    return issueCode(tx, {
      workspace: workspace.pk,
      user: session.userPk,
      client: client.id,
      name: client.name,
      host: hostOfRedirect(redirectUri),
      scope: wantsWrite && workspace.mayWrite ? 'write' : 'read',
      access,
      redirectUri,
      challenge,
    })
  },
})

/** The consent page, its form, and the sign-in before it. */
export class Authorization {
  readonly #shown: Tickets<Shown>

  constructor(private readonly parts: Parts) {
    this.#shown = new Tickets(parts.ctx.clock, CONSENT_MS)
  }

  /** Shows the consent page to a signed-in user. */
  show(exchange: Exchange): Promise<Response> {
    return orPage(async () => {
      const { ctx, origin, documents } = this.parts
      const { request, search } = exchange
      const query = new URLSearchParams(search)
      const visitor = addressGroup(exchange.address)
      const returnable = await returnableOf(ctx, documents, query, visitor)
      const checked = checkedRequest(returnable, query, origin, request)
      if ('error' in checked) {
        const { error, sentence } = checked
        return this.#returnError({ ...returnable, issuer: origin.of(request) }, error, sentence, 302)
      }
      const caller = this.#callerOf(request)
      if (caller) return this.#consent(caller, checked, request)
      if (isCrossSite(request)) return reloadPage(`/oauth/authorize?${search}`)
      return redirectTo(`/oauth/sign-in?${search}`, 302)
    })
  }

  /** Shows the sign-in page; its query is that of the request for authorization. */
  showSignIn(exchange: Exchange): Response {
    const { request, search } = exchange
    if (this.#callerOf(request)) return redirectTo(`/oauth/authorize?${search}`, 302)
    const reason = new URLSearchParams(search).get('sign-in')
    const problem = reason === null ? undefined : (PROVIDER_PROBLEMS.get(reason) ?? OTHER_PROBLEM)
    return this.#signInPage(exchange, { problem })
  }

  signIn(exchange: Exchange, body: SentForm): Promise<Response> {
    return orPage(async () => {
      const { ctx, people } = this.parts
      people.rules.checkNotForeign(exchange.request)
      const field = await formIn(exchange, body)
      const [user, password] = [field('user') ?? '', field('password') ?? '']
      try {
        const session = await signIn(ctx, people.failures, { user, password }, people.browserOf(exchange))
        return redirectTo(`/oauth/authorize?${exchange.search}`, 303, people.begin(session))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { message: problem, code, retryAfterSeconds } = error
        return this.#signInPage(exchange, { user, problem, status: STATUS_OF[code], retryAfterSeconds })
      }
    })
  }

  /** Takes the decision of a consent form, and returns to the client with a code or an error. */
  decide(exchange: Exchange, body: SentForm): Promise<Response> {
    return orPage(async () => {
      const { request } = exchange
      this.parts.people.rules.checkNotForeign(request)
      const field = await formIn(exchange, body)
      const shown = this.#shown.take(field('token') ?? '')
      const caller = this.#callerOf(request)
      if (!shown || caller?.sessionId !== shown.sessionId) return expiredPage()
      if (field('decision') === 'deny')
        return this.#returnError(shown, 'access_denied', 'The user did not connect the app.', 303)
      if (field('decision') !== 'allow') throw invalid('The form needs a decision: allow or deny.')
      const code = await this.#codeFor(shown, field, exchange)
      if (code === undefined) return expiredPage()
      const { redirectUri, state, issuer: iss } = shown
      return redirectTo(withParameters(redirectUri, { code, state, iss }), 303)
    })
  }

  #returnError(
    { redirectUri, state, issuer: iss }: Pick<Shown, 'redirectUri' | 'state' | 'issuer'>,
    error: OAuthCode,
    sentence: string,
    status: 302 | 303,
  ): Response {
    return redirectTo(withParameters(redirectUri, { error, error_description: sentence, state, iss }), status)
  }

  /** The session in the cookie. Unlike elsewhere, a link of another site may lead to a page for it. */
  #callerOf(request: Request): Caller | undefined {
    const { cookie, authenticate } = this.parts.people
    const token = cookie.tokenIn(request)
    return token === undefined ? undefined : authenticate(token)
  }

  #signInPage(
    { request, search }: Exchange,
    rest: Omit<Parameters<typeof signInPage>[0], 'search' | 'script' | 'oidcName'>,
  ): Response {
    const { oidc, publicUrls } = this.parts.ctx.config
    const script = { sources: scriptSources(request, publicUrls, '/oauth'), path: '/oauth/sign-in.js' }
    return signInPage({ search, script, oidcName: oidc?.name, ...rest })
  }

  #consent(
    caller: Caller,
    { client, redirectUri, state, challenge, scope }: AuthorizationRequest,
    request: Request,
  ) {
    const { ctx } = this.parts
    const { db } = ctx
    const { userId, workspaceId, sessionId = '' } = caller
    const { pk, name: user } =
      findUserById(db, userId) ?? fail(new Refusal('not_found', 'There is no such user.'))
    const workspaces = listOffered(db, pk, sessionSettings(ctx))
    const token = this.#shown.issue({
      sessionId,
      client: { id: client.id, name: client.name },
      redirectUri,
      state,
      challenge,
      issuer: this.parts.origin.of(request),
    })
    return consentPage({
      client: client.name,
      host: hostOfRedirect(redirectUri),
      user,
      token,
      formTarget: formTargetOf(redirectUri),
      workspaces,
      workspace: workspaceId,
      scope,
      levels: offeredLevels(workspaces),
    })
  }

  /** A code for the chosen workspace, scope and access; undefined if the session has ended. */
  async #codeFor(
    { sessionId, client, redirectUri, challenge }: Shown,
    field: (name: string) => string | undefined,
    exchange: Exchange,
  ): Promise<string | undefined> {
    const { ctx } = this.parts
    const wantsWrite = scopeIn(field('scope')) === 'write'
    const access = accessIn(field) ?? fail(invalid('The form holds an access that does not exist.'))
    const chosen = { workspaceId: field('workspace'), wantsWrite, access }
    return ctx.kernel.call(giveConsent, guestCredential(exchange.address), {
      ...chosen,
      sessionId,
      client,
      redirectUri,
      challenge,
      settings: sessionSettings(ctx),
    })
  }
}

function scopeIn(sent = 'read'): 'read' | 'write' {
  if (sent === 'read' || sent === 'write') return sent
  throw invalid('The form holds a scope that does not exist; choose read or write.')
}

/** The values of a sent form; refuses a name that stands twice. */
async function formIn(exchange: Exchange, body: SentForm): Promise<(name: string) => string | undefined> {
  const { request } = exchange
  const bytes = await body.bytes(addressGroup(exchange.address), MAX_FORM_BYTES)
  const entries = await formEntries(request.headers.get('content-type') ?? '', bytes)
  if (!entries) throw invalid('The form must be sent form-encoded.')
  return (name) => {
    const [value, ...more] = entries.filter(([key]) => key === name).map(([, sent]) => sent)
    if (more.length > 0) throw invalid(`The form holds "${name}" more than once.`)
    return typeof value === 'string' ? value : undefined
  }
}
