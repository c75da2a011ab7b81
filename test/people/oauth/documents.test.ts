import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { parseAllowlist } from '../../../src/lib/addresses.ts'
import { type Browser, signedIn } from '../../support/browser-client.ts'
import { newAuthority } from '../../support/certificates.ts'
import {
  authorizationOf,
  authorizePath,
  decide,
  exchange,
  REDIRECT_URI,
  returnedIn,
} from '../../support/connected-app.ts'
import { startService, type TestService } from '../../support/service.ts'
import { until } from '../../support/webhooks.ts'

/* Clients that are named by the URL of a document about them, from a real server with TLS. */

let service: TestService
let browser: Browser
let server: Server
let origin: string
let fetched: string[]
let userAgent: string | undefined

const idOf = (path: string) => `${origin}${path}`
const documentOf = (client_id: string) => ({
  client_id,
  client_name: 'Document App',
  redirect_uris: [REDIRECT_URI],
})

beforeAll(async () => {
  const authority = await newAuthority()
  const certificate = await authority.certify(['127.0.0.1'])
  server = createServer(certificate, (request, response) => {
    const path = request.url ?? ''
    fetched.push(path)
    userAgent = request.headers['user-agent']
    const json = (status: number, body: object, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    if (path === '/moved') return json(302, {}, { location: '/client.json' })
    if (path === '/missing') return json(404, {})
    if (path === '/other') return json(200, documentOf(idOf('/client.json')))
    if (path === '/huge') return json(200, { ...documentOf(idOf(path)), padding: 'x'.repeat(66_000) })
    if (path === '/endless') {
      response.writeHead(200)
      const write = () => {
        while (response.write('x'.repeat(10_000))) {}
      }
      response.on('drain', write)
      return write()
    }
    if (path === '/silent') return undefined
    if (path === '/text') return response.end('no document')
    if (path === '/chunked') {
      response.write(JSON.stringify(documentOf(idOf(path))).slice(0, 20))
      return response.end(JSON.stringify(documentOf(idOf(path))).slice(20))
    }
    return json(200, documentOf(idOf(path)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  origin = `https://127.0.0.1:${port}`
  service = await startService({
    config: {
      webhookAllowlist: parseAllowlist([`127.0.0.1:${port}`, `localhost:${port}`]),
      webhookCa: authority.cert,
    },
  })
  browser = await signedIn(service)
})
beforeEach(() => {
  fetched = []
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  service.close()
})

const ask = (client: string) => browser.request('GET', authorizePath(authorizationOf(client)))

test.each(['/client.json', '/chunked'])('the client of a document at %s is connected', async (path) => {
  const request = authorizationOf(idOf(path))
  const { code = '' } = returnedIn(await decide(browser, request))
  expect((await exchange(service, code, request)).status).toBe(200)
  const { grants } = (await browser.request('GET', '/app/api/grants')).body
  expect(grants.at(-1).client).toEqual({ name: 'Document App', host: 'assistant.example' })
})

test('a document is fetched once for a day', async () => {
  await Promise.all([ask(idOf('/cached')), ask(idOf('/cached'))])
  expect((await ask(idOf('/cached'))).status).toBe(200)
  expect(fetched).toEqual(['/cached'])
  service.clock.advance(86_400_000)
  browser = await signedIn(service)
  await ask(idOf('/cached'))
  expect(fetched).toEqual(['/cached', '/cached'])
})

test.each(['/moved', '/missing', '/other', '/huge', '/endless', '/text'])(
  'a document at %s is refused on a page, without a redirect',
  async (path) => {
    const { status, headers } = await ask(idOf(path))
    expect([status, headers.get('location'), fetched]).toEqual([400, null, [path]])
  },
)

test('a document is fetched under the name of the program, which many servers require', async () => {
  await ask(idOf('/named'))
  expect(userAgent).toStartWith('daybook/')
})

test('no document is fetched with a certificate for another name', async () => {
  expect((await ask(idOf('/client.json').replace('127.0.0.1', 'localhost'))).status).toBe(400)
  expect(fetched).toEqual([])
})

test('a document that does not arrive within five seconds is refused', async () => {
  const answer = ask(idOf('/silent'))
  await until(() => fetched.length > 0)
  service.clock.advance(5_000)
  expect((await answer).status).toBe(400)
})

test.each([
  'https://10.0.0.1/client.json',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/client.json',
  'https://localhost/client.json',
  'https://127.0.0.1:1/client.json',
  'https://user@127.0.0.1/client.json',
  'https://assistant.example',
  'https://assistant.example/',
  'https://assistant.example/a/../client.json',
  'https://ASSISTANT.example/client.json',
  'https://assistant.example/client.json#part',
])('no document is fetched from %s', async (client) => {
  expect((await ask(client)).status).toBe(400)
})

test('no document is fetched without TLS, even from an allowed address', async () => {
  expect((await ask(idOf('/client.json').replace('https:', 'http:'))).status).toBe(400)
  expect(fetched).toEqual([])
})
