import { createHash } from 'node:crypto'
import { listMembershipsOf } from '../../src/people/accounts/store.ts'
import { getUser } from '../../src/people/accounts/users.ts'
import { exchangeCode, issueCode } from '../../src/people/oauth/tokens.ts'
import { newToken } from '../../src/people/sessions/cookie.ts'
import type { Tx } from '../../src/storage/writes/transaction.ts'
import type { Browser } from './browser-client.ts'
import type { Answer, TestService } from './service.ts'

/* A client of OAuth, and the person who connects it, against a service in memory. */

export const REDIRECT_URI = 'https://assistant.example/callback'

type Parameters = Record<string, string>

export const formOf = (parameters: Parameters) =>
  new TextEncoder().encode(`${new URLSearchParams(parameters)}`)
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Sends a form without a session, as clients do. */
export const postForm = (
  { app }: Pick<TestService, 'app'>,
  path: string,
  parameters: Parameters | string,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  answerOf(
    app.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { ...FORM, ...headers },
        body: typeof parameters === 'string' ? parameters : `${new URLSearchParams(parameters)}`,
      }),
    ),
  )

async function answerOf(sent: Response | Promise<Response>): Promise<Answer> {
  const response = await sent
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

export async function registered(service: TestService, metadata: object = {}): Promise<string> {
  const { body } = await service
    .as(undefined)
    .post('/oauth/register', { client_name: 'Assistant', redirect_uris: [REDIRECT_URI], ...metadata })
  return body.client_id
}

export interface Request {
  readonly verifier: string
  readonly parameters: Parameters
}

/** A request for authorization with PKCE. */
export function authorizationOf(client_id: string, more: Parameters = {}): Request {
  const verifier = newToken()
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'xyz',
    ...more,
  }
  return { verifier, parameters }
}

export const authorizePath = ({ parameters }: Pick<Request, 'parameters'>) =>
  `/oauth/authorize?${new URLSearchParams(parameters)}`

/** The one-time token on a consent page. */
export const tokenOn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? ''

/** Shows the consent page to a signed-in person and sends its form. */
export async function decide(browser: Browser, request: Request, choice: Parameters = {}): Promise<Answer> {
  const { body: page } = await browser.request('GET', authorizePath(request))
  return browser.request(
    'POST',
    '/oauth/authorize',
    formOf({ decision: 'allow', ...choice, token: tokenOn(page) }),
    FORM,
  )
}

/** The parameters that a redirect brings to the client. */
export const returnedIn = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)

export const exchange = (
  service: TestService,
  code: string,
  { verifier, parameters }: Request,
  more: Parameters = {},
): Promise<Answer> =>
  postForm(service, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: parameters.client_id ?? '',
    redirect_uri: parameters.redirect_uri ?? '',
    ...more,
  })

export const refreshed = (
  service: TestService,
  refresh_token: string,
  client_id: string,
  more: Parameters = {},
) => postForm(service, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id, ...more })

export interface Connected {
  readonly client: string
  readonly request: Request
  readonly code: string
  readonly access: string
  readonly refresh: string
  readonly scope: string
}

/** Registers a client and connects it for the person in the browser. */
export async function connect(
  service: TestService,
  browser: Browser,
  choice: Parameters = {},
  metadata: object = {},
): Promise<Connected> {
  const client = await registered(service, metadata)
  const request = authorizationOf(client)
  const { code = '' } = returnedIn(await decide(browser, request, choice))
  const { body } = await exchange(service, code, request)
  return { client, request, code, access: body.access_token, refresh: body.refresh_token, scope: body.scope }
}

const MCP = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
}

/** Calls a tool of `/mcp` with a bearer token. */
export const callTool = (service: TestService, token: string | undefined, name: string, input: object = {}) =>
  service
    .as(token)
    .request(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
      MCP,
    )

/** The id of the client of `connectApp`. */
export const CLIENT = 'https://assistant.example/client.json'

/** Connects an app for a user in their first workspace, without requests; its use is already recorded. */
export const connectApp = ({ ctx }: TestService, user: string) => ctx.db.write((tx) => connectAppIn(tx, user))

/** The same in a transaction of the caller. */
export function connectAppIn(
  tx: Tx,
  user: string,
): { id: string; accessToken: string; refreshToken: string } {
  const { pk } = getUser(tx, user)
  const [membership] = listMembershipsOf(tx, pk)
  const { verifier, parameters } = authorizationOf(CLIENT)
  const code = issueCode(tx, {
    workspace: membership?.workspacePk ?? 0,
    user: pk,
    client: CLIENT,
    name: 'Assistant',
    host: 'assistant.example',
    scope: 'write',
    access: null,
    redirectUri: REDIRECT_URI,
    challenge: parameters.code_challenge ?? '',
  })
  const tokens = exchangeCode(tx, { code, client: CLIENT, redirectUri: REDIRECT_URI, verifier })
  if (typeof tokens === 'string') throw new Error(`the code gives no tokens: ${tokens}`)
  const { sql, now } = tx
  const { id } = sql.get<{ id: string }>('SELECT id FROM connected_apps ORDER BY pk DESC LIMIT 1') ?? {
    id: '',
  }
  sql.run('UPDATE connected_apps SET last_used_at = ? WHERE id = ?', now, id)
  return { id, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken }
}
