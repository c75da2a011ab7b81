import type { BlockList } from 'node:net'
import { memoize, once } from './bounded-cache.ts'
import type { Clock } from './clock.ts'
import { nodeDns, nodeNet } from './node-modules.ts'

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

export const familyOf = (address: string): Family => (nodeNet().isIPv4(address) ? 'ipv4' : 'ipv6')

/** Whether the text is an IP address without a zone (`fe80::1%eth0` has the zone `eth0`). */
export const isAddress = (text: string): boolean => nodeNet().isIP(text) !== 0 && !text.includes('%')

export function rangeList(ranges: readonly string[]): BlockList {
  const list = new (nodeNet().BlockList)()
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
  nodeNet().isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1),
)

/** Whether this is the address of a cloud's metadata service, or an IPv6 address that embeds one. */
export const isMetadataAddress = memoize((address: string): boolean =>
  metadata().check(address, familyOf(address)),
)

/** Whether the address belongs to the public internet; webhooks may be sent only there. */
export const isPublicAddress = memoize((address: string): boolean => {
  if (!isAddress(address) || isMetadataAddress(address)) return false
  if (nodeNet().isIPv4(address)) return !special().check(address, 'ipv4')
  if (!global().check(address, 'ipv6') || special().check(address, 'ipv6')) return false
  return !ISATAP.test(canonicalAddress(address))
})

export const isMetadataName = (host: string): boolean => METADATA_NAMES.has(host)

/** One value of `--webhook-allow`: a host or address, at any port or at one, or a range of addresses. */
export type AllowlistEntry =
  | { readonly kind: 'host'; readonly host: string; readonly port: number | null }
  | { readonly kind: 'range'; readonly range: BlockList }

const MAX_BITS = { ipv4: 32, ipv6: 128 } as const
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const MAX_PORT = 65_535

/** Parses `example.com:8080`, `[::1]:8080`, `127.0.0.1` or a bare IPv6 address. */
function parseHost(text: string): { host: string; port: number | null } | undefined {
  if (nodeNet().isIPv6(text))
    return isAddress(text) ? { host: canonicalAddress(text), port: null } : undefined
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const isHost =
    bracketed === undefined ? NAME.test(plain) : nodeNet().isIPv6(bracketed) && isAddress(bracketed)
  if (!isHost || (port !== undefined && (Number(port) < 1 || Number(port) > MAX_PORT))) return undefined
  const host = bracketed === undefined ? plain : canonicalAddress(bracketed)
  return isCanonicalHost(host) ? { host, port: port === undefined ? null : Number(port) } : undefined
}

/** False for spellings such as `127.1`, which a URL parser turns into an address. */
const isCanonicalHost = (host: string): boolean =>
  isAddress(host) || (URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host)

