import type { BlockList } from 'node:net'
import { nodeNet } from '../lib/node-modules.ts'
import type { HttpServer } from './exchange.ts'

/**
 * A server behind trusted proxies: the client of a request is the last address in `X-Forwarded-For` that is not a
 * trusted proxy. Clients can forge the addresses before it.
 */
export const behindProxies = (server: HttpServer, proxies: BlockList): HttpServer => ({
  requestIP: (request) => {
    const peer = server.requestIP(request)
    return peer && { address: clientAddress(peer.address, request.headers.get('x-forwarded-for'), proxies) }
  },
  timeout: (request, seconds) => server.timeout(request, seconds),
})

function clientAddress(peer: string, forwarded: string | null, proxies: BlockList): string {
  const addresses = forwarded?.split(',').map(withoutPort) ?? []
  let client = peer
  while (isTrusted(client, proxies)) {
    const before = addresses.pop()
    if (before === undefined || nodeNet().isIP(before) === 0) break
    client = before
  }
  return client
}

/** Some proxies write `192.0.2.7:50123`, and `[2001:db8::7]:50123` or `[2001:db8::7]`. */
function withoutPort(written: string): string {
  const [, address] =
    /^\[(.+)\](?::\d+)?$/.exec(written.trim()) ?? /^([\d.]+):\d+$/.exec(written.trim()) ?? []
  return address ?? written.trim()
}

const isTrusted = (address: string, proxies: BlockList): boolean =>
  proxies.check(address, nodeNet().isIP(address) === 6 ? 'ipv6' : 'ipv4')
