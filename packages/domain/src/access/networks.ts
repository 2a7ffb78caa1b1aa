import ipaddr from 'ipaddr.js'
import { type Network, parseRange } from '../callback/may-call.ts'

/** The most networks that a consumer may be limited to. */
export const networksMax = 50
/** An IPv6 address of eight full groups, a slash and three digits. */
export const networkCharactersMax = 43

/**
 * Parses a network such as 203.0.113.0/24 or 2001:db8::/32. Returns undefined unless the text is its first address in
 * plain notation and its length: `203.0.113.7/24` is probably a mistake. An IPv4 network is not written as IPv6.
 */
export function parseNetwork(text: string): Network | undefined {
  const range = parseRange(text)
  if (!range || range.port !== undefined) return undefined
  const [address] = range.network
  const written = text.slice(0, text.lastIndexOf('/'))
  if (address.kind() === 'ipv4') {
    const first = ipaddr.IPv4.networkAddressFromCIDR(text).toString()
    return written === first ? range.network : undefined
  }
  const first = ipaddr.IPv6.networkAddressFromCIDR(text).toString()
  const isPlain = address.toString() === first && !written.includes('%')
  return isPlain && address.range() !== 'ipv4Mapped' ? range.network : undefined
}

/**
 * Decides whether a consumer that is limited to these networks may call from an address. Without networks it may from
 * everywhere. An IPv4 address that is written as IPv6 counts as IPv4. An address that cannot be read is in no network.
 */
export function mayCallFrom(networks: readonly string[], address = ''): boolean {
  if (networks.length === 0) return true
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  return networks.some((text) => {
    const network = parseNetwork(text)
    return network !== undefined && network[0].kind() === ip.kind() && ip.match(network)
  })
}
