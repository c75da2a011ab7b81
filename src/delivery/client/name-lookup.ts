import { getServers, Resolver, setServers } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { Clock } from '../../lib/clock.ts'

/** Every address that a name stands for now. */
export type Resolve = (host: string) => Promise<readonly string[]>

interface LookupSettings {
  readonly clock: Clock
  /** Whether the operator named this host. */
  readonly isTrusted: (host: string) => boolean
  /** The DNS servers of this machine, as they are set now. */
  readonly servers?: () => string[]
}

/** A machine that moves to another network gets other DNS servers. */
const LOOK_AT_SERVERS_EVERY_MS = 10_000

const systemServers = () => new Resolver().getServers()

const addressesIn = (found: readonly { readonly address: string }[]) => found.map(({ address }) => address)

/** Waits for DNS without a thread. */
const askDns: Resolve = async (host) => addressesIn(await Bun.dns.lookup(host, { backend: 'c-ares' }))

/** Knows names that DNS does not, such as those of a local network, and takes one of a few threads until it knows. */
const askSystem: Resolve = async (host) => addressesIn(await lookup(host, { all: true, verbatim: true }))

/**
 * Asks the hosts file and DNS, at every call anew, in a way in which names whose servers are silent keep no other name
 * waiting. The system itself is asked after that, and only for hosts that are trusted.
 */
export function createResolve({ clock, isTrusted, servers = systemServers }: LookupSettings): Resolve {
  let lookedAt = Number.NEGATIVE_INFINITY
  const useServersOfNow = () => {
    if (Math.abs(clock.now() - lookedAt) < LOOK_AT_SERVERS_EVERY_MS) return
    lookedAt = clock.now()
    const now = servers()
    if (now.join() !== getServers().join()) setServers(now)
  }
  return async (host) => {
    useServersOfNow()
    try {
      return await askDns(host)
    } catch (error) {
      if (!isTrusted(host)) throw error
      return await askSystem(host)
    }
  }
}
