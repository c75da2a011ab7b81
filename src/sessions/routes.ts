import { presentPasskey } from '../account/store.ts'
import { getUser } from '../account/users.ts'
import type { AppContext, Caller } from '../context.ts'
import type { BrowserRules } from '../http/browser/browser-rules.ts'
import { applicationEndpoints, hiddenEndpoints } from '../http/endpoints.ts'
import type { Exchange } from '../http/exchange.ts'
import { unknownPath } from '../http/pipeline.ts'
import { sha256 } from '../lib/sha256.ts'
import { atPlace, invalid } from '../refusal.ts'
import type { SessionCookie } from './cookie.ts'
import { FailedSignIns } from './failed-sign-ins.ts'
import { providerRoutes, redirect } from './oidc/routes.ts'
import { Passkeys } from './passkeys.ts'
import * as schema from './schema.ts'
import {
  endSession,
  enterWorkspace,
  LONGEST_SECONDS,
  listSessions,
  presentListedSession,
  presentSession,
} from './sessions.ts'
import {
  type Browser,
  beginSession,
  changePassword,
  type NewSession,
  presentSetup,
  removePassword,
  setUp,
  signIn,
} from './sign-in.ts'

const MAX_USER_AGENT = 500

const browserOf = ({ request, address }: Pick<Exchange, 'request' | 'address'>): Browser => ({
  address,
  userAgent: (request.headers.get('user-agent') ?? '').slice(0, MAX_USER_AGENT),
})

function namedPair({ user, password }: { user?: string; password?: string }) {
  if (user === undefined) throw invalid('"user" is required.', atPlace('user'))
  if (password === undefined) throw invalid('"password" is required.', atPlace('password'))
  return { user, password }
}

const withCookie = (body: object, cookie: string): Response =>
  Response.json(body, { headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } })

