import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { newToken } from '../../../src/people/sessions/cookie.ts'
import {
  type Browser,
  browserOf,
  PASSWORD,
  setUpIn,
  setupToken,
  signedIn,
} from '../../support/browser-client.ts'
import { stored } from '../../support/database.ts'
import { addMember, removeUser } from '../../support/members.ts'
import { committed, startService, type TestService } from '../../support/service.ts'

/** Hashing passwords is slow on a busy machine. */
setDefaultTimeout(60_000)

const MINUTE = 60_000
const DAY = 86_400_000

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
const statusOf = async (browser: Browser, path = '/app/api/session') =>
  (await browser.request('GET', path)).status
const signIn = (browser: Browser, user: string, password: string) =>
  browser.request('POST', '/app/api/session', { user, password })

describe('a setup link', () => {
  test('sets the password and the name, signs in, and expires', async () => {
    const browser = browserOf(service)
    const token = await setupToken(service)
    const sent = { token, password: PASSWORD, user: 'Mira' }
    const { status, body, headers } = await browser.request('POST', '/app/api/setup', sent)
    const workspace = { id, name: 'Personal', role: 'owner' }
    expect([status, body]).toEqual([
      200,
      { user: { id, name: 'Mira' }, workspace, workspaces: [workspace], expires_at: expect.any(String) },
    ])
    expect(headers.get('set-cookie')).toMatch(
      /^daybook_session_8787=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    )
    const again = await browserOf(service).request('POST', '/app/api/setup', sent)
    expect([again.status, again.body.code]).toEqual([401, 'unauthorized'])
    expect((await signIn(browserOf(service), 'mira', PASSWORD)).status).toBe(200)
  })

  test('expires after 30 minutes, and once a newer one is created', async () => {
    const first = await setupToken(service)
    const second = await setupToken(service)
    service.clock.advance(30 * MINUTE)
    for (const token of [first, second, 'A'.repeat(43)]) {
      const { status } = await browserOf(service).request('POST', '/app/api/setup', {
        token,
        password: PASSWORD,
      })
      expect(status).toBe(401)
    }
  })

  test('that was never issued is refused immediately, however many try', async () => {
    const tries = Array.from({ length: 60 }, () =>
      browserOf(service).request('POST', '/app/api/setup', { token: newToken(), password: PASSWORD }),
    )
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 401))
  })

  test('stays valid when the password or the name is refused', async () => {
    await service.newKey({ user: 'Vera' })
    const token = await setupToken(service)
    const browser = browserOf(service)
    const short = await browser.request('POST', '/app/api/setup', { token, password: 'too short' })
    expect([short.status, short.body.code]).toEqual([400, 'invalid_request'])
    const taken = await browser.request('POST', '/app/api/setup', { token, password: PASSWORD, user: 'vera' })
    expect([taken.status, taken.body.code]).toEqual([409, 'name_taken'])
    expect((await browser.request('POST', '/app/api/setup', { token, password: PASSWORD })).status).toBe(200)
  })
})

