import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Browser, browserOf, PASSWORD, setUpIn, signedIn } from '../../support/browser-client.ts'
import { startService, type TestService } from '../../support/service.ts'
import { watch } from '../../support/watch.ts'

let service: TestService
let owner: Browser
beforeEach(async () => {
  service = await startService()
  owner = await signedIn(service)
})
afterEach(() => service.close())

const add = (by: Browser, name: string, role = 'editor') =>
  by.request('POST', '/app/api/members', { name, role })
const statusOf = async (browser: Browser, path = '/app/api/session') =>
  (await browser.request('GET', path)).status
const signIn = async (user: string) =>
  (await browserOf(service).request('POST', '/app/api/session', { user, password: PASSWORD })).status

test('a user who is added again starts without keys, sessions, streams and password', async () => {
  await owner.request('POST', '/v1/records/structures', {
    name: 'Boxes',
    fields: [{ key: 'what', type: 'text' }],
  })
  const { user_id: id } = (await add(owner, 'Ed')).body.member
  const ed = await setUpIn(service, 'Ed')
  const elsewhere = await signedIn(service, 'Ed')
  const { secret, key } = (await ed.request('POST', '/app/api/keys', { name: 'edk', scope: 'write' })).body
  const open = await watch({ app: service.app, key: secret }, 'Boxes')
  await open.event('answer')

  await owner.request('DELETE', `/app/api/members/${id}`)
  expect(await open.event('closed')).toMatchObject({ code: 'key_revoked' })
  const again = (await add(owner, 'Ed', 'owner')).body
  expect(again).toMatchObject({ member: { user_id: id, has_password: false }, link: expect.any(String) })
  expect([await statusOf(ed), await statusOf(elsewhere), await signIn('Ed')]).toEqual([401, 401, 401])
  expect((await service.as(secret).get('/v1/me')).status).toBe(401)
  const { keys } = (await owner.request('GET', '/app/api/keys')).body
  expect(keys.map(({ id: listed }: { id: string }) => listed)).not.toContain(key.id)
})

test('a member of another workspace keeps the password and the data of that workspace', async () => {
  await service.newWorkspace('Other')
  const other = await signedIn(service, 'owner of Other')
  await add(other, 'Ed')
  const there = await setUpIn(service, 'Ed')
  const kept = (await there.request('POST', '/app/api/keys', { name: 'there', scope: 'write' })).body.secret
  const { user_id: id } = (await add(owner, 'Ed')).body.member
  const here = await signedIn(service, 'Ed')
  const [{ id: personal }] = (await owner.request('GET', '/app/api/workspaces')).body.workspaces
  await here.request('PATCH', '/app/api/session', { workspace_id: personal })
  const lost = (await here.request('POST', '/app/api/keys', { name: 'here', scope: 'write' })).body.secret

  await owner.request('DELETE', `/app/api/members/${id}`)
  await add(owner, 'Ed')
  expect([await statusOf(there), await statusOf(here), await signIn('Ed')]).toEqual([200, 401, 200])
  expect((await service.as(kept).get('/v1/me')).status).toBe(200)
  expect((await service.as(lost).get('/v1/me')).status).toBe(401)
})
