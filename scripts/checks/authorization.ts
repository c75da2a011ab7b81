/**
 * Runs the official conformance suite of MCP for authorization servers against the executable. The suite waits for a
 * person to consent, whom `consent` replaces.
 */
import { resolve } from 'node:path'
import { spawn, spawnSync } from 'bun'
import { buildWhenStale } from '../lib/executable.ts'
import { DAYBOOK, startServer } from './mcp-server.ts'

const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** The port of the suite's own server, to which the browser returns. */
const freePort = (): number => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  server.stop(true)
  return port
}

async function register(origin: string, redirectUri: string): Promise<string> {
  const response = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [redirectUri] }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

/** Signs in with a setup link; returns the cookie of the session. */
async function signIn(origin: string, db: string): Promise<string> {
  const { stdout } = spawnSync([DAYBOOK, 'users', 'link', 'owner', '--db', db])
  const [, token = ''] = /#setup=([\w-]+)/.exec(stdout.toString()) ?? []
  const response = await fetch(`${origin}/app/api/setup`, {
    method: 'POST',
    headers: { origin },
    body: JSON.stringify({ token, password: 'correct horse battery' }),
  })
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Presses Connect on the consent page, and returns to the suite. */
async function consent(url: string, cookie: string): Promise<void> {
  const { origin } = new URL(url)
  const page = await (await fetch(url, { headers: { cookie } })).text()
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page) ?? []
  const sent = await fetch(`${origin}/oauth/authorize`, {
    method: 'POST',
    headers: { cookie, origin },
    body: new URLSearchParams({ token, decision: 'allow' }),
    redirect: 'manual',
  })
  await fetch(sent.headers.get('location') ?? '')
}

buildWhenStale()
const server = await startServer()
const origin = server.url.replace('127.0.0.1', 'localhost').replace(/\/$/, '')
const port = freePort()
const client = await register(origin, `http://127.0.0.1:${port}/callback`)
const cookie = await signIn(origin, server.db)
const names = ['--url', origin, '--client-id', client, '--resource', `${origin}/mcp`, '--port', String(port)]
const suite = spawn([process.execPath, '--bun', SUITE, 'authorization', ...names], {
  stdout: 'pipe',
  stderr: 'inherit',
})
let printed = ''
for await (const part of suite.stdout) {
  const text = new TextDecoder().decode(part)
  process.stdout.write(text)
  const before = /http\S+\/oauth\/authorize\S+\n/.test(printed)
  printed += text
  const [url] = /http\S+\/oauth\/authorize\S+(?=\n)/.exec(printed) ?? []
  if (url !== undefined && !before) void consent(url, cookie)
}
const code = await suite.exited
await server.end()
process.exit(code)