describe('signing in', () => {
  test('needs the right pair; every wrong one gets the same refusal', async () => {
    await setUpIn(service)
    await service.newKey({ user: 'Vera' })
    const refusals = await Promise.all([
      signIn(browserOf(service, '192.0.2.2'), 'owner', 'wrong password'),
      signIn(browserOf(service, '192.0.2.3'), 'nobody', PASSWORD),
      signIn(browserOf(service, '192.0.2.4'), 'Vera', PASSWORD),
    ])
    const error = 'This user name and password do not go together.'
    for (const { status, body } of refusals) {
      expect([status, body]).toEqual([401, { error, code: 'unauthorized' }])
    }
    expect((await signIn(browserOf(service), 'OWNER', PASSWORD)).status).toBe(200)
  })

  test('is limited for a user after five failures, but not from an address that has not failed', async () => {
    await setUpIn(service)
    const attacker = browserOf(service, '192.0.2.66')
    for (let count = 0; count < 5; count++)
      expect((await signIn(attacker, 'owner', `wrong ${count}`)).status).toBe(401)
    const limited = await signIn(attacker, 'owner', PASSWORD)
    expect([limited.status, limited.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(limited.headers.get('retry-after'))).toBe(900)
    expect((await signIn(browserOf(service, '192.0.2.67'), 'owner', 'wrong')).status).toBe(429)
    expect((await signIn(browserOf(service, '192.0.2.68'), 'owner', PASSWORD)).status).toBe(200)
    service.clock.advance(15 * MINUTE)
    expect((await signIn(attacker, 'owner', PASSWORD)).status).toBe(200)
  })

  test('is limited for an address after twenty failures with any users', async () => {
    await setUpIn(service)
    const attacker = browserOf(service, '192.0.2.66')
    for (let count = 0; count < 20; count++) {
      expect((await signIn(attacker, `user ${count}`, 'wrong password')).status).toBe(401)
    }
    expect((await signIn(attacker, 'owner', PASSWORD)).status).toBe(429)
    expect((await signIn(browserOf(service, '192.0.2.67'), 'owner', PASSWORD)).status).toBe(200)
  })

  test('concurrent attempts do not bypass the limit', async () => {
    await setUpIn(service)
    const attacker = browserOf(service, '192.0.2.66')
    const tries = Array.from({ length: 12 }, (_, count) => signIn(attacker, 'owner', `wrong ${count}`))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(7)
  })

  test('from a page of another site is refused', async () => {
    await setUpIn(service)
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ]
    for (const headers of foreign) {
      const sent = { user: 'owner', password: PASSWORD }
      const { status, body } = await browserOf(service).request('POST', '/app/api/session', sent, headers)
      expect([status, body.code]).toEqual([403, 'cross_site'])
    }
  })
})

