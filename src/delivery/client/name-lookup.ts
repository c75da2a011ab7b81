import { getServers, Resolver, setServers } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { Clock } from '../../lib/clock.ts'

/** Resolves a name to all its current addresses; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>

interface LookupSettings {
  readonly clock: Clock
  /** Whether the operator named this host. */
  readonly isTrusted: (host: string) => boolean
  /** The DNS servers that the machine is configured with now. */
  readonly servers?: () => string[]
}

/** A machine that moves to another network gets other DNS servers. */
const REFRESH_SERVERS_MS = 10_000

const systemServers = () => new Resolver().getServers()

const addressesIn = (found: readonly { readonly address: string }[]) => found.map(({ address }) => address)

/** Queries DNS without occupying a thread. */
const queryDns: Resolve = async (host) => addressesIn(await Bun.dns.lookup(host, { backend: 'c-ares' }))

/** Also knows names of the local network that DNS does not, but blocks one of a few threads meanwhile. */
const querySystem: Resolve = async (host) => addressesIn(await lookup(host, { all: true, verbatim: true }))

/**
 * Returns a resolver that looks up the hosts file and DNS at every call. A name whose DNS servers do not respond delays
 * no other name. Only trusted hosts that are not found this way are looked up by the system resolver.
 */
export function createResolve({ clock, isTrusted, servers = systemServers }: LookupSettings): Resolve {
  let refreshedAt = Number.NEGATIVE_INFINITY
  const refreshServers = () => {
    if (Math.abs(clock.now() - refreshedAt) < REFRESH_SERVERS_MS) return
    refreshedAt = clock.now()
    const current = servers()
    if (current.join() !== getServers().join()) setServers(current)
  }
  return async (host) => {
    refreshServers()
    try {
      return await queryDns(host)
    } catch (error) {
      if (!isTrusted(host)) throw error
      return await querySystem(host)
    }
  }
}

/** The codes of a lookup that was answered: there is no such name, or it has no address. */
const WITHOUT_ADDRESS = new Set(['ENOTFOUND', 'ENODATA'])

/** Why a name could not be resolved, as a sentence. */
export function lookupError(error: unknown, host: string): string {
  const code = String((error as { code?: unknown } | undefined)?.code ?? '').replace(/^DNS_/, '')
  return WITHOUT_ADDRESS.has(code)
    ? `The name "${host}" has no address; check its spelling.`
    : `The name "${host}" could not be resolved: the DNS server did not answer.`
}
