import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { SoftwarePasskey } from '../../support/authenticator.ts'
import {
  type Browser,
  browserOf,
  PASSWORD,
  setUpIn,
  setupToken,
  signedIn,
} from '../../support/browser-client.ts'
import { newAuthority } from '../../support/certificates.ts'
import { startService, type TestService } from '../../support/service.ts'
import { type Forged, type SmallProvider, startSmallProvider } from '../../support/small-provider.ts'
import { readWatch } from '../../support/watch.ts'

const MINUTE = 60_000
const ROLES = {
  claim: 'groups',
  roles: [
    { value: 'admins', role: 'owner' },
    { value: 'urn:x:staff', role: 'editor' },
    { value: 'guests', role: 'viewer' },
  ],
  workspace: undefined,
} as const

let provider: SmallProvider
let service: TestService

const settings = (more: object = {}) => ({
  publicUrls: ['http://localhost'],
  oidc: {
    issuer: provider.issuer,
    clientId: 'daybook',
    clientSecret: 's+cret',
    name: 'Sign in with Studio ID',
    roleClaim: undefined,
    ca: undefined,
    ...more,
  },
})

async function restart(more?: object): Promise<void> {
  service.close()
  service = await startService({ config: settings(more) })
}

beforeEach(async () => {
  provider = startSmallProvider()
  service = await startService({ config: settings() })
})
afterEach(() => {
  service.close()
  provider.stop()
})

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

/** Returns the address that the start redirects the browser to. */
async function start(browser: Browser, query = '', headers?: Record<string, string>): Promise<string> {
  const { status, headers: answered } = await browser.request(
    'GET',
    `/app/sign-in/oidc${query}`,
    undefined,
    headers,
  )
  expect(status).toBe(302)
  return answered.get('location') ?? ''
}

/** Returns the address that the callback redirects the browser to. */
async function back(browser: Browser, query: string): Promise<string | null> {
  const fromElsewhere = { 'sec-fetch-site': 'cross-site' }
  const { headers } = await browser.request(
    'GET',
    `/app/sign-in/oidc/callback?${query}`,
    undefined,
    fromElsewhere,
  )
  return headers.get('location')
}

const throughProvider = async (browser: Browser, claims: object, query?: string) =>
  back(browser, provider.signIn(await start(browser, query), claims))

const statusOf = async (browser: Browser) => (await browser.request('GET', '/app/api/session')).status
const sessionOf = async (browser: Browser) => (await browser.request('GET', '/app/api/session')).body

/** A browser of a user with a linked provider account. */
async function linked(user = 'owner', sub = 'mira'): Promise<Browser> {
  const browser = await signedIn(service, user)
  expect(await throughProvider(browser, { sub }, '?link=1')).toBe('/app/settings/sign-in')
  return browser
}

test.each([
  ['an empty subject', ''],
  ['a subject of 256 characters', 's'.repeat(256)],
])('nobody links an account with %s', async (_, sub) => {
  const owner = await setUpIn(service)
  expect(await throughProvider(owner, { sub }, '?link=1')).toContain('failed')
  expect((await sessionOf(owner)).oidc_linked).toBe(false)
})

