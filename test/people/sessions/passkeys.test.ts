import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Forged, SoftwarePasskey } from '../../support/authenticator.ts'
import { type Browser, browserOf, PASSWORD, setUpIn, signedIn } from '../../support/browser-client.ts'
import { runInProcess } from '../../support/cli.ts'
import { sendWhileHeld } from '../../support/held-writes.ts'
import { newFolder } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

const MINUTE = 60_000
const LOCAL = 'http://localhost'

let service: TestService
let owner: Browser
let passkey: SoftwarePasskey
beforeEach(async () => {
  service = await startService()
  owner = await signedIn(service)
  passkey = new SoftwarePasskey('localhost', LOCAL)
})
afterEach(() => service.close())

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

async function add(browser: Browser, key = passkey, forged?: Forged, name = 'Laptop') {
  const { body } = await browser.request('POST', '/app/api/passkeys/options')
  return browser.request('POST', '/app/api/passkeys', { name, response: key.create(body, forged) })
}

const optionsFor = async (browser: Browser) =>
  (await browser.request('POST', '/app/api/session/options')).body as { challenge: string }

async function signIn(browser: Browser, forged?: Forged, key = passkey) {
  const response = key.get(await optionsFor(browser), forged)
  return browser.request('POST', '/app/api/session', { passkey: response })
}

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)

describe('a passkey', () => {
  test('is bound to the host and its user, discoverable, and requires user verification', async () => {
    const { status, body } = await owner.request('POST', '/app/api/passkeys/options')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      challenge: expect.any(String),
      rp: { id: 'localhost', name: 'daybook' },
      user: { name: 'owner' },
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    await add(owner)
    const second = await owner.request('POST', '/app/api/passkeys/options')
    expect(second.body.excludeCredentials).toEqual([
      { id: passkey.id, type: 'public-key', transports: ['internal'] },
    ])
  })

  test('is added, listed, renamed, signs in without a name, and is removed', async () => {
    const added = await add(owner)
    const made = {
      id,
      name: 'Laptop',
      created_at: '2026-11-21T09:30:00.000Z',
      last_used_at: null,
      synced: false,
    }
    expect([added.status, added.body]).toEqual([201, { passkey: made }])
    const place = `/app/api/passkeys/${added.body.passkey.id}`
    const renamed = await owner.request('PATCH', place, { name: ' Work laptop ' })
    expect(renamed.body).toEqual({ passkey: { ...made, name: 'Work laptop' } })

    service.clock.advance(MINUTE)
    const browser = browserOf(service)
    const session = await signIn(browser)
    const workspace = { id, name: 'Personal', role: 'owner' }
    expect([session.status, session.body]).toEqual([
      200,
      { user: { id, name: 'owner' }, workspace, workspaces: [workspace], expires_at: expect.any(String) },
    ])
    expect((await browser.request('GET', '/app/api/passkeys')).body).toEqual({
      passkeys: [{ ...made, name: 'Work laptop', last_used_at: '2026-11-21T09:31:00.000Z' }],
    })
    await setUpIn(service)
    const again = browserOf(service)
    await signIn(again)
    expect(outcome(await again.request('DELETE', place))).toEqual([200, undefined])
    expect((await again.request('GET', '/app/api/passkeys')).body).toEqual({ passkeys: [] })
    expect(outcome(await signIn(browserOf(service)))).toEqual([401, 'unauthorized'])
  })

  test('may be synced, and then its counter is not checked', async () => {
    const synced = new SoftwarePasskey('localhost', LOCAL, true)
    expect((await add(owner, synced)).body.passkey.synced).toBe(true)
    for (const counter of [0, 7, 3, 0])
      expect((await signIn(browserOf(service), { counter }, synced)).status).toBe(200)
  })

  test('on one device may not repeat or lower its counter above 0', async () => {
    await add(owner)
    const tries: [number, number][] = [
      [0, 200],
      [0, 200],
      [5, 200],
      [5, 401],
      [4, 401],
      [0, 401],
      [6, 200],
    ]
    for (const [counter, expected] of tries)
      expect([counter, (await signIn(browserOf(service), { counter })).status]).toEqual([counter, expected])
  })

  test('does not sign in its former user, also if another user added it while its signature was checked', async () => {
    await setUpIn(service)
    owner = await signedIn(service)
    const { id } = (await add(owner)).body.passkey
    await service.newKey({ user: 'Mira' })
    const mira = await signedIn(service, 'Mira')
    const used = passkey.get(await optionsFor(browserOf(service)))
    const response = passkey.create((await mira.request('POST', '/app/api/passkeys/options')).body)
    const [removed, added, entered] = await sendWhileHeld(
      service,
      () => owner.request('DELETE', `/app/api/passkeys/${id}`),
      () => mira.request('POST', '/app/api/passkeys', { name: 'Mine', response }),
      () => browserOf(service).request('POST', '/app/api/session', { passkey: used }),
    )
    expect([removed.status, added.status, outcome(entered)]).toEqual([200, 201, [401, 'unauthorized']])
    expect(entered.body.error).toContain('does not sign in here')
    expect((await mira.request('GET', '/app/api/passkeys')).body.passkeys).toMatchObject([
      { name: 'Mine', last_used_at: null },
    ])
  })

  test('is added once, up to 20 per user', async () => {
    await add(owner)
    expect(outcome(await add(owner))).toEqual([400, 'refused'])
    for (let count = 1; count < 20; count++)
      expect((await add(owner, new SoftwarePasskey('localhost', LOCAL))).status).toBe(201)
    expect(outcome(await owner.request('POST', '/app/api/passkeys/options'))).toEqual([400, 'refused'])
  })

  test('is added within 10 minutes of the sign-in, and removed at any time', async () => {
    await setUpIn(service)
    owner = await signedIn(service)
    const { body } = await add(owner)
    service.clock.advance(10 * MINUTE)
    expect((await add(owner, new SoftwarePasskey('localhost', LOCAL))).status).toBe(201)
    service.clock.advance(1)
    const late = await owner.request('POST', '/app/api/passkeys/options')
    expect(outcome(late)).toEqual([403, 'sign_in_again'])
    expect((await owner.request('DELETE', `/app/api/passkeys/${body.passkey.id}`)).status).toBe(200)
  })

  test('of another user can be neither seen, renamed nor removed', async () => {
    const { body } = await add(owner)
    await service.newKey({ user: 'Vera' })
    const vera = await signedIn(service, 'Vera')
    const place = `/app/api/passkeys/${body.passkey.id}`
    expect((await vera.request('GET', '/app/api/passkeys')).body).toEqual({ passkeys: [] })
    expect(outcome(await vera.request('PATCH', place, { name: 'Mine' }))).toEqual([404, 'not_found'])
    expect(outcome(await vera.request('DELETE', place))).toEqual([404, 'not_found'])
  })
})

