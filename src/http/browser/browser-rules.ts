import { Refusal } from '../../refusal.ts'

/*
 * What protects a person who is signed in to the application from other web pages: a page whose name was made to lead
 * to this server is refused (`Host`), and a page of another site may not act for the person.
 */

/** The `Host` of a request. Requests that come without a network have it only in their URL. */
export const hostOf = (request: Request): string =>
  request.headers.get('host') ?? (URL.canParse(request.url) ? new URL(request.url).host : '')

/** Without the port, and without the brackets of an IPv6 address. */
export function nameOf(host: string): string {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host.toLowerCase()) ?? []
  return name.replace(/^\[|\]$/g, '')
}

/** An address where a server listens, as it is named in a URL: an IPv6 address in its shortest form. */
function nameOfAddress(address: string): string {
  const url = `http://${address.includes(':') && !address.startsWith('[') ? `[${address}]` : address}`
  return URL.canParse(url) ? nameOf(new URL(url).host) : ''
}

/** An IPv4 address of this machine. */
const LOOPBACK = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/

const isLoopback = (name: string): boolean => name === 'localhost' || name === '::1' || LOOPBACK.test(name)

/**
 * Whether another site led to here, such as a provider: browsers then leave out the cookie of a session that there
 * may be.
 */
export const comesFromElsewhere = (request: Request): boolean =>
  /^(?:cross|same)-site$/.test(request.headers.get('sec-fetch-site') ?? '')

/** The addresses at which people reach the application: where the server listens, and `--public-url`. */
export interface OwnAddresses {
  readonly boundHost: string
  readonly publicUrls: readonly string[]
}

/** Checks who asks: that a request came under a name of this server, and from a page of this server. */
export interface BrowserRules {
  /** Refuses a request whose `Host` is none of this server's. */
  checkHost(request: Request): void
  /**
   * Refuses a request that a page of another origin made a browser send, if only of another port of this host; `isRead` for
   * GET and HEAD, which also a person sends who opens an address.
   */
  checkSameSite(request: Request, isRead: boolean): void
  /** Refuses a request from a page that is neither this server's nor of one of the allowed origins. */
  checkOrigin(request: Request, allowed: readonly string[]): void
  /** Refuses a request that comes from a page of another site, if the browser says so. */
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
    'This server is not known by the name in "Host"; start it with --public-url and the address you use.',
  )

const foreignOrigin = () =>
  new Refusal('cross_site', 'Pages of this origin may not call this server; start it with --cors-origin.')

const crossSite = () =>
  new Refusal('cross_site', 'This request came from a page of another site; open the application itself.')
