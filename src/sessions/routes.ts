import type { AppContext, Caller } from '../context.ts'
import type { BrowserRules } from '../http/browser/browser-rules.ts'
import { type RequestContext, sessionRoutes, signInRoutes } from '../http/routes.ts'
import type { SessionCookie } from './cookie.ts'
import { FailedSignIns } from './failed-sign-ins.ts'
import { presentListedSession, presentSession } from './present.ts'
import * as schema from './schema.ts'
import { endSession, enterWorkspace, LONGEST_SECONDS, listSessions } from './sessions.ts'
import { type Browser, changePassword, type NewSession, setUp, signIn } from './sign-in.ts'

const MAX_USER_AGENT = 500

function browserOf({ request, server }: RequestContext): Browser {
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
    signInRoutes()
      .post(
        '/setup',
        'setUp',
        'Set a password with a setup link, and sign in',
        async (request) => {
          rules.checkNotForeign(request.request)
          return begun(await setUp(ctx, request.body, browserOf(request)))
        },
        { body: schema.SetupBody, response: schema.SessionResponse },
      )
      .post(
        '/session',
        'signIn',
        'Sign in',
        async (request) => {
          rules.checkNotForeign(request.request)
          return begun(await signIn(ctx, failures, request.body, browserOf(request)))
        },
        { body: schema.SignInBody, response: schema.SessionResponse },
      ),
    sessionRoutes()
      .get('/session', 'getSession', 'Who is signed in', ({ caller }) => current(caller), {
        response: schema.SessionResponse,
      })
      .patch(
        '/session',
        'enterWorkspace',
        'Look into another workspace',
        async ({ caller, body }) => {
          await enterWorkspace(ctx, caller, body.workspace_id)
          return current(caller)
        },
        { body: schema.EnterWorkspaceBody, response: schema.SessionResponse },
      )
      .delete(
        '/session',
        'signOut',
        'Sign out',
        async ({ caller }) => {
          await endSession(ctx, caller, caller.sessionId ?? '')
          return withCookie({ signed_out: true }, cookie.clear())
        },
        { response: schema.SignedOutResponse },
      )
      .get(
        '/sessions',
        'listSessions',
        'The sessions of who is signed in',
        ({ caller }) => ({
          sessions: listSessions(ctx, caller).map((row) => presentListedSession(row, caller)),
        }),
        { response: schema.SessionsResponse },
      )
      .delete(
        '/sessions/:id',
        'endSession',
        'End a session',
        async ({ caller, params }) => ({
          deleted: true as const,
          id: await endSession(ctx, caller, params.id),
        }),
        { response: schema.DeletedResponse },
      )
      .patch(
        '/password',
        'changePassword',
        'Change the password',
        async (request) => {
          await changePassword(ctx, failures, request.caller, request.body, browserOf(request))
          return { changed: true as const }
        },
        { body: schema.PasswordBody, response: schema.ChangedResponse },
      ),
  ]
}