describe('a registration is refused', () => {
  test.each<[string, Forged]>([
    ['for another origin', { origin: 'http://localhost:9999' }],
    ['for another host', { host: 'evil.example' }],
    ['with a challenge that nobody made', { challenge: 'AAAA' }],
    ['of the wrong type', { type: 'webauthn.get' }],
    ['without the person verified', { isVerified: false }],
  ])('%s', async (_, forged) => {
    expect(outcome(await add(owner, passkey, forged))).toEqual([400, 'refused'])
    expect((await owner.request('GET', '/app/api/passkeys')).body).toEqual({ passkeys: [] })
  })

  test('with a challenge of another session, of a sign-in, used already, or 5 minutes old', async () => {
    const sent = (browser: Browser, challenge: { challenge: string }) =>
      browser.request('POST', '/app/api/passkeys', {
        name: 'Laptop',
        response: passkey.create({ ...challenge, rp: { id: 'localhost' }, user: { id: '' } }),
      })
    const challenge = async () => (await owner.request('POST', '/app/api/passkeys/options')).body
    expect(outcome(await sent(await signedIn(service), await challenge()))).toEqual([400, 'refused'])
    expect(outcome(await sent(owner, await optionsFor(owner)))).toEqual([400, 'refused'])
    const used = await challenge()
    expect((await sent(owner, used)).status).toBe(201)
    passkey = new SoftwarePasskey('localhost', LOCAL)
    expect(outcome(await sent(owner, used))).toEqual([400, 'refused'])
    const old = await challenge()
    service.clock.advance(5 * MINUTE)
    expect(outcome(await sent(owner, old))).toEqual([400, 'refused'])
  })

  test.each([{}, { id: 1 }, { id: 'x', rawId: 'x', type: 'public-key', response: [] }])(
    'that is no credential: %p',
    async (response) => {
      const { status, body } = await owner.request('POST', '/app/api/passkeys', { name: 'x', response })
      expect([status, body.code]).toEqual([400, 'refused'])
    },
  )
})

test('a challenge stays valid however many others are requested from the same address', async () => {
  await add(owner)
  const begun = await optionsFor(browserOf(service))
  for (let count = 0; count < 300; count++) await optionsFor(browserOf(service))
  const sent = { passkey: passkey.get(begun) }
  expect((await browserOf(service).request('POST', '/app/api/session', sent)).status).toBe(200)
})

