import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { HttpServer } from '../../../src/http/exchange.ts'
import { type Browser, browserOf, signedIn } from '../../support/browser-client.ts'
import {
  authorizationOf,
  authorizePath,
  callTool,
  connect,
  decide,
  exchange,
  formOf,
  postForm,
  REDIRECT_URI,
  refreshed,
  registered,
  returnedIn,
  tokenOn,
} from '../../support/connected-app.ts'
import { stored, storedValues } from '../../support/database.ts'
import { startService, type TestService } from '../../support/service.ts'

/* Attacks on OAuth: on redirects, PKCE, codes and tokens, the consent page, and registration. */

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

let service: TestService
let browser: Browser
beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  // Registrations are limited by the hour.
  service.clock.advance(3_600_000)
  browser = await signedIn(service)
})
afterAll(() => service.close())

const authorize = (parameters: Record<string, string> | string) =>
  browser.request('GET', typeof parameters === 'string' ? parameters : authorizePath({ parameters }))

describe('redirects', () => {
  const REFUSED = [
    'http://assistant.example/callback',
    'https://user@assistant.example/callback',
    'https://assistant.example/callback#part',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://assistant.example/1',
    'about:blank',
    'vbscript:x',
    'ftp://assistant.example/callback',
    'wss://assistant.example/callback',
    'https:assistant.example',
    'https:///callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'https://assistant.example\\@evil.example/',
    'https://assistant.example/\r\nSet-Cookie: a=b',
    'https://assistant.example/a b',
    '/callback',
    '',
  ]

  test.each(REFUSED)('no client can register %p', async (uri) => {
    const { status, body } = await service
      .as(undefined)
      .post('/oauth/register', { client_name: 'Eve', redirect_uris: [REDIRECT_URI, uri] })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  const OTHERS = [
    'https://assistant.example/callback/',
    'https://assistant.example/Callback',
    'https://assistant.example/callback?more=1',
    'https://assistant.example:8443/callback',
    'https://assistant.example/callback/../callback',
    'https://assistant.example.evil.example/callback',
    'http://127.0.0.1@evil.example/cb',
    'http://127.0.0.1:1@evil.example/cb',
    'http://localhost/cb',
    'http://127.0.0.1/other',
    'cursor://other/callback',
    'https://evil.example/callback',
  ]

  test.each(OTHERS)('a request to return to %s shows an error page and redirects nowhere', async (uri) => {
    const client = await registered(service, {
      redirect_uris: [REDIRECT_URI, 'http://127.0.0.1:5000/cb', 'cursor://anysphere/callback'],
    })
    const { status, headers, body } = await authorize(
      authorizationOf(client, { redirect_uri: uri }).parameters,
    )
    expect([status, headers.get('location')]).toEqual([400, null])
    expect(headers.get('content-type')).toStartWith('text/html')
    expect(body).not.toContain('name="token"')
  })

  test('the port of a loopback address may differ, and is the one that is used', async () => {
    const client = await registered(service, {
      redirect_uris: ['http://127.0.0.1:5000/cb', 'http://[::1]/cb'],
    })
    for (const redirect_uri of ['http://127.0.0.1:61234/cb', 'http://127.0.0.1/cb', 'http://[::1]:7/cb']) {
      const request = authorizationOf(client, { redirect_uri })
      const answer = await decide(browser, request)
      expect(answer.headers.get('location')).toStartWith(`${redirect_uri}?code=`)
      const { code = '' } = returnedIn(answer)
      const elsewhere = await exchange(service, code, request, { redirect_uri: 'http://127.0.0.1:5000/cb' })
      expect(elsewhere.body.error).toBe('invalid_grant')
      expect((await exchange(service, code, request)).status).toBe(200)
    }
  })

  test('an unknown client gets an error page', async () => {
    const { status, headers } = await authorize(authorizationOf('nobody').parameters)
    expect([status, headers.get('location')]).toEqual([400, null])
  })

  test('a repeated client or redirect URI gets an error page', async () => {
    const path = authorizePath(authorizationOf(await registered(service)))
    for (const more of ['client_id=other', 'redirect_uri=https%3A%2F%2Fevil.example%2F']) {
      const { status, headers } = await authorize(`${path}&${more}`)
      expect([status, headers.get('location')]).toEqual([400, null])
    }
  })

  const ERRORS: readonly (readonly [error: string, parameters: Record<string, string>])[] = [
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { response_type: '' }],
    ['invalid_request', { code_challenge: '' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: '' }],
    ['invalid_scope', { scope: 'admin' }],
    ['invalid_target', { resource: 'https://other.example/mcp' }],
    ['invalid_target', { resource: 'http://localhost/v1' }],
    ['invalid_target', { resource: 'http://localhost:8788/mcp' }],
  ]

  test.each(ERRORS)('%s goes back to the client for %p', async (error, parameters) => {
    const sent = Object.fromEntries(
      Object.entries(authorizationOf(await registered(service), parameters).parameters).filter(
        ([, value]) => value !== '',
      ),
    )
    const answer = await authorize(sent)
    expect(answer.status).toBe(302)
    expect(returnedIn(answer)).toMatchObject({ error, state: 'xyz', iss: 'http://localhost' })
  })
})

describe('codes', () => {
  async function codeFor() {
    const request = authorizationOf(await registered(service))
    const { code = '' } = returnedIn(await decide(browser, request))
    return { request, code }
  }

  test('one that comes again revokes what it has issued', async () => {
    const { request, code } = await codeFor()
    const { body } = await exchange(service, code, request)
    expect((await exchange(service, code, request)).body.error).toBe('invalid_grant')
    expect((await callTool(service, body.access_token, 'describe')).status).toBe(401)
    const client = request.parameters.client_id ?? ''
    expect((await refreshed(service, body.refresh_token, client)).body.error).toBe('invalid_grant')
  })

  test('of two uses at once, no more than one gets tokens, and they end', async () => {
    const { request, code } = await codeFor()
    const answers = await Promise.all([exchange(service, code, request), exchange(service, code, request)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const token = answers.find(({ status }) => status === 200)?.body.access_token
    expect((await callTool(service, token, 'describe')).status).toBe(401)
  })

  test('one is valid for 60 seconds', async () => {
    const { request, code } = await codeFor()
    service.clock.advance(60_000)
    expect((await exchange(service, code, request)).body.error).toBe('invalid_grant')
  })

  test('one is worth nothing with another verifier, another client or another redirect URI', async () => {
    const { request, code } = await codeFor()
    const other = await registered(service)
    for (const more of [
      { code_verifier: authorizationOf('x').verifier },
      { code_verifier: request.parameters.code_challenge ?? '' },
      { client_id: other },
      { redirect_uri: 'https://evil.example/' },
    ] as Record<string, string>[]) {
      const { status, body } = await exchange(service, code, request, more)
      expect([status, body.error]).toEqual([400, 'invalid_grant'])
    }
    expect((await exchange(service, code, request)).status).toBe(200)
  })

  test('one of a member who is removed meanwhile is worth nothing', async () => {
    await service.newKey({ user: 'Bob' })
    const bob = await signedIn(service, 'Bob')
    const request = authorizationOf(await registered(service))
    const { code = '' } = returnedIn(await decide(bob, request))
    const { members } = (await browser.request('GET', '/app/api/members')).body
    const { user_id } = members.find(({ name }: { name: string }) => name === 'Bob')
    await browser.request('DELETE', `/app/api/members/${user_id}`)
    expect((await exchange(service, code, request)).body.error).toBe('invalid_grant')
  })
})

describe('refresh tokens', () => {
  test('one that was rotated and comes again ends the whole grant', async () => {
    const { client, refresh } = await connect(service, browser)
    const second = (await refreshed(service, refresh, client)).body
    expect((await callTool(service, second.access_token, 'describe')).status).toBe(200)
    expect((await refreshed(service, refresh, client)).body.error).toBe('invalid_grant')
    expect((await callTool(service, second.access_token, 'describe')).status).toBe(401)
    expect((await refreshed(service, second.refresh_token, client)).body.error).toBe('invalid_grant')
  })

  test('one serves no other client, and cannot widen the scope', async () => {
    const { client, refresh } = await connect(service, browser)
    const other = await registered(service)
    expect((await refreshed(service, refresh, other)).body.error).toBe('invalid_grant')
    expect((await refreshed(service, refresh, client, { scope: 'write' })).body.error).toBe('invalid_scope')
    expect((await refreshed(service, refresh, client, { scope: 'read' })).status).toBe(200)
  })
})

describe('the token endpoint', () => {
  const BAD: readonly (readonly [error: string, parameters: string])[] = [
    ['invalid_request', ''],
    ['unsupported_grant_type', 'grant_type=password&client_id=x'],
    ['invalid_request', 'grant_type=authorization_code&client_id=x'],
    ['invalid_request', 'grant_type=refresh_token&client_id=x'],
    ['invalid_request', 'grant_type=refresh_token&refresh_token=a&refresh_token=b&client_id=x'],
    ['invalid_request', 'grant_type=refresh_token&refresh_token=a'],
    ['invalid_client', 'grant_type=refresh_token&refresh_token=a&client_id=x'],
  ]

  test.each(BAD)('answers %s to "%s"', async (error, parameters) => {
    const { status, body } = await postForm(service, '/oauth/token', parameters)
    expect([status, body]).toEqual([
      error === 'invalid_client' ? 401 : 400,
      { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
    ])
  })

  test('takes no JSON, and no other resource', async () => {
    const json = await service.as(undefined).post('/oauth/token', { grant_type: 'refresh_token' })
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request'])
    const { client, refresh } = await connect(service, browser)
    const resource = 'https://other.example/mcp'
    const { body } = await refreshed(service, refresh, client, { resource })
    expect(body.error).toBe('invalid_target')
    const loopback = await refreshed(service, refresh, client, { resource: 'http://127.0.0.1/mcp' })
    expect(loopback.status).toBe(200)
  })

  test('errors of the path have the format of OAuth, too', async () => {
    const wrongMethod = await service.as(undefined).get('/oauth/token')
    expect([wrongMethod.status, wrongMethod.body.error]).toEqual([405, 'invalid_request'])
    const wrongHost = await postForm(service, '/oauth/token', {}, { host: 'evil.example' })
    expect([wrongHost.status, wrongHost.body.error]).toEqual([421, 'invalid_request'])
  })
})

test('the sign-in page shows its own sentences only, whatever the reason in the address', async () => {
  for (const reason of ['failed', 'constructor', '__proto__', '<b>']) {
    const { status, body } = await service.as(undefined).get(`/oauth/sign-in?sign-in=${reason}`)
    expect([status, body]).toEqual([
      200,
      expect.stringContaining('Signing in with the provider did not work'),
    ])
  }
})

test('under another host, none of the paths answers', async () => {
  for (const path of [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/oauth/authorize',
    '/oauth/sign-in',
  ]) {
    const { status } = await service
      .as(undefined)
      .request('GET', path, undefined, { host: 'rebound.example' })
    expect([path, status]).toEqual([path, 421])
  }
})

test.each(['localhost:99999', 'localhost:1x', '[localhost]', '[127.0.0.1]:8787'])(
  'a host that no URL can have is refused: %s',
  async (host) => {
    const parameters = {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: 'https://assistant.example/client.json',
      resource: 'http://localhost/mcp',
    }
    const { status, body } = await postForm(service, '/oauth/token', parameters, { host })
    expect([status, body.error]).toEqual([421, 'invalid_request'])
  },
)

test('the origin is canonical, however the host is written', async () => {
  const { body } = await service
    .as(undefined)
    .request('GET', '/.well-known/oauth-protected-resource', undefined, { host: 'LOCALHOST:80' })
  expect(body.resource).toBe('http://localhost/mcp')
})

describe('the consent form', () => {
  const send = (fields: Record<string, string>, headers = {}, from = browser) =>
    from.request('POST', '/oauth/authorize', formOf({ decision: 'allow', ...fields }), {
      ...FORM,
      ...headers,
    })

  async function shownToken() {
    const { body } = await authorize(authorizationOf(await registered(service)).parameters)
    return tokenOn(body)
  }

  test('needs its token, once, in the session that it was shown to', async () => {
    const token = await shownToken()
    await service.newKey({ user: 'Mallory' })
    const mallory = await signedIn(service, 'Mallory')
    const signedOut = browserOf(service)
    const bad = [
      await send({}),
      await send({ token: 'forged' }),
      await send({ token: await shownToken() }, {}, mallory),
      await send({ token: await shownToken() }, {}, signedOut),
    ]
    expect((await send({ token })).status).toBe(303)
    bad.push(await send({ token }))
    for (const { status, headers } of bad)
      expect([status, headers.get('location'), headers.get('content-type')]).toEqual([
        403,
        null,
        'text/html; charset=utf-8',
      ])
  })

  test('is taken from no other site', async () => {
    const token = await shownToken()
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ])
      expect((await send({ token }, headers)).status).toBe(403)
  })

  test('gives no workspace that the person does not belong to, and no level that does not exist', async () => {
    const { body } = await service.as(await service.newWorkspace('Secret')).get('/v1/me')
    const secret: string = body.workspace_id
    for (const fields of [
      { workspace: secret },
      { scope: 'admin' },
      { 'access.notes': 'add' },
      { 'access.structures': 'all' },
      { decision: 'perhaps' },
    ] as Record<string, string>[]) {
      const { status, headers } = await send({ token: await shownToken(), ...fields })
      expect([fields, status, headers.get('location')]).toEqual([fields, 400, null])
    }
  })
})

describe('registration', () => {
  const from = (address: string): HttpServer => ({ requestIP: () => ({ address }), timeout: () => {} })
  const register = (
    address: string,
    body: unknown = { redirect_uris: [REDIRECT_URI] },
    { app }: Pick<TestService, 'app'> = service,
  ) =>
    app.fetch(
      new Request('http://localhost/oauth/register', { method: 'POST', body: JSON.stringify(body) }),
      from(address),
    )

  test.each([
    [{ client_name: 'No URIs' }, 'invalid_redirect_uri'],
    [{ client_name: 'x', redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ client_name: 7, redirect_uris: [REDIRECT_URI] }, 'invalid_client_metadata'],
    [{ client_name: 'a\u202eb', redirect_uris: [REDIRECT_URI] }, 'invalid_client_metadata'],
    [{ client_name: 'x'.repeat(201), redirect_uris: [REDIRECT_URI] }, 'invalid_client_metadata'],
    [[], 'invalid_client_metadata'],
    ['text', 'invalid_client_metadata'],
  ])('refuses %p', async (body, error) => {
    const response = await register('192.0.2.50', body)
    expect([response.status, await response.json()]).toEqual([
      400,
      { error, error_description: expect.any(String) },
    ])
  })

  test('is limited to 20 an hour for each address, or /64', async () => {
    for (let count = 0; count < 20; count++) expect((await register(`2001:db8::${count}`)).status).toBe(201)
    const refused = await register('2001:db8::ffff')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600'])
    expect((await register('2001:db8:1::1')).status).toBe(201)
    service.clock.advance(3_600_000)
    expect((await register('2001:db8::1')).status).toBe(201)
  })

  test('ends at 1,000 clients; those never used make room after a day', async () => {
    const flooded = await startService()
    const anyone = flooded.as(undefined)
    const body = { redirect_uris: [REDIRECT_URI] }
    for (let network = 1; network <= 1_000; network++)
      expect((await register(`2001:db8:${network}::1`, body, flooded)).status).toBe(201)
    const full = await anyone.post('/oauth/register', body)
    expect([full.status, full.body.error]).toEqual([503, 'temporarily_unavailable'])
    flooded.clock.advance(86_400_000)
    expect((await anyone.post('/oauth/register', body)).status).toBe(201)
    flooded.close()
  })

  test('of a client that is never used ends after a day; of a used one it does not', async () => {
    const [unused, { client }] = [await registered(service), await connect(service, browser)]
    service.clock.advance(86_400_000)
    browser = await signedIn(service)
    expect((await authorize(authorizationOf(unused).parameters)).status).toBe(400)
    expect((await authorize(authorizationOf(client).parameters)).status).toBe(200)
  })
})

test('secrets are stored as hashes, and stand in no log line', async () => {
  const { code, access, refresh } = await connect(service, browser)
  await callTool(service, access, 'describe')
  const tables = storedValues<string>(
    service,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'",
  )
  const rows = JSON.stringify(tables.map((table) => stored(service, `SELECT * FROM "${table}"`)))
  const logged = JSON.stringify(service.logged())
  for (const secret of [code, access, refresh, refresh.slice(0, 47)])
    expect([rows.includes(secret), logged.includes(secret)]).toEqual([false, false])
})

test('two servers on one host do not know the tokens and clients of each other', async () => {
  const other = await startService()
  const { client, access, refresh } = await connect(service, browser)
  expect((await callTool(other, access, 'describe')).status).toBe(401)
  expect((await refreshed(other, refresh, client)).body.error).toBe('invalid_client')
  other.close()
})
