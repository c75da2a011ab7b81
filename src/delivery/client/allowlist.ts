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

const MOST_BITS = { ipv4: 32, ipv6: 128 } as const
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const MOST_PORT = 65_535

/** `example.com:8080`, `[::1]:8080`, `127.0.0.1`, or an IPv6 address alone. */
function parseHost(text: string): { host: string; port: number | null } | undefined {
  if (isIPv6(text)) return isAddress(text) ? { host: canonicalAddress(text), port: null } : undefined
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const isHost = bracketed === undefined ? NAME.test(plain) : isIPv6(bracketed) && isAddress(bracketed)
  if (!isHost || (port !== undefined && (Number(port) < 1 || Number(port) > MOST_PORT))) return undefined
  const host = bracketed === undefined ? plain : canonicalAddress(bracketed)
  return isPlainHost(host) ? { host, port: port === undefined ? null : Number(port) } : undefined
}

/** Not one of the spellings, such as `127.1`, that a URL turns into an address. */
const isPlainHost = (host: string): boolean =>
  isAddress(host) || (URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host)

function parseRange(text: string): BlockList | undefined {
  const [, network = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  if (!isAddress(network) || Number(bits) > MOST_BITS[familyOf(network)]) return undefined
  return rangeList([text])
}

function parseAllowance(text: string): AllowlistEntry {
  const host = parseHost(text.toLowerCase())
  if (host) return { kind: 'host', ...host }
  const range = parseRange(text.toLowerCase())
  if (range) return { kind: 'range', range }
  throw new Error(
    `--webhook-allow must be a host, host:port, an address or a range such as 10.0.0.0/8, not "${text}".`,
  )
}

/** Reads the values of `--webhook-allow`; throws an Error with a sentence for the first that is none. */
export const parseAllowlist = (texts: readonly string[]): AllowlistEntry[] => texts.map(parseAllowance)

/** Whether the host is named itself, at this port or at all. */
export const isNamed = (host: string, port: number, allowances: readonly AllowlistEntry[]): boolean =>
  allowances.some(
    (allowed) =>
      allowed.kind === 'host' && allowed.host === host && (allowed.port === null || allowed.port === port),
  )

/** Whether the host is named itself, at whichever port. */
export const isNamedAnywhere = (host: string, allowances: readonly AllowlistEntry[]): boolean =>
  allowances.some((allowed) => allowed.kind === 'host' && allowed.host === host)

/**
 * Whether an address that `host` stands for is exempt. A metadata service must be named itself: neither a range
 * nor a name that leads to it opens it.
 */
export function isExempt(
  address: string,
  host: string,
  port: number,
  allowances: readonly AllowlistEntry[],
): boolean {
  if (isNamed(canonicalAddress(address), port, allowances)) return true
  if (isMetadataAddress(address)) return isMetadataName(host) && isNamed(host, port, allowances)
  if (isNamed(host, port, allowances)) return true
  return allowances.some(
    (allowed) => allowed.kind === 'range' && allowed.range.check(address, familyOf(address)),
  )
}
