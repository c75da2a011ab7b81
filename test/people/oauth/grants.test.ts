import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { callTool, connect } from '../../support/connected-app.ts'
import { startService, type TestService } from '../../support/service.ts'

/* Connected apps belong to a user and a workspace, and end with both. */

let service: TestService
let owner: Browser
let bob: Browser
beforeAll(async () => {
  service = await startService()
  await service.newKey({ user: 'Bob' })
  await service.newWorkspace('Elsewhere')
  owner = await signedIn(service)
  bob = await signedIn(service, 'Bob')
})
afterAll(() => service.close())

const grantsOf = async (browser: Browser): Promise<{ id: string; user: { name: string } }[]> =>
  (await browser.request('GET', '/app/api/grants')).body.grants
const namesOf = async (browser: Browser) => (await grantsOf(browser)).map(({ user }) => user.name)

test('users see and end their own, an owner all of the workspace, and nobody those of another', async () => {
  const { access: ofOwner } = await connect(service, owner)
  const { access: ofBob } = await connect(service, bob)
  const foreign = await signedIn(service, 'owner of Elsewhere')
  expect(await namesOf(owner)).toEqual(['owner', 'Bob'])
  expect(await namesOf(bob)).toEqual(['Bob'])
  const [first, second] = await grantsOf(owner)
  for (const [browser, id] of [
    [bob, first?.id],
    [foreign, first?.id],
    [foreign, second?.id],
    [owner, 'nothing'],
  ] as const)
    expect((await browser.request('DELETE', `/app/api/grants/${id}`)).status).toBe(404)
  const ended = await owner.request('DELETE', `/app/api/grants/${second?.id}`)
  expect([ended.status, ended.body]).toEqual([200, { deleted: true, id: second?.id }])
  expect((await owner.request('DELETE', `/app/api/grants/${second?.id}`)).status).toBe(404)
  expect((await callTool(service, ofBob, 'describe')).status).toBe(401)
  expect((await callTool(service, ofOwner, 'describe')).status).toBe(200)
})

test('a user who is narrowed narrows their apps from the next request on', async () => {
  const { access } = await connect(service, bob, { scope: 'write' })
  const create = () => callTool(service, access, 'create_note', { title: 'By an app' })
  expect((await create()).body.result.isError).toBeUndefined()
  const { members } = (await owner.request('GET', '/app/api/members')).body
  const { user_id } = members.find(({ name }: { name: string }) => name === 'Bob')
  const change = (body: object) => owner.request('PATCH', `/app/api/members/${user_id}`, body)
  await change({ access: { notes: 'read' } })
  expect((await create()).body.result._meta.code).toBe('no_access')
  await change({ access: null, role: 'viewer' })
  expect((await create()).body.result._meta.code).toBe('read_only_key')
  await change({ role: 'editor' })
  expect((await create()).body.result.isError).toBeUndefined()
})

test('a member who is removed and added again begins without apps', async () => {
  const { access } = await connect(service, bob)
  const { members } = (await owner.request('GET', '/app/api/members')).body
  const { user_id } = members.find(({ name }: { name: string }) => name === 'Bob')
  await owner.request('DELETE', `/app/api/members/${user_id}`)
  await owner.request('POST', '/app/api/members', { name: 'Bob', role: 'editor' })
  expect((await callTool(service, access, 'describe')).status).toBe(401)
  expect(await namesOf(owner)).not.toContain('Bob')
})
