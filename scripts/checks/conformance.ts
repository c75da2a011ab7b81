/**
 * Runs the official conformance suite of MCP against the executable, for both revisions of the protocol.
 * `conformance.yaml` lists expected failures with their reasons.
 */
import { resolve } from 'node:path'
import { spawn } from 'bun'
import { buildWhenStale } from '../lib/executable.ts'
import { startServer } from './mcp-server.ts'

const REVISIONS = ['2026-07-28', '2025-11-25']
const SUITE = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js')
const EXPECTED_FAILURES = resolve('scripts/checks/conformance.yaml')

/** The suite cannot send a key, so this proxy adds the key to its requests and forwards all headers. */
const startProxy = (url: string, key: string) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const headers = new Headers(request.headers)
      headers.set('Authorization', `Bearer ${key}`)
      // `fetch` decodes a compressed response but keeps the header that names its coding.
      headers.set('Accept-Encoding', 'identity')
      const { method } = request
      const body = method === 'GET' || method === 'HEAD' ? undefined : await request.arrayBuffer()
      return fetch(`${url}/mcp`, { method, headers, body, redirect: 'manual' })
    },
  })

async function runSuite(url: string, revision: string): Promise<boolean> {
  const child = spawn(
    [
      process.execPath,
      '--bun',
      SUITE,
      'server',
      '--url',
      url,
      '--requirements',
      revision,
      '--expected-failures',
      EXPECTED_FAILURES,
    ],
    { stdout: 'inherit', stderr: 'inherit' },
  )
  return (await child.exited) === 0
}

buildWhenStale()
const server = await startServer()
const proxy = startProxy(server.url, server.key)
let isPassed = true
try {
  for (const revision of REVISIONS) {
    process.stdout.write(`== MCP ${revision}\n`)
    isPassed = (await runSuite(`http://localhost:${proxy.port}/mcp`, revision)) && isPassed
  }
} finally {
  await proxy.stop(true)
  await server.end()
}
process.exit(isPassed ? 0 : 1)
