import { nodeNet } from './node-modules.ts'

/** The eight groups of an IPv6 address without a zone. */
function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = [], after = []] = canonical.split('::').map((half) =>
    half
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16)),
  )
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/**
 * The unit in which attempts are counted: an IPv4 address, also when it is mapped into IPv6, or the /64 of an IPv6
 * address, the smallest block that a provider assigns to a customer.
 */
export function addressGroup(address: string): string {
  const [unzoned = ''] = address.split('%')
  if (!nodeNet().isIPv6(unzoned)) return address
  const groups = groupsOf(unzoned)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}