function parseRange(text: string): BlockList | undefined {
  const [, network = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  if (!isAddress(network) || Number(bits) > MAX_BITS[familyOf(network)]) return undefined
  return rangeList([text])
}

function parseEntry(text: string): AllowlistEntry {
  const host = parseHost(text.toLowerCase())
  if (host) return { kind: 'host', ...host }
  const range = parseRange(text.toLowerCase())
  if (range) return { kind: 'range', range }
  throw new Error(
    `--webhook-allow must be a host, host:port, an address or a range such as 10.0.0.0/8, not "${text}".`,
  )
}

/** Parses the values of `--webhook-allow`; throws an Error with a sentence for the first that is invalid. */
export const parseAllowlist = (texts: readonly string[]): AllowlistEntry[] => texts.map(parseEntry)

/** Whether an entry names the host itself, at this port or at any port. */
export const isNamed = (host: string, port: number, allowlist: readonly AllowlistEntry[]): boolean =>
  allowlist.some(
    (allowed) =>
      allowed.kind === 'host' && allowed.host === host && (allowed.port === null || allowed.port === port),
  )

/** Whether an entry names the host itself, at whichever port. */
export const isNamedAnywhere = (host: string, allowlist: readonly AllowlistEntry[]): boolean =>
  allowlist.some((allowed) => allowed.kind === 'host' && allowed.host === host)

/**
 * Whether `host` may be called at this address although it is not public. The address of a metadata service must be
 * named itself, or under one of the well-known names of such services; a range or another name does not allow it.
 */
export function isExempt(
  address: string,
  host: string,
  port: number,
  allowlist: readonly AllowlistEntry[],
): boolean {
  if (isNamed(canonicalAddress(address), port, allowlist)) return true
  if (isMetadataAddress(address)) return isMetadataName(host) && isNamed(host, port, allowlist)
  if (isNamed(host, port, allowlist)) return true
  return allowlist.some(
    (allowed) => allowed.kind === 'range' && allowed.range.check(address, familyOf(address)),
  )
}

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const
const FORM = /^(https?):\/\/([^/?#]*)/i
/** Characters that a URL parser would drop or change. */
const UNSAFE = /[\p{Cc}\p{White_Space}\\]/u
const DOMAIN_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A URL taken apart for a connection. */
export interface ParsedUrl {
  readonly isSecure: boolean
  /** A name in lower case, or an address without brackets. */
  readonly host: string
  readonly port: number
  readonly authority: string
  readonly path: string
}

/** Parses a URL that `urlError` accepts. */
export function parseDeliveryUrl(text: string): ParsedUrl {
  const url = new URL(text)
  const isSecure = url.protocol === 'https:'
  return {
    isSecure,
    host: hostOf(url),
    port: url.port === '' ? DEFAULT_PORTS[isSecure ? 'https:' : 'http:'] : Number(url.port),
    authority: url.host,
    path: url.pathname + url.search,
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/**
 * Why this URL may not be the url of a subscription, as a sentence; undefined when it may. Only the text is checked:
 * the addresses of a name are checked at every attempt, by `addressesError`.
 */
export function urlError(url: string, allowlist: readonly AllowlistEntry[]): string | undefined {
  const [, scheme, written = ''] = FORM.exec(url) ?? []
  if (scheme === undefined) return 'url must begin with https://.'
  if (UNSAFE.test(url)) return 'url must not contain spaces, control characters or backslashes.'
  if (written.includes('@'))
    return 'url must not contain a user name or password; remove everything before the @.'
  if (url.includes('#')) return 'url must not have a fragment; remove the # and everything after it.'
  if (written === '' || !URL.canParse(url))
    return 'url must be a valid https URL, such as https://example.com/hook.'
  const parsed = parseDeliveryUrl(url)
  return spellingError(written.toLowerCase(), parsed) ?? hostError(parsed, allowlist)
}

/** A URL with a host that was percent-encoded as the name that is called; unchanged if it cannot be parsed. */
export function withPlainHost(url: string): string {
  const [start = '', , written = ''] = FORM.exec(url) ?? []
  if (!written.includes('%') || !URL.canParse(url)) return url
  return `${start.slice(0, start.length - written.length)}${new URL(url).host}${url.slice(start.length)}`
}

/** An address must be in its canonical form, so that everybody who reads the URL sees the same address. */
function spellingError(written: string, { host, port, authority }: ParsedUrl): string | undefined {
  if (port === 0) return 'url must not have port 0.'
  if (host.endsWith('.'))
    return `url must not have a host that ends in a dot; write "${host.replace(/(?<!\.)\.+$/, '')}".`
  if (isAddress(host) && !authority.startsWith('[') && written.replace(/:\d*$/, '') !== host) {
    return `url must have its address in canonical form: write "${host}".`
  }
  return undefined
}

function hostError(
  { isSecure, host, port }: ParsedUrl,
  allowlist: readonly AllowlistEntry[],
): string | undefined {
  const isAllowed = isAddress(host) ? isExempt(host, host, port, allowlist) : isNamed(host, port, allowlist)
  if (isAllowed) return undefined
  const remedy = `To call it all the same, give --webhook-allow ${host} to the server, and to a command.`
  if (!isSecure) return `url must begin with https://. ${remedy}`
  if (isAddress(host)) {
    const error = addressError(host)
    return error === undefined || isMetadataAddress(host) ? error : `${error} ${remedy}`
  }
  if (host === 'localhost' || host.endsWith('.localhost')) {
    return `url must lead to a public host; "${host}" is the server's own machine. ${remedy}`
  }
  if (isMetadataName(host)) return `url must not lead to a cloud's metadata service, as "${host}" does.`
  if (!DOMAIN_NAME.test(host))
    return `url must have a full domain name, such as hooks.example.com; "${host}" is not one.`
  return undefined
}

const addressError = (address: string): string | undefined => {
  if (isMetadataAddress(address))
    return `url must not lead to a cloud's metadata service, as ${address} does.`
  return isPublicAddress(address) ? undefined : `url must lead to a public address; ${address} is not public.`
}

/**
 * Why a host may not be called at the addresses that it resolves to, as a sentence; undefined when all are allowed. A
 * single address that is not allowed refuses them all, because a name with public and private addresses cannot be
 * trusted. The sentence does not name the address of a name, which may belong to the server's own network.
 */
export function addressesError(
  { isSecure, host, port }: ParsedUrl,
  addresses: readonly string[],
  allowlist: readonly AllowlistEntry[],
): string | undefined {
  if (addresses.length === 0) return `The name "${host}" has no address; check its spelling.`
  const forbidden = addresses.find((address) => !mayCall(address))
  if (forbidden === undefined) return undefined
  return host === forbidden
    ? `${host} is not a public address, so it is not called.`
    : `The name "${host}" has an address that is not public, so it is not called.`

  function mayCall(address: string): boolean {
    if (!isAddress(address)) return false
    return isExempt(address, host, port, allowlist) || (isSecure && isPublicAddress(address))
  }
}

/** Resolves a name to all its current addresses; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>

interface LookupSettings {
  readonly clock: Clock
  /** Whether the operator named this host. */
  readonly isTrusted: (host: string) => boolean
  /** The DNS servers that the machine is configured with now. */
  readonly servers?: () => string[]
}

/** A machine that moves to another network gets other DNS servers. */
const REFRESH_SERVERS_MS = 10_000

const systemServers = () => new (nodeDns().Resolver)().getServers()

const addressesIn = (found: readonly { readonly address: string }[]) => found.map(({ address }) => address)

/** Queries DNS without occupying a thread. */
const queryDns: Resolve = async (host) => addressesIn(await Bun.dns.lookup(host, { backend: 'c-ares' }))

/** Also knows names of the local network that DNS does not, but blocks one of a few threads meanwhile. */
const querySystem: Resolve = async (host) =>
  addressesIn(await nodeDns().promises.lookup(host, { all: true, verbatim: true }))

/**
 * Returns a resolver that looks up the hosts file and DNS at every call. A name whose DNS servers do not respond delays
 * no other name. Only trusted hosts that are not found this way are looked up by the system resolver.
 */
export function createResolve({ clock, isTrusted, servers = systemServers }: LookupSettings): Resolve {
  let refreshedAt = Number.NEGATIVE_INFINITY
  const refreshServers = () => {
    if (Math.abs(clock.now() - refreshedAt) < REFRESH_SERVERS_MS) return
    refreshedAt = clock.now()
    const current = servers()
    if (current.join() !== nodeDns().getServers().join()) nodeDns().setServers(current)
  }
  return async (host) => {
    refreshServers()
    try {
      return await queryDns(host)
    } catch (error) {
      if (!isTrusted(host)) throw error
      return await querySystem(host)
    }
  }
}

/** The codes of a lookup that was answered: there is no such name, or it has no address. */
const WITHOUT_ADDRESS = new Set(['ENOTFOUND', 'ENODATA'])

/** Why a name could not be resolved, as a sentence. */
export function lookupError(error: unknown, host: string): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? '').replace(/^DNS_/, '')
  return WITHOUT_ADDRESS.has(code)
    ? `The name "${host}" has no address; check its spelling.`
    : `The name "${host}" could not be resolved: the DNS server did not answer.`
}