describe('a signed-in user', () => {
  test('links the account, signs in with it from then on, and unlinks it', async () => {
    const owner = await linked()
    expect(await sessionOf(owner)).toMatchObject({ oidc_name: 'Sign in with Studio ID', oidc_linked: true })
    const browser = browserOf(service)
    expect(await throughProvider(browser, { sub: 'mira' }, '?return=/app/notes?tag=work')).toBe(
      '/app/notes?tag=work',
    )
    expect((await sessionOf(browser)).user.name).toBe('owner')

    expect(outcome(await browser.request('DELETE', '/app/api/oidc'))).toEqual([400, 'refused'])
    await browser.request('PATCH', '/app/api/password', { password: PASSWORD })
    expect((await browser.request('DELETE', '/app/api/oidc')).body).toEqual({ removed: true })
    expect((await sessionOf(browser)).oidc_linked).toBe(false)
    expect(await statusOf(owner)).toBe(401)
    expect(outcome(await browser.request('DELETE', '/app/api/oidc'))).toEqual([404, 'not_found'])
    expect(await throughProvider(browserOf(service), { sub: 'mira' })).toBe('/app?sign-in=unknown')
  })

  test.each<[string, string, Record<string, string>, number]>([
    ['from a page of another site', 'cross-site', { 'sec-fetch-site': 'cross-site' }, 0],
    ['from an address that was typed', 'cross-site', { 'sec-fetch-site': 'none' }, 0],
    ['10 minutes after the sign-in', 'sign-in-again', {}, 10 * MINUTE + 1],
    ['after the session has ended', 'signed-out', {}, 8 * 24 * 60 * MINUTE],
  ])('cannot link an account %s', async (_, reason, headers, ms) => {
    const owner = await signedIn(service)
    service.clock.advance(ms)
    expect(await start(owner, '?link=1', headers)).toBe(`/app/settings/sign-in?sign-in=${reason}`)
  })

  test('must still be signed in on return, and is linked even if another user signed in meanwhile', async () => {
    const owner = await signedIn(service)
    const query = provider.signIn(await start(owner, '?link=1'), { sub: 'mira' })
    await owner.request('DELETE', '/app/api/session')
    expect(await back(owner, query)).toBe('/app/settings/sign-in?sign-in=signed-out')

    await service.newKey({ user: 'Vera' })
    const browser = await signedIn(service)
    const { cookie } = browser
    const again = provider.signIn(await start(browser, '?link=1'), { sub: 'mira' })
    browser.cookie = (await signedIn(service, 'Vera')).cookie
    expect(await back(browser, again)).toBe('/app/settings/sign-in')
    expect((await sessionOf(browser)).oidc_linked).toBe(false)
    browser.cookie = cookie
    expect((await sessionOf(browser)).oidc_linked).toBe(true)
  })

  test('cannot link the account of another user, nor a second one', async () => {
    await linked()
    await service.newKey({ user: 'Vera' })
    const vera = await signedIn(service, 'Vera')
    expect(await throughProvider(vera, { sub: 'mira' }, '?link=1')).toBe(
      '/app/settings/sign-in?sign-in=taken',
    )
    expect(await start(await signedIn(service), '?link=1')).toBe('/app/settings/sign-in?sign-in=linked')
  })
})

