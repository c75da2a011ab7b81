import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { newSession } from '../support/application-server.ts'
import { connectByAddress, type Visitor } from '../support/oauth-agent.ts'
import { newFolder, type ServerProcess, startProcess } from '../support/process.ts'
import { clientOf } from '../support/service.ts'
import { readWatch } from '../support/watch.ts'
import { deployFile, freePort } from './deploy.ts'
import { CADDY, caddyCommand, NGINX, nginxCommand, startProxy } from './proxies.ts'

/** A buffering proxy delivers an event only after minutes. */
const WATCH_LIMIT_MS = 10_000

/** nginx passes the host on without its port, so that only `--public-url` tells it. */
const AT_NGINX = `http://127.0.0.1:${freePort()}`

let folder: ReturnType<typeof newFolder>
let server: ServerProcess

beforeAll(async () => {
  folder = newFolder()
  server = await startProcess(folder.file('daybook.db'), { args: ['--public-url', AT_NGINX] })
  const fields = [{ key: 'what', type: 'text' }]
  await server.post('/v1/records/structures', { name: 'Errands', fields })
})
afterAll(async () => {
  await server.end()
  folder.remove()
})

const backend = () => server.url.replace('http://', '')

const deployedForNginx = (port: number) =>
  deployFile('nginx.conf', {
    'listen 443 ssl': `listen 127.0.0.1:${port}`,
    'ssl_certificate /etc/ssl/daybook.example.com.pem;': '',
    'ssl_certificate_key /etc/ssl/daybook.example.com.key;': '',
    '127.0.0.1:8787': backend(),
  })

const deployedForCaddy = (port: number) =>
  deployFile('Caddyfile', { 'daybook.example.com': `http://127.0.0.1:${port}`, '127.0.0.1:8787': backend() })

const PROXIES = [
  {
    name: 'nginx',
    url: AT_NGINX,
    program: NGINX,
    command: async (port: number) => nginxCommand(folder, await deployedForNginx(port)),
  },
  {
    name: 'Caddy',
    url: `http://127.0.0.1:${freePort()}`,
    program: CADDY,
    command: async (port: number) => caddyCommand(folder, await deployedForCaddy(port)),
  },
]

describe.each(PROXIES)('through $name as scripts/deploy configures it', ({ name, url, program, command }) => {
  const isThere = program !== null && existsSync(program)
  if (!isThere) process.stderr.write(`${name} is not installed: its tests are skipped.\n`)
  let proxy: Awaited<ReturnType<typeof startProxy>> | undefined

  beforeAll(async () => {
    if (isThere) proxy = await startProxy(folder, await command(Number(new URL(url).port)), url)
  })
  // A proxy that kept a watch open after its reader disconnected would not end.
  afterAll(async () => {
    proxy?.kill()
    await proxy?.exited
  })

  const client = () =>
    clientOf(
      { fetch: (request) => fetch(new Request(request.url.replace('http://localhost', url), request)) },
      server.key,
    )

  test.skipIf(!isThere)(
    'a watch delivers its first event and every change immediately',
    async () => {
      const headers = { authorization: `Bearer ${server.key}` }
      const reader = new AbortController()
      const { signal } = reader
      const watch = readWatch(await fetch(`${url}/v1/records/watch?structure=Errands`, { headers, signal }))
      await watch.opened()
      const { total } = await watch.event('answer')
      await client().post('/v1/records', { structure: 'Errands', data: { what: `Buy tea by ${name}` } })
      expect((await watch.event('answer')).total).toBe(total + 1)
      reader.abort()
    },
    WATCH_LIMIT_MS,
  )

  test.skipIf(!isThere)("the client receives daybook's own errors for oversized requests", async () => {
    const body = JSON.stringify({ title: 'x'.repeat(11 * 1024 * 1024) })
    const large = await client().post('/v1/notes', body)
    expect([large.status, large.body.code]).toEqual([413, 'too_large'])
    const long = await client().get(`/v1/notes?search=${'x'.repeat(66_000)}`)
    expect([long.status, long.body.code]).toEqual([431, 'uri_too_long'])
  })

  test.skipIf(!isThere || url !== AT_NGINX)('an agent connects by the address of the proxy', async () => {
    const value = await newSession(folder.file('daybook.db'), 'owner')
    const cookie = `daybook_session_${new URL(server.url).port}=${value}`
    const visitor: Visitor = {
      request: async (method, path, body, headers = {}) => {
        const response = await fetch(new URL(path, url), {
          method,
          headers: { cookie, ...headers },
          redirect: 'manual',
          ...(body && { body }),
        })
        return { status: response.status, headers: response.headers, body: await response.text() }
      },
    }
    const { agent } = await connectByAddress(url, visitor)
    expect((await agent.call('describe')).isError).toBe(false)
    await agent.close()
  })

  test.skipIf(!isThere)('a path arrives unchanged', async () => {
    const { body } = await client().post('/v1/notes', { title: 'Tags', tags: ['a/b %41'] })
    const answer = await client().delete(`/v1/notes/${body.note.id}/tags/${encodeURIComponent('a/b %41')}`)
    expect([answer.status, answer.body.note?.tags]).toEqual([200, []])
  })
})
