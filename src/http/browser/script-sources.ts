import { nodeNet } from '../../lib/node-modules.ts'
import { hostOf, nameOf } from './browser-rules.ts'

/** A host, optionally with a port, as a policy can name it. */
const HOST = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*(?::\d+)?$/
/** The only IP address that a policy can name. */
const LOOPBACK = '127.0.0.1'

const isNameable = (host: string): boolean =>
  HOST.test(host) && (nodeNet().isIP(nameOf(host)) === 0 || nameOf(host) === LOOPBACK)

/**
 * The sources of a `script-src` that allows this server's files below a path, but no uploaded file: the path at the
 * host of the request and at those of `--public-url`, because a proxy may forward another host. If a policy cannot
 * name one of them, all of 'self'.
 */
export function scriptSources(request: Request, publicUrls: readonly string[], path: string): string {
  const hosts = [hostOf(request).toLowerCase(), ...publicUrls.map((url) => new URL(url).host)]
  if (!hosts.every(isNameable)) return "'self'"
  return [...new Set(hosts)].map((host) => `${host}${path}/`).join(' ')
}
