import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Access } from '../../../src/kernel/caller.ts'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { declare } from '../../support/records.ts'
import { startService, type TestService } from '../../support/service.ts'

/* The access of a caller: the least of role, scope, and the accesses of the member and the key. */

let service: TestService
let owner: Browser
/** The structure that the accesses name `A`. */
let named: string

beforeAll(async () => {
  service = await startService()
  owner = await signedIn(service)
  named = (await declare(service, 'Named', [{ key: 'x', type: 'text' }])).id
})
afterAll(() => service.close())

const withId = <Sent extends Access | null>(access: Sent): Sent =>
  JSON.parse(JSON.stringify(access).replaceAll('"A"', `"${named}"`))

interface Given {
  readonly member?: Access
  readonly key?: Access
  readonly scope?: 'read' | 'write'
  readonly role?: 'editor' | 'viewer'
}

let members = 0
async function clientWith({ member, key, scope, role = 'editor' }: Given) {
  const name = `Member ${++members}`
  const access = member && withId(member)
  const added = await owner.request('POST', '/app/api/members', { name, role, ...(access && { access }) })
  expect(added.status).toBe(201)
  const secret = await service.newKey({
    user: name,
    ...(scope && { scope }),
    ...(key && { access: withId(key) }),
  })
  return service.as(secret)
}

const ALL = { notes: 'write', files: 'write', structures: { '*': 'write' } } as const
const READ = { notes: 'read', files: 'read', structures: { '*': 'read' } } as const

test.each<[Given, Access | undefined]>([
  [{}, undefined],
  [{ scope: 'read' }, undefined],
  [{ key: {} }, undefined],
  [{ key: { notes: 'write', structures: {} } }, undefined],
  [{ key: ALL, member: ALL }, undefined],
  [{ key: { notes: 'read' } }, { ...ALL, notes: 'read' }],
  [{ key: { notes: 'read' }, scope: 'read' }, READ],
  [{ member: { files: 'read' }, role: 'viewer' }, READ],
  [
    { member: { files: 'read' }, key: { notes: 'none' } },
    { ...ALL, files: 'read', notes: 'none' },
  ],
  [
    { member: { notes: 'read' }, key: { notes: 'none' } },
    { ...ALL, notes: 'none' },
  ],
  [{ key: { structures: { A: 'add' } } }, { ...ALL, structures: { A: 'add', '*': 'write' } }],
  [
    { key: { structures: { A: 'add' } }, scope: 'read' },
    { ...READ, structures: { A: 'add', '*': 'read' } },
  ],
  [{ key: { structures: { A: 'none' } } }, { ...ALL, structures: { A: 'none', '*': 'write' } }],
  [{ key: { structures: { A: 'none', '*': 'none' } } }, { ...ALL, structures: { '*': 'none' } }],
  [{ key: { structures: { A: 'read', '*': 'none' } } }, { ...ALL, structures: { A: 'read', '*': 'none' } }],
  [
    { member: { structures: { '*': 'read' } }, key: { files: 'none', structures: { A: 'write' } } },
    { ...ALL, files: 'none', structures: { A: 'read', '*': 'read' } },
  ],
  [
    { member: { structures: { A: 'add' } }, key: { structures: { '*': 'none', A: 'write' } } },
    { ...ALL, structures: { A: 'add', '*': 'none' } },
  ],
])('%j is shown as %j', async (given, access) => {
  const { body } = await (await clientWith(given)).get('/v1/me')
  expect(body.access).toEqual(access && withId(access))
})

test('a refusal names the level that lacks what is needed, also where two accesses leave only the definition', async () => {
  const client = await clientWith({
    member: { structures: { A: 'add' } },
    key: { structures: { A: 'read' } },
  })
  expect((await client.get(`/v1/records/structures/${named}`)).status).toBe(200)
  expect((await client.get('/v1/me')).body.access.structures[named]).toBe('add')
  const refusal = (needed: string, own: string) => ({
    status: 403,
    body: expect.objectContaining({
      code: 'no_access',
      error: expect.stringContaining(
        `This needs "${needed}" access to the structure "Named", and yours is "${own}"`,
      ),
    }),
  })
  expect(await client.get('/v1/records?structure=Named')).toMatchObject(refusal('read', 'add'))
  const row = { structure: named, data: { x: 'a' } }
  expect(await client.post('/v1/records', row)).toMatchObject(refusal('add', 'read'))
})

test('subscriptions to notes and files are paused once their creator can no longer write both of what they need', async () => {
  const url = 'https://hooks.example.com/x'
  const name = `Member ${++members}`
  const { body } = await owner.request('POST', '/app/api/members', { name, role: 'editor' })
  const creator = service.as(await service.newKey({ user: name }))
  const make = async (kind: string) => {
    const made = await creator.post('/v1/webhooks', { kind, url })
    expect(made.status).toBe(201)
    return made.body.webhook.id as string
  }
  const states = async (access: Access | null) => {
    const ids = [await make('note'), await make('file')]
    const changed = await owner.request('PATCH', `/app/api/members/${body.member.user_id}`, { access })
    expect(changed.status).toBe(200)
    const seen: string[] = []
    for (const id of ids) seen.push((await service.get(`/v1/webhooks/${id}`)).body.webhook.status)
    await owner.request('PATCH', `/app/api/members/${body.member.user_id}`, { access: null })
    for (const id of ids) await service.delete(`/v1/webhooks/${id}`)
    return seen
  }
  expect(await states({ structures: { '*': 'none' } })).toEqual(['enabled', 'enabled'])
  expect(await states({ files: 'read' })).toEqual(['enabled', 'paused'])
  expect(await states({ notes: 'read' })).toEqual(['paused', 'paused'])
  expect(await states({ notes: 'none', files: 'none' })).toEqual(['paused', 'paused'])
})