describe('a session', () => {
  test('reads and writes under /v1 as its user, without a key', async () => {
    const browser = await signedIn(service)
    const made = await browser.request('POST', '/v1/notes', { title: 'From the browser' })
    expect(made.status).toBe(201)
    const me = await browser.request('GET', '/v1/me')
    expect([me.status, me.body]).toEqual([200, { user_id: id, workspace_id: id, key: null }])
  })

  test('of a viewer reads, and is refused a write', async () => {
    await service.newKey({ user: 'Vera', role: 'viewer' })
    const browser = await signedIn(service, 'Vera')
    expect(await statusOf(browser, '/v1/notes')).toBe(200)
    const { status, body } = await browser.request('POST', '/v1/notes', { title: 'No' })
    expect([status, body.code]).toEqual([403, 'read_only_key'])
    expect(body.error).toBe(
      'You are a viewer of this workspace and cannot change anything; ask an owner to make you an editor.',
    )
    expect((await service.get('/v1/notes')).body.total).toBe(0)
  })

  test('ends 7 days after its last use', async () => {
    const browser = await signedIn(service)
    for (let day = 0; day < 3; day++) {
      service.clock.advance(7 * DAY - 1)
      expect(await statusOf(browser)).toBe(200)
      await committed(service)
    }
    service.clock.advance(7 * DAY)
    expect(await statusOf(browser)).toBe(401)
  })

  test('ends 30 days after it began, however often it is used', async () => {
    const browser = await signedIn(service)
    for (let day = 0; day < 29; day++) {
      service.clock.advance(DAY)
      expect(await statusOf(browser)).toBe(200)
      await committed(service)
    }
    service.clock.advance(DAY)
    expect(await statusOf(browser)).toBe(401)
  })

  test('ends when it is signed out, here or from another session of the user', async () => {
    const [first, second] = [await signedIn(service), await signedIn(service)]
    const { body } = await second.request('GET', '/app/api/sessions')
    expect(body.sessions).toHaveLength(2)
    const other = body.sessions.find(({ current }: { current: boolean }) => !current)
    const ended = await second.request('DELETE', `/app/api/sessions/${other.id}`)
    expect([ended.status, ended.body]).toEqual([200, { deleted: true, id: other.id }])
    expect(await statusOf(first)).toBe(401)
    const cookie = second.cookie
    const left = await second.request('DELETE', '/app/api/session')
    expect([left.status, left.body, second.cookie]).toEqual([200, { signed_out: true }, undefined])
    second.cookie = cookie
    expect(await statusOf(second)).toBe(401)
  })

  test('of another user can be neither seen nor ended', async () => {
    await service.newKey({ user: 'Vera' })
    const [owner, vera] = [await signedIn(service), await signedIn(service, 'Vera')]
    const [own] = (await owner.request('GET', '/app/api/sessions')).body.sessions
    const { status } = await vera.request('DELETE', `/app/api/sessions/${own.id}`)
    expect([status, await statusOf(owner)]).toEqual([404, 200])
  })

  test('ends when the password changes, but for the one that changes it', async () => {
    const [first, second] = [await signedIn(service), await setUpIn(service)]
    first.cookie = (await signedIn(service)).cookie
    const wrong = await second.request('PATCH', '/app/api/password', {
      current: 'wrong one',
      password: 'another password',
    })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'refused'])
    const sent = { current: PASSWORD, password: 'another password' }
    expect((await second.request('PATCH', '/app/api/password', sent)).body).toEqual({ changed: true })
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
    expect((await signIn(browserOf(service), 'owner', PASSWORD)).status).toBe(401)
    expect((await signIn(browserOf(service), 'owner', 'another password')).status).toBe(200)
  })

  test('changes no password if it ends while the new one is hashed', async () => {
    const [first, second] = [await setUpIn(service), await signedIn(service)]
    const change = (browser: Browser, password: string) =>
      browser.request('PATCH', '/app/api/password', { current: PASSWORD, password })
    const both = await Promise.all([change(first, 'the first of two'), change(second, 'the other of two')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const changed = both[0]?.status === 200 ? 'the first of two' : 'the other of two'
    expect((await signIn(browserOf(service), 'owner', changed)).status).toBe(200)
  })

  test('is stored only as a hash', async () => {
    const browser = await signedIn(service)
    const token = browser.cookie?.split('=')[1] ?? ''
    const rows = stored<{ hash: string }>(service, 'SELECT * FROM sessions')
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(rows.map(({ hash }) => hash)).toEqual([new Bun.CryptoHasher('sha256').update(token).digest('hex')])
    expect(JSON.stringify(service.logged())).not.toContain(token)
  })

  test('gets no more changes of a workspace once its user has left it', async () => {
    const { bus } = service.ctx
    await service.newKey({ user: 'Vera' })
    await service.newWorkspace('Other')
    const other = await addMember(service, 'Vera', 'Other')
    const browser = await signedIn(service, 'Vera')
    const waiting = browser.request('GET', '/v1/changes?wait=60&after=now')
    const entered = await browser.request('PATCH', '/app/api/session', { workspace_id: other })
    expect(entered.body.workspace.name).toBe('Other')
    await removeUser(service, 'Vera', 'Personal')
    bus.notify()
    await service.post('/v1/notes', { title: 'Of the first workspace' })
    const { status, body } = await waiting
    expect([status, body.code]).toEqual([401, 'unauthorized'])
    expect(await statusOf(browser)).toBe(200)
  })

  test('gets no replayed response of another workspace', async () => {
    const browser = await signedIn(service)
    const create = () => browser.request('POST', '/v1/notes', { title: 'Same' }, { 'Idempotency-Key': 'one' })
    const here = await create()
    const { body } = await browser.request('POST', '/app/api/workspaces', { name: 'Work' })
    await browser.request('PATCH', '/app/api/session', { workspace_id: body.workspace.id })
    const there = await create()
    expect([there.status, there.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(there.body.note.id).not.toBe(here.body.note.id)
    expect((await create()).body).toEqual(there.body)
  })

  test('switches between the workspaces of its user, and to no other', async () => {
    const owner = service.as(await service.newWorkspace('Foreign'))
    const browser = await signedIn(service)
    const { body } = await browser.request('POST', '/app/api/workspaces', { name: 'Work' })
    const entered = await browser.request('PATCH', '/app/api/session', { workspace_id: body.workspace.id })
    expect(entered.body.workspace).toEqual({ id: body.workspace.id, name: 'Work', role: 'owner' })
    await browser.request('POST', '/v1/notes', { title: 'Only there' })
    expect((await service.get('/v1/notes')).body.total).toBe(0)
    const foreign: string = (await owner.get('/v1/me')).body.workspace_id
    const { status } = await browser.request('PATCH', '/app/api/session', { workspace_id: foreign })
    expect(status).toBe(404)
    const enter = (workspace_id: unknown) => browser.request('PATCH', '/app/api/session', { workspace_id })
    expect((await enter('not-an-id')).status).toBe(404)
    for (const strange of [1, null, [foreign]])
      expect((await enter(strange)).body).toMatchObject({ code: 'invalid_request' })
  })
})
