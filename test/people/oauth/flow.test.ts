import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Browser, setUpIn, signedIn } from '../../support/browser-client.ts'
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
import { startService, type TestService } from '../../support/service.ts'

/* The flow of OAuth as a well-behaved client and person go through it. */

let service: TestService
let browser: Browser
beforeAll(async () => {
  service = await startService()
  browser = await signedIn(service)
})
afterAll(() => service.close())

const anonymous = () => service.as(undefined)

describe('metadata', () => {
  const RESOURCE = {
    resource: 'http://localhost/mcp',
    authorization_servers: ['http://localhost'],
    scopes_supported: ['read', 'write'],
    bearer_methods_supported: ['header'],
    resource_name: 'daybook',
  }

  test.each(['', '/mcp'])('describes the resource at …%s', async (suffix) => {
    const { status, headers, body } = await anonymous().get(`/.well-known/oauth-protected-resource${suffix}`)
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(body).toEqual(RESOURCE)
  })

  test('describes the authorization server', async () => {
    const { body, headers } = await anonymous().get('/.well-known/oauth-authorization-server')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body).toEqual({
      issuer: 'http://localhost',
      authorization_endpoint: 'http://localhost/oauth/authorize',
      token_endpoint: 'http://localhost/oauth/token',
      registration_endpoint: 'http://localhost/oauth/register',
      revocation_endpoint: 'http://localhost/oauth/revoke',
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  })

  test('answers the preflight of any page, with any header', async () => {
    const { status, headers } = await anonymous().request(
      'OPTIONS',
      '/.well-known/oauth-protected-resource/mcp',
    )
    expect([
      status,
      headers.get('access-control-allow-origin'),
      headers.get('access-control-allow-headers'),
    ]).toEqual([204, '*', '*'])
  })

  test('names the first public address, also when another host is asked', async () => {
    const other = await startService({
      config: { publicUrls: ['https://a.example', 'https://b.example'] },
    })
    const { body } = await other
      .as(undefined)
      .request('GET', '/.well-known/oauth-protected-resource', undefined, { host: 'b.example' })
    expect(body.resource).toBe('https://a.example/mcp')
    const { headers } = await callTool(other, undefined, 'describe')
    expect(headers.get('www-authenticate')).toBe(
      'Bearer realm="daybook", resource_metadata="https://a.example/.well-known/oauth-protected-resource/mcp"',
    )
    other.close()
  })
})

describe('the challenge', () => {
  const CHALLENGE =
    'Bearer realm="daybook", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"'

  test.each([undefined, 'dbk_wrong', `dba_${'x'.repeat(43)}`])(
    'is on a 401 of /mcp with %p',
    async (token) => {
      const { status, headers } = await callTool(service, token, 'describe')
      expect([status, headers.get('www-authenticate')]).toEqual([401, CHALLENGE])
    },
  )

  test('is on the refusal of a session, which cannot use /mcp', async () => {
    const { status, headers } = await browser.request('POST', '/mcp', {})
    expect([status, headers.get('www-authenticate')]).toEqual([401, CHALLENGE])
  })

  test('is on no other response', async () => {
    const { status, headers } = await callTool(service, service.key, 'describe')
    expect([status, headers.get('www-authenticate')]).toEqual([200, null])
    expect((await anonymous().get('/v1/me')).headers.get('www-authenticate')).toBe('Bearer realm="daybook"')
  })
})

describe('registration', () => {
  test('makes a public client and ignores what it does not know', async () => {
    const { status, headers, body } = await anonymous().post('/oauth/register', {
      client_name: 'Claude',
      redirect_uris: [REDIRECT_URI, 'cursor://anysphere/callback', 'http://127.0.0.1/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      software_id: 'x',
    })
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: Math.floor(service.clock.now() / 1_000),
      client_name: 'Claude',
      redirect_uris: [REDIRECT_URI, 'cursor://anysphere/callback', 'http://127.0.0.1/cb'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })

  test('names a client without a name by the host it returns to', async () => {
    const { body } = await anonymous().post('/oauth/register', { redirect_uris: [REDIRECT_URI] })
    expect(body.client_name).toBe('assistant.example')
  })
})

describe('a person connects an app', () => {
  test('which then acts as the person, as chosen', async () => {
    const client = await registered(service)
    const request = authorizationOf(client, { resource: 'http://localhost/mcp' })
    const answer = await decide(browser, request, { scope: 'write' })
    expect(answer.status).toBe(303)
    const returned = returnedIn(answer)
    expect(returned).toEqual({ code: expect.any(String), state: 'xyz', iss: 'http://localhost' })
    const { status, headers, body } = await exchange(service, returned.code ?? '', request)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: expect.any(String),
      scope: 'write',
    })
    const made = await callTool(service, body.access_token, 'create_note', { title: 'From an app' })
    expect([made.status, made.body.result.isError]).toEqual([200, undefined])
    const { transactions } = (await service.get('/v1/changes/transactions')).body
    const { user_id } = (await service.get('/v1/me')).body
    expect(transactions[0].actor).toEqual({ surface: 'mcp', user_id, key_id: null, name: 'Assistant' })
  })

  test('read is preselected unless write was asked for', async () => {
    const client = await registered(service)
    const pageFor = async (scope?: string) =>
      (await browser.request('GET', authorizePath(authorizationOf(client, scope ? { scope } : {})))).body
    for (const [scope, selected] of [
      [undefined, 'read'],
      ['read', 'read'],
      ['write', 'write'],
      ['read write', 'write'],
    ] as const)
      expect([scope, await pageFor(scope)]).toEqual([
        scope,
        expect.stringContaining(`<option value="${selected}" selected>`),
      ])
  })

  test('shows its name and the host it returns to, in a page that nothing can frame', async () => {
    const client = await registered(service, { client_name: '<b>Eve</b>' })
    const { status, headers, body } = await browser.request('GET', authorizePath(authorizationOf(client)))
    expect(status).toBe(200)
    expect(body).toContain('&lt;b&gt;Eve&lt;/b&gt;')
    expect(body).toContain('assistant.example')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https://assistant.example")
    expect(policy).not.toContain('script-src')
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  test('who declines returns with access_denied', async () => {
    const request = authorizationOf(await registered(service))
    const answer = await decide(browser, request, { decision: 'deny' })
    expect(returnedIn(answer)).toMatchObject({
      error: 'access_denied',
      state: 'xyz',
      iss: 'http://localhost',
    })
  })

  test('with less access than the person has', async () => {
    const limited = await connect(service, browser, {
      scope: 'write',
      'access.notes': 'read',
      'access.files': 'none',
      'access.structures': 'add',
    })
    const made = await callTool(service, limited.access, 'create_note', { title: 'No' })
    expect(made.body.result._meta.code).toBe('no_access')
    const { grants } = (await browser.request('GET', '/app/api/grants')).body
    expect(grants.at(-1)).toEqual({
      id: expect.any(String),
      client: { name: 'Assistant', host: 'assistant.example' },
      scope: 'write',
      access: { notes: 'read', files: 'none', structures: { '*': 'add' } },
      user: { id: expect.any(String), name: 'owner' },
      created_at: expect.any(String),
      last_used_at: expect.any(String),
    })
  })

  test('a viewer is offered reading only, and gets no more', async () => {
    await service.newKey({ user: 'Vera', role: 'viewer' })
    const vera = await signedIn(service, 'Vera')
    const client = await registered(service)
    const { body } = await vera.request('GET', authorizePath(authorizationOf(client, { scope: 'write' })))
    expect(body).not.toContain('value="write"')
    const app = await connect(service, vera, { scope: 'write' })
    expect(app.scope).toBe('read')
  })

  test('its access token opens nothing but /mcp', async () => {
    const { access } = await connect(service, browser)
    expect((await callTool(service, access, 'describe')).status).toBe(200)
    for (const path of ['/v1/me', '/v1/notes', '/metrics'])
      expect([path, (await service.as(access).get(path)).status]).toEqual([path, 401])
  })

  test('its access token expires after an hour, and its refresh token gets another', async () => {
    const { access, refresh, client } = await connect(service, browser)
    service.clock.advance(3_600_000)
    expect((await callTool(service, access, 'describe')).status).toBe(401)
    const { status, body } = await refreshed(service, refresh, client)
    expect([status, body.scope]).toEqual([200, 'read'])
    expect((await callTool(service, body.access_token, 'describe')).status).toBe(200)
  })

  test('a refresh token lives for 30 days after its last use', async () => {
    const { refresh, client } = await connect(service, browser)
    service.clock.advance(29 * 86_400_000)
    const again = await refreshed(service, refresh, client)
    expect(again.status).toBe(200)
    service.clock.advance(30 * 86_400_000)
    const late = await refreshed(service, again.body.refresh_token, client)
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
    browser = await signedIn(service)
  })

  test('revoking either token ends both, and any token gets 200', async () => {
    for (const which of ['access', 'refresh'] as const) {
      const app = await connect(service, browser)
      expect((await postForm(service, '/oauth/revoke', { token: app[which] })).status).toBe(200)
      expect((await callTool(service, app.access, 'describe')).status).toBe(401)
      expect((await refreshed(service, app.refresh, app.client)).body.error).toBe('invalid_grant')
    }
    expect((await postForm(service, '/oauth/revoke', { token: 'nothing' })).status).toBe(200)
  })

  test('in another workspace of theirs, which is all the app sees', async () => {
    const made = await browser.request('POST', '/app/api/workspaces', { name: 'Elsewhere' })
    const { access } = await connect(service, browser, { workspace: made.body.workspace.id })
    const described = await callTool(service, access, 'list_notes')
    expect(described.body.result.structuredContent.notes).toEqual([])
    const { grants } = (await browser.request('GET', '/app/api/grants')).body
    expect(grants.map(({ last_used_at }: { last_used_at: string }) => last_used_at)).not.toContain(undefined)
  })
})

describe('without a session', () => {
  test('the request leads to sign-in and back, without script', async () => {
    const person = await setUpIn(service)
    person.cookie = undefined
    const request = authorizationOf(await registered(service))
    const first = await person.request('GET', authorizePath(request), undefined, { 'sec-fetch-site': 'none' })
    expect(first.status).toBe(302)
    const place = first.headers.get('location') ?? ''
    const page = await person.request('GET', place)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const action = /action="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const wrong = await person.request('POST', action, formOf({ user: 'owner', password: 'wrong' }), {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect([wrong.status, wrong.body.includes('do not go together')]).toEqual([401, true])
    const right = await person.request(
      'POST',
      action,
      formOf({ user: 'owner', password: 'correct horse battery' }),
      { 'content-type': 'application/x-www-form-urlencoded' },
    )
    expect(right.status).toBe(303)
    const back = await person.request('GET', right.headers.get('location') ?? '')
    expect(tokenOn(back.body)).not.toBe('')
  })

  test('a link of another site is opened again from this one, so that the session counts', async () => {
    const request = authorizationOf(await registered(service))
    const answer = await anonymous().request('GET', authorizePath(request), undefined, {
      'sec-fetch-site': 'cross-site',
    })
    expect(answer.status).toBe(200)
    const [, target = ''] = /<a href="([^"]+)"/.exec(answer.body) ?? []
    expect(target.replaceAll('&amp;', '&')).toBe(authorizePath(request))
    expect(answer.body).toContain('http-equiv="refresh"')
  })
})
