import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { runInProcess } from '../support/cli.ts'
import { removeUser } from '../support/members.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { declare, write } from '../support/records.ts'
import { settle, startService, type TestService } from '../support/service.ts'
import { readWatch } from '../support/watch.ts'

/* Long reads of the log stop when the key is no longer valid. */

const REVOKED = { error: expect.any(String), code: 'key_revoked' }

describe('a request that waits for a change is refused', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(() => service.close())

  /** Resolves when the request is waiting. */
  const wait = async (key: string) => {
    const client = service.as(key)
    const { cursor } = (await client.get('/v1/changes?after=now')).body
    const waiting = client.get(`/v1/changes?after=${cursor}&wait=60`)
    await settle()
    return { answer: waiting.then(({ status, body }) => [status, body.code]) }
  }

  test('when its user leaves', async () => {
    const { answer } = await wait(await service.newKey({ user: 'Vera', role: 'viewer' }))
    await removeUser(service, 'Vera')
    service.ctx.bus.notify()
    expect(await answer).toEqual([401, 'unauthorized'])
  })

  test('when its key expires', async () => {
    const { answer } = await wait(await service.newKey({ expiresAt: service.clock.now() + 10_000 }))
    service.clock.advance(10_000)
    expect(await answer).toEqual([401, 'unauthorized'])
    expect(service.clock.waiting()).toBe(0)
  })
})

describe('a running server after the command line revoked a key', () => {
  const folder = newFolder()
  const file = folder.file('keys.db')
  let server: ServerProcess

  beforeAll(async () => {
    server = await startProcess(file)
    await declare(server, 'Rows', [{ key: 'text', type: 'text' }])
    const row = { text: 'x'.repeat(90_000) }
    for (let batch = 0; batch < 3; batch++) await write(server, 'Rows', ...Array(100).fill(row))
  })
  afterAll(async () => {
    await server.end()
    folder.remove()
  })

  /** Creates a key, and returns how to revoke it. */
  async function lend() {
    const { out } = await runInProcess(['keys', 'create', '--name', 'lent', '--json', '--db', file])
    const { id, key } = JSON.parse(out)
    const revoke = async () =>
      expect((await runInProcess(['keys', 'revoke', id, '--db', file])).exitCode).toBe(0)
    return { revoke, headers: { authorization: `Bearer ${key}` } }
  }

  test('cancels its snapshot, which then has no last line', async () => {
    const { revoke, headers } = await lend()
    const response = await fetch(`${server.url}/v1/changes/snapshot`, { headers })
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader?.read())?.value)
    await revoke()
    while (!server.err().includes('a snapshot was broken off')) await Bun.sleep(10)
    const readToEnd = async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        text += decoder.decode(part.value)
    }
    await readToEnd().catch(() => {})
    expect(text.slice(-200)).not.toContain('"end":true')
    expect((await fetch(`${server.url}/v1/changes/snapshot`, { headers })).status).toBe(401)
  })

  test('ends its stream', async () => {
    const { revoke, headers } = await lend()
    const stream = readWatch(
      await fetch(`${server.url}/v1/changes?after=now`, {
        headers: { ...headers, accept: 'text/event-stream' },
      }),
    )
    await stream.opened()
    await revoke()
    expect(await stream.next()).toEqual({ event: 'closed', data: REVOKED })
    expect(await stream.next()).toBeUndefined()
  })

  test('refuses a request that waits', async () => {
    const { revoke, headers } = await lend()
    const waiting = fetch(`${server.url}/v1/changes?after=now&wait=60`, { headers })
    // The response to a later request shows that the server has started the earlier one.
    await server.get('/v1/me')
    await revoke()
    expect((await waiting).status).toBe(401)
  })
})
