import type { HttpServer } from '../../src/http/exchange.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { listMembershipsOf } from '../../src/people/accounts/store.ts'
import { findUser } from '../../src/people/accounts/users.ts'
import { newToken } from '../../src/people/sessions/cookie.ts'
import { insertSession } from '../../src/people/sessions/sessions.ts'
import { createSetupLink } from '../../src/people/sessions/sign-in.ts'
import type { Tx } from '../../src/storage/writes/transaction.ts'
import type { Answer, TestService } from './service.ts'

export const PASSWORD = 'correct horse battery'

/** A headless HTTP client that acts as a browser: it stores the cookie and sends the origin of its requests. */
export interface Browser {
  cookie: string | undefined
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export function browserOf(service: TestService, address = '192.0.2.1'): Browser {
  const server: HttpServer = { requestIP: () => ({ address }), timeout: () => {} }
  /** Cookies other than the session cookie. */
  const others = new Map<string, string>()
  const browser: Browser = {
    cookie: undefined,
    request: async (method, path, body, headers = {}) => {
      const sent: Record<string, string> = { host: 'localhost', 'sec-fetch-site': 'same-origin', ...headers }
      const cookies = [...others].map(([name, value]) => `${name}=${value}`)
      if (browser.cookie !== undefined) cookies.push(browser.cookie)
      if (cookies.length > 0) sent.cookie = cookies.join('; ')
      const response = await service.app.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: sent,
          body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
        }),
        server,
      )
      for (const [pair = ''] of response.headers.getSetCookie().map((line) => line.split(';'))) {
        const [name = '', value = ''] = pair.split('=')
        if (!name.includes('session')) others.set(name, value)
        else browser.cookie = value === '' ? undefined : pair
      }
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    },
  }
  return browser
}

/** Creates a setup link for a user and returns its token. */
export async function setupToken({ ctx }: TestService, user = 'owner'): Promise<string> {
  const pk = findUser(ctx.db, user)?.pk ?? 0
  const { link } = await ctx.db.write((tx) =>
    createSetupLink(tx, { userPk: pk, maker: null }, 'http://localhost'),
  )
  return link.split('#setup=')[1] ?? ''
}

/** A browser in which the user has set the password `PASSWORD` through a setup link. Hashing it is slow. */
export async function setUpIn(service: TestService, user = 'owner', address?: string): Promise<Browser> {
  const browser = browserOf(service, address)
  const token = await setupToken(service, user)
  const { status } = await browser.request('POST', '/app/api/setup', { token, password: PASSWORD })
  if (status !== 200) throw new Error(`the setup of ${user} was answered with ${status}`)
  return browser
}

/** Adds a session for the user and returns its token. */
export function addSession(tx: Tx, user: string): string {
  const token = newToken()
  const userPk = findUser(tx, user)?.pk ?? 0
  const [workspace] = listMembershipsOf(tx, userPk)
  const where = { address: '192.0.2.1', userAgent: 'test' }
  insertSession(tx, {
    hash: sha256(token),
    userPk,
    workspacePk: workspace?.workspacePk ?? 0,
    ...where,
  })
  return token
}

/** A browser with a session of the user, without a password. */
export async function signedIn(
  service: TestService,
  user = 'owner',
  name = 'daybook_session_8787',
): Promise<Browser> {
  const browser = browserOf(service)
  const token = await service.ctx.db.write((tx): string => addSession(tx, user))
  browser.cookie = `${name}=${token}`
  return browser
}
