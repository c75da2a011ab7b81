import type { AppContext } from '../../context.ts'
import { hostOf, isLoopback, nameOf } from '../../http/browser/browser-rules.ts'

/** The path of the protected resource. */
const RESOURCE_PATH = '/mcp'

/** The addresses of the authorization server and of the resource that it protects. */
export class OwnOrigin {
  readonly #publicUrls: readonly string[]

  constructor({ publicUrls }: Pick<AppContext['config'], 'publicUrls'>) {
    this.#publicUrls = publicUrls
  }

  /** The first `--public-url`, otherwise the origin of the request, whose host was checked. */
  of(request: Request): string {
    return this.#publicUrls[0] ?? new URL(`http://${hostOf(request)}`).origin
  }

  resourceOf(request: Request): string {
    return this.of(request) + RESOURCE_PATH
  }

  /** Whether a client means the MCP endpoint of this server, under any of its names. */
  isResource(text: string, request: Request): boolean {
    if (!URL.canParse(text)) return false
    const { origin, host, hostname, port, protocol, pathname, search, hash, username } = new URL(text)
    if (pathname !== RESOURCE_PATH || search !== '' || hash !== '' || username !== '') return false
    if (this.#publicUrls.length > 0) return this.#publicUrls.includes(origin)
    const own = new URL(this.of(request))
    if (protocol !== own.protocol || port !== own.port) return false
    return host === own.host || (isLoopback(nameOf(hostname)) && isLoopback(nameOf(own.hostname)))
  }

  /** The value of `WWW-Authenticate` that tells a client of the endpoint where to get a token. */
  challengeFor(request: Request): string {
    const metadata = `${this.of(request)}/.well-known/oauth-protected-resource${RESOURCE_PATH}`
    return `Bearer realm="daybook", resource_metadata="${metadata}"`
  }
}
