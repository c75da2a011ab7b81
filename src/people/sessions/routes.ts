import type { AppContext, Caller } from '../../context.ts'
import type { BrowserRules } from '../../http/browser/browser-rules.ts'
import { applicationEndpoints, hiddenEndpoints } from '../../http/endpoints.ts'
import { unknownPath } from '../../http/errors.ts'
import type { Exchange } from '../../http/exchange.ts'
import { guestCredential } from '../../kernel/call.ts'
import { atPlace, invalid } from '../../lib/refusal.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { SessionCookie } from './cookie.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { addMember, changeMember, createMemberLink, listWorkspaceMembers, removeMember } from './members.ts'
import { providerRoutes, redirect } from './oidc/routes.ts'
import {
  addPasskey,
  endSession,
  enterWorkspace,
  listPasskeys,
  listSessions,
  readSession,
  removePasskey,
  removePassword,
  renamePasskey,
  setPassword,
} from './operations.ts'
import { Passkeys } from './passkeys.ts'
import * as schema from './schema.ts'
import { LONGEST_SECONDS, presentSession, sessionSettings } from './sessions.ts'
import {
  type Browser,
  enterDemo,
  hashNewPassword,
  type NewSession,
  presentSetup,
  setUp,
  signIn,
} from './sign-in.ts'

const MAX_USER_AGENT = 500

export const browserOf = ({ request, address }: Pick<Exchange, 'request' | 'address'>): Browser => ({
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

/**
 * Signing in and out, the sessions of the signed-in user, and their sign-in options. `port` returns the listening port.
 */
export function sessionFeatures(
  ctx: AppContext,
  cookies: { readonly session: SessionCookie; readonly provider: SessionCookie },
  authenticate: (token: string) => Caller | undefined,
  rules: BrowserRules,
  failures: FailedSignIns,
  port: () => number,
) {
  const { session: cookie, provider } = cookies
  const settings = sessionSettings(ctx)
  const passkeys = new Passkeys(ctx, failures, port)
  const begin = ({ token }: NewSession): string => cookie.set(token, LONGEST_SECONDS)
  const begun = (session: NewSession): Response =>
    withCookie(presentSession(ctx.db, settings, session.sessionId), begin(session))
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
      .get('/session', ({ exchange }) => exchange.call(readSession, { settings }), {
        access: 'session',
        response: schema.SessionResponse,
      })
      .patch('/session', ({ exchange, body }) => exchange.call(enterWorkspace, { body, settings }), {
        access: 'session',
        body: schema.EnterWorkspaceBody,
        response: schema.SessionResponse,
      })
      .delete(
        '/session',
        async ({ exchange, caller }) => {
          await exchange.outputOf(endSession, { id: caller.sessionId ?? '' })
          return withCookie({ signed_out: true }, cookie.clear())
        },
        { access: 'session', response: schema.SignedOutResponse },
      )
      .get('/sessions', ({ exchange }) => exchange.call(listSessions, {}), {
        access: 'session',
        response: schema.SessionsResponse,
      })
      .delete('/sessions/:id', ({ exchange, params }) => exchange.call(endSession, params), {
        access: 'session',
        response: schema.DeletedResponse,
      })
      .patch(
        '/password',
        async ({ exchange, caller, body }) =>
          exchange.call(setPassword, await hashNewPassword(ctx, failures, caller, body, browserOf(exchange))),
        { access: 'session', body: schema.PasswordBody, response: schema.ChangedResponse },
      )
      .delete('/password', ({ exchange }) => exchange.call(removePassword, { settings }), {
        access: 'session',
        response: schema.RemovedResponse,
      })
      .post('/passkeys/options', ({ request, caller }) => passkeys.creationOptions(caller, request), {
        access: 'session',
        response: schema.OptionsResponse,
      })
      .get('/passkeys', ({ exchange }) => exchange.call(listPasskeys, {}), {
        access: 'session',
        response: schema.PasskeysResponse,
      })
      .post(
        '/passkeys',
        async ({ exchange, request, caller, body }) =>
          exchange.call(addPasskey, { passkey: await passkeys.verifiedNew(caller, body, request) }, 201),
        { access: 'session', body: schema.NewPasskeyBody, response: { 201: schema.PasskeyResponse } },
      )
      .patch(
        '/passkeys/:id',
        ({ exchange, params, body }) => exchange.call(renamePasskey, { ...params, body }),
        { access: 'session', body: schema.PasskeyNameBody, response: schema.PasskeyResponse },
      )
      .delete(
        '/passkeys/:id',
        ({ exchange, params }) => exchange.call(removePasskey, { ...params, settings }),
        { access: 'session', response: schema.DeletedResponse },
      ),
    memberRoutes(ctx),
  ]
}

function memberRoutes(ctx: AppContext) {
  const settings = sessionSettings(ctx)
  const originOf = (request: Request) => ctx.config.publicUrls[0] ?? new URL(request.url).origin
  return applicationEndpoints('nothing')
    .get('/members', ({ exchange }) => exchange.call(listWorkspaceMembers, { settings }), {
      access: 'session',
      response: schema.MembersResponse,
    })
    .post(
      '/members',
      ({ exchange, request, body }) =>
        exchange.call(addMember, { body, origin: originOf(request), settings }, 201),
      {
        access: 'session-owner',
        secret: true,
        body: schema.NewMemberBody,
        response: { 201: schema.NewMemberResponse },
      },
    )
    .patch(
      '/members/:userId',
      ({ exchange, params, body }) => exchange.call(changeMember, { ...params, body, settings }),
      { access: 'session-owner', body: schema.MemberPatch, response: schema.MemberResponse },
    )
    .delete('/members/:userId', ({ exchange, params }) => exchange.call(removeMember, params), {
      access: 'session-owner',
      response: schema.DeletedResponse,
    })
    .post(
      '/members/:userId/link',
      ({ exchange, request, params }) =>
        exchange.call(createMemberLink, { ...params, origin: originOf(request) }, 201),
      { access: 'session-owner', secret: true, response: { 201: schema.LinkResponse } },
    )
}

export const DEMO_PATH = '/app/demo'

/** The link of a demo server signs in without a password, any number of times; other servers have no such link. */
function demoRoutes(ctx: AppContext, begin: (session: NewSession) => string) {
  const { demo } = ctx.config
  if (!demo) return []
  const hash = sha256(demo.token)
  return [
    hiddenEndpoints('', 'nothing').get(
      `${DEMO_PATH}/:token`,
      async ({ exchange, params }) => {
        if (sha256(params.token) !== hash) throw unknownPath()
        const browser = browserOf(exchange)
        const input = { user: demo.user, browser, settings: sessionSettings(ctx) }
        const session = await ctx.kernel.call(enterDemo, guestCredential(browser.address), input)
        return redirect('/app/notes/today', [begin(session)])
      },
      { open: true },
    ),
  ]
}
