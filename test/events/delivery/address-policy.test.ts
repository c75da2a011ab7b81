import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addressesError,
  isPublicAddress,
  parseAllowlist,
  parseDeliveryUrl,
  urlError,
} from '../../../src/lib/addresses.ts'
import { runs } from '../../support/counts.ts'
import { CLOSED_HOSTS, hostsOf, IMPOSSIBLE_HOSTS, PUBLIC_HOSTS } from './addresses.ts'

const faultOf = (url: string, ...allowed: string[]) => urlError(url, parseAllowlist(allowed))
const mayStand = (url: string, ...allowed: string[]) => faultOf(url, ...allowed) === undefined

const remedyFor = (host: string) =>
  `To call it all the same, give --webhook-allow ${host} to the server, and to a command.`

describe('a url', () => {
  test('of a public host is accepted, in every plain spelling', () => {
    const hosts = hostsOf(PUBLIC_HOSTS)
    expect(hosts.filter((host) => !mayStand(`https://${host}/hook?a=b`))).toEqual([])
    expect(hosts.length).toBeGreaterThan(50)
  })

  test('of a host that is not public is refused, in every spelling', () => {
    const hosts = [...hostsOf(CLOSED_HOSTS), ...hostsOf(IMPOSSIBLE_HOSTS)]
    expect(hosts.filter((host) => mayStand(`https://${host}/hook`))).toEqual([])
    expect(hosts.length).toBeGreaterThan(200)
  })

  test('is refused in the same spellings when another host is allowed', () => {
    const hosts = [...hostsOf(CLOSED_HOSTS), ...hostsOf(IMPOSSIBLE_HOSTS)]
    expect(hosts.filter((host) => mayStand(`http://${host}/hook`, 'lan.example.com', '192.0.2.77'))).toEqual(
      [],
    )
  })

  test.each([
    ['http://example.com/', `url must begin with https://. ${remedyFor('example.com')}`],
    ['ftp://example.com/', 'url must begin with https://.'],
    ['//example.com/', 'url must begin with https://.'],
    ['https:example.com', 'url must begin with https://.'],
    ['https:\\\\example.com', 'url must begin with https://.'],
    [' https://example.com/', 'url must begin with https://.'],
    ['', 'url must begin with https://.'],
    ['https://example.com/a b', 'url must not contain spaces, control characters or backslashes.'],
    ['https://exam\tple.com/', 'url must not contain spaces, control characters or backslashes.'],
    ['https://example.com\\@10.0.0.1/', 'url must not contain spaces, control characters or backslashes.'],
    ['https://example.com/\u0000', 'url must not contain spaces, control characters or backslashes.'],
    [
      'https://u:p@example.com/',
      'url must not contain a user name or password; remove everything before the @.',
    ],
    [
      'https://@example.com/',
      'url must not contain a user name or password; remove everything before the @.',
    ],
    ['https://example.com/#', 'url must not have a fragment; remove the # and everything after it.'],
    ['https://', 'url must be a valid https URL, such as https://example.com/hook.'],
    ['https:///example.com', 'url must be a valid https URL, such as https://example.com/hook.'],
    ['https://256.1.1.1/', 'url must be a valid https URL, such as https://example.com/hook.'],
    ['https://example.com./', 'url must not have a host that ends in a dot; write "example.com".'],
    ['https://8.8.2056/', 'url must have its address in canonical form: write "8.8.8.8".'],
    [
      'https://10.0.0.1/',
      `url must lead to a public address; 10.0.0.1 is not public. ${remedyFor('10.0.0.1')}`,
    ],
    ['https://169.254.169.254/', "url must not lead to a cloud's metadata service, as 169.254.169.254 does."],
    [
      'https://localhost/',
      `url must lead to a public host; "localhost" is the server's own machine. ${remedyFor('localhost')}`,
    ],
    ['https://box/', 'url must have a full domain name, such as hooks.example.com; "box" is not one.'],
  ])('%j is refused with a sentence that says what to change', (url, sentence) => {
    expect(faultOf(url)).toBe(sentence)
  })
})

describe('the allowlist', () => {
  test.each([
    ['http://localhost:3000/', 'localhost'],
    ['http://localhost:3000/', 'LOCALHOST:3000'],
    ['http://box/', 'box'],
    ['http://box/', 'box:80'],
    ['https://box/', 'box:443'],
    ['http://hooks.example.com/', 'hooks.example.com'],
    ['http://127.0.0.1:9/', '127.0.0.1'],
    ['http://127.0.0.1:9/', '127.0.0.1:9'],
    ['http://10.2.3.4/', '10.0.0.0/8'],
    ['http://[::1]:9/', '::1'],
    ['http://[::1]:9/', '[0:0::1]:9'],
    ['http://[fd00::7]/', 'fd00::/8'],
    ['http://169.254.169.254/', '169.254.169.254'],
    ['http://metadata.google.internal/', 'metadata.google.internal'],
  ])('allows %s when it is %s', (url, allowed) => {
    expect(faultOf(url)).toBeDefined()
    expect(faultOf(url, allowed)).toBeUndefined()
  })

  test.each([
    ['http://localhost:3001/', 'localhost:3000'],
    ['http://localhost/', '127.0.0.0/8'],
    ['http://example.com/', '127.0.0.0/8'],
    ['http://example.com/', '0.0.0.0/0'],
    ['http://a.box/', 'box'],
    ['http://11.0.0.1/', '10.0.0.0/8'],
    ['http://127.1/', '127.0.0.1'],
    ['http://u@localhost/', 'localhost'],
    ['http://localhost/#a', 'localhost'],
    ['http://169.254.169.254/', '169.254.0.0/16'],
    ['http://169.254.169.254/', '0.0.0.0/0'],
    ['http://[fd00:ec2::254]/', '::/0'],
    ['http://[::ffff:169.254.169.254]/', '::/0'],
    ['http://[64:ff9b::a9fe:a9fe]/', '64:ff9b::/96'],
    ['http://[2002:a9fe:a9fe::1]/', '2002::/16'],
    ['http://168.63.129.16/', '168.0.0.0/8'],
  ])('does not allow %s when it is %s', (url, allowed) => {
    expect(faultOf(url, allowed)).toBeString()
  })

  test.each([
    '',
    'a b',
    'http://box',
    'box/path',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    'box:0',
    'box:65536',
    '127.1',
    'fe80::1%eth0',
    'u@box',
    '*.box',
    '/8',
    'box/8',
  ])('cannot be %j', (text) => {
    expect(() => parseAllowlist([text])).toThrow(`not "${text}".`)
  })
})

