import { afterEach, beforeEach, expect, test } from 'bun:test'
import { callTool, connectApp } from '../../support/connected-app.ts'
import { startService, type TestService } from '../../support/service.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
})
afterEach(() => service.close())

test.each([
  [{ scope: 'read' }, 'This API key is read-only; use a read-write key to change anything.'],
  [
    { role: 'viewer', user: 'Vi' },
    'The user of this API key is a viewer of the workspace and cannot change anything.',
  ],
  [
    { scope: 'read', role: 'viewer', user: 'Vi' },
    'This API key is read-only; use a read-write key to change anything.',
  ],
] as const)('a key with %j is refused with the reason', async (options, error) => {
  const client = service.as(await service.newKey(options))
  expect(await client.post('/v1/notes', { title: 'No' })).toMatchObject({
    status: 403,
    body: { code: 'read_only_key', error },
  })
  expect((await client.get('/v1/notes')).body.notes).toEqual([])
})

test('an app of a viewer is refused with the reason', async () => {
  await service.newKey({ role: 'viewer', user: 'Vi' })
  const { accessToken } = await connectApp(service, 'Vi')
  const { body } = await callTool(service, accessToken, 'create_note', { title: 'No' })
  expect(JSON.stringify(body)).toContain(
    'The user who connected this app is a viewer of the workspace and cannot change anything.',
  )
  expect((await service.get('/v1/notes')).body.notes).toEqual([])
})
