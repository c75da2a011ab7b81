import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  type Browser,
  browserOf,
  PASSWORD,
  setUpIn,
  setupToken,
  signedIn,
} from '../../support/browser-client.ts'
import { runInProcess } from '../../support/cli.ts'
import { alter, sizesOf } from '../../support/database.ts'
import { addMember, removeUser, setPassword, setRole } from '../../support/members.ts'
import { newFolder } from '../../support/process.ts'
import { committed, startService, type TestService } from '../../support/service.ts'

let service: TestService
let owner: Browser
beforeEach(async () => {
  service = await startService()
  owner = await signedIn(service)
})
afterEach(() => service.close())

interface Invited {
  readonly id: string
  readonly token: string
}

const tokenIn = (link: string) => link.split('#setup=')[1] ?? ''

async function invite(by: Browser, name: string, role = 'viewer'): Promise<Invited> {
  const { body } = await by.request('POST', '/app/api/members', { name, role })
  return { id: body.member.user_id, token: tokenIn(body.link ?? '') }
}

async function renew(by: Browser, { id }: Invited): Promise<Invited> {
  const { body } = await by.request('POST', `/app/api/members/${id}/link`)
  return { id, token: tokenIn(body.link) }
}

const use = (token: string, user?: string) =>
  browserOf(service).request('POST', '/app/api/setup', { token, password: PASSWORD, user })
const statusOf = async (token: string) => (await use(token)).status

/** Adds a second owner of the workspace. */
async function coOwner(name = 'Olga'): Promise<Browser> {
  await invite(owner, name, 'owner')
  return signedIn(service, name)
}

describe('a setup link is void permanently', () => {
  test('once its user belongs to another workspace, which its maker does not own', async () => {
    await service.newWorkspace('Other')
    const other = await signedIn(service, 'owner of Other')
    const carol = await invite(owner, 'carol')
    expect((await other.request('POST', '/app/api/members', { name: 'carol', role: 'owner' })).status).toBe(
      201,
    )
    expect(await statusOf(carol.token)).toBe(401)
    await other.request('DELETE', `/app/api/members/${carol.id}`)
    expect(await statusOf(carol.token)).toBe(401)
    expect(await statusOf((await renew(owner, carol)).token)).toBe(200)
  })

  test('once the role of its user changes, and not when they are given the role that they have', async () => {
    const vera = await invite(owner, 'Vera')
    await setRole(service, 'Vera', 'viewer')
    const kept = await renew(owner, vera)
    await setRole(service, 'Vera', 'viewer')
    expect(await statusOf(kept.token)).toBe(200)
    const { token } = await renew(owner, vera)
    await setRole(service, 'Vera', 'editor')
    await setRole(service, 'Vera', 'viewer')
    expect(await statusOf(token)).toBe(401)
  })

  test('once the password of its user changes, by themselves or on the command line', async () => {
    const vera = await invite(owner, 'Vera')
    const browser = await setUpIn(service, 'Vera')
    const first = await renew(owner, vera)
    const sent = { current: PASSWORD, password: 'another password' }
    expect((await browser.request('PATCH', '/app/api/password', sent)).status).toBe(200)
    expect(await statusOf(first.token)).toBe(401)
    const second = await renew(owner, vera)
    await setPassword(service, 'Vera')
    expect(await statusOf(second.token)).toBe(401)
  })

  test.each([
    ['removed', () => removeUser(service, 'Olga', 'Personal'), () => invite(owner, 'Olga', 'owner')],
    ['an owner no more', () => setRole(service, 'Olga', 'editor'), () => setRole(service, 'Olga', 'owner')],
    ['deleted', () => removeUser(service, 'Olga'), () => invite(owner, 'Olga', 'owner')],
  ])('once its maker is %s, also when they are an owner again', async (_, end, beginAgain) => {
    const olga = await coOwner()
    const link = await renew(olga, await invite(owner, 'Vera'))
    await end()
    expect(await statusOf(link.token)).toBe(401)
    await beginAgain()
    expect(await statusOf(link.token)).toBe(401)
  })

  test('once its user is removed, also when they are added again', async () => {
    const { id, token } = await invite(owner, 'Vera')
    await owner.request('DELETE', `/app/api/members/${id}`)
    await addMember(service, 'Vera', 'Personal')
    expect(await statusOf(token)).toBe(401)
  })
})