describe('the addresses of a name', () => {
  const target = parseDeliveryUrl('https://hook.example/')
  const faultOfAddresses = (addresses: string[], ...allowed: string[]) =>
    addressesError(target, addresses, parseAllowlist(allowed))
  const closed = 'The name "hook.example" has an address that is not public, so it is not called.'

  test('are called when every one is public', () => {
    expect(faultOfAddresses(['8.8.8.8', '2606:4700::1'])).toBeUndefined()
    expect(faultOfAddresses([])).toBe('The name "hook.example" has no address; check its spelling.')
  })

  test('are all refused when one is not', () => {
    for (const address of [
      '10.0.0.1',
      '::1',
      '::ffff:8.8.8.8',
      'fe80::1%eth0',
      '2606:4700::1%eth0',
      'nonsense',
      '',
    ]) {
      expect(faultOfAddresses(['8.8.8.8', address])).toBe(closed)
    }
  })

  test('are called when the name is allowed, or each address is', () => {
    expect(faultOfAddresses(['10.0.0.1', '::1'], 'hook.example')).toBeUndefined()
    expect(faultOfAddresses(['10.0.0.1', '8.8.8.8'], '10.0.0.0/8')).toBeUndefined()
    expect(faultOfAddresses(['10.0.0.1', '::1'], '10.0.0.0/8')).toBe(closed)
    expect(faultOfAddresses(['10.0.0.1'], 'hook.example:8443')).toBe(closed)
  })

  test('of a metadata service are called only when that address is allowed itself', () => {
    expect(faultOfAddresses(['169.254.169.254'], 'hook.example', '0.0.0.0/0')).toBe(closed)
    expect(faultOfAddresses(['169.254.169.254'], '169.254.169.254')).toBeUndefined()
    const named = parseDeliveryUrl('https://metadata.google.internal/')
    expect(addressesError(named, ['169.254.169.254'], parseAllowlist([named.host]))).toBeUndefined()
  })

  test('are not called without TLS just because they are public', () => {
    expect(addressesError(parseDeliveryUrl('http://hook.example/'), ['8.8.8.8'], [])).toBe(closed)
  })
})

/** The registries again, as numbers, independent of the platform's own lists. */
const NOT_PUBLIC = `
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
240.0.0.0/4 168.63.129.16/32
::/128 ::1/128 ::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/32
2001:1::/32 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001::/23 2001:db8::/32
2002::/16 2620:4f:8000::/48 3ffe::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8
`
/** Address space not allocated by IANA: all but 2000::/3. */
const NOT_GIVEN = '::/3 4000::/2 8000::/1'

interface Range {
  readonly bits: number
  readonly first: bigint
  readonly last: bigint
}

function numberOf(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
  const [head = '', tail] = address.split('::').map((half) => half.split(':').filter(Boolean).join(':'))
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail ?? '')]
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

const rangesOf = (list: string): Range[] =>
  hostsOf(list).map((text) => {
    const [address = '', length] = text.split('/')
    const bits = address.includes(':') ? 128 : 32
    const size = 1n << BigInt(bits - Number(length))
    return { bits, first: numberOf(address), last: numberOf(address) + size - 1n }
  })

const closedRanges = [...rangesOf(NOT_PUBLIC), ...rangesOf(NOT_GIVEN)]
const isInside = (value: bigint, bits: number) =>
  closedRanges.some((range) => range.bits === bits && range.first <= value && value <= range.last)
const isIsatap = (value: bigint) => ((value >> 32n) & 0xfdff_ffffn) === 0x5efen

const writeIPv4 = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
const writeIPv6 = (value: bigint) =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(
    ':',
  )

/** Draws any address, preferring the edges of the ranges, where errors are likely. */
const addressOf = (bits: 32 | 128) => {
  const edges = closedRanges
    .filter((range) => range.bits === bits)
    .flatMap(({ first, last }) => [first - 1n, first, first + 1n, last - 1n, last, last + 1n])
    .filter((value) => value >= 0n && value < 1n << BigInt(bits))
  const global = fc.bigInt({ min: 1n << 125n, max: (1n << 126n) - 1n })
  const anywhere = fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })
  return fc.oneof(anywhere, fc.constantFrom(...edges), ...(bits === 128 ? [global] : []))
}

describe('the ranges agree with a table of numbers', () => {
  const options = { numRuns: runs(1_000, 200_000) }

  test('for IPv4', () => {
    fc.assert(
      fc.property(addressOf(32), (value) => {
        expect(isPublicAddress(writeIPv4(value))).toBe(!isInside(value, 32))
      }),
      options,
    )
  })

  test('for IPv6', () => {
    fc.assert(
      fc.property(addressOf(128), (value) => {
        expect(isPublicAddress(writeIPv6(value))).toBe(!isInside(value, 128) && !isIsatap(value))
      }),
      options,
    )
  })
})
