import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addressGroup } from '../../../src/lib/address-group.ts'
import { browserOf, PASSWORD, setUpIn } from '../../support/browser-client.ts'
import { alter, storedValues } from '../../support/database.ts'
import { runRetention } from '../../support/jobs.ts'
import { newFolder } from '../../support/process.ts'
import { startService, type TestService } from '../../support/service.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** The address from which `setUpIn` sets the password. */
const HOME = '192.0.2.1'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await setUpIn(service)
})
afterEach(() => service.close())

const signIn = (address: string, password = PASSWORD, user = 'owner') =>
  browserOf(service, address).request('POST', '/app/api/session', { user, password })
const statusOf = async (address: string, password?: string, user?: string) =>
  (await signIn(address, password, user)).status

/** Sends wrong passwords from addresses without earlier attempts. */
async function guess(count: number, user = 'owner', network = 1): Promise<void> {
  for (let at = 0; at < count; at++)
    await signIn(`198.${network}.${Math.trunc(at / 250)}.${at % 250}`, 'a wrong one', user)
}

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['local', 'local'],
])('the address %s counts as %s', (address, expected) => {
  expect(addressGroup(address)).toBe(expected)
})

test('all addresses of a /64 count as one', async () => {
  const statuses: number[] = []
  for (let at = 1; at <= 6; at++) statuses.push(await statusOf(`2001:db8:1:2::${at}`, 'a wrong one'))
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  expect(await statusOf('2001:db8:1:2:ffff::1')).toBe(429)
  expect(await statusOf('2001:db8:1:3::1')).toBe(200)
})

describe('after 200 wrong passwords for one user within 24 hours', () => {
  test('only addresses with a sign-in within 30 days are accepted, until the limit ends', async () => {
    await guess(199)
    expect(await statusOf('203.0.113.1')).toBe(200)
    await guess(1, 'owner', 2)
    const refused = await signIn('203.0.113.2')
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBe(DAY / 1000)
    for (const address of [HOME, '203.0.113.1', '::ffff:203.0.113.1'])
      expect(await statusOf(address)).toBe(200)
    service.clock.advance(DAY - 1)
    expect(await statusOf('203.0.113.2')).toBe(429)
    service.clock.advance(1)
    expect(await statusOf('203.0.113.2')).toBe(200)
  })

  test('a success elsewhere resets none of them, and other users sign in', async () => {
    await service.newKey({ user: 'Vera' })
    await setUpIn(service, 'Vera')
    await guess(199)
    service.clock.advance(15 * MINUTE)
    expect(await statusOf('198.1.0.0')).toBe(200)
    await guess(1, 'owner', 2)
    expect(await statusOf('203.0.113.2')).toBe(429)
    expect(await statusOf('203.0.113.2', PASSWORD, 'Vera')).toBe(200)
  })

  test('an unknown name is refused like a user', async () => {
    await guess(200, 'nobody')
    const refused = await signIn('203.0.113.2', PASSWORD, 'nobody')
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  })

  test('an address is forgotten 30 days after the last sign-in there, and its row is removed', async () => {
    expect(await statusOf('203.0.113.1')).toBe(200)
    service.clock.advance(20 * DAY)
    expect(await statusOf(HOME)).toBe(200)
    service.clock.advance(10 * DAY)
    await guess(200)
    expect([await statusOf('203.0.113.1'), await statusOf(HOME)]).toEqual([429, 200])
    await runRetention(service.ctx)
    expect(storedValues<string>(service, 'SELECT address FROM sign_in_addresses')).toEqual([HOME])
  })

  test('addresses outlive a restart of the server', async () => {
    const folder = newFolder()
    const file = folder.file('daybook.db')
    service.close()
    service = await startService({ file })
    await setUpIn(service)
    service.close()
    service = await startService({ file })
    await guess(200)
    expect([await statusOf(HOME), await statusOf('203.0.113.9')]).toEqual([200, 429])
    folder.remove()
  })
})

test('an attempt that is refused for its address does not count for the user', async () => {
  for (let at = 0; at < 300; at++) await signIn('192.0.2.67', 'a wrong one')
  service.clock.advance(15 * MINUTE)
  expect(await statusOf('203.0.113.2')).toBe(200)
})

test('a user has at most 1,000 known addresses, the latest', async () => {
  await alter(
    service,
    `WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 999)
     INSERT INTO sign_in_addresses
     SELECT pk, '198.51.' || (at >> 8) || '.' || (at & 255), ? + at FROM n, users WHERE name = 'owner'`,
    service.clock.now() + 1,
  )
  service.clock.advance(MINUTE)
  expect(await statusOf('203.0.113.1')).toBe(200)
  await guess(200)
  const ends = [HOME, '198.51.0.0', '198.51.0.1', '198.51.3.231', '203.0.113.1']
  expect(await Promise.all(ends.map((address) => statusOf(address)))).toEqual([429, 429, 200, 200, 200])
})
