import { getServers, Resolver, setServers } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { Clock } from '../../lib/clock.ts'
import { isAddress, isMetadataAddress, isMetadataName, isPublicAddress } from './address-ranges.ts'
import { type AllowlistEntry, isExempt, isNamed } from './allowlist.ts'

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
  if (!isSecure) return 'url must begin with https://.'
  if (isAddress(host)) return addressError(host)
  if (host === 'localhost' || host.endsWith('.localhost')) {
    return `url must lead to a public host; "${host}" is the server's own machine.`
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

const systemServers = () => new Resolver().getServers()

const addressesIn = (found: readonly { readonly address: string }[]) => found.map(({ address }) => address)

/** Queries DNS without occupying a thread. */
const queryDns: Resolve = async (host) => addressesIn(await Bun.dns.lookup(host, { backend: 'c-ares' }))

/** Also knows names of the local network that DNS does not, but blocks one of a few threads meanwhile. */
const querySystem: Resolve = async (host) => addressesIn(await lookup(host, { all: true, verbatim: true }))

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
    if (current.join() !== getServers().join()) setServers(current)
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