describe('a sign-in by passkey is refused, with one sentence', () => {
  const SENTENCE = 'This passkey does not sign in here; try again, or sign in another way.'
  const REFUSED = [401, { error: SENTENCE, code: 'unauthorized' }]

  test.each<[string, Forged]>([
    ['a wrong signature', { signature: Buffer.alloc(70, 1).toString('base64url') }],
    ['another origin', { origin: 'http://localhost:9999' }],
    ['another host', { host: 'evil.example' }],
    ['a challenge that nobody made', { challenge: 'AAAA' }],
    ['the wrong type', { type: 'webauthn.create' }],
    ['a person who was not verified', { isVerified: false }],
    ['the user handle of somebody else', { userHandle: Buffer.from('somebody').toString('base64url') }],
    ['a key of one device that says it is synced', { isSynced: true }],
  ])('for %s', async (_, forged) => {
    await add(owner)
    const { status, body } = await signIn(browserOf(service), forged)
    expect([status, body]).toEqual(REFUSED as never)
  })

  test('for an unknown or malformed credential', async () => {
    const unknown = await signIn(browserOf(service))
    expect([unknown.status, unknown.body]).toEqual(REFUSED as never)
    for (const sent of [
      {},
      { id: 5, response: null },
      { id: passkey.id, rawId: passkey.id, type: 'public-key' },
    ]) {
      const { status, body } = await browserOf(service).request('POST', '/app/api/session', { passkey: sent })
      expect([status, body]).toEqual(REFUSED as never)
    }
  })

  test('for a challenge that was used, in another spelling of the same bytes', async () => {
    await add(owner)
    const used = await optionsFor(browserOf(service))
    const sent = (challenge: string) =>
      browserOf(service).request('POST', '/app/api/session', { passkey: passkey.get({ challenge }) })
    expect((await sent(used.challenge)).status).toBe(200)
    for (const same of [`${used.challenge}=`, `${used.challenge} `])
      expect((await sent(same)).status).toBe(401)
  })

  test('for a challenge that was used, is 5 minutes old, or was issued to add a passkey', async () => {
    await add(owner)
    const browser = browserOf(service)
    const used = await optionsFor(browser)
    const sent = (options: { challenge: string }) =>
      browser.request('POST', '/app/api/session', { passkey: passkey.get(options) })
    expect((await sent(used)).status).toBe(200)
    const old = await optionsFor(browser)
    const ofOwner = (await owner.request('POST', '/app/api/passkeys/options')).body
    expect((await sent(used)).status).toBe(401)
    expect((await sent(ofOwner)).status).toBe(401)
    service.clock.advance(5 * MINUTE)
    expect((await sent(old)).status).toBe(401)
  })

  test('and counts as a failure: after five for a user from an address with 429', async () => {
    await add(owner)
    const attacker = browserOf(service, '192.0.2.66')
    for (let count = 0; count < 5; count++)
      expect((await signIn(attacker, { isVerified: false })).status).toBe(401)
    expect(outcome(await signIn(attacker))).toEqual([429, 'rate_limited'])
    expect((await signIn(browserOf(service))).status).toBe(200)
  })

  test('from a page of another site, and with a password beside it', async () => {
    const foreign = { 'sec-fetch-site': 'cross-site' }
    const options = await owner.request('POST', '/app/api/session/options', undefined, foreign)
    expect(outcome(options)).toEqual([403, 'cross_site'])
    const both = { user: 'owner', password: PASSWORD, passkey: {} }
    expect(outcome(await owner.request('POST', '/app/api/session', both))).toEqual([400, 'invalid_request'])
    const half = await owner.request('POST', '/app/api/session', { user: 'owner' })
    expect(half.body.error).toBe('"password" is required.')
  })
})

describe('the relying party', () => {
  const PUBLIC = 'https://daybook.example.com'

  test.each([
    ['127.0.0.1:8787', undefined],
    ['[::1]:8787', undefined],
    ['localhost:8787', 'localhost'],
    ['daybook.example.com', 'daybook.example.com'],
    ['plain.example.com', undefined],
  ])('of a request to %s is %p', async (host, expected) => {
    const config = { publicUrls: [PUBLIC, 'http://plain.example.com'] }
    const other = await startService({ config })
    const { status, body } = await browserOf(other).request('POST', '/app/api/session/options', undefined, {
      host,
    })
    expect([status, body.rpId]).toEqual(expected === undefined ? [400, undefined] : [200, expected])
    if (expected === undefined) expect(body.error).toMatch(/http:\/\/localhost:8787.*--public-url/)
    other.close()
  })

  test('behind https is the public host, for which a passkey of localhost is invalid', async () => {
    const other = await startService({ config: { publicUrls: [PUBLIC] } })
    const under = { host: 'daybook.example.com' }
    const browser = await signedIn(other, 'owner', '__Host-daybook_session')
    const key = new SoftwarePasskey('daybook.example.com', PUBLIC)
    const ask = (path: string, body?: object, headers = under) => browser.request('POST', path, body, headers)
    const { body } = await ask('/app/api/passkeys/options')
    expect((await ask('/app/api/passkeys', { name: 'x', response: key.create(body) })).status).toBe(201)
    const options = (await ask('/app/api/session/options')).body
    expect((await ask('/app/api/session', { passkey: key.get(options) })).status).toBe(200)
    const local = { host: 'localhost' }
    const elsewhere = (await ask('/app/api/session/options', undefined, local)).body
    const sent = key.get(elsewhere, { host: 'localhost', origin: LOCAL })
    expect((await ask('/app/api/session', { passkey: key.get(options) })).status).toBe(401)
    // Signed for the host of the request, as only a broken browser would: the challenge was issued for this host, too.
    expect((await ask('/app/api/session', { passkey: sent }, under)).status).toBe(401)
    other.close()
  })
})

