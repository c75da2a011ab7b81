import { type BlockList, isIPv6 } from 'node:net'
import {
  canonicalAddress,
  familyOf,
  isAddress,
  isMetadataAddress,
  isMetadataName,
  rangeList,
} from './address-ranges.ts'

/** One value of `--webhook-allow`: a host or address, at any port or at one, or a range of addresses. */
export type AllowlistEntry =
  | { readonly kind: 'host'; readonly host: string; readonly port: number | null }
  | { readonly kind: 'range'; readonly range: BlockList }

const MAX_BITS = { ipv4: 32, ipv6: 128 } as const
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const MAX_PORT = 65_535

/** Parses `example.com:8080`, `[::1]:8080`, `127.0.0.1` or a bare IPv6 address. */
function parseHost(text: string): { host: string; port: number | null } | undefined {
  if (isIPv6(text)) return isAddress(text) ? { host: canonicalAddress(text), port: null } : undefined
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const isHost = bracketed === undefined ? NAME.test(plain) : isIPv6(bracketed) && isAddress(bracketed)
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