/** Signing in and out, the sessions of who is signed in, and how they sign in. `port` is where the server listens. */
export function sessionFeatures(
  ctx: AppContext,
  cookies: { readonly session: SessionCookie; readonly provider: SessionCookie },
  authenticate: (token: string) => Caller | undefined,
  rules: BrowserRules,
  port: () => number,
) {
  const { session: cookie, provider } = cookies
  const failures = new FailedSignIns(ctx)
  const passkeys = new Passkeys(ctx, failures, port)
  const begin = ({ token }: NewSession): string => cookie.set(token, LONGEST_SECONDS)
  const begun = (session: NewSession): Response =>
    withCookie(presentSession(ctx, session.sessionId), begin(session))
  const current = ({ sessionId = '' }: Caller) => presentSession(ctx, sessionId)
  return [
    applicationEndpoints('nothing')
      .post(
        '/setup',
        async ({ exchange, request, body }) => {
          rules.checkNotForeign(request)
          return begun(await setUp(ctx, body, browserOf(exchange)))
        },
        { open: true, body: schema.SetupBody, response: schema.SessionResponse },
      )
      .post(
        '/setup/sign-in',
        ({ request, body }) => {
          rules.checkNotForeign(request)
          return presentSetup(ctx, body.token)
        },
        { open: true, body: schema.SetupLinkBody, response: schema.SetupUserResponse },
      )
      .post(
        '/session',
        async ({ exchange, request, body }) => {
          rules.checkNotForeign(request)
          const browser = browserOf(exchange)
          const { user, password, passkey } = body
          if (passkey === undefined) return begun(await signIn(ctx, failures, namedPair(body), browser))
          if (user !== undefined || password !== undefined)
            throw invalid('Send either "passkey", or "user" and "password".')
          return begun(await passkeys.signIn(passkey, request, browser))
        },
        { open: true, body: schema.SignInBody, response: schema.SessionResponse },
      )
      .post(
        '/session/options',
        ({ request }) => {
          rules.checkNotForeign(request)
          return passkeys.requestOptions(request)
        },
        { open: true, response: schema.OptionsResponse },
      )
      .get('/sign-in', () => ({ oidc_name: ctx.config.oidc?.name ?? null }), {
        open: true,
        response: schema.SignInResponse,
      }),
    ...demoRoutes(ctx, begin),
    ...providerRoutes(ctx, {
      cookie: provider,
      browserOf,
      callerOf: (request) => {
        const token = cookie.tokenIn(request)
        return token === undefined ? undefined : authenticate(token)
      },
      begin,
      checkNotForeign: rules.checkNotForeign,
    }),
    applicationEndpoints('nothing')
      .get('/session', ({ caller }) => current(caller), {
        access: 'session',
        response: schema.SessionResponse,
      })
      .patch(
        '/session',
        async ({ caller, body }) => {
          await enterWorkspace(ctx, caller, body.workspace_id)
          return current(caller)
        },
        { access: 'session', body: schema.EnterWorkspaceBody, response: schema.SessionResponse },
      )
      .delete(
        '/session',
        async ({ caller }) => {
          await endSession(ctx, caller, caller.sessionId ?? '')
          return withCookie({ signed_out: true }, cookie.clear())
        },
        { access: 'session', response: schema.SignedOutResponse },
      )
      .get(
        '/sessions',
        ({ caller }) => ({
          sessions: listSessions(ctx, caller).map((row) => presentListedSession(row, caller)),
        }),
        { access: 'session', response: schema.SessionsResponse },
      )
      .delete(
        '/sessions/:id',
        async ({ caller, params }) => ({
          deleted: true as const,
          id: await endSession(ctx, caller, params.id),
        }),
        { access: 'session', response: schema.DeletedResponse },
      )
      .patch(
        '/password',
        async ({ exchange, caller, body }) => {
          await changePassword(ctx, failures, caller, body, browserOf(exchange))
          return { changed: true as const }
        },
        { access: 'session', body: schema.PasswordBody, response: schema.ChangedResponse },
      )
      .delete(
        '/password',
        async ({ caller }) => {
          await removePassword(ctx, caller)
          return { removed: true as const }
        },
        { access: 'session', response: schema.RemovedResponse },
      )
      .post('/passkeys/options', ({ request, caller }) => passkeys.creationOptions(caller, request), {
        access: 'session',
        response: schema.OptionsResponse,
      })
      .get('/passkeys', ({ caller }) => ({ passkeys: passkeys.list(caller).map(presentPasskey) }), {
        access: 'session',
        response: schema.PasskeysResponse,
      })
      .post(
        '/passkeys',
        async ({ request, caller, body, status }) =>
          status(201, { passkey: presentPasskey(await passkeys.add(caller, body, request)) }),
        { access: 'session', body: schema.NewPasskeyBody, response: { 201: schema.PasskeyResponse } },
      )
      .patch(
        '/passkeys/:id',
        async ({ caller, params, body }) => ({
          passkey: presentPasskey(await passkeys.rename(caller, params.id, body.name)),
        }),
        { access: 'session', body: schema.PasskeyNameBody, response: schema.PasskeyResponse },
      )
      .delete(
        '/passkeys/:id',
        async ({ caller, params }) => ({
          deleted: true as const,
          id: await passkeys.remove(caller, params.id),
        }),
        { access: 'session', response: schema.DeletedResponse },
      ),
  ]
}

export const DEMO_PATH = '/app/demo'

/** The link of a demo signs in without a password, as often as it is opened; another server has none. */
function demoRoutes(ctx: AppContext, begin: (session: NewSession) => string) {
  const { demo } = ctx.config
  if (!demo) return []
  const hash = sha256(demo.token)
  return [
    hiddenEndpoints('', 'nothing').get(
      `${DEMO_PATH}/:token`,
      async ({ exchange, params }) => {
        if (sha256(params.token) !== hash) throw unknownPath()
        const session = await ctx.db.write((tx) =>
          beginSession(ctx, tx, getUser(tx, demo.user).pk, browserOf(exchange), unknownPath),
        )
        return redirect('/app', [begin(session)])
      },
      { open: true },
    ),
  ]
}
