import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
let owner: Browser
beforeEach(async () => {
  service = await startService()
  owner = await signedIn(service)
})
afterEach(() => service.close())

const PATH = '/app/api/preferences'

test('preferences belong to the user, and are read and replaced as a whole, also by a viewer', async () => {
  expect((await owner.request('GET', PATH)).body).toEqual({ preferences: {} })
  const preferences = { theme: 'dark', widths: { a: [1, 2] }, none: null }
  const put = await owner.request('PUT', PATH, { preferences })
  expect([put.status, put.body]).toEqual([200, { preferences }])
  expect((await (await signedIn(service)).request('GET', PATH)).body).toEqual({ preferences })
  await owner.request('POST', '/app/api/members', { name: 'Vera', role: 'viewer' })
  const vera = await signedIn(service, 'Vera')
  expect((await vera.request('GET', PATH)).body).toEqual({ preferences: {} })
  expect((await vera.request('PUT', PATH, { preferences: { a: 1 } })).status).toBe(200)
  expect((await owner.request('PUT', PATH, { preferences: {} })).body).toEqual({ preferences: {} })
  expect((await vera.request('GET', PATH)).body).toEqual({ preferences: { a: 1 } })
})

test('preferences are an object of at most 64 KiB; a key reads none', async () => {
  const long = (bytes: number) => ({ preferences: { a: 'x'.repeat(bytes - '{"a":""}'.length) } })
  expect((await owner.request('PUT', PATH, long(65_536))).status).toBe(200)
  for (const body of [long(65_537), { preferences: [] }, { preferences: 'x' }, {}, { theme: 'dark' }, []])
    expect((await owner.request('PUT', PATH, body)).body.code).toBe('invalid_request')
  expect((await owner.request('GET', PATH)).body).toEqual(long(65_536))
  expect((await service.get(PATH)).status).toBe(403)
  expect((await service.as('').get(PATH)).status).toBe(401)
})