describe('a setup link', () => {
  const begin = (browser: Browser, body: object) => browser.request('POST', '/app/api/setup/oidc', body)

  test('is used up by an account instead of a password', async () => {
    await service.newKey({ user: 'Vera' })
    const token = await setupToken(service, 'Vera')
    const browser = browserOf(service)
    const { status, body, headers } = await begin(browser, { token, user: 'Vera Cruz' })
    expect([status, Object.keys(body)]).toEqual([200, ['url']])
    expect(headers.get('set-cookie')).toMatch(
      /^daybook_oidc_8787=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    const [other, query] = [await setUpIn(service), provider.signIn(body.url, { sub: 'vera' })]
    expect(await back(browser, query)).toBe('/app')
    expect((await sessionOf(browser)).user.name).toBe('Vera Cruz')
    expect(outcome(await begin(browser, { token }))).toEqual([401, 'unauthorized'])
    const sent = { token, password: PASSWORD }
    expect(outcome(await browser.request('POST', '/app/api/setup', sent))).toEqual([401, 'unauthorized'])
    expect(await statusOf(other)).toBe(200)
    expect(await throughProvider(browserOf(service), { sub: 'vera' })).toBe('/app')
  })

  test('stays valid when the account belongs to another user, without consent, and for the name of another user', async () => {
    await linked()
    await service.newKey({ user: 'Vera' })
    const token = await setupToken(service, 'Vera')
    const browser = browserOf(service)
    expect(outcome(await begin(browser, { token, user: 'owner' }))).toEqual([409, 'name_taken'])
    const first = (await begin(browser, { token })).body.url
    expect(await back(browser, provider.signIn(first, { sub: 'mira' }))).toBe('/app?sign-in=taken')
    const second = new URL((await begin(browser, { token })).body.url).searchParams.get('state')
    const denied = `error=access_denied&state=${second}&iss=${encodeURIComponent(provider.issuer)}`
    expect(await back(browser, denied)).toBe('/app?sign-in=cancelled')
    const third = (await begin(browser, { token })).body.url
    expect(await back(browser, provider.signIn(third, { sub: 'vera' }))).toBe('/app')
  })

  test('shows its user, and how to sign in without it', async () => {
    const show = (token: string) => browserOf(service).request('POST', '/app/api/setup/sign-in', { token })
    const key = new SoftwarePasskey('localhost', 'http://localhost')
    const owner = await linked()
    const { body } = await owner.request('POST', '/app/api/passkeys/options')
    const { passkey } = (
      await owner.request('POST', '/app/api/passkeys', { name: 'Laptop', response: key.create(body) })
    ).body
    const token = await setupToken(service)
    expect((await show(token)).body).toEqual({
      user: { name: 'owner' },
      has_password: false,
      passkeys: [passkey],
      oidc_linked: true,
    })
    const members = (await owner.request('GET', '/app/api/members')).body.members
    expect(members).toMatchObject([{ has_password: false, has_passkey: true, oidc_linked: true }])
    expect(outcome(await show('A'.repeat(43)))).toEqual([401, 'unauthorized'])
  })

  test('is refused when it was used or replaced meanwhile', async () => {
    const token = await setupToken(service)
    const browser = browserOf(service)
    const { url } = (await begin(browser, { token })).body
    await setupToken(service)
    expect(await back(browser, provider.signIn(url, { sub: 'mira' }))).toBe('/app?sign-in=link-used')
  })
})

describe('the redirect to the provider', () => {
  test('uses the code flow with PKCE, a state and a nonce, and returns to the first public address', async () => {
    const url = new URL(await start(browserOf(service)))
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'daybook',
      response_type: 'code',
      redirect_uri: 'http://localhost/app/sign-in/oidc/callback',
      scope: 'openid profile',
      state: expect.stringMatching(/^[\w-]{43,}$/),
      nonce: expect.stringMatching(/^.{43}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    })
  })

  test('requests the claim of the roles if the provider supports it', async () => {
    provider.stop()
    provider = startSmallProvider({
      metadata: { scopes_supported: ['openid', 'groups'], claims_parameter_supported: true },
    })
    await restart({ roleClaim: ROLES })
    const { searchParams } = new URL(await start(browserOf(service)))
    expect(searchParams.get('scope')).toBe('openid groups')
    expect(JSON.parse(searchParams.get('claims') ?? '')).toEqual({
      id_token: { name: null, preferred_username: null, groups: null },
    })
  })

  test.each([
    ['/app/notes/5?x=1#top', '/app/notes/5?x=1'],
    ['/app', '/app'],
    ['https://evil.example/app', '/app'],
    ['//evil.example/app', '/app'],
    ['/\\evil.example/app', '/app'],
    ['/app/../v1/notes', '/app'],
    ['/application', '/app'],
    ['/app/api/backup', '/app'],
    ['/app/sign-in/oidc', '/app'],
    ['javascript:alert(1)', '/app'],
    ['', '/app'],
  ])('returns to pages of the application alone: %p leads to %p', async (sent, expected) => {
    await linked()
    const query = `?return=${encodeURIComponent(sent)}`
    expect(await throughProvider(browserOf(service), { sub: 'mira' }, query)).toBe(expected)
  })

  test('returns to the longest request for authorization of an app', async () => {
    await linked()
    const path = `/oauth/authorize?state=${'%2F'.repeat(8_000)}&redirect_uri=${'a'.repeat(2_000)}`
    const query = `?return=${encodeURIComponent(path)}`
    expect(await throughProvider(browserOf(service), { sub: 'mira' }, query)).toBe(path)
  })

  test('begins at the first public address, to which other hosts redirect', async () => {
    const under = { host: '127.0.0.1:8787' }
    expect(await start(browserOf(service), '?return=/app/files', under)).toBe(
      'http://localhost/app/sign-in/oidc?return=/app/files',
    )
  })

  test('does not exist without a provider', async () => {
    const plain = await startService()
    const browser = browserOf(plain)
    expect((await browser.request('GET', '/app/api/sign-in')).body).toEqual({ oidc_name: null })
    expect(outcome(await browser.request('GET', '/app/sign-in/oidc'))).toEqual([404, 'not_found'])
    expect(await sessionOf(await signedIn(plain))).not.toHaveProperty('oidc_name')
    plain.close()
    const answer = await browserOf(service).request('GET', '/app/api/sign-in')
    expect(answer.body).toEqual({ oidc_name: 'Sign in with Studio ID' })
  })
})

