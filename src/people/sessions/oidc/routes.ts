import type { AppContext, Caller } from '../../../context.ts'
import { hostOf, nameOf } from '../../../http/browser/browser-rules.ts'
import { applicationEndpoints, hiddenEndpoints } from '../../../http/endpoints.ts'
import { unknownPath } from '../../../http/errors.ts'
import { IgnoredQuery, t } from '../../../http/schema/types.ts'
import { fail, unavailable } from '../../../lib/refusal.ts'
import { newToken, type SessionCookie } from '../cookie.ts'
import { unlinkProvider } from '../operations.ts'
import { RemovedResponse, SetupByProviderBody } from '../schema.ts'
import { sessionSettings } from '../sessions.ts'
import type { Browser, NewSession } from '../sign-in.ts'
import { Provider, SignInFailure } from './provider.ts'
import { AT_PROVIDER_SECONDS, locationOf, ProviderSignIn } from './sign-in.ts'

const START = '/app/sign-in/oidc'
const CALLBACK = `${START}/callback`
const SETTINGS = '/app/settings/sign-in'

export interface Browsers {
  /** The cookie of a browser that was redirected to the provider. */
  readonly cookie: SessionCookie
  readonly browserOf: (exchange: { request: Request; address: string }) => Browser
  /** The caller of the session in the cookie. */
  readonly callerOf: (request: Request) => Caller | undefined
  /** The `Set-Cookie` of a new session. */
  readonly begin: (session: NewSession) => string
  readonly checkNotForeign: (request: Request) => void
}

export function redirect(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({
    Location: location,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  })
  for (const cookie of cookies) headers.append('Set-Cookie', cookie)
  return new Response(null, { status: 302, headers })
}

/**
 * The limit of a page's address. It holds the longest request for authorization (`oauth/authorization-request.ts`), and
 * is sent to the provider as an encrypted part of the state.
 */
const MAX_PAGE_LENGTH = 40_000

/** Returns the path if it belongs to a page of the application, otherwise the default. */
function pageOf(path: string | undefined, otherwise: string): string {
  const base = 'http://localhost'
  if (path === undefined || !path.startsWith('/') || !URL.canParse(path, base)) return otherwise
  const { origin, pathname, search } = new URL(path, base)
  const isPage = /^\/(?:app(?!\/(?:api|assets|sign-in)(?:\/|$))(?:\/|$)|oauth\/authorize$)/.test(pathname)
  const page = pathname + search
  return origin === base && isPage && page.length <= MAX_PAGE_LENGTH ? page : otherwise
}

export function providerRoutes(
  ctx: AppContext,
  { cookie, browserOf, callerOf, begin, checkNotForeign }: Browsers,
) {
  const { oidc, publicUrls } = ctx.config
  const settings = sessionSettings(ctx)
  const [home = ''] = publicUrls
  const signIn = oidc && new ProviderSignIn(ctx, new Provider(oidc, `${home}${CALLBACK}`, ctx.clock))
  const getSignIn = () => signIn ?? fail(unknownPath())
  const setCookie = (token: string) => cookie.set(token, AT_PROVIDER_SECONDS)
  return [
    hiddenEndpoints('', 'nothing')
      .get(
        START,
        async ({ exchange, request, query }) => {
          const known = getSignIn()
          if (nameOf(hostOf(request)) !== nameOf(new URL(home).host))
            return redirect(`${home}${START}${exchange.search && `?${exchange.search}`}`)
          const isLink = query.link !== undefined
          const returnTo = pageOf(query.return, isLink ? SETTINGS : '/app')
          // A browser that signs in with the provider in several tabs uses one token for all of them.
          const token = cookie.tokenIn(request) ?? newToken()
          try {
            const site = request.headers.get('sec-fetch-site') ?? 'same-origin'
            if (isLink && site !== 'same-origin') throw new SignInFailure('cross-site')
            const purpose = isLink ? known.linkOf(callerOf(request)) : ({ kind: 'sign-in' } as const)
            const url = await known.begin(purpose, returnTo, token)
            return redirect(url, [setCookie(token)])
          } catch (error) {
            if (error instanceof SignInFailure) return redirect(locationOf(returnTo, error.reason))
            throw error
          }
        },
        {
          open: true,
          query: t.strict({
            return: t.Optional(t.text({ maxLength: MAX_PAGE_LENGTH })),
            link: t.Optional(t.choice(['1'])),
          }),
        },
      )
      .get(
        CALLBACK,
        async ({ exchange, request }) => {
          const ended = await getSignIn().end(exchange.search, cookie.tokenIn(request), browserOf(exchange))
          return redirect(ended.location, ended.session ? [begin(ended.session)] : [])
        },
        { open: true, query: IgnoredQuery },
      ),
    applicationEndpoints('nothing')
      .post(
        '/setup/oidc',
        async ({ request, body }) => {
          const known = getSignIn()
          checkNotForeign(request)
          const token = cookie.tokenIn(request) ?? newToken()
          const purpose = known.setupOf(body.token, body.user)
          const url = await known.begin(purpose, '/app', token).catch((error) => {
            throw error instanceof SignInFailure
              ? unavailable('The provider does not answer; try again, or choose a password.')
              : error
          })
          return Response.json({ url }, { headers: { 'Set-Cookie': setCookie(token) } })
        },
        { open: true, body: SetupByProviderBody, response: t.response({ url: t.String() }) },
      )
      .delete('/oidc', ({ exchange }) => exchange.call(unlinkProvider, { settings }), {
        access: 'session',
        response: RemovedResponse,
      }),
  ]
}
