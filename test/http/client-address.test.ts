import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { behindProxies } from '../../src/http/client-address.ts'
import { browserOf, PASSWORD, setUpIn } from '../support/browser-client.ts'
import { startService } from '../support/service.ts'

const trusting = (...addresses: string[]) =>
  readConfig({}, { 'trusted-proxy': addresses }).trustedProxies ?? expect.unreachable()

describe('the address of a client', () => {
  const proxies = trusting('127.0.0.1', '10.0.0.0/8', '::1')

  test.each([
    ['of one who calls directly, whatever the header says', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
    ['behind a proxy, as the proxy says', '127.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['behind a proxy of the new kind of addresses', '::1', '2001:db8::7', '2001:db8::7'],
    ['behind two proxies', '127.0.0.1', '192.0.2.7, 10.1.2.3', '192.0.2.7'],
    [
      'behind a proxy, without what the client put before it',
      '127.0.0.1',
      '198.51.100.1, 192.0.2.7',
      '192.0.2.7',
    ],
    ['as a proxy says it with a port', '127.0.0.1', '192.0.2.7:50123', '192.0.2.7'],
    ['as a proxy says it with a port, in brackets', '127.0.0.1', '[2001:db8::7]:50123', '2001:db8::7'],
    ['as a proxy says it in brackets', '127.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    ['behind two proxies that say ports', '127.0.0.1', '192.0.2.7:1, 10.1.2.3:2', '192.0.2.7'],
    ['of a proxy that says more than an address and a port', '10.1.2.3', '192.0.2.7:x', '10.1.2.3'],
    ['of a proxy that says nothing', '127.0.0.1', null, '127.0.0.1'],
    ['of a proxy that says no address', '10.1.2.3', 'unknown', '10.1.2.3'],
    ['of a proxy that the system names as one of both kinds', '::ffff:127.0.0.1', '192.0.2.7', '192.0.2.7'],
  ])('is that %s', (_, address, forwarded, expected) => {
    const server = behindProxies({ requestIP: () => ({ address }), timeout: () => {} }, proxies)
    const headers: Record<string, string> = forwarded === null ? {} : { 'x-forwarded-for': forwarded }
    expect(server.requestIP(new Request('http://localhost', { headers }))?.address).toBe(expected)
  })

  test.each(['localhost', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::1/129', '127.0.0.1:80'])(
    '%p is refused as a proxy',
    (text) => {
      expect(() => trusting(text)).toThrow('--trusted-proxy must be an address such as 127.0.0.1 or a range')
    },
  )
})

test('behind a trusted proxy, a stranger who guesses passwords holds up nobody else', async () => {
  const service = await startService({ config: { trustedProxies: trusting('127.0.0.1') } })
  await setUpIn(service)
  const proxy = browserOf(service, '127.0.0.1')
  const signIn = (address: string, user: string, password: string) =>
    proxy.request('POST', '/app/api/session', { user, password }, { 'x-forwarded-for': address })
  for (let count = 0; count < 20; count++) await signIn('192.0.2.66', `user ${count}`, 'wrong password')
  expect((await signIn('192.0.2.66', 'owner', PASSWORD)).status).toBe(429)
  expect((await signIn('192.0.2.67', 'owner', PASSWORD)).status).toBe(200)
  service.close()
})
