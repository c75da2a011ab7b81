import { BlockList, isIP, isIPv4 } from 'node:net'
import { memoize, once } from '../../lib/bounded-cache.ts'

/**
 * All ranges of IANA's special-purpose registries, and reserved and multicast ranges. No public webhook receiver has
 * such an address, even where a registry calls the range globally reachable.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/**
 * Public IPv6 addresses are those in 2000::/3. This excludes loopback, unique local, link-local, site-local and
 * multicast addresses, IPv4-mapped, IPv4-compatible and IPv4-translated ones, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), the
 * discard prefix and SRv6 (5f00::/16). The special ranges below are excluded from it.
 */
const GLOBAL_IPV6 = '2000::/3'
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, DRIP
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // 6bone, returned
  '3fff::/20', // documentation
]

/** Metadata services, from which a machine of a cloud gets its credentials. Some have addresses in public ranges. */
const METADATA_IPV4 = [
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  '169.254.169.254', // AWS, Google, Azure, Oracle and others
  '169.254.170.2', // AWS containers
  '169.254.170.23', // AWS EKS
  '192.0.0.192', // Oracle
]
const METADATA_IPV6 = [
  'fd00:42::42', // Scaleway
  'fd00:c1::a9fe:a9fe', // Oracle
  'fd00:ec2::23', // AWS EKS
  'fd00:ec2::254', // AWS
  'fd20:ce::254', // Google
  'fe80::a9fe:a9fe', // OpenStack
]

/** Prefixes of IPv6 addresses that end in an IPv4 address: mapped, compatible, translated, NAT64. */
const IPV4_PREFIXES = ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']

const METADATA_NAMES = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.tencentyun.com',
])

export type Family = 'ipv4' | 'ipv6'

export const familyOf = (address: string): Family => (isIPv4(address) ? 'ipv4' : 'ipv6')

/** Whether the text is an IP address without a zone (`fe80::1%eth0` has the zone `eth0`). */
export const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%')

export function rangeList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), familyOf(network))
  }
  return list
}

const special = once(() => rangeList([...SPECIAL_IPV4, ...SPECIAL_IPV6]))
const global = once(() => rangeList([GLOBAL_IPV6]))

const hexGroup = (high: number, low: number) => ((high << 8) | low).toString(16)

function sixToFour(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `2002:${hexGroup(a, b)}:${hexGroup(c, d)}::/48`
}

const metadata = once(() =>
  rangeList([
    ...METADATA_IPV4.flatMap((address) => [
      `${address}/32`,
      sixToFour(address),
      ...IPV4_PREFIXES.map((prefix) => `${prefix}${address}/128`),
    ]),
    ...METADATA_IPV6.map((address) => `${address}/128`),
  ]),
)

/** An ISATAP interface identifier, which embeds an IPv4 address after any prefix (RFC 5214). */
const ISATAP = /(?::(?:0|200):|::)5efe:[0-9a-f]{1,4}:[0-9a-f]{1,4}$/

/** The canonical form of an address: IPv6 is compressed and in lower case. */
export const canonicalAddress = memoize((address: string): string =>
  isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1),
)

/** Whether this is the address of a cloud's metadata service, or an IPv6 address that embeds one. */
export const isMetadataAddress = memoize((address: string): boolean =>
  metadata().check(address, familyOf(address)),
)

/** Whether the address belongs to the public internet; webhooks may be sent only there. */
export const isPublicAddress = memoize((address: string): boolean => {
  if (!isAddress(address) || isMetadataAddress(address)) return false
  if (isIPv4(address)) return !special().check(address, 'ipv4')
  if (!global().check(address, 'ipv6') || special().check(address, 'ipv6')) return false
  return !ISATAP.test(canonicalAddress(address))
})

export const isMetadataName = (host: string): boolean => METADATA_NAMES.has(host)
