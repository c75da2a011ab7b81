import { afterAll, beforeAll, expect, test } from 'bun:test'
import { signedIn } from '../../support/browser-client.ts'
import { callTool, connect } from '../../support/connected-app.ts'
import { daybook, newFolder } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

const folder = newFolder()
let service: TestService
beforeAll(async () => {
  service = await startService({ file: folder.file('daybook.db') })
  service.clock.set(Date.now())
})
afterAll(() => {
  service.close()
  folder.remove()
})

const apps = (...args: string[]) => daybook(['apps', ...args, '--db', folder.file('daybook.db')])

test('"apps" lists the connected apps and disconnects one beside the server', async () => {
  const { access } = await connect(service, await signedIn(service), { 'access.files': 'none' })
  const { out } = await apps('list', '--json')
  const [app] = JSON.parse(out).apps
  expect(app).toEqual({
    id: expect.any(String),
    client: { name: 'Assistant', host: 'assistant.example' },
    scope: 'read',
    access: { notes: 'write', files: 'none', structures: { '*': 'write' } },
    user: 'owner',
    workspace: 'Personal',
    created_at: expect.any(String),
    last_used_at: null,
  })
  expect((await apps('list')).out).toContain('read, narrowed')
  expect((await callTool(service, access, 'describe')).status).toBe(200)
  const revoked = await apps('revoke', app.id)
  expect([revoked.exitCode, revoked.err]).toEqual([0, 'The app "Assistant" was disconnected.\n'])
  expect((await callTool(service, access, 'describe')).status).toBe(401)
  expect((await apps('revoke', app.id)).exitCode).toBe(1)
  expect(JSON.parse((await apps('list', '--json')).out)).toEqual({ apps: [] })
})
