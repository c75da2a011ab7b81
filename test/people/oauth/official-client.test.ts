import { expect, test } from 'bun:test'
import { signedIn } from '../../support/browser-client.ts'
import { connectByAddress } from '../../support/oauth-agent.ts'
import { startService } from '../../support/service.ts'

test('the official client connects by the address alone, works, and refreshes its token', async () => {
  const service = await startService()
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => service.app.fetch(request),
  })
  const { origin, host } = listener.url
  const browser = await signedIn(service)
  const visitor = {
    request: (method: string, path: string, body?: Uint8Array, headers = {}) =>
      browser.request(method, path, body, { host, ...headers }),
  }
  const { agent, expire } = await connectByAddress(origin, visitor)
  const made = await agent.call('create_note', { title: 'From the official client' })
  expect(made.isError).toBe(false)
  expire()
  expect((await agent.call('describe')).isError).toBe(false)
  const { grants } = (await browser.request('GET', '/app/api/grants')).body
  expect(grants).toMatchObject([{ client: { name: 'Official client' }, scope: 'write', access: null }])
  await browser.request('DELETE', `/app/api/grants/${grants[0].id}`)
  expect(agent.call('describe')).rejects.toThrow()
  await agent.close()
  await listener.stop(true)
  service.close()
})
