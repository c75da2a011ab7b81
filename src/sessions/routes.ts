import type { AppContext, Caller } from '../context.ts'
import type { BrowserRules } from '../http/browser/browser-rules.ts'
import { applicationEndpoints } from '../http/endpoints.ts'
import type { Exchange } from '../http/exchange.ts'
import type { SessionCookie } from './cookie.ts'
import { FailedSignIns } from './failed-sign-ins.ts'
import { presentListedSession, presentSession } from './present.ts'
import * as schema from './schema.ts'
import { endSession, enterWorkspace, LONGEST_SECONDS, listSessions } from './sessions.ts'
import { type Browser, changePassword, type NewSession, setUp, signIn } from './sign-in.ts'

const MAX_USER_AGENT = 500

function browserOf({ request, server }: Exchange): Browser {
  return {
    address: server.requestIP(request)?.address ?? 'unknown',
    userAgent: (request.headers.get('user-agent') ?? '').slice(0, MAX_USER_AGENT),
  }
}

const withCookie = (body: object, cookie: string): Response =>
  Response.json(body, { headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } })

/** Signing in and out, and the sessions of who is signed in. */
export function sessionFeatures(ctx: AppContext, cookie: SessionCookie, rules: BrowserRules) {
  const failures = new FailedSignIns(ctx)
  const begun = ({ sessionId, token }: NewSession): Response =>
    withCookie(presentSession(ctx, sessionId), cookie.set(token, LONGEST_SECONDS))
  const current = ({ sessionId = '' }: Caller) => presentSession(ctx, sessionId)
  return [
    applicationEndpoints()
      .post(
        '/setup',
        async ({ exchange, request, body }) => {
          rules.checkNotForeign(request)
          return begun(await setUp(ctx, body, browserOf(exchange)))
        },
        {
          open: true,
          body: schema.SetupBody,
          response: schema.SessionResponse,
        },
      )
      .post(
        '/session',
        async ({ exchange, request, body }) => {
          rules.checkNotForeign(request)
          return begun(await signIn(ctx, failures, body, browserOf(exchange)))
        },
        {
          open: true,
          body: schema.SignInBody,
          response: schema.SessionResponse,
        },
      ),
    applicationEndpoints()
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
        {
          access: 'session',
          body: schema.EnterWorkspaceBody,
          response: schema.SessionResponse,
        },
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
        {
          access: 'session',
          response: schema.SessionsResponse,
        },
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
        {
          access: 'session',
          body: schema.PasswordBody,
          response: schema.ChangedResponse,
        },
      ),
  ]
}