describe('sign-in is refused', () => {
  beforeEach(() => linked())

  const forgeries: [string, Forged][] = [
    ['signed by another key', { signWith: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
    ['with a key that is not published', { header: { kid: 'other' } }],
    ['without a signature', { header: { alg: 'none' } }],
    ['of another issuer', { idToken: { iss: 'https://evil.example' } }],
    ['for another client', { idToken: { aud: 'other' } }],
    ['with another nonce', { idToken: { nonce: 'other' } }],
    ['that has ended long ago', { aheadSeconds: -3600 }],
    ['of the far future', { aheadSeconds: 3600 }],
    ['without a subject', { idToken: { sub: undefined } }],
  ]
  test.each(forgeries)('with an ID token %s', async (_, forged) => {
    const browser = browserOf(service)
    provider.forge(forged)
    expect(await throughProvider(browser, { sub: 'mira' })).toBe('/app?sign-in=failed')
    expect(browser.cookie).toBeUndefined()
  })

  const callbacks: [string, (query: URLSearchParams) => void, string][] = [
    ['without a state', (query) => query.delete('state'), 'expired'],
    ['with a state that nobody made', (query) => query.set('state', 'A'.repeat(43)), 'expired'],
    ['with a code of nobody', (query) => query.set('code', 'other'), 'failed'],
    ['from another issuer, as in a mix-up', (query) => query.set('iss', 'https://evil.example'), 'failed'],
    ['without its issuer', (query) => query.delete('iss'), 'failed'],
    ['with an error', (query) => query.set('error', 'server_error'), 'failed'],
    ['with two codes', (query) => query.append('code', 'other'), 'failed'],
  ]
  test.each(callbacks)('with a callback %s', async (_, change, reason) => {
    const browser = browserOf(service)
    const query = new URLSearchParams(provider.signIn(await start(browser), { sub: 'mira' }))
    change(query)
    expect(await back(browser, `${query}`)).toBe(`/app?sign-in=${reason}`)
    expect(browser.cookie).toBeUndefined()
  })

  test('with a callback that is repeated, 10 minutes old, or from another browser', async () => {
    const browser = browserOf(service)
    const query = provider.signIn(await start(browser), { sub: 'mira' })
    expect(await back(browser, query)).toBe('/app')
    expect(await back(browser, query)).toBe('/app?sign-in=expired')
    const late = provider.signIn(await start(browser), { sub: 'mira' })
    service.clock.advance(10 * MINUTE)
    expect(await back(browser, late)).toBe('/app?sign-in=expired')
    const begunHere = provider.signIn(await start(browser), { sub: 'mira' })
    expect(await back(browserOf(service), begunHere)).toBe('/app?sign-in=expired')
  })

  test('with a code that was injected: it belongs to another sign-in', async () => {
    const [victim, attacker] = [browserOf(service), browserOf(service)]
    const stolen =
      new URLSearchParams(provider.signIn(await start(victim), { sub: 'mira' })).get('code') ?? ''
    const query = new URLSearchParams(provider.signIn(await start(attacker), { sub: 'mallory' }))
    query.set('code', stolen)
    expect(await back(attacker, `${query}`)).toBe('/app?sign-in=failed')
  })

  test('without a link, whatever the name and the e-mail address', async () => {
    const claims = { sub: 'other', name: 'owner', email: 'owner@example.com', groups: ['admins'] }
    expect(await throughProvider(browserOf(service), claims)).toBe('/app?sign-in=unknown')
  })
})

test('a sign-in may end after any number of others have begun at the same address', async () => {
  await linked()
  const browser = browserOf(service)
  const begun = await start(browser)
  for (let count = 0; count < 300; count++) await start(browserOf(service))
  expect(await back(browser, provider.signIn(begun, { sub: 'mira' }))).toBe('/app')
})

test('two tabs may sign in at the provider concurrently', async () => {
  await linked()
  const browser = browserOf(service)
  const [one, two] = [await start(browser), await start(browser)]
  expect(await back(browser, provider.signIn(one, { sub: 'mira' }))).toBe('/app')
  expect(await back(browser, provider.signIn(two, { sub: 'mira' }))).toBe('/app')
})

describe('a provider', () => {
  beforeEach(() => linked())

  test('may rotate its keys at any time, and its clock may be off by five minutes', async () => {
    for (const aheadSeconds of [300, -300]) {
      provider.rotate()
      provider.forge({ aheadSeconds })
      expect(await throughProvider(browserOf(service), { sub: 'mira' })).toBe('/app')
    }
  })

  test('may accept the client secret in the body', async () => {
    provider.stop()
    provider = startSmallProvider({ methods: ['client_secret_post'] })
    await restart()
    await linked()
    expect(await throughProvider(browserOf(service), { sub: 'mira' })).toBe('/app')
  })

  test('may have a certificate of a configured private authority', async () => {
    const authority = await newAuthority()
    provider.stop()
    provider = startSmallProvider({ tls: { tls: await authority.certify(['localhost']) } })
    await restart()
    expect(await start(browserOf(service))).toBe('/app?sign-in=unreachable')
    await restart({ ca: authority.cert })
    await linked()
    expect(await throughProvider(browserOf(service), { sub: 'mira' })).toBe('/app')
  })

  test('that sends people or secrets over a network in the open is not used', async () => {
    for (const place of ['token_endpoint', 'jwks_uri', 'authorization_endpoint']) {
      provider.stop()
      provider = startSmallProvider({ metadata: { [place]: 'http://id.example.com/' } })
      await restart()
      const browser = await signedIn(service)
      const location = await start(browser, '?link=1')
      const reached = location.startsWith('/app')
        ? location
        : await back(browser, provider.signIn(location, { sub: 'x' }))
      expect([place, reached]).toEqual([place, '/app/settings/sign-in?sign-in=failed'])
    }
  })

  test('that responds slowly is requested once for all sign-ins, and delays nothing else', async () => {
    await restart()
    const before = provider.asked()
    provider.answerAfter(300)
    let isWaiting = true
    const starts = Promise.all(Array.from({ length: 300 }, () => start(browserOf(service)))).finally(() => {
      isWaiting = false
    })
    expect((await service.get('/v1/me')).status).toBe(200)
    expect((await browserOf(service).request('POST', '/app/api/session/options')).status).toBe(200)
    expect(isWaiting).toBe(true)
    for (const location of await starts) expect(location).toStartWith(`${provider.issuer}/authorize?`)
    expect(provider.asked() - before).toBe(1)
  })

  test('that dies between the code and the token leaves nobody signed in, and the next try works', async () => {
    const browser = browserOf(service)
    const query = provider.signIn(await start(browser), { sub: 'mira' })
    provider.forge({ tokenText: '' })
    expect(await back(browser, query)).toBe('/app?sign-in=failed')
    expect(browser.cookie).toBeUndefined()
    provider.forge({})
    expect(await throughProvider(browser, { sub: 'mira' })).toBe('/app')
  })

  test.each(['plain', 'gzip'] as const)(
    'that sends an endless %s response is cut off, and the next try works',
    async (endless) => {
      const browser = browserOf(service)
      const query = provider.signIn(await start(browser), { sub: 'mira' })
      provider.forge({ endless })
      expect(await back(browser, query)).toBe('/app?sign-in=failed')
      provider.forge({})
      expect(await throughProvider(browser, { sub: 'mira' })).toBe('/app')
    },
  )

  test('that compresses its responses is read', async () => {
    provider.stop()
    provider = startSmallProvider({ isCompressing: true })
    await restart()
    expect(await throughProvider(browserOf(service), { sub: 'mira' })).toBe('/app?sign-in=unknown')
  })

  test('that is unreachable leaves the other sign-in options, and is retried', async () => {
    const owner = await signedIn(service)
    await owner.request('PATCH', '/app/api/password', { password: PASSWORD })
    const query = provider.signIn(await start(owner), { sub: 'mira' })
    provider.stop()
    expect(await back(owner, query)).toBe('/app?sign-in=unreachable')
    service.clock.advance(5 * MINUTE)
    const browser = browserOf(service)
    expect(await start(browser)).toBe('/app?sign-in=unreachable')
    const token = await setupToken(service)
    const answer = await browser.request('POST', '/app/api/setup/oidc', { token })
    expect(outcome(answer)).toEqual([503, 'unavailable'])
    const sent = { user: 'owner', password: PASSWORD }
    expect((await browser.request('POST', '/app/api/session', sent)).status).toBe(200)
    const key = new SoftwarePasskey('localhost', 'http://localhost')
    const options = (await browser.request('POST', '/app/api/passkeys/options')).body
    const made = { name: 'x', response: key.create(options) }
    expect((await browser.request('POST', '/app/api/passkeys', made)).status).toBe(201)
    const { body } = await browser.request('POST', '/app/api/session/options')
    expect((await browser.request('POST', '/app/api/session', { passkey: key.get(body) })).status).toBe(200)
    expect((await browser.request('POST', '/app/api/setup', { token, password: PASSWORD })).status).toBe(200)
  })

  test('leaves nothing of tokens, codes and secrets in the log and in the database', async () => {
    const browser = browserOf(service)
    const query = provider.signIn(await start(browser), { sub: 'mira' })
    await back(browser, query)
    await back(browser, `${query}&error=${'secret'}`)
    provider.forge({ idToken: { nonce: 'wrong' } })
    await throughProvider(browserOf(service), { sub: 'mira' })
    provider.forge({ tokenText: 'sesame-token is no JSON' })
    await throughProvider(browserOf(service), { sub: 'mira' })
    const logged = JSON.stringify(service.logged())
    expect(logged).toContain('a sign-in with the provider failed')
    for (const secret of ['s+cret', 's%2Bcret', 'mira', 'sesame', ...new URLSearchParams(query).values()])
      if (secret !== provider.issuer) expect(logged).not.toContain(secret)
  })
})

describe('the role claim', () => {
  const enter = async (claims: object, browser = browserOf(service)) => {
    const location = await throughProvider(browser, claims)
    return { browser, location }
  }
  const roleOf = async (browser: Browser) => (await sessionOf(browser)).workspace?.role

  beforeEach(() => restart({ roleClaim: ROLES }))

  test.each([
    [['guests', 'urn:x:staff'], 'editor'],
    [['urn:x:staff', 'admins'], 'owner'],
    ['guests', 'viewer'],
  ])('makes a new user with %p a member as %s, and updates the role', async (groups, role) => {
    const { browser, location } = await enter({ sub: 'vera', name: 'Vera', groups })
    expect([location, await roleOf(browser)]).toEqual(['/app', role])
    const again = await enter({ sub: 'vera', name: 'Another', groups: ['guests'] })
    expect([await roleOf(again.browser), await roleOf(browser)]).toEqual(['viewer', 'viewer'])
    expect((await sessionOf(again.browser)).user.name).toBe('Vera')
  })

  test.each([[['Admins']], ['admins,guests'], [['other']], [null], [undefined], [[['admins']]]])(
    'refuses %p',
    async (groups) => {
      expect((await enter({ sub: 'vera', groups })).location).toBe('/app?sign-in=unknown')
    },
  )

  test.each<[string, object, string]>([
    ['the name', { name: ' Vera\u200b  Cruz\n', preferred_username: 'vera' }, 'Vera Cruz'],
    ['else the preferred user name', { name: '\u200b', preferred_username: 'vera' }, 'vera'],
    ['else "member"', { name: '01a1fc86-b28a-7000-b4e6-910f6f3991a9', preferred_username: 7 }, 'member'],
    ['with a number where it is taken', { name: 'OWNER' }, 'OWNER 2'],
    ['cut to what a name may have', { name: 'é'.repeat(300) }, 'é'.repeat(190)],
  ])('names a newcomer by %s', async (_, claims, name) => {
    const { browser } = await enter({ sub: 'vera', groups: 'guests', ...claims })
    expect((await sessionOf(browser)).user.name).toBe(name)
  })

  test('requests the name from the provider if the ID token lacks it', async () => {
    provider.sayOf({ sub: 'vera', name: 'Vera' })
    const { browser } = await enter({ sub: 'vera', groups: 'guests' })
    expect((await sessionOf(browser)).user.name).toBe('Vera')
    provider.sayOf({ sub: 'somebody else', name: 'Mira' })
    const other = await enter({ sub: 'mira', groups: 'guests' })
    expect((await sessionOf(other.browser)).user.name).toBe('member')
  })

  test('closes the workspace to users who no longer match, until they match again', async () => {
    await service.newWorkspace('Other')
    const { browser } = await enter({ sub: 'vera', name: 'Vera', groups: 'guests' })
    const other = await signedIn(service, 'owner of Other')
    await other.request('POST', '/app/api/members', { name: 'Vera', role: 'editor' })
    const moved = (await enter({ sub: 'vera', groups: [] })).browser
    expect(await statusOf(browser)).toBe(401)
    const session = await sessionOf(moved)
    expect(session.workspaces.map(({ name }: { name: string }) => name)).toEqual(['Other'])
    const personal = (await sessionOf(await signedIn(service))).workspace.id
    const entered = await moved.request('PATCH', '/app/api/session', { workspace_id: personal })
    expect(outcome(entered)).toEqual([404, 'not_found'])
    await enter({ sub: 'vera', groups: 'admins' })
    expect((await sessionOf(moved)).workspaces.map(({ role }: { role: string }) => role)).toEqual([
      'owner',
      'editor',
    ])
  })

  test('ends streams that a session began in the workspace, also after it switched to another', async () => {
    await service.newWorkspace('Other')
    const { browser } = await enter({ sub: 'vera', name: 'Vera', groups: 'guests' })
    const other = await signedIn(service, 'owner of Other')
    await other.request('POST', '/app/api/members', { name: 'Vera', role: 'editor' })
    const headers = {
      cookie: `${browser.cookie}`,
      accept: 'text/event-stream',
      'sec-fetch-site': 'same-origin',
    }
    const path = 'http://localhost/v1/changes?after=now'
    const stream = readWatch(await service.app.fetch(new Request(path, { headers })))
    await stream.opened()
    const { workspaces } = await sessionOf(browser)
    const entered = workspaces.find(({ name }: { name: string }) => name === 'Other')
    await browser.request('PATCH', '/app/api/session', { workspace_id: entered.id })
    await enter({ sub: 'vera', groups: [] })
    expect((await stream.event('closed')).code).toBe('session_ended')
    expect((await sessionOf(browser)).workspace.name).toBe('Other')
  })

  test('gives users without a match no session by any option, until they use a setup link', async () => {
    const { browser } = await enter({ sub: 'vera', name: 'Vera', groups: 'guests' })
    await browser.request('PATCH', '/app/api/password', { password: PASSWORD })
    expect((await enter({ sub: 'vera', groups: [] })).location).toBe('/app?sign-in=closed')
    expect(await statusOf(browser)).toBe(401)
    const sent = { user: 'Vera', password: PASSWORD }
    expect((await browser.request('POST', '/app/api/session', sent)).status).toBe(401)
    const token = await setupToken(service, 'Vera')
    expect((await browser.request('POST', '/app/api/setup', { token, password: PASSWORD })).status).toBe(200)
  })

  test('never removes the last owner', async () => {
    const owner = await linked()
    for (const groups of [[], ['guests']])
      expect(await roleOf((await enter({ sub: 'mira', groups })).browser)).toBe('owner')
    expect(await statusOf(owner)).toBe(200)
  })

  test('lets a removed user start again, as the same user', async () => {
    const { browser } = await enter({ sub: 'vera', name: 'Vera', groups: 'guests' })
    const { user } = await sessionOf(browser)
    const key = await browser.request('POST', '/app/api/keys', { name: 'x', scope: 'read', expires_at: null })
    const owner = await signedIn(service)
    await owner.request('DELETE', `/app/api/members/${user.id}`)
    expect(await statusOf(browser)).toBe(401)
    const again = (await enter({ sub: 'vera', groups: 'urn:x:staff' })).browser
    expect(await sessionOf(again)).toMatchObject({ user, workspace: { role: 'editor' } })
    expect((await service.as(key.body.secret).get('/v1/me')).status).toBe(401)
  })

  test('does not affect another user of the same name, added after one was removed', async () => {
    const { browser } = await enter({ sub: 'vera', name: 'Vera', groups: 'guests' })
    const owner = await signedIn(service)
    await owner.request('DELETE', `/app/api/members/${(await sessionOf(browser)).user.id}`)
    await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'owner' })
    const again = (await enter({ sub: 'vera', name: 'Vera', groups: 'guests' })).browser
    expect((await sessionOf(again)).user.name).toBe('Vera 2')
  })

  test('holds for the workspace that the server names', async () => {
    await restart({ roleClaim: { ...ROLES, workspace: 'Other' } })
    expect((await enter({ sub: 'vera', groups: 'guests' })).location).toBe('/app?sign-in=unknown')
    await service.newWorkspace('Other')
    const { browser } = await enter({ sub: 'vera', groups: 'guests' })
    expect((await sessionOf(browser)).workspace.name).toBe('Other')
  })
})
