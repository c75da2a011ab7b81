import { Refusal } from '../../lib/refusal.ts'

/*
 * Protects users of the application from other web pages. Requests under a foreign host name that resolves to this
 * server are refused (`Host`, DNS rebinding), and pages of other sites cannot act for the user.
 */

/** The `Host` of a request. Requests without a network connection have it only in their URL. */
export const hostOf = (request: Request): string =>
  request.headers.get('host') ?? (URL.canParse(request.url) ? new URL(request.url).host : '')

/** A name or IPv4 address, or an IPv6 address in brackets, with a port or without. */
const HOST = /^(?:\[([^\]:]*:[^\]]*)\]|([^:[\]]*))(?::(\d*))?$/
const MAX_PORT = 65_535

/**
 * The host without its port, and without the brackets of an IPv6 address. Empty if the brackets hold something else, or
 * if there is no such port: URLs with such a host cannot be parsed.
 */
export function nameOf(host: string): string {
  const [, address, name = '', port = ''] = HOST.exec(host.toLowerCase()) ?? []
  return Number(port) > MAX_PORT ? '' : (address ?? name)
}

/** A listening address as named in a URL: an IPv6 address in its shortest form. */
function nameOfAddress(address: string): string {
  const url = `http://${address.includes(':') && !address.startsWith('[') ? `[${address}]` : address}`
  return URL.canParse(url) ? nameOf(new URL(url).host) : ''
}

/** A loopback IPv4 address. */
const LOOPBACK = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

/** Whether a host name means this machine. */
export const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || LOOPBACK.test(name)

/** Whether another site, such as a sign-in provider, led to this request: browsers then omit the session cookie. */
export const isCrossSite = (request: Request): boolean =>
  /^(?:cross|same)-site$/.test(request.headers.get('sec-fetch-site') ?? '')

/** The addresses of the application: where the server listens, and `--public-url`. */
export interface OwnAddresses {
  readonly boundHost: string
  readonly publicUrls: readonly string[]
}

/** Checks that a request was sent to a name of this server, and from a page of this server. */
export interface BrowserRules {
  /** Refuses a request for a foreign `Host`. */
  checkHost(request: Request): void
  /**
   * Refuses a browser's request caused by a page of another origin, even one on another port of this host. `isRead` is
   * set for GET and HEAD, which browsers also send when a user opens an address.
   */
  checkSameSite(request: Request, isRead: boolean): void
  /** Refuses a request from a page that belongs neither to this server nor to an allowed origin. */
  checkOrigin(request: Request, allowed: readonly string[]): void
  /** Refuses a request from a page of another site, if the browser reports it. */
  checkNotForeign(request: Request): void
}

export function createBrowserRules({ boundHost, publicUrls }: OwnAddresses): BrowserRules {
  const names = new Set([nameOfAddress(boundHost), ...publicUrls.map((url) => nameOf(new URL(url).host))])
  const origins = new Set(publicUrls.map((url) => new URL(url).origin))
  const isOwnOrigin = (origin: string, request: Request) =>
    origin === `http://${hostOf(request)}` || origins.has(origin)
  return {
    checkHost: (request) => {
      const name = nameOf(hostOf(request))
      if (name === '' || !(isLoopback(name) || names.has(name))) throw badHost()
    },
    checkSameSite: (request, isRead) => {
      const site = request.headers.get('sec-fetch-site')
      if (isRead) {
        if (site !== null && site !== 'same-origin' && site !== 'none') throw crossSite()
        return
      }
      const origin = request.headers.get('origin') ?? ''
      if (site === null ? !isOwnOrigin(origin, request) : site !== 'same-origin') throw crossSite()
    },
    checkOrigin: (request, allowed) => {
      const origin = request.headers.get('origin')
      if (origin !== null && !isOwnOrigin(origin, request) && !allowed.includes(origin)) throw foreignOrigin()
    },
    checkNotForeign: (request) => {
      const site = request.headers.get('sec-fetch-site') ?? 'none'
      const origin = request.headers.get('origin')
      const isOwn = origin === null || isOwnOrigin(origin, request)
      if (!isOwn || (site !== 'same-origin' && site !== 'none')) throw crossSite()
    },
  }
}

const badHost = () =>
  new Refusal(
    'bad_host',
    'This server does not accept the host name in "Host"; start it with --public-url and the address you use.',
  )

const foreignOrigin = () =>
  new Refusal(
    'cross_site',
    'Pages of this origin cannot call this server; start it with --cors-origin to allow them.',
  )

const crossSite = () =>
  new Refusal('cross_site', 'This request came from a page of another site; open the application itself.')
