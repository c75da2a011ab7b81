import { isAddress, isMetadataAddress, isMetadataName, isPublicAddress } from './address-ranges.ts'
import { type AllowlistEntry, isExempt, isNamed } from './allowlist.ts'

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 } as const
const FORM = /^(https?):\/\/([^/?#]*)/i
/** What a URL parser would drop or turn into something else: blanks, control characters, backslashes. */
const UNFIT = /[\p{Cc}\p{White_Space}\\]/u
const DOMAIN_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Where a URL leads, as a connection needs it. */
export interface Target {
  readonly isSecure: boolean
  /** A name in lower case, or an address without brackets. */
  readonly host: string
  readonly port: number
  /** What stands in the `Host` header. */
  readonly authority: string
  /** Path and query. */
  readonly path: string
}

/** Takes apart a URL that `urlFault` has nothing against. */
export function targetOf(text: string): Target {
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
 * Why this URL may not be saved as the target of a subscription, as a sentence; undefined when it may. Looks at
 * the text alone: to what a name leads is judged at every attempt (`service.md`, Delivery rules; contract,
 * section 7).
 */
export function urlFault(url: string, allowances: readonly AllowlistEntry[]): string | undefined {
  const [, scheme, written = ''] = FORM.exec(url) ?? []
  if (scheme === undefined) return 'url must begin with https://.'
  if (UNFIT.test(url)) return 'url must not hold blanks, control characters or backslashes.'
  if (written.includes('@'))
    return 'url must not hold a user name or password; remove what stands before the @.'
  if (url.includes('#')) return 'url must not have a fragment; remove the # and what follows it.'
  if (written === '' || !URL.canParse(url))
    return 'url must be a valid https URL, such as https://example.com/hook.'
  const target = targetOf(url)
  return spellingFault(written.toLowerCase(), target) ?? targetFault(target, allowances)
}

/** Addresses have one spelling each, so that everybody who reads the URL sees the same address. */
function spellingFault(written: string, { host, port, authority }: Target): string | undefined {
  if (port === 0) return 'url must not have port 0.'
  if (host.endsWith('.'))
    return `url must not have a host that ends in a dot; write "${host.replace(/\.+$/, '')}".`
  if (isAddress(host) && !authority.startsWith('[') && written.replace(/:\d*$/, '') !== host) {
    return `url must spell its address plainly: write "${host}".`
  }
  return undefined
}

function targetFault(
  { isSecure, host, port }: Target,
  allowances: readonly AllowlistEntry[],
): string | undefined {
  const isAllowed = isAddress(host) ? isExempt(host, host, port, allowances) : isNamed(host, port, allowances)
  if (isAllowed) return undefined
  if (!isSecure) return 'url must begin with https://.'
  if (isAddress(host)) return addressFault(host)
  if (host === 'localhost' || host.endsWith('.localhost')) {
    return `url must lead to a public host; "${host}" is the server's own machine.`
  }
  if (isMetadataName(host)) return `url must not lead to a cloud's metadata service, as "${host}" does.`
  if (!DOMAIN_NAME.test(host))
    return `url must have a full domain name, such as hooks.example.com; "${host}" is none.`
  return undefined
}

const addressFault = (address: string): string | undefined => {
  if (isMetadataAddress(address))
    return `url must not lead to a cloud's metadata service, as ${address} does.`
  return isPublicAddress(address) ? undefined : `url must lead to a public address; ${address} is none.`
}

/**
 * Why none of the addresses that a host stands for is called, as a sentence; undefined when each of them may be.
 * One that is not public refuses them all: a name that leads inside as well as outside is not to be trusted.
 * To which address a name leads is not told, since names may be of the server's own network.
 */
export function addressesFault(
  { isSecure, host, port }: Target,
  addresses: readonly string[],
  allowances: readonly AllowlistEntry[],
): string | undefined {
  if (addresses.length === 0) return `The name "${host}" leads to no address.`
  const closed = addresses.find((address) => !mayCall(address))
  if (closed === undefined) return undefined
  return host === closed
    ? `${host} is not a public address, so it is not called.`
    : `The name "${host}" leads to an address that is not public, so it is not called.`

  function mayCall(address: string): boolean {
    if (!isAddress(address)) return false
    return isExempt(address, host, port, allowances) || (isSecure && isPublicAddress(address))
  }
}
