import { isLoopback, nameOf } from '../../http/browser/browser-rules.ts'

const MAX_LENGTH = 2_000

/** Printable ASCII after the scheme, without quotes, angle brackets, backslashes and a fragment. */
const SAFE = /^[a-z][a-z0-9+.-]*:[!$-;=?-[\]-~]+$/i

/** Schemes that run code, show local content or open a page of the browser, and network protocols besides HTTP. */
const FORBIDDEN = new Set([
  ...['javascript:', 'data:', 'file:', 'blob:', 'about:', 'vbscript:'],
  ...['ftp:', 'ws:', 'wss:'],
])

const isLoopbackUrl = ({ host }: URL): boolean => isLoopback(nameOf(host))

/** Whether a client may return to this URI: https, http on loopback, or a private-use scheme. */
export function isRedirectUri(uri: string): boolean {
  if (uri.length > MAX_LENGTH || !SAFE.test(uri) || !URL.canParse(uri)) return false
  const url = new URL(uri)
  // A browser would take `https:example` for a relative reference.
  if (/^https?:$/.test(url.protocol) && !/^https?:\/\/[^/?]/i.test(uri)) return false
  if (url.username !== '' || url.password !== '' || FORBIDDEN.has(url.protocol)) return false
  return url.protocol !== 'http:' || isLoopbackUrl(url)
}

/** A URI on loopback: scheme and host, port, and the rest. */
const LOOPBACK = /^(https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]))(?::\d{1,5})?([/?].*)?$/

/** A URI on loopback without its port, which programs choose at each start; any other URI unchanged. */
const withoutPort = (uri: string): string => uri.replace(LOOPBACK, '$1$2')

/** Whether a registration allows a URI: it is listed exactly, except for the port on loopback. */
export const allowsRedirect = (registered: readonly string[], uri: string): boolean =>
  isRedirectUri(uri) && registered.some((one) => withoutPort(one) === withoutPort(uri))

/** The name of the place that a client returns to: a host, or the scheme of an installed program. */
export function hostOfRedirect(uri: string): string {
  const { protocol, host } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : protocol
}

/** A host that a policy can name: Chrome accepts no IPv6 address and no address except 127.0.0.1. */
const NAMEABLE = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|127\.0\.0\.1)(?::\d+)?$/

/** The source in `form-action` that permits the redirect of the consent form to this URI. */
export function formTargetOf(uri: string): string {
  const { protocol, host, origin } = new URL(uri)
  const isAddress = /^[\d.]+(?::\d+)?$/.test(host) && !host.startsWith('127.0.0.1')
  return /^https?:$/.test(protocol) && NAMEABLE.test(host) && !isAddress ? origin : protocol
}

/** The URI with response parameters added; undefined ones are left out. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const present = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  )
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(present)}`
}
