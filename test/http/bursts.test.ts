import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { HttpServer } from '../../src/http/exchange.ts'
import { signedIn } from '../support/browser-client.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

/** More than one scheduling round serves, even where a request takes a few microseconds. */
const REQUESTS = 3_000
const CHEAP_REQUESTS = 15_000

interface Addresses {
  readonly one: HttpServer
  readonly last: HttpServer
}

const at = (address: string): HttpServer => ({ requestIP: () => ({ address }), timeout: () => {} })

/** Sends many requests at once, then one more; returns how many were answered before the last one. */
async function answeredBefore(
  one: () => Request,
  last: Request,
  from?: Addresses,
  count = REQUESTS,
): Promise<number> {
  let answered = 0
  const answers = Array.from({ length: count }, async () => {
    const { status } = await service.app.fetch(one(), from?.one)
    expect(status).toBe(200)
    answered += 1
  })
  await service.app.fetch(last, from?.last)
  const before = answered
  await Promise.all(answers)
  return before
}

const requestWith = (headers: Record<string, string>) => new Request('http://localhost/v1/notes', { headers })
const withKey = (key: string) => requestWith({ authorization: `Bearer ${key}` })
const withSession = (cookie: string) =>
  requestWith({ cookie, host: 'localhost', 'sec-fetch-site': 'same-origin' })

test('a burst of one caller is served in turns with the requests of others', async () => {
  const one = () => withKey(service.key ?? '')
  expect(await answeredBefore(one, withKey(await service.newKey()))).toBeLessThan(REQUESTS / 2)
})

test('a burst of one session is served in turns with the requests of another', async () => {
  const [one = '', other = ''] = [(await signedIn(service)).cookie, (await signedIn(service)).cookie]
  expect(await answeredBefore(() => withSession(one), withSession(other))).toBeLessThan(REQUESTS / 2)
})

test('a burst of visitors from one address is served in turns with the requests of another', async () => {
  const open = () => new Request('http://localhost/app/api/sign-in')
  const from = { one: at('192.0.2.1'), last: at('192.0.2.2') }
  expect(await answeredBefore(open, open(), from, CHEAP_REQUESTS)).toBeLessThan(CHEAP_REQUESTS / 2)
})