test('a setup link is refused when its author has lost the permission', async () => {
  const olga = await coOwner()
  const { token } = await renew(olga, await invite(owner, 'Vera'))
  // A change of the role by a command would delete the link itself.
  await alter(
    service,
    "UPDATE members SET role = 'editor' WHERE user = (SELECT pk FROM users WHERE name = 'Olga')",
  )
  expect(await statusOf(token)).toBe(401)
})

test('a setup link of the command line works independent of owners, until its user changes', async () => {
  await service.newWorkspace('Other')
  const other = await signedIn(service, 'owner of Other')
  await invite(owner, 'carol')
  await invite(other, 'carol')
  const first = await setupToken(service, 'carol')
  await coOwner()
  expect(await statusOf(first)).toBe(200)
  const second = await setupToken(service, 'carol')
  await removeUser(service, 'carol', 'Personal')
  expect(await statusOf(second)).toBe(401)
})

test('users cannot create a link for themselves in the application', async () => {
  const [own] = (await owner.request('GET', '/app/api/members')).body.members
  const { status, body } = await owner.request('POST', `/app/api/members/${own.user_id}/link`)
  expect([status, body]).toEqual([
    400,
    {
      error:
        'Nobody makes a setup link for themselves; change your password under Settings, or ask another owner for a link.',
      code: 'refused',
    },
  ])
  expect(sizesOf(service, 'setup_links')).toEqual([0])
})

describe('another name', () => {
  test('is chosen with the first link; later it is refused, and the link stays valid', async () => {
    const vera = await invite(owner, 'Vera')
    await renew(owner, vera)
    const named = await use((await renew(owner, vera)).token, ' Wera ')
    expect([named.status, named.body.user.name]).toEqual([200, 'Wera'])
    const { token } = await renew(owner, vera)
    const refused = await use(token, 'Xera')
    expect([refused.status, refused.body.code]).toEqual([400, 'refused'])
    // A browser may fill in the current name.
    const kept = await use(token, 'Wera')
    expect([kept.status, kept.body.user.name]).toEqual([200, 'Wera'])
  })

  test('is chosen by users who got a password on the command line and have used no link', async () => {
    await invite(owner, 'Vera')
    await setPassword(service, 'Vera')
    expect((await use(await setupToken(service, 'Vera'), 'Wera')).body.user.name).toBe('Wera')
  })
})

test('setup links and passwords of a command work immediately', async () => {
  const folder = newFolder()
  const file = folder.file('daybook.db')
  const server = await startService({ file })
  // The server reads from the snapshot of this instant for some milliseconds.
  const readOnce = async () => expect((await server.get('/v1/me')).status).toBe(200)
  await readOnce()
  await committed(server)
  await readOnce()
  const command = (args: string[], input = '') => runInProcess([...args, '--db', file], { input })
  const { out } = await command(['users', 'link', 'owner', '--json'])
  const token = JSON.parse(out).link.split('=').at(-1)
  const browser = browserOf(server)
  const sent = { token, password: 'set with the link' }
  expect((await browser.request('POST', '/app/api/setup', sent)).status).toBe(200)
  await committed(server)
  await readOnce()
  expect((await command(['users', 'password', 'owner'], PASSWORD)).exitCode).toBe(0)
  const signedIn = await browser.request('POST', '/app/api/session', { user: 'owner', password: PASSWORD })
  expect(signedIn.status).toBe(200)
  server.close()
  folder.remove()
})