describe('a password', () => {
  const remove = (browser: Browser) => browser.request('DELETE', '/app/api/password')

  test('is removed if another sign-in option is left, which ends the other sessions', async () => {
    owner = await setUpIn(service)
    const other = await signedIn(service)
    expect(outcome(await remove(owner))).toEqual([400, 'refused'])
    await add(owner)
    expect([await remove(owner).then(({ body }) => body)]).toEqual([{ removed: true }])
    expect((await other.request('GET', '/app/api/session')).status).toBe(401)
    expect((await owner.request('GET', '/app/api/session')).status).toBe(200)
    const sent = { user: 'owner', password: PASSWORD }
    expect(outcome(await browserOf(service).request('POST', '/app/api/session', sent))).toEqual([
      401,
      'unauthorized',
    ])
    expect(outcome(await remove(owner))).toEqual([404, 'not_found'])
    const { passkeys } = (await owner.request('GET', '/app/api/passkeys')).body
    expect(outcome(await owner.request('DELETE', `/app/api/passkeys/${passkeys[0].id}`))).toEqual([
      400,
      'refused',
    ])
  })

  test('is removed within 10 minutes of the sign-in', async () => {
    owner = await setUpIn(service)
    await add(owner)
    service.clock.advance(10 * MINUTE + 1)
    expect(outcome(await remove(owner))).toEqual([403, 'sign_in_again'])
  })

  test('needs a sign-in of the last 10 minutes if there is no current one', async () => {
    const change = (body: object) => owner.request('PATCH', '/app/api/password', body)
    expect((await change({ password: PASSWORD })).body).toEqual({ changed: true })
    expect((await change({ password: 'another horse battery' })).body.error).toBe('"current" is required.')
    const sent = { current: PASSWORD, password: 'another horse battery' }
    expect((await change(sent)).status).toBe(200)
    await add(owner)
    await remove(owner)
    service.clock.advance(10 * MINUTE + 1)
    expect(outcome(await change({ password: PASSWORD }))).toEqual([403, 'sign_in_again'])
  })
})

test('removed from their last workspace and added again has no passkey', async () => {
  await service.newKey({ user: 'Vera', role: 'editor' })
  const vera = await signedIn(service, 'Vera')
  const session = (await vera.request('GET', '/app/api/session')).body
  await add(vera)
  await owner.request('DELETE', `/app/api/members/${session.user.id}`)
  await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'editor' })
  expect(outcome(await signIn(browserOf(service)))).toEqual([401, 'unauthorized'])
})

test('a link that resets removes the passkeys and ends the sessions; another one leaves them', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const stored = await startService({ file })
  const browser = await signedIn(stored)
  await add(browser)
  const link = async (...more: string[]) => {
    expect((await runInProcess(['users', 'link', 'owner', '--db', file, ...more])).exitCode).toBe(0)
  }
  await link()
  expect((await signIn(browserOf(stored))).status).toBe(200)
  await link('--reset')
  expect((await browser.request('GET', '/app/api/session')).status).toBe(401)
  expect((await signIn(browserOf(stored))).status).toBe(401)
  stored.close()
  folder.remove()
})

test.each([
  ['an id that is no text', { id: { toString: null } }],
  ['an id of a million characters', { id: 'A'.repeat(1_000_000) }],
])('a sign-in with %s is refused as any other', async (_, sent) => {
  const browser = browserOf(service)
  expect((await browser.request('POST', '/app/api/session', { passkey: sent })).status).toBe(401)
})

test('a host with an invalid port is refused', async () => {
  const request = new Request('http://localhost/app/api/session/options', { method: 'POST', body: '{}' })
  request.headers.set('host', 'localhost:99999')
  const { status } = await service.app.fetch(request)
  expect(status).toBeLessThan(500)
})

test('passkeys are never logged', async () => {
  await add(owner)
  await signIn(browserOf(service))
  expect(JSON.stringify(service.logged())).not.toContain(passkey.id)
})
